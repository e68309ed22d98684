"""De Markdown y LaTeX a texto para una terminal: sin marcas, con las fórmulas legibles.

Cubre el Markdown que usan las secciones de una ficha que se leen sin ejecutar nada: párrafos,
listas, tablas de dos columnas, enlaces, énfasis y fórmulas. No evalúa celdas ni valores en línea.
"""

import re
import textwrap
from functools import cache

from pylatexenc import latex2text, latexwalker, macrospec


class PlainTextError(ValueError):
    """Un trozo de Markdown que no se puede leer como texto. El mensaje dice cómo arreglarlo."""


# ─── Bloques ──────────────────────────────────────────────────────────────────────────────────


def block_to_text(block, width):
    """Un párrafo, una lista o una tabla, ajustados a `width` columnas."""
    if block.startswith(("```", "~~~")):
        raise PlainTextError("aquí no se ejecutan celdas; mueve el código a otra sección")
    if block.startswith("|"):
        return _table_to_text(block, width)
    items = re.split(r"^(?=- |\d+\. )", block, flags=re.MULTILINE)
    return "\n".join(_item_to_text(item, width) for item in items if item.strip())


def _item_to_text(item, width):
    marker, text = re.fullmatch(r"(- |\d+\. )?(.*)", item, flags=re.DOTALL).groups(default="")
    return wrap(inline_to_text(text), width, first=marker.replace("-", "•"))


def _table_to_text(block, width):
    """Cada fila, «campo  dato»; la cabecera y su raya sobran en una terminal."""
    rows = [
        [inline_to_text(cell) for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        for line in block.splitlines()[2:]
    ]
    if any(len(row) != 2 for row in rows):
        raise PlainTextError("la tabla debe tener dos columnas: campo y dato")
    field_width = max(len(field) for field, _ in rows) + 2
    return "\n".join(wrap(value, width, first=field.ljust(field_width)) for field, value in rows)


def wrap(text, width, first=""):
    """Párrafo ajustado, con `first` delante y el resto de las líneas sangrado a su altura."""
    return textwrap.fill(
        text,
        width,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )


# ─── Dentro de un párrafo ─────────────────────────────────────────────────────────────────────

INLINE = re.compile(
    r"`(?P<code>[^`]+)`"
    r"|\$(?P<formula>[^$]+)\$"
    r"|\[(?P<label>[^\]]+)\]\((?P<url>[^)\s]+)\)"
    r"|(?P<mark>\*\*|\*)(?=\S)(?P<marked>.+?)(?<=\S)(?P=mark)"
    r"|(?P<attributes>\{ ?[.#:][^}]*\})",
    flags=re.DOTALL,
)


def inline_to_text(text):
    """Texto sin marcas; de los enlaces externos queda también la dirección.

    Lanza PlainTextError si hay un valor en línea `{python}`, que solo calcula la página.
    """
    return " ".join(INLINE.sub(_mark_to_text, text).split())


def _mark_to_text(match):
    if code := match["code"]:
        if code.startswith("{python}"):
            raise PlainTextError(f"`{code}` solo se calcula en la página; muévelo a otra sección")
        return code
    if match["formula"]:
        return formula_to_text(match["formula"])
    if match["label"]:
        external = match["url"].startswith(("https://", "http://"))
        return inline_to_text(match["label"]) + (f" ({match['url']})" if external else "")
    return inline_to_text(match["marked"] or "")


# ─── Fórmulas ─────────────────────────────────────────────────────────────────────────────────

QUAD = "\N{EM SPACE}"  # un \quad, que sobrevive al recorte de espacios
LINE_BREAK = "\N{LINE SEPARATOR}"  # un \\, distinto de los saltos de línea del Markdown


def formula_to_text(latex):
    r"""LaTeX a texto: «e_{ij} = v_a^\top h_j» se lee «e_ij = v_aᵀ h_j».

    Los índices de más de una pieza conservan sus llaves, como en s_{i−1}.
    Lanza PlainTextError si la fórmula está mal escrita o usa una orden sin traducción.
    """
    latex = re.sub(r"([_^])\{", r"\1\\script{", latex)
    try:
        nodes, _, _ = latexwalker.LatexWalker(
            latex, latex_context=_reading_context(), tolerant_parsing=False
        ).get_latex_nodes()
    except latexwalker.LatexWalkerParseError:
        raise PlainTextError("fórmula mal escrita: ¿falta cerrar una llave?") from None
    text = FormulaToText(latex_context=_writing_context()).nodelist_to_text(nodes)
    text = text.replace("-", "−").replace("^⊤", "ᵀ")
    lines = (re.sub(r"[ \n]+", " ", line).strip() for line in text.split(LINE_BREAK))
    return "\n".join(re.sub(f" ?{QUAD} ?", "   ", line) for line in lines)


class FormulaToText(latex2text.LatexNodes2Text):
    """Conserva el espacio que sigue a una orden sin argumentos: separa «ᵀ» de «tanh»."""

    def macro_node_to_text(self, node):
        has_arguments = any(node.nodeargd.argnlist) if node.nodeargd else False
        return super().macro_node_to_text(node) + ("" if has_arguments else node.macro_post_space)


def _script(node, l2tobj):
    """Un índice: sin llaves si se lee igual sin ellas."""
    text = _argument(node, 0, l2tobj)
    return text if re.fullmatch(r"<?[^\W_]+", text) else f"{{{text}}}"


def _fraction(node, l2tobj):
    """a / b, con paréntesis alrededor de lo que lleva operaciones."""
    return " / ".join(_parenthesized(_argument(node, index, l2tobj)) for index in (0, 1))


def _parenthesized(text):
    return f"({text})" if re.search(r"[ +−-]", text) else text


def _argument(node, index, l2tobj):
    return l2tobj.nodelist_to_text([node.nodeargd.argnlist[index]]).strip()


def _unknown_macro(node, l2tobj):
    raise PlainTextError(f"no sé escribir en texto la orden «\\{node.macroname}» de una fórmula")


@cache
def _reading_context():
    """Las órdenes con argumento que pylatexenc no conoce, y la nuestra."""
    context = latexwalker.get_default_latex_context_db()
    macros = [macrospec.std_macro(name, "{") for name in ("script", "operatorname")]
    context.add_context_category("curso", macros=macros, prepend=True)
    return context


@cache
def _writing_context():
    """Lo que pylatexenc escribe de una forma que en una terminal se lee mal."""
    texts = {
        "script": _script,
        "frac": _fraction,
        "operatorname": "%s",
        "overrightarrow": "%s\N{COMBINING RIGHT ARROW ABOVE}",
        "overleftarrow": "%s\N{COMBINING LEFT ARROW ABOVE}",
        "sum": "Σ",
        "left": "",
        "right": "",
        "quad": QUAD,
        "qquad": QUAD,
        "\\": LINE_BREAK,
    }
    context = latex2text.get_default_latex_context_db()
    context.set_unknown_macro_spec(latex2text.MacroTextSpec("", simplify_repl=_unknown_macro))
    macros = [latex2text.MacroTextSpec(name, text) for name, text in texts.items()]
    context.add_context_category("curso", macros=macros, prepend=True)
    return context
