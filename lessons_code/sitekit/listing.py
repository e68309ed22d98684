"""Listados: una definición de verdad, citada por su nombre, que se lee en unas pocas líneas.

El docstring y la llamada a `check_shapes` son para quien usa la función; quien lee la fórmula en
la página los encuentra plegados, en la definición completa.
"""

import ast
from collections.abc import Iterator


def fold(source: str) -> str:
    """La definición sin docstrings ni `check_shapes(...)`: una parte, en orden, de sus líneas."""
    hidden = {
        line
        for statement in _foldable(ast.parse(source))
        for line in range(statement.lineno, statement.end_lineno + 1)
    }
    visible: list[str] = []
    for number, line in enumerate(source.splitlines(), 1):
        after_gap = not visible or not visible[-1].strip() or visible[-1].endswith(":")
        if number not in hidden and (line.strip() or not after_gap):
            visible.append(line)
    return "\n".join(visible).rstrip() + "\n"


def _foldable(tree: ast.Module) -> Iterator[ast.stmt]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and len(node.body) > 1:
            if ast.get_docstring(node) is not None:
                yield node.body[0]
            if isinstance(node, ast.FunctionDef):
                yield from (one for one in node.body if _only_checks_shapes(one, node))


def _only_checks_shapes(statement: ast.stmt, function: ast.FunctionDef) -> bool:
    """Si es `check_shapes(…)`, o `a, b = check_shapes(…)` sobre los propios argumentos."""
    match statement:
        case ast.Expr(value=ast.Call(func=checker)):
            assigned = set()
        case ast.Assign(targets=[target], value=ast.Call(func=checker)):
            assigned = {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}
        case _:
            return False
    arguments = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    return ast.unparse(checker).endswith("check_shapes") and assigned <= arguments
