"""Regla «nombres»: el texto no describe funciones ni argumentos que el código no tiene."""

import builtins
import re
from pathlib import Path

from lessons_code.sitekit.names import CodeNames, Site
from lessons_code.sitekit.prose import Findings, Source
from lessons_code.sitekit.sources import SourceError, find_definition, module_files

_SPAN = re.compile(r"`([^`\n]+)`")
_DOTTED = re.compile(r"lessons_code(?:\.\w+)+")
_CALL = re.compile(r"(\w+)\(([^()]*)\)(?: *->.*)?")
_SNAKE_CASE = re.compile(r"[a-z]{3,}(?:_[a-z]{2,}\d*)+")
_TEACHING = ("fichas", "lecciones", "anexos")


def identifiers(page: Source, site: Site) -> Findings:
    """Nombres entre comillas inversas que el código no tiene, o argumentos que no acepta."""
    for match in _SPAN.finditer(page.body):
        name = match[1].strip()
        start = match.start(1)
        if _DOTTED.fullmatch(name):
            if problem := _dotted_problem(name, site.root):
                yield start, problem
        elif call := _CALL.fullmatch(name):
            if problem := _call_problem(call[1], call[2], page, site.code):
                yield start, problem
        elif (
            _SNAKE_CASE.fullmatch(name)
            and page.path.parent.name in _TEACHING
            and name not in site.code.words
            and name not in page.code_words
        ):
            yield start, f"`{name}` no aparece en lessons_code; di el nombre que usa el código"


def _dotted_problem(name: str, root: Path) -> str | None:
    modules = module_files(name, root)
    if modules and modules[-1][0] == name:
        return None
    try:
        find_definition(name, root)
    except SourceError as error:
        return f"`{name}` no existe: {error}"
    return None


def _call_problem(name: str, arguments: str, page: Source, code: CodeNames) -> str | None:
    signatures = code.functions.get(name)
    if signatures is None:
        known = hasattr(builtins, name) or name in code.words or name in page.code_words
        looks_ours = not arguments.strip() or "_" in name
        if looks_ours and not known:
            return f"`{name}()` no existe en lessons_code; nombra una función que se pueda leer"
        return None
    if "…" in arguments or "..." in arguments:
        return None
    given = [argument.strip() for argument in arguments.split(",") if argument.strip()]
    keywords = [argument.partition("=")[0].strip() for argument in given if "=" in argument]
    for signature in signatures:
        if signature.accepts(len(given) - len(keywords), keywords):
            return None
    expected = " o ".join(f"`{name}({', '.join(one.parameters)})`" for one in signatures)
    return f"`{name}({arguments})` no casa con la función, que es {expected}"
