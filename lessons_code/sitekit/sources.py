"""El código que una página nombra o importa, encontrado sin ejecutarlo.

- `find_definition`: una definición por su nombre con puntos, a través del árbol sintáctico.
- `find_section`: una sección marcada de un guion de ejemplos.
- `Sources`: todo lo que un código alcanza (módulos propios y datos), con su huella.

Es «propio» lo que está bajo la raíz del proyecto; lo demás son dependencias, y sus versiones están
fijadas en requirements.txt.
"""

import ast
import difflib
import hashlib
import io
import re
import textwrap
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path


class SourceError(Exception):
    """Lo nombrado no existe. El mensaje, en español, dice qué y cómo arreglarlo."""


@dataclass(frozen=True)
class Code:
    """Un trozo de un fichero: `line` es su primera línea."""

    path: Path  # relativo a la raíz
    line: int
    text: str


# --- Definiciones ---------------------------------------------------------------------------------


def find_definition(name: str, root: Path) -> Code:
    """El texto exacto de `paquete.modulo.nombre` (función, clase, método o constante).

    Lanza SourceError si falta el módulo o el nombre, o si el módulo no se puede leer.
    """
    files = module_files(name, root)
    if not files:
        raise SourceError(f"no hay ningún módulo «{name.split('.')[0]}» en el proyecto")
    module, path = files[-1]
    attributes = name.removeprefix(module).strip(".").split(".")
    if attributes == [""]:
        raise SourceError(f"«{name}» es un módulo entero: nombra una de sus definiciones")
    text = path.read_text(encoding="utf-8")
    relative = path.relative_to(root)
    try:
        scope, node = _tree(text).body, None
    except SyntaxError as error:
        place = f"{relative.as_posix()}:{error.lineno}"
        raise SourceError(f"{place}: el módulo no se puede leer: {error.msg}") from None
    for attribute in attributes:
        names = _defined(scope)
        if attribute not in names:
            raise SourceError(
                f"«{relative.as_posix()}» no define «{attribute}»" + _suggestion(attribute, names)
            )
        node = names[attribute]
        scope = node.body if isinstance(node, ast.ClassDef) else []
    first = min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", ()))])
    lines = text.split("\n")[first - 1 : node.end_lineno]
    return Code(relative, first, textwrap.dedent("\n".join(lines)))


def _defined(body: list[ast.stmt]) -> dict[str, ast.stmt]:
    names: dict[str, ast.stmt] = {}
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names[node.name] = node
            case ast.Assign():
                names |= {
                    target.id: node for target in node.targets if isinstance(target, ast.Name)
                }
            case ast.AnnAssign(target=ast.Name(id=name)):
                names[name] = node
    return names


def _suggestion(name: str, names) -> str:
    close = difflib.get_close_matches(name, names, n=1)
    return f": ¿querías decir «{close[0]}»?" if close else ""


# --- Secciones de los guiones ---------------------------------------------------------------------

_MARKER = re.compile(r"\s*#\s*-+8<-+\s+\[\s*(start|end)\s*:\s*([A-Za-z][\w-]*)\s*\]\s*")


