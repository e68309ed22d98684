"""De Markdown a lo que se ejecuta o se enseña: celdas, valores en línea y listados.

    ```python exec="on" session="p07" id="pesos-gato"      celda: se ejecuta
    --8<-- "lessons_code/examples/p07.py:pesos_gato"
    ```
    ```python show="lessons_code.numerics.attention.dot_attention"    listado: se enseña
    ```
    `{python} weights.max():.3f`                            valor en línea

Un error del autor nunca es una excepción: es un hallazgo con fichero, línea y arreglo. Las vallas
de otros lenguajes, y las de ```python sin `exec` ni `show`, no son asunto de este módulo.
"""

import ast
import builtins
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lessons_code.sitekit.blocks import CODE_SPAN, Fence, Prose, split
from lessons_code.sitekit.findings import Finding, SiteError
from lessons_code.sitekit.sources import Code, SourceError, Sources, find_definition, find_section

__all__ = [
    "Cell",
    "Finding",
    "Inline",
    "Listing",
    "Page",
    "SiteError",
    "collect_page",
    "collect_site",
    "page_files",
]

MAX_LINES = 12
CELL_OPTIONS = ("exec", "session", "id", "title", "source", "result", "error")
LISTING_OPTIONS = ("show", "title")
PLAIN_OPTIONS = ("title", "hl_lines", "linenums")  # las de un bloque que solo se enseña

_LANGUAGE = re.compile(r"\.?([\w#.+-]+)(?=\s|$)")
_OPTION = re.compile(r"""\s*([A-Za-z]\w*)(?:=(?:"([^"]*)"|'([^']*)'))?(?=\s|$)""")
_QUOTED = re.compile(r""""[^"]*"|'[^']*'""")
_OURS = re.compile(r"(?<![\w-])(?:exec|show)(?![\w-])")
_OPTION_NAME = re.compile(r"(?<![\w-])[A-Za-z]\w*(?=\s*=)")
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_SNIPPET = re.compile(r"""\s*-+8<-+(?:\s+(?:"([^"]*)"|'([^']*)'))?\s*""")
_REFERENCE = re.compile(r"([^:]+):([A-Za-z][\w-]*)")
_SPAN = re.compile(CODE_SPAN, re.DOTALL)
_PYTHON_SPAN = re.compile(r"\s*\{\s*python\b", re.IGNORECASE)
_INLINE = re.compile(r"\{python\}\s*(.*\S)\s*", re.DOTALL)


@dataclass(frozen=True)
class Cell:
    """Un bloque que se ejecuta. `code_line` es la línea de `code` dentro de `code_path`."""

    line: int
    id: str
    session: str
    code: str
    code_path: Path
    code_line: int
    title: str = ""
    source: str = "above"
    result: str = "text"
    error: str = ""


@dataclass(frozen=True)
class Inline:
    """Un valor en la prosa. `column` es la de su primer acento grave, desde 1."""

    line: int
    column: int
    session: str  # la de la última celda anterior, o la de la página si no hay ninguna
    expression: str
    format_spec: str


@dataclass(frozen=True)
class Listing:
    """Una definición que se enseña sin ejecutarla."""

    line: int
    name: str
    title: str = ""


@dataclass(frozen=True)
class Page:
    """Lo que hay en una página, en orden, y lo que está mal en ella."""

    path: Path  # relativo a la raíz
    items: tuple[Cell | Inline | Listing, ...]
    findings: tuple[Finding, ...]


def page_files(docs: Path) -> list[Path]:
    """Los Markdown de `docs`, en orden. Como MkDocs, no mira en las carpetas ocultas."""
    return [
        path
        for path in sorted(docs.rglob("*.md"))
        if not any(part.startswith(".") for part in path.relative_to(docs).parts)
    ]


def collect_site(docs: Path, *, root: Path) -> list[Page]:
    """Todas las páginas de `docs`, en orden."""
    pages = []
    for path in page_files(root.resolve() / docs):
        try:
            text = path.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            relative = _relative(path, root)
            finding = Finding(relative, 1, "texto", "el fichero no está en UTF-8: guárdalo así")
            pages.append(Page(relative, (), (finding,)))
        else:
            pages.append(collect_page(path, text, root=root))
    return pages


def collect_page(path: Path, text: str, *, root: Path, first_line: int = 1) -> Page:
    """Lo que hay en una página. `first_line` es la línea del fichero donde empieza `text`.

    Solo lee, además de `text`, los guiones y módulos que la página nombra.
    """
    collector = _Collector(_relative(path, root), root.resolve())
    for block in split(text, first_line):
        if isinstance(block, Fence):
            collector.fence(block)
        else:
            collector.prose(block)
    return Page(collector.path, tuple(collector.items), tuple(sorted(collector.findings)))


