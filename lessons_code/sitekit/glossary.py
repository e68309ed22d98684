"""El glosario, desde su única fuente: la página docs/glosario.md.

La primera vez que una página usa un término en su prosa, la palabra se vuelve un enlace a su
definición. Sin JavaScript es eso, un enlace; con él, `data-definicion` la enseña en el sitio.

El enlace se escribe como lo haría un autor (`../glosario.md#id`), y el generador lo convierte en
la dirección que toque: vale con cualquier profundidad, bajo una subruta y desde el disco.
"""

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.treeprocessors import Treeprocessor

from lessons_code.sitekit.prose import Source, read

PAGE = "glosario.md"  # desde docs/


@dataclass(frozen=True)
class Term:
    """Un término: cómo se llama, qué es y de qué formas se reconoce.

    Si es ambiguo (la palabra también es corriente), su nombre solo cuenta cuando lo sigue su
    inglés entre paréntesis; `forms` vale siempre.
    """

    id: str
    name: str
    english: str
    definition: str
    forms: tuple[str, ...]
    ambiguous: bool


# --- Leer la página -------------------------------------------------------------------------

_TITLE = re.compile(r"(?P<name>[^(]+?)(?: \(\*?(?P<english>[^()*]+)\*?\))?")
_FORMS = re.compile(r'data-formas="([^"]*)"')
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"[*`]")


def terms(glossary: Path) -> tuple[Term, ...]:
    """Los términos de la página, en su orden."""
    return _terms(read(glossary))


@lru_cache(maxsize=4)
def _terms(page: Source) -> tuple[Term, ...]:
    found = []
    for heading in page.headings:
        if heading.level != 3:
            continue
        title = _TITLE.fullmatch(heading.title)
        forms = _FORMS.search(heading.attributes)
        first_paragraph = page.body[heading.end :].strip().split("\n\n")[0]
        found.append(
            Term(
                id=heading.id,
                name=title["name"],
                english=title["english"] or "",
                definition=_plain(first_paragraph),
                forms=tuple(re.split(r",\s*", forms[1])) if forms else (),
                ambiguous=".ambigua" in heading.attributes.split(),
            )
        )
    return tuple(found)


def _plain(markdown: str) -> str:
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1", markdown)).split())


# --- Reconocer los términos -----------------------------------------------------------------


@dataclass(frozen=True)
class Matcher:
    """Una sola expresión con todas las formas, y el término de cada una."""

    pattern: re.Pattern[str]
    terms: dict[str, Term]

    def term(self, written: str) -> Term:
        return self.terms[_key(written)]


@lru_cache(maxsize=4)
def matcher(found: tuple[Term, ...]) -> Matcher:
    """El que reconoce esos términos; donde caben dos, gana el más largo."""
    alternatives: dict[str, str] = {}
    by_form: dict[str, Term] = {}
    for term in found:
        for form in (term.name, *term.forms):
            by_form[_key(form)] = term
            needs_english = term.ambiguous and form == term.name
            following = rf"(?=\s\({re.escape(term.english)})" if needs_english else ""
            alternatives[form] = r"\s+".join(map(re.escape, form.split())) + following
    longest_first = sorted(alternatives, key=len, reverse=True)
    joined = "|".join(alternatives[form] for form in longest_first)
    return Matcher(re.compile(rf"(?<![\w–-])(?:{joined})(?![\w–-])", re.IGNORECASE), by_form)


def _key(form: str) -> str:
    return " ".join(form.lower().split())


# --- Enlazar en la página -------------------------------------------------------------------

# Donde un enlace estorba o no puede ir: títulos, otros enlaces, código, fórmulas, tablas, figuras.
SKIPPED_TAGS = frozenset(
    {"a", "abbr", "button", "code", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "label"}
    | {"math", "pre", "script", "style", "summary", "svg", "table"}
)
SKIPPED_CLASSES = frozenset(
    {"admonition-title", "arithmatex", "celda", "ficha-datos", "listado", "pie-ficha"}
)

UNLINKED = (PAGE, "outputs/")  # el propio glosario, y los entregables, que están en inglés


def register(md: Markdown, glossary: Path, page: Callable[[], str]) -> None:
    """Pone el marcador de términos en `md`.

    `page` da la página que se convierte, desde `docs/` (`fichas/p07-atencion.md`), o "" si no se
    sabe: entonces no se enlaza nada, porque no se sabría desde dónde.
    """
    # Después de attr_list (8), que quita los atributos del texto; antes de que el generador
    # convierta los enlaces a páginas (0).
    md.treeprocessors.register(_Marker(md, glossary, page), "glosario", 4)


class _Marker(Treeprocessor):
    def __init__(self, md: Markdown, glossary: Path, page: Callable[[], str]):
        super().__init__(md)
        self.glossary = glossary
        self.page = page

    def run(self, root: Element) -> None:
        page = self.page()
        if page and not page.startswith(UNLINKED) and self.glossary.is_file():
            target = posixpath.relpath(PAGE, posixpath.dirname(page) or ".")
            _Linker(matcher(terms(self.glossary)), target).mark(root)


class _Linker:
    """Recorre una página y enlaza cada término la primera vez."""

    def __init__(self, known: Matcher, target: str):
        self.known = known
        self.target = target
        self.seen: set[str] = set()

    def mark(self, element: Element) -> None:
        """Enlaza en el texto del elemento y en el de sus hijos, en orden de lectura."""
        children = list(element)
        position = self._insert(element, 0, element.text, children[0] if children else None)
        for index, child in enumerate(children):
            classes = child.get("class", "").split()
            if child.tag not in SKIPPED_TAGS and SKIPPED_CLASSES.isdisjoint(classes):
                self.mark(child)
            following = children[index + 1] if index + 1 < len(children) else None
            position = self._insert(element, position + 1, child.tail, following)

    def _insert(
        self, parent: Element, position: int, text: str | None, following: Element | None
    ) -> int:
        """Parte `text`, que precede al hijo `position`, y devuelve dónde queda ese hijo."""
        if not text or not text.strip():
            return position
        after = following.text or "" if following is not None else ""
        kept_until = 0
        pieces: list[tuple[str, Element]] = []
        for match in self.known.pattern.finditer(text + after):
            term = self.known.term(match[0])
            if match.end() <= len(text) and term.id not in self.seen:
                self.seen.add(term.id)
                pieces.append((text[kept_until : match.start()], self._link(term, match[0])))
                kept_until = match.end()
        for before, link in pieces:
            _append_text(parent, position, before)
            parent.insert(position, link)
            position += 1
        if pieces:
            parent[position - 1].tail = text[kept_until:]
        return position

    def _link(self, term: Term, written: str) -> Element:
        link = Element("a")
        link.set("class", "termino")
        link.set("href", f"{self.target}#{term.id}")
        link.set("data-definicion", term.definition)
        link.text = written
        return link


def _append_text(parent: Element, position: int, text: str) -> None:
    """El texto que va justo antes del hijo `position`."""
    if position == 0:
        parent.text = text
    else:
        parent[position - 1].tail = text
