"""Qué es ejecutar una celda: lo mismo al construir la página que en el navegador de quien la lee.

Sus sentencias se ejecutan en el espacio de nombres de la sesión. Si la última es una expresión, su
valor se enseña con el convenio de Jupyter; los demás valores no se ven.

Va también al navegador: solo usa la biblioteca estándar.
"""

import ast
import warnings


def strict_warnings() -> None:
    """Un aviso de NumPy es un número dudoso: es un error, y ninguna página lo esconde."""
    warnings.resetwarnings()
    warnings.simplefilter("error")
    for category in (
        DeprecationWarning,
        PendingDeprecationWarning,
        ImportWarning,
        ResourceWarning,
    ):
        warnings.simplefilter("ignore", category)


def run(code: str, names: dict[str, object], *, path: str, line: int = 1) -> str:
    """Ejecuta una celda y devuelve el HTML de su última expresión, o nada.

    `path` y `line` son el sitio de su primera línea, para las trazas. Lanza lo que lance la celda.
    """
    tree = ast.parse("\n" * (line - 1) + code, path, "exec")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, path, "exec", dont_inherit=True), names)
    if last is None:
        return ""
    value = eval(compile(ast.Expression(last.value), path, "eval", dont_inherit=True), names)
    method = getattr(type(value), "_repr_html_", None)
    html = method(value) if method else None
    if not isinstance(html, str | None):
        raise TypeError(f"_repr_html_ debe devolver texto, y devolvió {type(html).__name__}")
    return html or ""


def printed(body: str, *classes: str) -> str:
    """Lo impreso, ya escapado, en un bloque al que llega el teclado si hay que desplazarlo."""
    return (
        f'<pre class="{" ".join(("salida-texto", *classes))}" tabindex="0" role="group"'
        f' aria-label="Salida de la celda"><code>{body}</code></pre>'
    )
