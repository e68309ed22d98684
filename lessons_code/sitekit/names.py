"""Qué nombres tiene el código: para que la prosa no describa funciones ni argumentos que no hay.

Se lee el árbol sintáctico, sin importar nada. Cada fichero se analiza una vez mientras no cambie.
"""

import ast
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path


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
class Module:
    """Lo que define un fichero: nombres de primer nivel, funciones y todas sus palabras."""

    names: frozenset[str]
    functions: tuple[tuple[str, Signature], ...]
    words: frozenset[str]


@dataclass(frozen=True)
class CodeNames:
    """Los nombres de todo un paquete."""

    modules: dict[str, Module]
    functions: dict[str, tuple[Signature, ...]]
    words: frozenset[str]

    def has(self, dotted: str) -> bool:
        """Si ese nombre con puntos es un paquete, un módulo o algo que un módulo define."""
        if dotted in self.modules:
            return True
        module, _, name = dotted.rpartition(".")
        while module and module not in self.modules:
            module, _, name = module.rpartition(".")
        return bool(module) and name in self.modules[module].names


def code_names(package: Path) -> CodeNames:
    """Lee el paquete que hay en esa carpeta."""
    files = sorted(package.rglob("*.py"))
    return _names_of(package, tuple((path, path.stat().st_mtime_ns) for path in files))


@lru_cache(maxsize=2)
def _names_of(package: Path, files: tuple[tuple[Path, int], ...]) -> CodeNames:
    modules: dict[str, Module] = {}
    functions: dict[str, tuple[Signature, ...]] = {}
    for path, modified in files:
        module = _module(path, modified)
        parts = path.relative_to(package.parent).with_suffix("").parts
        modules[".".join(parts).removesuffix(".__init__")] = module
        for name, signature in module.functions:
            functions[name] = (*functions.get(name, ()), signature)
    words = frozenset().union(*(module.words for module in modules.values()))
    return CodeNames(modules, functions, words)


@lru_cache(maxsize=1024)
def _module(path: Path, modified: int) -> Module:
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError:  # quien ejecuta la página lo dirá, y mejor
        return Module(frozenset(), (), frozenset())
    functions: list[tuple[str, Signature]] = []
    words: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name):
                functions.append((name, _signature(node.args)))
                words.add(name)
            case ast.ClassDef(name=name):
                words.add(name)
            case ast.arg(arg=name) | ast.Name(id=name) | ast.Attribute(attr=name):
                words.add(name)
            case ast.keyword(arg=str(name)) | ast.alias(name=name):
                words.add(name)
            case ast.Dict() | ast.Call():  # claves y dimensiones: {"decoder_state": "d_s"}
                words |= _short_strings(node)
    return Module(frozenset(_top_level(tree)), tuple(functions), frozenset(words))


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


def _short_strings(node: ast.Dict | ast.Call) -> set[str]:
    values = [*node.keys, *node.values] if isinstance(node, ast.Dict) else node.args
    strings = (value.value for value in values if isinstance(value, ast.Constant))
    return {word for text in strings if isinstance(text, str) for word in text.split()}


def _top_level(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Assign(targets=targets):
                names |= {target.id for target in targets if isinstance(target, ast.Name)}
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                names |= {alias.asname or alias.name for alias in aliases}
    return names
