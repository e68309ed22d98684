"""El esquema de una ficha, como datos: qué partes tiene y en qué orden.

Toda ficha es igual por fuera. Quien ha leído una sabe dónde mirar en las demás, y un enlace a
`…/p08-transformer/#limitaciones` se puede escribir antes de abrir la página.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from lessons_code.sitekit.prose import Source

# id → título; el número lo pone el orden.
SECTIONS = {
    "identificacion": "Identificación",
    "problema-anterior": "Problema anterior",
    "propuesta": "Propuesta",
    "intuicion": "Intuición sin fórmulas",
    "matematica-minima": "Matemática mínima",
    "arquitectura": "Arquitectura o flujo",
    "que-observar": "Qué observar en el paper original",
    "evidencia": "Evidencia y resultados",
    "impacto": "Impacto",
    "limitaciones": "Limitaciones",
    "errores-comunes": "Errores comunes",
    "trabajos-anteriores": "Relación con trabajos anteriores",
    "trabajos-posteriores": "Relación con trabajos posteriores",
    "notebook": "Notebook asociado",
    "actividades-bloom": "Actividades Bloom",
    "autoevaluacion": "Autoevaluación",
    "respuestas": "Respuestas esperadas",
    "fuentes": "Fuentes primarias",
}

FRONT_MATTER = ("title", "ficha", "nivel", "motor", "notebook", "anexo")

LEVELS = {
    "L1": "una idea, sin cálculo",
    "L2": "un mecanismo con su fórmula",
    "L3": "un mecanismo entrenado, con su crítica",
    "L4": "una arquitectura",
}

OPENING_LABELS = ("Nivel", "Motor", "Notebook", "Anexo")

IDENTIFICATION_ROWS = (
    "Título original",
    "Autores",
    "Año",
    "Publicación",
    "Fuente primaria",
    "Acceso",
    "Fecha de consulta",
)

BRIDGE_TITLE = "Puente matemático"

FOOT_LABELS = ("Anterior", "Índice", "Evaluación", "Clase", "Siguiente")

# El orden de la ruta: de aquí salen «anterior» y «siguiente».
ROUTE = ("p06-seq2seq", "p07-atencion", "p08-transformer")


@dataclass(frozen=True)
class Section:
    """Una sección de segundo nivel: su id y el tramo de texto que ocupa, título incluido."""

    id: str
    title: str
    start: int
    end: int


def is_card(path: Path) -> bool:
    """Si esa página de `docs/` es una ficha (el índice de fichas no lo es)."""
    return path.parent.name == "fichas" and path.name != "index.md"


def sections(page: Source) -> list[Section]:
    """Las secciones de segundo nivel, en el orden en que están escritas."""
    headings = [heading for heading in page.headings if heading.level == 2]
    edges = [*(heading.start for heading in headings), len(page.text)]
    return [
        Section(heading.id, heading.title, heading.start, end)
        for heading, end in zip(headings, edges[1:], strict=True)
    ]


def section(page: Source, section_id: str) -> Section | None:
    """La sección con ese id, si está."""
    return next((found for found in sections(page) if found.id == section_id), None)


def foot(page: Source) -> tuple[int, list[str]]:
    """El pie: dónde empieza y sus trozos, los que separa «·» fuera de los títulos de las fichas.

    Un trozo va de una etiqueta a la siguiente, de modo que «P06 · Seq2Seq» no se parte.
    """
    paragraphs = list(re.finditer(r"(?:^[^\n]*\S[^\n]*\n?)+", page.body, re.MULTILINE))
    if not paragraphs:
        return 0, []
    last = paragraphs[-1]
    labels = "|".join(FOOT_LABELS)
    return last.start(), re.split(rf"\s*·\s*(?=[^·]*?\b(?:{labels})\b)", last[0].strip())


def foot_targets(page: Source, docs: Path) -> dict[str, Path]:
    """A qué fichero lleva cada etiqueta del pie, exista o no.

    La clase no está: qué clase del programa usa cada ficha lo dice la propia ficha.
    """
    targets = {"Índice": docs / "fichas" / "index.md"}
    if number := page.meta.get("ficha"):
        targets["Evaluación"] = docs / "evaluacion" / f"{number.lower()}.md"
    if page.path.stem in ROUTE:
        position = ROUTE.index(page.path.stem)
        if position > 0:
            targets["Anterior"] = docs / "fichas" / f"{ROUTE[position - 1]}.md"
        if position + 1 < len(ROUTE):
            targets["Siguiente"] = docs / "fichas" / f"{ROUTE[position + 1]}.md"
    return targets
