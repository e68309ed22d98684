"""¿Qué fichas hay, y qué dice cada una? El Markdown de docs/fichas es la única fuente.

Una ficha es una página cuyo encabezado declara `ficha: P07`. De ella se leen, como texto, las
secciones que no ejecutan nada y las ecuaciones de la matemática mínima. La usa `ai-evolution`.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import yaml

from lessons_code.papers.plain_text import PlainTextError, block_to_text, formula_to_text, wrap

ROOT = Path(__file__).resolve().parents[2]
CARDS_FOLDER = Path("docs/fichas")
REQUIRED_KEYS = ("title", "ficha", "nivel", "motor", "notebook")
PROSE_SECTIONS = ("identificacion", "problema-anterior", "propuesta")
EQUATIONS_SECTION = "matematica-minima"

FRONT_MATTER = re.compile(r"---\n(.*?)^---\n", flags=re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^## (?P<title>.+?) *\{ *#(?P<id>[\w-]+) *\}$", flags=re.MULTILINE)
BLOCK = re.compile(r"\S.*?(?=\n\s*\n|\s*\Z)", flags=re.DOTALL)
DISPLAY_FORMULA = re.compile(r"\$\$(.+?)\$\$", flags=re.DOTALL)


class CardError(ValueError):
    """Una ficha que no se puede leer. El mensaje empieza por `archivo:línea`."""


@dataclass(frozen=True)
class Section:
    """Una sección de nivel dos, con la línea del archivo en la que empieza su texto."""

    title: str
    line: int
    text: str

    def line_at(self, offset):
        return self.line + self.text.count("\n", 0, offset)


@dataclass(frozen=True)
class Card:
    """Una ficha: sus datos de cabecera y sus secciones por identificador."""

    path: Path  # relativa a la raíz del repositorio
    code: str
    title: str
    level: str
    engine: str
    notebook: str
    sections: dict[str, Section]

    @property
    def name(self):
        """El título sin el código: «Atención (Bahdanau)»."""
        return self.title.removeprefix(f"{self.code} · ")

    def url(self, site_url=""):
        """Su dirección en el sitio; sin `site_url`, solo la ruta."""
        return f"{site_url.rstrip('/')}/fichas/{self.path.stem}/"

    def section(self, identifier):
        """Lanza CardError si la ficha no tiene esa sección."""
        if identifier not in self.sections:
            raise CardError(f"{self.path}:1: falta la sección «## … {{#{identifier}}}»")
        return self.sections[identifier]


# ─── Encontrar y leer ─────────────────────────────────────────────────────────────────────────


def read_cards(root=ROOT):
    """Todas las fichas, por código y en orden.

    Lanza CardError si no hay ninguna o si alguna está mal escrita.
    """
    folder = root / CARDS_FOLDER
    pages = [read_card(path, root) for path in sorted(folder.glob("*.md"))]
    cards = {card.code: card for card in pages if card}
    if not cards:
        raise CardError(
            f"{folder}: no hay fichas. Se leen del repositorio: usa la orden en un clon"
        )
    return dict(sorted(cards.items()))


def read_card(path, root=ROOT):
    """Una ficha, o None si la página no declara ser ninguna."""
    text = path.read_text(encoding="utf-8")
    path = path.relative_to(root)
    header = FRONT_MATTER.match(text)
    fields = _front_matter(header[1], path) if header else {}
    if "ficha" not in fields:
        return None
    missing = [key for key in REQUIRED_KEYS if key not in fields]
    if missing:
        raise CardError(f"{path}:1: faltan en el encabezado: {', '.join(missing)}")
    return Card(
        path=path,
        code=fields["ficha"],
        title=fields["title"],
        level=fields["nivel"],
        engine=fields["motor"],
        notebook=fields["notebook"],
        sections=_sections(text),
    )


def _front_matter(text, path):
    try:
        fields = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2  # yaml cuenta desde 0, y antes va la raya
        raise CardError(f"{path}:{line}: el encabezado no es YAML válido") from None
    return fields if isinstance(fields, dict) else {}


def _sections(text):
    headings = list(HEADING.finditer(text))
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    return {
        heading["id"]: Section(
            title=heading["title"],
            line=text.count("\n", 0, heading.end()) + 1,
            text=text[heading.end() : end],
        )
        for heading, end in zip(headings, ends, strict=True)
    }


# ─── Como texto ───────────────────────────────────────────────────────────────────────────────


def card_to_text(card, width, url):
    """Lo que enseña `ai-evolution paper`: identificación, problema, propuesta, ecuaciones y URL.

    Lanza CardError, con archivo y línea, si algo de eso no se puede leer como texto.
    """
    parts = [
        card.title,
        wrap(f"Nivel {card.level} · motor {card.engine} · notebook {card.notebook}", width),
    ]
    for identifier in PROSE_SECTIONS:
        section = card.section(identifier)
        parts += [_underlined(section.title), *_prose(card, section, width)]
    section = card.section(EQUATIONS_SECTION)
    parts += [_underlined(section.title), *_equations(card, section, width)]
    parts.append(f"Ficha completa: {url}")
    return "\n\n".join(parts)


def _underlined(title):
    return f"{title}\n{'─' * len(title)}"


def _prose(card, section, width):
    return [
        _located(card, section, block.start(), block_to_text, block[0], width)
        for block in BLOCK.finditer(section.text)
    ]


def _equations(card, section, width):
    """Cada fórmula destacada, detrás del párrafo que la presenta."""
    texts, end = [], 0
    for formula in DISPLAY_FORMULA.finditer(section.text):
        blocks = list(BLOCK.finditer(section.text, end, formula.start()))
        if blocks:
            start, introduction = blocks[-1].start(), blocks[-1][0]
            texts.append(_located(card, section, start, block_to_text, introduction, width))
        text = _located(card, section, formula.start(), formula_to_text, formula[1])
        texts.append("\n".join(f"    {line}" for line in text.splitlines()))
        end = formula.end()
    return texts


def _located(card, section, offset, convert, *arguments):
    """`convert(*arguments)`; si falla, el error dice el archivo y la línea."""
    try:
        return convert(*arguments)
    except PlainTextError as error:
        raise CardError(f"{card.path}:{section.line_at(offset)}: {error}") from None