def parse_inline(text: str) -> tuple[str, str]:
    """Parte `expr:.3f` en expresión y formato, como lo haría un f-string.

    Lanza ValueError, en español, si no es un único campo sin conversión ni formato anidado.
    """
    if not text.strip():
        raise ValueError("está vacío")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            (field,) = ast.parse(f"f'''{{ {text}}}'''", mode="eval").body.values
    except SyntaxError:
        raise ValueError("no es una expresión de Python") from None
    except (AttributeError, ValueError):
        raise ValueError("no es una sola expresión") from None
    if not isinstance(field, ast.FormattedValue) or field.conversion != -1:
        raise ValueError("no admite conversiones (!r) ni «=»")
    match field.format_spec:
        case None:
            spec = ""
        case ast.JoinedStr(values=[ast.Constant(value=spec)]):
            pass
        case _:
            raise ValueError("el formato debe ser un texto fijo, p. ej. «:.3f»")
    return ast.unparse(field.value), spec


def _relative(path: Path, root: Path) -> Path:
    absolute, root = (root / path).resolve(), root.resolve()
    return absolute.relative_to(root) if absolute.is_relative_to(root) else path


class _Collector:
    """Recorre una página de arriba abajo y recuerda lo que hace falta para leer lo siguiente."""

    def __init__(self, path: Path, root: Path):
        self.path = path
        self.root = root
        self.items: list[Cell | Inline | Listing] = []
        self.findings: list[Finding] = []
        self.session = path.stem
        self.ids: dict[str, int] = {}

    def find(self, line: int, rule: str, message: str) -> None:
        self.findings.append(Finding(self.path, line, rule, message))

    def prose(self, block: Prose) -> None:
        if "{" not in block.text:
            return
        for match in _SPAN.finditer(block.text):
            if len(match["ticks"]) > 1 or not _PYTHON_SPAN.match(match["span"]):
                continue
            before = block.text[: match.start()]
            line = block.line + before.count("\n")
            column = match.start() - before.rfind("\n")
            inline = _INLINE.fullmatch(match["span"])
            if not inline:
                self.find(line, "valor", "escribe `{python} expresión`, con algo que calcular")
            elif "\n" in match["span"]:
                self.find(line, "valor", "un valor en línea no puede partirse en dos renglones")
            else:
                self._inline(line, column, inline[1])

    def _inline(self, line: int, column: int, text: str) -> None:
        try:
            expression, format_spec = parse_inline(text)
        except ValueError as error:
            self.find(line, "valor", f"no se entiende `{{python}} {text}`: {error}")
        else:
            self.items.append(Inline(line, column, self.session, expression, format_spec))

    def fence(self, fence: Fence) -> None:
        if not fence.closed:
            self.find(
                fence.line,
                "valla",
                "el bloque de código no se cierra: falta su marca final, igual de larga y sangrada",
            )
            return
        language = _LANGUAGE.match(fence.info)
        text = fence.info[language.end() :] if language else fence.info
        bare = _QUOTED.sub("", text)
        python = language and language[0] == "python"
        strange = [name for name in _OPTION_NAME.findall(bare) if name not in PLAIN_OPTIONS]
        if not _OURS.search(bare) and not (python and strange):
            return
        if not python:
            self.find(fence.line, "opción", 'las celdas se escriben ```python exec="on" id="…"')
            return
        options = self._options(fence.line, text)
        if options is None:
            return
        if "exec" in options and "show" in options:
            self.find(fence.line, "opción", "exec y show no van juntos: o se ejecuta o se enseña")
        elif "exec" in options:
            self._cell(fence, options)
        elif "show" in options:
            self._listing(fence, options)
        elif strange[0] in CELL_OPTIONS:
            self.find(fence.line, "opción", f'«{strange[0]}» es de las celdas: añade exec="on"')
        else:
            self.find(fence.line, "opción", f"la opción «{strange[0]}» no existe")

    def _options(self, line: int, text: str) -> dict[str, str] | None:
        options: dict[str, str] = {}
        position, text = 0, text.rstrip()
        while position < len(text):
            match = _OPTION.match(text, position)
            if not match:
                rest = text[position:].strip()
                self.find(line, "opción", f'no se entiende «{rest}»: escribe opción="valor"')
                return None
            name, value = match[1], match[2] if match[2] is not None else match[3]
            if name in options:
                self.find(line, "opción", f"la opción «{name}» está dos veces")
                return None
            if value is None:
                self.find(line, "opción", f'a «{name}» le falta el valor: escribe {name}="…"')
                return None
            options[name] = value
            position = match.end()
        return options

    def _known(self, line: int, options: dict[str, str], allowed: tuple[str, ...]) -> bool:
        unknown = [name for name in options if name not in allowed]
        for name in unknown:
            self.find(
                line, "opción", f"la opción «{name}» no existe aquí; las hay: {', '.join(allowed)}"
            )
        return not unknown

    def _listing(self, fence: Fence, options: dict[str, str]) -> None:
        name = options["show"]
        known = self._known(fence.line, options, LISTING_OPTIONS)
        if any(line.strip() for line in fence.body):
            self.find(fence.line, "listado", "un listado va vacío: el código lo pone la definición")
        elif not _DOTTED.fullmatch(name):
            self.find(fence.line, "listado", f"«{name}» no es un nombre con puntos (paquete.x.y)")
        elif known:
            try:
                find_definition(name, self.root)
            except SourceError as error:
                self.find(fence.line, "listado", f"«{name}»: {error}")
            else:
                self.items.append(Listing(fence.line, name, options.get("title", "")))

    def _cell(self, fence: Fence, options: dict[str, str]) -> None:
        before = len(self.findings)
        self._known(fence.line, options, CELL_OPTIONS)
        if options["exec"] != "on":
            self.find(fence.line, "opción", f'exec="{options["exec"]}": solo puede ser exec="on"')
        if options.get("source", "above") not in ("above", "none"):
            self.find(fence.line, "opción", 'source solo puede ser "above" o "none"')
        self._id(fence.line, options.get("id"))
        session = options.get("session", self.path.stem)
        if "session" in options and not _SLUG.fullmatch(session):
            self.find(fence.line, "opción", f"session=«{session}»: usa a-z, 0-9 y guiones")
        self.session = session
        code = self._code(fence)
        if code:
            self._check(fence.line, code)
        if code and len(self.findings) == before:
            cell = Cell(
                line=fence.line,
                id=options["id"],
                session=session,
                code=code.text,
                code_path=code.path,
                code_line=code.line,
                title=options.get("title", ""),
                source=options.get("source", "above"),
                result=options.get("result", "text"),
                error=options.get("error", ""),
            )
            if "error" in options:
                self._error(cell)
            self.items.append(cell)

    def _id(self, line: int, cell_id: str | None) -> None:
        if cell_id is None:
            self.find(line, "id", 'a la celda le falta el id: añade id="nombre-de-la-celda"')
        elif not _SLUG.fullmatch(cell_id):
            self.find(line, "id", f"id=«{cell_id}»: usa solo a-z sin acentos, 0-9 y guiones")
        elif cell_id in self.ids:
            self.find(line, "id", f"el id «{cell_id}» ya está en la línea {self.ids[cell_id]}")
        else:
            self.ids[cell_id] = line

    def _code(self, fence: Fence) -> Code | None:
        """El código de la celda, escrito en la página o traído de un guion."""
        written = [number for number, line in enumerate(fence.body) if line.strip()]
        snippets = [number for number in written if _SNIPPET.fullmatch(fence.body[number])]
        if not written:
            self.find(fence.line, "celda", "la celda está vacía")
            return None
        if not snippets:
            first, last = written[0], written[-1]
            text = "\n".join(line.rstrip() for line in fence.body[first : last + 1])
            return Code(self.path, fence.line + 1 + first, text)
        line = fence.line + 1 + snippets[0]
        match = _SNIPPET.fullmatch(fence.body[snippets[0]])
        reference = _REFERENCE.fullmatch(match[1] or match[2] or "")
        if len(written) > 1:
            self.find(line, "sección", "la celda lleva código o una sola línea --8<--, no las dos")
        elif not reference:
            self.find(line, "sección", 'escribe --8<-- "carpeta/guion.py:seccion"')
        else:
            try:
                return find_section(reference[1], reference[2], self.root)
            except SourceError as error:
                self.find(line, "sección", str(error))
        return None

    def _check(self, line: int, code: Code) -> None:
        """Una celda es corta, se puede leer y no define nada."""
        length = code.text.count("\n") + 1
        if length > MAX_LINES:
            self.find(line, "celda", f"{length} líneas: una celda enseña como mucho {MAX_LINES}")
        for wrong, message in _faults(code):
            self.find(*self._place(line, code, wrong, "celda", message))

    def _place(self, line, code, code_line, rule, message) -> tuple[int, str, str]:
        """La línea de la página y, si el código viene de un guion, también la del guion."""
        if code.path == self.path:
            return code_line, rule, message
        return line, rule, f"{code.path.as_posix()}:{code_line}: {message}"

    def _error(self, cell: Cell) -> None:
        builtin = getattr(builtins, cell.error, None)
        if isinstance(builtin, type) and issubclass(builtin, Exception):
            return
        sources = Sources(self.root)
        reachable = set()
        for earlier in [*self._cells(cell.session), cell]:
            reachable |= sources.reach(earlier.code).classes
        if cell.error not in reachable:
            message = f"«{cell.error}» no es una excepción de Python ni de lo que importa la sesión"
            self.find(cell.line, "opción", message)

    def _cells(self, session: str) -> Iterator[Cell]:
        return (item for item in self.items if isinstance(item, Cell) and item.session == session)


@lru_cache(maxsize=1024)  # al servir, casi ningún código ha cambiado desde la vez anterior
def _faults(code: Code) -> tuple[tuple[int, str], ...]:
    """Lo que impide que un código sea una celda, con su línea: no es Python, o define algo."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tree = ast.parse("\n" * (code.line - 1) + code.text)
            compile(tree, code.path.as_posix(), "exec", dont_inherit=True)
    except SyntaxError as error:
        return ((error.lineno or code.line, f"no es Python: {error.msg}"),)
    return tuple(
        (node.lineno, f"una celda no define nada: lleva «{node.name}» al paquete e impórtalo")
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    )
