"""Qué parte de una página es prosa: el mismo texto con lo demás en blanco.

El linter y el glosario hablan de palabras, no de código ni de fórmulas. Aquí se tapa con
espacios todo lo que no es prosa, carácter a carácter y sin tocar los saltos de línea: una
posición vale lo mismo en el texto y en su prosa, y la línea de un hallazgo es la del fichero,
metadatos incluidos.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from lessons_code.sitekit.blocks import Fence, Prose, split

Findings = Iterator[tuple[int, str]]  # lo que da una regla: posición en el texto y mensaje

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_MATTER_KEY = re.compile(r"^(\w+):[ \t]*(.*?)[ \t]*$", re.MULTILINE)

# Un trozo en línea puede saltar de renglón, pero no de párrafo.
_SAME_PARAGRAPH = r"(?:[^{stop}\n]|\n(?![ \t]*\n))"
_CODE_SPAN = "``.+?``|`" + _SAME_PARAGRAPH.format(stop="`") + "+`"
# Cada alternativa empieza por un carácter fijo: así la búsqueda salta de uno a otro sin probar
# en cada letra, y una página entera cuesta menos de un milisegundo.
_NOT_PROSE = re.compile(
    "|".join(
        (
            _CODE_SPAN,
            r"\\\(.+?\\\)",
            r"\\\[.+?\\\]",
            r"\\[$`|*_{}]",
            r"\$\$.+?\$\$",
            r"\$(?=\S)(?:\\.|" + _SAME_PARAGRAPH.format(stop=r"$\\") + r")+\$",
            r"<(?:script|style)\b.*?</(?:script|style)>",
            r"<[A-Za-z/]" + _SAME_PARAGRAPH.format(stop=">") + "*>",
            r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:[ \n]+\"[^\"]*\")?\)",
            r"\]\[[^\]\n]*\]",
            r"\{[:#. ][^{}\n]*\}",
            r"https?://[^\s)>\]]+",
            r"--8<--[^\n]*",
        )
    ),
    re.DOTALL,
)
_VISIBLE = re.compile(r"[^\n]")
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*(?:\{([^{}\n]*)\}[ \t]*)?$", re.MULTILINE)
_ID = re.compile(r"#([\w-]+)")
_WORD = re.compile(r"[^\W\d]\w*")


def blank(text: str) -> str:
    """El mismo hueco: cada carácter visible pasa a ser un espacio."""
    return _VISIBLE.sub(" ", text)


@dataclass(frozen=True)
class Heading:
    """Un título del Markdown. `id` es el declarado; vacío si no lo hay."""

    level: int
    title: str
    id: str
    attributes: str
    start: int
    end: int


@dataclass(frozen=True)
class Source:
    """Una página tal como está escrita, y sus vistas con huecos.

    `body` no tiene metadatos, bloques de código ni comentarios; `prose`, además, tampoco código
    en línea, fórmulas, etiquetas HTML, direcciones ni atributos. Las vistas se calculan una vez.
    """

    path: Path
    text: str

    @cached_property
    def meta(self) -> dict[str, str]:
        """Los metadatos de una sola línea (`clave: valor`)."""
        front_matter = _FRONT_MATTER.match(self.text)
        if not front_matter:
            return {}
        pairs = _FRONT_MATTER_KEY.findall(front_matter[1])
        return {key: value.strip("\"'") for key, value in pairs}

    @cached_property
    def lines(self) -> list[str]:
        """Las líneas de `body`."""
        lines = [" " * len(line) for line in self.text.split("\n")]
        for block in self._blocks:
            if isinstance(block, Prose):
                kept = block.text.split("\n")
                lines[block.line - 1 : block.line - 1 + len(kept)] = kept
        return lines

    @cached_property
    def body(self) -> str:
        return "\n".join(self.lines)

    @cached_property
    def prose(self) -> str:
        return _NOT_PROSE.sub(lambda match: blank(match[0]), self.body)

    @cached_property
    def lowered(self) -> str:
        """La prosa en minúsculas."""
        return self.prose.lower()

    @cached_property
    def words(self) -> frozenset[str]:
        """Las palabras distintas de la prosa, en minúsculas."""
        return frozenset(_WORD.findall(self.lowered))

    @cached_property
    def code_words(self) -> frozenset[str]:
        """Las palabras de los bloques de código de la página."""
        fences = (block for block in self._blocks if isinstance(block, Fence))
        return frozenset(word for fence in fences for word in _WORD.findall("\n".join(fence.body)))

    @cached_property
    def headings(self) -> tuple[Heading, ...]:
        return tuple(_heading(match) for match in _HEADING.finditer(self.body))

    def line(self, offset: int) -> int:
        """El número de línea, desde 1, de una posición del texto."""
        return bisect_right(self._line_starts, offset)

    def offset(self, line: int) -> int:
        """La posición donde empieza una línea."""
        return self._line_starts[line - 1]

    @cached_property
    def _blocks(self) -> tuple[Fence | Prose, ...]:
        return tuple(split(self.text))

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]


def _heading(match: re.Match[str]) -> Heading:
    attributes = match[3] or ""
    declared = _ID.search(attributes)
    return Heading(
        level=len(match[1]),
        title=match[2],
        id=declared[1] if declared else "",
        attributes=attributes,
        start=match.start(),
        end=match.end(),
    )


def block_around(lines: list[str], here: int) -> tuple[int, int]:
    """La primera y la última línea de las seguidas, sin huecos, que rodean a esa."""
    first = last = here
    while first > 0 and lines[first - 1].strip():
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].strip():
        last += 1
    return first, last


def read(path: Path) -> Source:
    """La página que hay en ese fichero; mientras no cambie, es el mismo objeto con sus vistas."""
    status = path.stat()
    return _read(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=256)
def _read(path: Path, modified: int, size: int) -> Source:
    return Source(path, path.read_text(encoding="utf-8-sig", errors="replace"))
