"""El linter de las páginas: lo que un revisor atento señalaría, con su línea y su arreglo.

Una regla es una función que recibe una página y el sitio y da pares (posición, mensaje). Para
añadir otra se escribe la función y se apunta en `RULES`. Ninguna convierte Markdown: el linter
corre en cada reconstrucción de `servir` y debe pasar inadvertido.
"""

import re
from collections.abc import Callable
from pathlib import Path

from lessons_code.sitekit import cards
from lessons_code.sitekit.collect import page_files
from lessons_code.sitekit.findings import Finding
from lessons_code.sitekit.lint import card_rules
from lessons_code.sitekit.lint.name_rules import identifiers
from lessons_code.sitekit.lint.number_rules import numbers
from lessons_code.sitekit.lint.word_rules import words
from lessons_code.sitekit.names import Site
from lessons_code.sitekit.prose import Findings, Source, block_around, read


def check_site(docs: Path, root: Path) -> list[Finding]:
    """Todos los hallazgos de `docs`, por página y por línea."""
    site = Site(docs, root)
    findings: list[Finding] = []
    for path in page_files(docs):
        if path.relative_to(docs).parts[0] not in UNLINTED:
            findings += check_page(read(path), site)
    return findings


def check_page(page: Source, site: Site) -> list[Finding]:
    """Los hallazgos de una página, por línea."""
    rules = RULES + CARD_RULES if cards.is_card(page.path) else RULES
    path = page.path.relative_to(site.root)
    findings = [
        Finding(path, page.line(offset), name, message)
        for name, rule in rules
        for offset, message in rule(page, site)
    ]
    return sorted(findings, key=lambda finding: finding.line)


# --- Restos de borrador ---------------------------------------------------------------------

_DRAFT = re.compile(
    r"(?:próximamente|proximamente|Próximamente|TODO|FIXME|TBD|lorem|Lorem|por escribir"
    r"|en construcción|En construcción)(?!\w)"
)


def drafts(page: Source, site: Site) -> Findings:
    """Promesas y textos de relleno: una página se publica cuando dice algo."""
    for match in _DRAFT.finditer(page.prose):
        if not page.prose[match.start() - 1 : match.start()].isalpha():
            yield match.start(), f"«{match[0]}»: escribe el contenido o quita la frase"


# --- Ids e imágenes -------------------------------------------------------------------------

_NO_ALT = re.compile(r"!\[\s*\](?=[(\[])")


def ids(page: Source, site: Site) -> Findings:
    """Un id en dos títulos: un enlace solo llegaría al primero. Los de las celdas son suyos."""
    seen = set()
    for heading in page.headings:
        if heading.id and heading.id in seen:
            yield heading.start, f"el id #{heading.id} ya está en otro título: pon uno distinto"
        if heading.id.startswith("celda-"):
            yield heading.start, f"#{heading.id} empieza como los ids de las celdas: pon otro"
        seen.add(heading.id)


def images(page: Source, site: Site) -> Findings:
    """Una imagen sin texto alternativo no existe para quien no la ve."""
    for match in _NO_ALT.finditer(page.body):
        if page.prose[match.start()] == "!":  # y no dentro de código
            yield match.start(), "la imagen no tiene texto alternativo: di entre [ ] lo que muestra"


# --- Tablas ---------------------------------------------------------------------------------

_CODE_SPAN = re.compile(r"``.+?``|`[^`]+`")


def tables(page: Source, site: Site) -> Findings:
    """Filas con más o menos celdas que su cabecera: suele ser una barra dentro de una fórmula."""
    lines = page.lines
    for here, line in enumerate(lines):
        if here == 0 or "|" not in line or "-" not in line or set(line) - set("|:- \t>"):
            continue
        expected = _cells(lines[here - 1])
        _, last = block_around(lines, here)
        for row in range(here, last + 1):
            if lines[row].lstrip().startswith("{") or _cells(lines[row]) == expected:
                continue
            advice = (
                r"; la barra de una fórmula se escribe `\vert` o `\mid`"
                if "$" in lines[row]
                else r"; una barra que sea texto se escribe `\|`"
            )
            yield (
                page.offset(row + 1),
                f"la fila tiene {_cells(lines[row])} celdas y su cabecera, {expected}{advice}",
            )


def _cells(row: str) -> int:
    """Las celdas que verá Python-Markdown: no parte por barras escapadas ni dentro de código."""
    content = _CODE_SPAN.sub("", row).replace(r"\|", "").strip(" \t>")
    return content.removeprefix("|").removesuffix("|").count("|") + 1


# --- La lista -------------------------------------------------------------------------------

Rule = Callable[[Source, Site], Findings]

UNLINTED = ("outputs",)  # el entregable está en inglés

RULES: tuple[tuple[str, Rule], ...] = (
    ("números", numbers),
    ("palabras", words),
    ("borrador", drafts),
    ("ids", ids),
    ("imágenes", images),
    ("tablas", tables),
    ("nombres", identifiers),
)

CARD_RULES: tuple[tuple[str, Rule], ...] = (
    ("metadatos", card_rules.front_matter),
    ("secciones", card_rules.sections),
    ("apertura", card_rules.opening),
    ("identificación", card_rules.identification),
    ("puente", card_rules.bridge),
    ("preguntas", card_rules.questions),
    ("pie", card_rules.foot),
)
