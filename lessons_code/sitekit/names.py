"""Lo que una página puede nombrar: las demás páginas y el código, sin importar nada.

De cada fichero Python se lee el árbol sintáctico, una vez mientras no cambie.
"""

import ast
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path


@dataclass(frozen=True)
class Site:
    """Dónde están las páginas y, bajo la raíz, el código que citan."""

    docs: Path
    root: Path

    @cached_property
    def code(self) -> "CodeNames":
        return code_names(self.root / "lessons_code")


@dataclass(frozen=True)
class Signature:
    """Los parámetros de una función, sin `self`."""

    parameters: tuple[str, ...]
    positional: int
    any_positional: bool
    any_keyword: bool

    def accepts(self, positional: int, keywords: list[str]) -> bool:
        """Si se puede llamar con tantos argumentos por posición y esos por nombre."""
        return (self.any_positional or positional <= self.positional) and (
            self.any_keyword or set(keywords) <= set(self.parameters)
        )


@dataclass(frozen=True)
class CodeNames:
    """Las funciones, cada una con sus firmas, y todas las palabras que el código usa."""

    functions: dict[str, tuple[Signature, ...]]
    words: frozenset[str]


def code_names(package: Path) -> CodeNames:
    """Lee el paquete que hay en esa carpeta."""
    files = sorted(package.rglob("*.py"))
    return _names_of(tuple((path, path.stat().st_mtime_ns) for path in files))


@lru_cache(maxsize=2)
def _names_of(files: tuple[tuple[Path, int], ...]) -> CodeNames:
    functions: dict[str, tuple[Signature, ...]] = {}
    words: set[str] = set()
    for path, modified in files:
        defined, used = _module(path, modified)
        words |= used
        for name, signature in defined:
            functions[name] = (*functions.get(name, ()), signature)
    return CodeNames(functions, frozenset(words))


@lru_cache(maxsize=1024)
def _module(path: Path, modified: int) -> tuple[list[tuple[str, Signature]], set[str]]:
    """Las funciones de un fichero y sus palabras."""
    functions: list[tuple[str, Signature]] = []
    words: set[str] = set()
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError:  # quien ejecuta la página lo dirá, y mejor
        return functions, words
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name):
                functions.append((name, _signature(node.args)))
                words.add(name)
            case ast.ClassDef(name=name) | ast.arg(arg=name) | ast.alias(name=name):
                words.add(name)
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                words.add(name)
            case ast.Dict():  # nombres y dimensiones: {"decoder_state": "d_s"}
                words |= _strings([*node.keys, *node.values])
    return functions, words


def _signature(arguments: ast.arguments) -> Signature:
    positional = [*arguments.posonlyargs, *arguments.args]
    if positional and positional[0].arg in {"self", "cls"}:
        positional = positional[1:]
    return Signature(
        parameters=tuple(one.arg for one in [*positional, *arguments.kwonlyargs]),
        positional=len(positional),
        any_positional=arguments.vararg is not None,
        any_keyword=arguments.kwarg is not None,
    )


def _strings(nodes: list[ast.expr | None]) -> set[str]:
    strings = (node.value for node in nodes if isinstance(node, ast.Constant))
    return {word for text in strings if isinstance(text, str) for word in text.split()}
