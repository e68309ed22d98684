"""La extensión de Markdown del curso: celdas ejecutadas, listados, valores en línea y fórmulas.

Lo correcto vive aquí y no en un hook: un generador que solo lea extensiones de Python-Markdown da
la misma página, y falla si a una celda le falta su salida. Antes que snippets (32) y superfences
(25), un preprocesador lee la página como `collect` y busca en el almacén lo que dio cada celda;
sella cada bloque con su línea, con la que `fence` lo encontrará, y deja en el sitio de cada valor
una marca que un posprocesador cambia por el valor cuando ya no queda Markdown que lo altere.
"""

import re
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor

from lessons_code.sitekit import glossary, mathml, recorded
from lessons_code.sitekit.blocks import Prose, split
from lessons_code.sitekit.cache import Output, Store
from lessons_code.sitekit.collect import Cell, Inline, Listing, Page, collect_page
from lessons_code.sitekit.fence import STAMP, STAMPER, check_options, without_control
from lessons_code.sitekit.findings import Finding, SiteError
from lessons_code.sitekit.sources import Sources, find_definition

_INCLUSION = re.compile(r"""^[ \t]*-+8<-+[ \t]+["']([^"':\n]+)""", re.MULTILINE)
_SPAN = re.compile(r"`[^`]*`")
_STAMPED = re.compile(rf"\b{STAMP}=(?:\"|&quot;)([0-9]+)")
_MARK = re.compile("\ue000([0-9]+)\ue001")  # signos de uso privado: nadie los escribe


class SiteExtension(Extension):
    """`page` (ruta dentro de `docs`) da a los errores su fichero y sus líneas verdaderas."""

    def __init__(self, **options: Any):
        self.config = {
            "page": ["", "página que se convierte, relativa a docs"],
            "docs": ["docs", "carpeta de las páginas"],
            "root": [".", "raíz del proyecto"],
            "sources": ["", "código del proyecto ya leído en esta construcción"],
        }
        super().__init__(**options)

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (nombre de Python-Markdown)
        """Registra las celdas, los valores, las fórmulas y los enlaces al glosario."""
        stamper = _Stamper(md, self.getConfigs())
        md.preprocessors.register(stamper, STAMPER, 40)
        md.postprocessors.register(_Values(md, stamper), "valores", 5)  # tras el HTML guardado
        mathml.register(md)
        glossary.register(md, stamper.docs / glossary.PAGE, lambda: self.getConfig("page"))


def check_pages(
    pages: Iterable[Page], docs: Path, *, root: Path, sources: Sources
) -> list[Finding]:
    """Todo lo que estropearía alguna página del sitio, antes de ejecutar y de convertir nada."""
    findings = recorded.check(pages, docs, sources)
    for page in pages:
        text = (root / page.path).read_text(encoding="utf-8-sig", errors="replace")
        findings += [*page.findings, *check_page(page.path, text, root=root)]
    return findings


def check_page(path: Path, text: str, *, root: Path, first_line: int = 1) -> list[Finding]:
    """Lo que `collect` no mira y estropearía la página: fórmulas, bloques e inclusiones."""
    return [
        *mathml.check_formulas(path, text, first_line=first_line),
        *check_options(path, text, first_line=first_line),
        *_missing_files(path, text, root, first_line),
    ]


def _missing_files(path: Path, text: str, root: Path, first_line: int) -> Iterator[Finding]:
    """Las inclusiones fuera de una celda (`--8<-- "docs/…"`) de un fichero que no existe."""
    for block in split(text, first_line):
        if isinstance(block, Prose):
            for match in _INCLUSION.finditer(block.text):
                if not (root / match[1]).is_file():
                    line = block.line + block.text.count("\n", 0, match.start())
                    message = f"no existe «{match[1]}» (la ruta parte de la raíz del proyecto)"
                    yield Finding(path, line, "inclusión", message)


def _stop_if(findings: list[Finding]) -> None:
    if findings:
        raise SiteError(findings)


class _Stamper(Preprocessor):
    """Encuentra lo que la página enseña, y lo guarda mientras se convierte."""

    def __init__(self, md: Markdown, config: dict[str, Any]):
        super().__init__(md)
        self.root = Path(config["root"]).resolve()
        self.docs = self.root / config["docs"]
        self.page = self.docs / (config["page"] or "página.md")
        self.sources = config["sources"] or Sources(self.root)
        self.blocks: dict[int, tuple[Cell, Output] | tuple[Listing, str]] = {}  # por línea
        self.values: list[str] = []

    def run(self, lines: list[str]) -> list[str]:
        """Lanza SiteError con todo lo que impide mostrar la página."""
        text = "\n".join(lines)
        first_line = 1 + self._front_matter_height(text)
        page = collect_page(self.page, text, root=self.root, first_line=first_line)
        problems = check_page(page.path, text, root=self.root, first_line=first_line)
        problems += recorded.check([page], self.docs, self.sources)
        _stop_if([*page.findings, *problems])
        outputs = recorded.outputs(page, self.docs, Store(self.root), self.sources)
        missing: list[Finding] = []
        self.path = page.path
        self.blocks, self.values = {}, []
        for item in reversed(page.items):  # de derecha a izquierda: las columnas siguen valiendo
            number = item.line - first_line
            if isinstance(item, Listing):
                found = find_definition(item.name, self.root).text
            elif not (found := outputs.get(item)):
                message = "falta su salida: ejecuta `python -m lessons_code.sitekit ejecutar`"
                missing.append(Finding(page.path, item.line, "salida", message))
                continue
            if isinstance(item, Inline):
                lines[number] = self._mark(lines[number], item.column - 1, found.text)
            else:
                self.blocks[item.line] = item, found
                lines[number] = f'{lines[number].rstrip()} {STAMP}="{item.line}"'
        _stop_if(missing)
        return lines

    def require_all_shown(self, html: str) -> None:
        """Lanza SiteError si un bloque sellado se quedó en la página como texto, con su sello."""
        message = "Markdown lo lee como texto, no como bloque: quítale la sangría que le sobra"
        lost = self.blocks.keys() & {int(line) for line in _STAMPED.findall(html)}
        _stop_if([Finding(self.path, line, "celda", message) for line in sorted(lost)])

    def _front_matter_height(self, text: str) -> int:
        """Las líneas de metadatos que el generador quitó antes de convertir."""
        if not self.page.is_file():
            return 0
        written = self.page.read_text(encoding="utf-8-sig")
        return written.count("\n", 0, written.rfind(text)) if text in written else 0

    def _mark(self, line: str, start: int, value: str) -> str:
        self.values.append(value)
        end = _SPAN.match(line, start).end()
        return f"{line[:start]}\ue000{len(self.values) - 1}\ue001{line[end:]}"


class _Values(Postprocessor):
    """Pone cada valor en línea donde quedó su marca, cuando ya está todo lo demás."""

    def __init__(self, md: Markdown, stamper: _Stamper):
        super().__init__(md)
        self.stamper = stamper

    def run(self, text: str) -> str:
        self.stamper.require_all_shown(text)
        return _MARK.sub(self._value, text)

    def _value(self, mark: re.Match) -> str:
        value = without_control(self.stamper.values[int(mark[1])])
        return f'<span class="valor">{escape(value, quote=False)}</span>'


def makeExtension(**options: Any) -> SiteExtension:  # noqa: N802 (nombre de Python-Markdown)
    """Lo que Python-Markdown llama al leer `lessons_code.sitekit.extension`."""
    return SiteExtension(**options)