def find_section(path: str, section: str, root: Path) -> Code:
    """La sección de un guion entre `# --8<-- [start:x]` y `# --8<-- [end:x]`, sin sangría común.

    Lanza SourceError si el fichero falta o está fuera de la raíz, o si la sección falta, se repite,
    no termina, está vacía o contiene otra (sus marcas desplazarían las líneas).
    """
    file = (root / path).resolve()
    if not file.is_relative_to(root.resolve()):
        raise SourceError(f"«{path}» está fuera del proyecto: copia el guion dentro")
    if not file.is_file():
        raise SourceError(f"no existe el fichero «{path}» (la ruta parte de la raíz del proyecto)")
    lines = file.read_text(encoding="utf-8").replace("\r\n", "\n").split("\n")
    markers = [
        (number, *match.groups())
        for number, line in enumerate(lines, 1)
        if (match := _MARKER.fullmatch(line))
    ]
    starts = [number for number, kind, name in markers if (kind, name) == ("start", section)]
    if not starts:
        names = [name for _, kind, name in markers if kind == "start"]
        raise SourceError(f"«{path}» no tiene la sección «{section}»" + _suggestion(section, names))
    if len(starts) > 1:
        raise SourceError(f"la sección «{section}» empieza dos veces: {path}:{starts[1]}")
    start = starts[0]
    following = [marker for marker in markers if marker[0] > start]
    if not following or following[0][1:] != ("end", section):
        raise SourceError(
            f"{path}:{start}: la sección «{section}» no termina en su [end:{section}] antes de otra"
        )
    first, last = start + 1, following[0][0] - 1
    while first <= last and not lines[first - 1].strip():
        first += 1
    text = textwrap.dedent("\n".join(lines[first - 1 : last])).rstrip()
    if not text:
        raise SourceError(f"{path}:{start}: la sección «{section}» está vacía")
    return Code(file.relative_to(root.resolve()), first, text)


# --- Lo que un código alcanza ---------------------------------------------------------------------

# Un dato se vigila si su ruta desde la raíz está escrita entera entre comillas.
_PATH_LITERAL = re.compile(r"""["'](\w[\w.-]*(?:/\w[\w.-]*)+)["']""")


@dataclass(frozen=True)
class _Analysis:
    """Lo que un texto Python importa, las rutas que nombra y las clases que define."""

    imports: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reach:
    """Todo lo que un código puede ejecutar o leer bajo la raíz, y lo que toma de fuera."""

    files: frozenset[tuple[str, str]] = frozenset()  # (ruta desde la raíz, SHA-256)
    external: frozenset[str] = frozenset()  # paquetes de fuera
    classes: frozenset[str] = frozenset()  # clases definidas en lo alcanzado

    def __or__(self, other: "Reach") -> "Reach":
        return Reach(
            self.files | other.files, self.external | other.external, self.classes | other.classes
        )


class Sources:
    """Una fotografía del código y los datos del proyecto, para una sola construcción.

    Cada fichero se lee como mucho una vez; hay que crear otra para ver cambios posteriores.
    """

    def __init__(self, root: Path):
        self.root = root.resolve()
        self._files: dict[Path, Reach] = {}
        self._links: dict[Path, tuple[Path, ...]] = {}
        self._modules: dict[str, tuple[tuple[str, Path], ...]] = {}
        self._codes: dict[str, Reach] = {}
        self._essences: dict[Path, str] = {}

    @cached_property
    def pins(self) -> tuple[str, ...]:
        """Las versiones fijadas en requirements.txt; ninguna si no existe."""
        path = self.root / "requirements.txt"
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        pins = (line.partition("#")[0].strip() for line in lines)
        return tuple(sorted(pin for pin in pins if pin))

    def reach(self, code: str) -> Reach:
        """Módulos propios (transitivamente) y datos que `code` alcanza."""
        if code not in self._codes:
            reach, pending = self._own(_analyse(code, ""))
            seen: set[Path] = set()
            while pending:
                path = pending.pop()
                if path not in seen:
                    seen.add(path)
                    reach |= self._file(path)
                    pending += self._links[path]
            self._codes[code] = reach
        return self._codes[code]

    def essences(self, reach: Reach) -> list[tuple[str, str]]:
        """Los ficheros alcanzados, con la huella de lo que hacen: sin comentarios ni docstrings."""
        return [(name, self._essence(self.root / name)) for name, _ in sorted(reach.files)]

    def _essence(self, path: Path) -> str:
        if path not in self._essences:
            content = path.read_bytes().replace(b"\r\n", b"\n")
            if path.suffix == ".py":
                content = essence(content.decode("utf-8", "replace")).encode()
            self._essences[path] = hashlib.sha256(content).hexdigest()
        return self._essences[path]

    def _own(self, analysis: _Analysis) -> tuple[Reach, list[Path]]:
        """Lo que un texto alcanza por sí mismo, y los ficheros por los que hay que seguir."""
        external, modules = set(), []
        for name in analysis.imports:
            files = self._modules.setdefault(name, module_files(name, self.root))
            modules += [path for _, path in files]
            if not files:
                external.add(name.partition(".")[0])
        data = [self.root / path for path in analysis.paths]
        modules += [path for path in data if path.is_file() and path.suffix != ".py"]
        return Reach(external=frozenset(external), classes=frozenset(analysis.classes)), modules

    def _file(self, path: Path) -> Reach:
        if path not in self._files:
            content = path.read_bytes()
            name = path.relative_to(self.root).as_posix()
            own, links = Reach(), []
            if path.suffix == ".py":
                own, links = self._own(_analyse(content.decode("utf-8", "replace"), _package(name)))
            self._links[path] = tuple(links)
            fingerprint = (name, hashlib.sha256(content).hexdigest())
            self._files[path] = own | Reach(files=frozenset({fingerprint}))
        return self._files[path]


