"""Listados: una definición de verdad, citada por su nombre, que se lee en unas pocas líneas.

El docstring y la llamada a `check_shapes` son para quien usa la función; quien lee la fórmula en
la página los encuentra plegados, en la definición completa.
"""

import ast


def fold(source: str) -> str:
    """La definición sin docstrings ni `check_shapes(...)`: una parte, en orden, de sus líneas."""
    lines = source.splitlines()
    hidden = set()
    for statement in _foldable(ast.parse(source)):
        hidden.update(range(statement.lineno - 1, statement.end_lineno))
    visible = []
    for number, line in enumerate(lines):
        follows_gap = not visible or not visible[-1].strip() or visible[-1].rstrip().endswith(":")
        if number in hidden or (not line.strip() and follows_gap):
            continue
        visible.append(line)
    return "\n".join(visible).rstrip() + "\n"


def _foldable(tree: ast.AST) -> list[ast.stmt]:
    return [
        statement
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and len(node.body) > 1
        for position, statement in enumerate(node.body)
        if isinstance(statement, ast.Expr)
        and (_is_docstring(position, statement.value) or _is_shape_check(statement.value))
    ]


def _is_docstring(position: int, value: ast.expr) -> bool:
    return position == 0 and isinstance(value, ast.Constant) and isinstance(value.value, str)


def _is_shape_check(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and ast.unparse(value.func).endswith("check_shapes")
