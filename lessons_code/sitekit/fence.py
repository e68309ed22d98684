"""El bloque `python` de superfences: busca lo que ya se ejecutó y le da forma; nunca ejecuta.

El preprocesador de `extension` sella cada bloque ejecutable con su número de línea
(`linea="12"`); un bloque sin sello ni opciones de ejecución sigue hacia el resaltador normal.
Superfences se traga cualquier excepción que no sea la suya: aquí todo error sale con ella.
"""

import re
from html import escape
from pathlib import Path

from markdown import Markdown
from pygments import highlight as pygmentize
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound
from pymdownx.superfences import SuperFencesException

from lessons_code.sitekit.blocks import Fence, split
from lessons_code.sitekit.cache import Output
from lessons_code.sitekit.cell import printed
from lessons_code.sitekit.collect import Cell
from lessons_code.sitekit.findings import Finding
from lessons_code.sitekit.listing import fold

STAMP = "linea"
STAMPER = "celdas"  # el nombre del preprocesador que sella y guarda lo encontrado

_EXECUTABLE = re.compile(r"\b(?:exec|show|session|source|result|error)\b")  # las revisa collect
_RESULT = re.compile(r"\bresult=[\"']([^\"']*)[\"']")
_PLAIN = re.compile(r"(?:\s+(?:title|hl_lines|linenums|data-[\w-]+)=(?:\"[^\"]*\"|'[^']*'))*")
_LANGUAGE = re.compile(r"[\w#.+-]*")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ue000\ue001]")


def check_options(path: Path, text: str, *, first_line: int = 1) -> list[Finding]:
    """Los bloques que superfences no reconocería, y dejaría en la página con sus opciones."""
    fences = [block for block in split(text, first_line) if isinstance(block, Fence)]
    return [
        Finding(path, fence.line, "opción", problem)
        for fence in fences
        if (problem := _problem(fence.info))
    ]


def _problem(info: str) -> str:
    if _EXECUTABLE.search(info):
        for language in _RESULT.findall(info):
            try:
                get_lexer_by_name(language)
            except ClassNotFound:
                return f"result=«{language}» no es un lenguaje que Pygments coloree"
        return ""
    language = _LANGUAGE.match(info)[0]
    options = info.removeprefix(language)
    rest = options[_PLAIN.match(options).end() :].strip()
    if not rest or rest.startswith("{") or language == "python":  # estos los mira collect
        return ""
    return f"no se entiende «{rest}»: un bloque normal admite title, hl_lines y linenums"


def validate(
    language: str, inputs: dict[str, str], options: dict[str, str], attrs: dict, md: Markdown
) -> bool:
    """Acepta los bloques sellados y deja pasar los normales."""
    if STAMP in inputs:
        options[STAMP] = inputs[STAMP]
    elif {"exec", "show"} & inputs.keys():
        raise SuperFencesException(
            "un bloque `python` con exec o show está donde no se ejecuta; escríbelo con opciones "
            "sueltas (sin llaves) y en la página misma, no en un texto incluido"
        )
    return STAMP in inputs


def render(
    source: str, language: str, class_name: str, options: dict[str, str], md: Markdown, **_: object
) -> str:
    """El HTML de una celda o de un listado, con lo que el preprocesador encontró."""
    try:
        item, found = md.preprocessors[STAMPER].blocks[int(options[STAMP])]
        if isinstance(item, Cell):
            return _cell(item, found, md)
        return _listing(item.name, found, item.title, md)
    except Exception as error:
        raise SuperFencesException(f"línea {options[STAMP]}: {error!r}") from error


def _cell(cell: Cell, output: Output, md: Markdown) -> str:
    """Código, después lo que imprimió, después lo que dibujó."""
    code = "" if cell.source == "none" else _highlight(cell.code, cell.title, md)
    shown = _printed(output, cell.result) + output.html
    if shown and output.recorded:
        shown += f'<p class="salida-grabada">Salida grabada con {escape(output.recorded)}</p>'
    if shown:
        shown = f'<div class="celda-salida no-copy" data-search-exclude>{shown}</div>'
    # El navegador no ofrece ejecutar lo grabado: no tiene PyTorch.
    recorded = " data-grabada" if output.recorded else ""
    return (
        f'<div class="celda" id="celda-{cell.id}" data-sesion="{escape(cell.session)}"{recorded}>'
        f"{code}{shown}</div>"
    )


def _printed(output: Output, language: str) -> str:
    """Lo impreso, coloreado si la celda dice en qué lenguaje está."""
    text = without_control(output.text.rstrip("\n"))
    if not text:
        return ""
    lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    body = pygmentize(text, lexer, HtmlFormatter(nowrap=True)).rstrip("\n")
    classes = ["salida-error"] if output.error else []
    classes += ["highlight"] if language != "text" else []
    return printed(body, *classes)


def without_control(text: str) -> str:
    """El texto sin signos de control: HTML no los admite y Python-Markdown los usa para sí."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def _listing(name: str, definition: str, title: str, md: Markdown) -> str:
    """La definición plegada y, si el pliegue oculta algo, un desplegable con la entera."""
    folded = fold(definition)
    whole = ""
    if folded.rstrip() != definition.rstrip():
        whole = (
            "<details><summary>Definición completa</summary>"
            f"{_highlight(definition, '', md)}</details>"
        )
    return (
        f'<div class="listado" data-nombre="{escape(name)}">'
        f"{_highlight(folded, title, md)}{whole}</div>"
    )


def _highlight(code: str, title: str, md: Markdown) -> str:
    """Código resaltado como cualquier otro bloque de la página, con su botón de copiar."""
    superfences = md.preprocessors["fenced_code_block"]
    options = {"title": title} if title else {}
    return superfences.highlight(code, "python", options, md, classes=[], id_value="", attrs={})