def essence(text: str) -> str:
    """Las líneas de un módulo que hacen algo: ni docstrings, ni comentarios, ni las vacías."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (SyntaxError, tokenize.TokenError):
        return text
    lines, kept = text.split("\n"), set()
    for token in tokens:
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
    silent = {tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    words = [token for token in tokens if token.type not in silent]
    before = tokenize.NEWLINE
    for token, after in pairwise(words):
        alone = token.type == tokenize.STRING and before == after.type == tokenize.NEWLINE
        if token.type != tokenize.NEWLINE and not alone:
            kept.update(range(token.start[0], token.end[0] + 1))
        before = token.type
    return "\n".join(lines[row - 1] for row in sorted(kept))


def module_files(name: str, root: Path) -> tuple[tuple[str, Path], ...]:
    """Los módulos propios que `import name` ejecuta, de fuera adentro; vacío si es de fuera."""
    found, folder, dotted = [], root, ""
    for part in name.split("."):
        dotted = f"{dotted}.{part}".strip(".")
        package, module = folder / part / "__init__.py", folder / f"{part}.py"
        if package.is_file():
            found.append((dotted, package))
        elif module.is_file():
            found.append((dotted, module))
            break
        elif not (folder / part).is_dir():
            break
        folder /= part
    return tuple(found)


def _package(path: str) -> str:
    """El paquete de un módulo, para resolver sus importaciones relativas."""
    return ".".join(path.split("/")[:-1])


@lru_cache(maxsize=256)  # por contenido: nunca envejece
def _tree(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


@lru_cache(maxsize=256)
def _analyse(text: str, package: str) -> _Analysis:
    try:
        tree = _tree(text)
    except SyntaxError:
        return _Analysis()  # la ejecución lo dirá, con su línea
    imports: list[str] = []
    classes: list[str] = []
    for node in _statements(tree.body):
        match node:
            case ast.Import(names=names):
                imports += [alias.name for alias in names]
            case ast.ImportFrom(module=module, names=names, level=level):
                base = _absolute(module or "", package, level)
                imports += [base, *(f"{base}.{alias.name}" for alias in names)] if base else []
            case ast.ClassDef(name=name):
                classes.append(name)
    paths = dict.fromkeys(_PATH_LITERAL.findall(text))
    return _Analysis(tuple(dict.fromkeys(imports)), tuple(paths), tuple(classes))


def _absolute(module: str, package: str, level: int) -> str:
    if not level:
        return module
    parts = package.split(".")
    return ".".join([*parts[: len(parts) - level + 1], *([module] if module else [])])


def _statements(body: list[ast.AST]) -> Iterator[ast.AST]:
    """Todas las sentencias, también las de dentro de funciones, clases, condiciones y try."""
    for node in body:
        yield node
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from _statements(getattr(node, field, []))
