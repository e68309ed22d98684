"""Regla «números»: lo que se puede calcular no se escribe a mano.

Un decimal o un porcentaje en la prosa es un valor en línea, o está donde se cita de dónde sale.
Citar es decir el artículo y el lugar: un id de arXiv, un enlace, una nota, o «Tabla N», «§N»,
«fig. N», «ec. (N)» de un artículo con nombre. Vale en el mismo párrafo, elemento de lista o tabla;
en lo que lo presenta (acaba en «:» o titula un aviso); y, en una tabla, en su cabecera o su pie.
"""

import re

from lessons_code.sitekit import cards
from lessons_code.sitekit.names import Site
from lessons_code.sitekit.prose import Findings, Source, block_around

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:[ \u00a0\u202f]?%)?")
_NOT_A_QUANTITY = re.compile(r"\d{4}\.\d{4,5}|10\.\d{4,}|\d+(?:[.,]\d+){2,}")  # arXiv, DOI, fechas
_PART_OF_A_NAME = re.compile(r"[\w./_#:]$")  # A.2.2, WMT-14/2.0
_LABEL_BEFORE = re.compile(
    r"(?:^\#+|§|\b(?:secci(?:ón|ones)|apartados?|apéndices?|capítulos?|lecci(?:ón|ones)|tablas?"
    r"|fig(?:s?\.|uras?)|ec(?:s?\.|uaci(?:ón|ones))|versi(?:ón|ones)|python|numpy|pytorch"
    r"|tensorflow|matplotlib|mkdocs|material|pyodide|debian|ubuntu|macos|wcag|unicode"
    r"|cc by(?:-\w+)*|apache|node(?:\.js)?|scorm|qti|moodle))[ \u00a0]*(?:≥|>=|=)?[ \u00a0]*\(?$",
    re.IGNORECASE,
)
_LIST_OF_LABELS = re.compile(r"[ \u00a0+]*(?:,|y|o|a|–|/)[ \u00a0]*")

_SOURCE = re.compile(
    r"arXiv:\s?\d|\]\(https?://|<https?://|\]\([^)\s]*#fuentes\)|\[\^[\w-]+\](?!:)"
)
_LOCATOR = re.compile(
    r"\b[Tt]ablas? [A-Z]?\.?\d|§ ?[A-Z]?\.?\d|\b[Ff]ig(?:s?\.|uras?) ?\d"
    r"|\b[Ee]c(?:s?\.|uaci(?:ón|ones)) ?\(?\d|\b[Aa]péndices? [A-Z]\b"
)
_PAPER = re.compile(r"et al\.|\b\d{4}[a-z]?\)|\bartículo\b|[^\W\d_a-z]\w+ y [^\W\d_a-z]\w+")


def numbers(page: Source, site: Site) -> Findings:
    """Decimales y porcentajes escritos a mano en un párrafo que no cita de dónde salen."""
    labelled_until = -1
    for match in _NUMBER.finditer(page.prose):
        start, end, number = match.start(), match.end(), match[0]
        if number.isdigit() or _NOT_A_QUANTITY.fullmatch(number):
            continue
        before = page.prose[max(0, start - 24) : start].rpartition("\n")[2]
        follows_label = labelled_until >= 0 and _LIST_OF_LABELS.fullmatch(
            page.prose, labelled_until, start
        )
        if follows_label or _LABEL_BEFORE.search(before):
            labelled_until = end
        elif not _PART_OF_A_NAME.search(before) and not _cites_source(page, start):
            yield (
                start,
                f"«{number}» está escrito a mano; calcúlalo con un valor en línea "
                "(`{python} expresión:.2f`) o cita en el mismo párrafo de dónde sale "
                "(arXiv, enlace, «Tabla N» o «§N» de un artículo)",
            )


def _cites_source(page: Source, offset: int) -> bool:
    """Si se cita de dónde sale el número. En una ficha, «Tabla 1» a secas es la de su artículo."""
    text = _citing_context(page, offset)
    if _SOURCE.search(text):
        return True
    return bool(_LOCATOR.search(text)) and (cards.is_card(page.path) or bool(_PAPER.search(text)))


_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]")
_INTRODUCES = re.compile(r":[*_ ]*$|^[ \t]*(?:!!!|\?\?\?)|^[ \t>]*[*_]*(?:Tabla|Fuente)\b")
_CAPTION = re.compile(r"[ \t>]*(?:///|[*_]*(?:Tabla|Fuente)\b)|.*\bFuentes?:")


def _citing_context(page: Source, offset: int) -> str:
    """Donde puede estar la cita de lo que hay en esa posición."""
    lines = page.lines
    here = page.line(offset) - 1
    first, last = block_around(lines, here)
    is_row = lines[here].lstrip(" \t>").startswith("|")
    own = [lines[first], lines[here], _caption(lines, last)] if is_row else _item(lines, here)
    return "\n".join([*own, _introduction(lines, first)])


def _item(lines: list[str], here: int) -> list[str]:
    """El párrafo o el elemento de lista de esa línea."""
    first, last = block_around(lines, here)
    start = here
    while start > first and not _LIST_ITEM.match(lines[start]):
        start -= 1
    end = here + 1
    while end <= last and not _LIST_ITEM.match(lines[end]):
        end += 1
    return lines[start:end]


def _caption(lines: list[str], last: int) -> str:
    """El pie de la tabla que acaba en esa línea."""
    after = _text(lines, _neighbour(lines, last, +1))
    return after if _CAPTION.match(after) else ""


def _introduction(lines: list[str], first: int) -> str:
    """Lo que presenta al bloque que empieza en esa línea; si es una lista, a toda la lista."""
    before = _neighbour(lines, first, -1)
    while before and _LIST_ITEM.match(lines[first]) and _LIST_ITEM.match(lines[before[0]]):
        first = before[0]
        before = _neighbour(lines, first, -1)
    text = _text(lines, before)
    return text if _INTRODUCES.search(text) else ""


def _neighbour(lines: list[str], edge: int, step: int) -> range:
    """Las líneas del bloque anterior (-1) o siguiente (+1) al que tiene ahí su borde."""
    here = edge + step
    while 0 <= here < len(lines) and not lines[here].strip():
        here += step
    if not 0 <= here < len(lines):
        return range(0)
    first, last = block_around(lines, here)
    return range(first, last + 1)


def _text(lines: list[str], numbers: range) -> str:
    return "\n".join(lines[number] for number in numbers).rstrip()
