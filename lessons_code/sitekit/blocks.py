"""Una página Markdown partida en vallas de código y prosa, con sus líneas verdaderas.

Sigue la lectura de pymdownx.superfences: una valla se abre con tres o más ` o ~, puede ir sangrada
o citada (dentro de un aviso, una pestaña, una lista o `>`), y solo la cierra una línea con la misma
sangría y exactamente la misma marca. Por eso una valla más larga puede enseñar otra sin que cuente.
Lo que hay en un comentario HTML no existe.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

TAB = 4  # ancho del tabulador en Python-Markdown

_OPENING = re.compile(r"(?P<prefix>[> ]*)(?P<mark>`{3,}|~{3,})(?P<info>.*)")
_FRONT_MATTER = re.compile(r"---[ \t]*\n.*?\n?(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
CODE_SPAN = r"(?<!\\)(?P<ticks>`+)(?P<span>.+?)(?<!`)(?P=ticks)(?!`)"
_CODE_OR_COMMENT = re.compile(CODE_SPAN + "|(?P<comment><!--)")


@dataclass(frozen=True)
class Fence:
    """Un bloque de código. Si no está cerrado, no tiene cuerpo: lo que sigue se lee como página."""

    line: int  # la de apertura
    info: str  # lo que sigue a la marca: lenguaje y opciones
    body: tuple[str, ...] = ()  # sin la sangría de la valla
    closed: bool = True


@dataclass(frozen=True)
class Prose:
    """Un párrafo (o título, o tabla) con los comentarios en blanco; `line` es la primera."""

    line: int
    text: str


def split(text: str, first_line: int = 1) -> Iterator[Fence | Prose]:
    """Parte `text` en orden. Si `first_line` es 1, salta los metadatos del principio."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    start = _front_matter_height("\n".join(lines)) if first_line == 1 else 0
    paragraph: list[str] = []
    in_comment = False
    index = start
    while index < len(lines):
        opening = None if in_comment else _opening(lines[index])
        if opening:
            line, in_comment = "", False
        else:
            line, in_comment = _without_comments(lines, index, in_comment)
        if line.strip():
            paragraph.append(line)
        elif paragraph:
            yield Prose(first_line + index - len(paragraph), "\n".join(paragraph))
            paragraph = []
        if opening:
            fence, index = _fence(lines, index, opening, first_line)
            yield fence
        else:
            index += 1
    if paragraph:
        yield Prose(first_line + index - len(paragraph), "\n".join(paragraph))


def _front_matter_height(text: str) -> int:
    match = _FRONT_MATTER.match(text)
    return match[0].count("\n") if match else 0


def _opening(line: str) -> re.Match | None:
    if "```" not in line and "~~~" not in line:
        return None
    match = _OPENING.fullmatch(line.expandtabs(TAB))
    if match and match["mark"][0] == "`" and "`" in match["info"]:
        return None  # ```código``` en una sola línea es código en línea
    return match


def _fence(lines, index, opening, first_line) -> tuple[Fence, int]:
    """La valla que se abre en `index` y el índice por donde se sigue leyendo."""
    line, info = first_line + index, opening["info"].strip()
    width = len(opening["prefix"])
    body = []
    for position in range(index + 1, len(lines)):
        text = lines[position].expandtabs(TAB)
        outside, content = text[:width].strip("> "), text[width:]
        if outside:
            break  # menos sangría que la valla: el bloque que la contiene ha terminado
        if content.rstrip() == opening["mark"]:
            return Fence(line, info, tuple(body)), position + 1
        if _reopens(content, opening["mark"]):
            break
        body.append(content)
    return Fence(line, info, closed=False), index + 1


def _reopens(content: str, mark: str) -> bool:
    """Una valla con lenguaje y la misma marca dentro de otra: a la primera le falta el cierre."""
    inner = _opening(content)
    return bool(inner and inner["mark"] == mark and not inner["prefix"] and inner["info"].strip())


def _without_comments(lines, index, in_comment) -> tuple[str, bool]:
    """La línea con los comentarios en blanco, y si acaba dentro de uno."""
    line, position = lines[index], 0
    if not in_comment and "<!--" not in line:
        return line, False
    while True:
        if in_comment:
            end = line.find("-->", position)
            stop = len(line) if end < 0 else end + len("-->")
            line = line[:position] + " " * (stop - position) + line[stop:]
            if end < 0:
                return line, True
            position, in_comment = stop, False
        match = _CODE_OR_COMMENT.search(line, position)
        while match and not match["comment"]:
            match = _CODE_OR_COMMENT.search(line, match.end())
        if not match:
            return line, False
        rest = "\n".join([line[match.end() :], *lines[index + 1 :]])
        if "-->" not in rest:
            return line, False  # sin cierre no es un comentario
        position, in_comment = match.start(), True
