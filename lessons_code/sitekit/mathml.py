"""Fórmulas: LaTeX en el Markdown, MathML en la página, y nada que traducir en el navegador.

Arithmatex reconoce `$…$` y `$$…$$`; un procesador del árbol cambia cada una por su MathML.
`check_formulas` busca antes los errores en la fuente, donde todavía hay líneas que citar.
"""

import html
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree

from markdown import Markdown
from markdown.treeprocessors import Treeprocessor
from math_core import LatexError, LatexToMathML
from pymdownx.arithmatex import RE_DOLLAR_BLOCK, RE_SMART_DOLLAR_INLINE

from lessons_code.sitekit.blocks import CODE_SPAN, Prose, split
from lessons_code.sitekit.findings import Finding

ARITHMATEX = {"generic": True, "inline_syntax": ["dollar"], "block_syntax": ["dollar"]}
# «de $5 a $10» o «$5-$10» son precios: a un dólar que cierra no le sigue una cifra.
_INLINE = re.compile(f"{RE_SMART_DOLLAR_INLINE}(?![0-9])", re.DOTALL)
# Arithmatex exige que un bloque sea el párrafo entero, quizá dentro de un aviso, lista o cita.
_BLOCK = re.compile(
    rf"(?:[!?=]{{3}}[^\n]*\n)?[ \t>]*(?:[-*+]|[0-9]+\.)?[ \t]*{RE_DOLLAR_BLOCK}\s*", re.DOTALL
)
_CODE_SPAN = re.compile(CODE_SPAN, re.DOTALL)
_LOOSE = re.compile(r"\$\$|(?<!\\)\$(?![0-9])|\\[A-Za-z]{2,}")
_LOOSE_HELP = (
    "queda fuera de una fórmula: `$…$` no lleva espacios por dentro, `$$…$$` ocupa su propio "
    "párrafo sin líneas en blanco, y un dólar que no es fórmula se escribe `\\$`"
)
_OPENING = re.compile(r"[(\[«“¿¡]*\Z")
_CLOSING = re.compile(r"[.,;:!?…)\]»”%]*")
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot);)\w+;")

# La flecha corta de \vec es un signo combinable que los navegadores no centran.
_CONVERTER = LatexToMathML(fancy_error=False, macros={"vec": r"\overrightarrow{#1}"})
_EXPLANATIONS = (
    (r"Unknown command \"(.+)\"", r"la orden «\1» no existe; revisa cómo se escribe"),
    (r"Unknown environment \"(.+)\"", r"el entorno «\1» no existe; revisa cómo se escribe"),
    (r"Expected closing token \"(.+)\",.*", r"falta cerrar con «\1»"),
    (r"Unmatched closing token: \"(.+)\"", r"«\1» cierra algo que no se abrió"),
    (r"Expected argument.*", "a la última orden le falta su argumento entre llaves"),
    (r"Duplicate subscript.*", "hay dos índices seguidos; agrúpalos con llaves: a_{b_c}"),
    (r"Expected \"(.+)\", but found \"(.+)\"", r"se esperaba «\1» y hay «\2»"),
    (r"Found \"&\".*", "«&» solo vale dentro de aligned, cases o una matriz"),
    (r"Found \"(.+)\", which may only.*", r"«\1» no vale en este lugar de la fórmula"),
)


class FormulaError(ValueError):
    """Una fórmula que no se puede convertir; el mensaje dice qué corregir."""


@lru_cache(maxsize=4096)
def to_mathml(latex: str, *, display: bool) -> str:
    """Convierte LaTeX en un elemento `<math>`, como texto XML.

    Lanza FormulaError, en español, si la fórmula no es válida o si perdería algo al convertirse.
    """
    if re.search(r"(?<!\\)%", latex):
        raise FormulaError(f"«{latex.strip()}»: «%» oculta lo que le sigue; escribe «\\%»")
    try:
        mathml = _CONVERTER.convert_with_local_state(latex, displaystyle=display)
    except LatexError as error:
        raise FormulaError(f"«{latex.strip()}»: {_explain(str(error))}") from error
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), mathml)


def _explain(message: str) -> str:
    _, _, reason = message.partition(": ")
    for pattern, explanation in _EXPLANATIONS:
        if match := re.fullmatch(pattern, reason.removesuffix(".")):
            return match.expand(explanation)
    return f"no es LaTeX válido ({reason})"


def check_formulas(path: Path, text: str, *, first_line: int = 1) -> list[Finding]:
    """Los errores de las fórmulas de una página, cada uno con su línea."""
    return [
        Finding(path, block.line + block.text.count("\n", 0, offset), "formula", message)
        for block in split(text, first_line)
        if isinstance(block, Prose) and ("$" in block.text or "\\" in block.text)
        for offset, message in _errors(block.text)
    ]


@lru_cache(maxsize=4096)
def _errors(paragraph: str) -> tuple[tuple[int, str], ...]:
    return tuple(sorted(_find_errors(paragraph)))


def _find_errors(paragraph: str) -> Iterator[tuple[int, str]]:
    """Da (posición, mensaje) de cada fórmula mal escrita y de cada resto que quedaría crudo."""
    text = _CODE_SPAN.sub(_blank, paragraph)
    if block := _BLOCK.fullmatch(text):
        formulas, rest = [(block.start("math"), block["math"], True)], ""
    else:
        inline = [match for match in _INLINE.finditer(text) if match[3]]
        formulas = [(match.start(), match[3], False) for match in inline]
        rest = _INLINE.sub(_blank, text)
    for offset, latex, display in formulas:
        if text.startswith("|") and "|" in latex.replace("\\|", ""):
            yield offset, f"«{latex}»: «|» parte la celda; escribe \\mid, \\lvert o \\rvert"
            continue
        try:
            to_mathml(latex, display=display)
        except FormulaError as error:
            yield offset, str(error)
    if loose := _LOOSE.search(rest):
        yield loose.start(), f"«{loose[0]}» {_LOOSE_HELP}"


def _blank(match: re.Match) -> str:
    return re.sub(r"[^\n]", " ", match[0])


class MathTreeprocessor(Treeprocessor):
    """Cambia lo que dejó arithmatex por MathML."""

    def run(self, root: ElementTree.Element) -> None:
        for parent in root.iter():
            for position, element in enumerate(parent):
                if element.get("class") != "arithmatex":
                    continue
                if element.tag == "div":
                    _fill_block(element)
                else:
                    _fill_inline(element, parent, parent[position - 1] if position else None)


def _fill_block(element: ElementTree.Element) -> None:
    """Una caja a la que llega el teclado: lo que no cabe se desplaza en ella, no con la página."""
    latex = html.unescape(element.text[2:-2])
    element.attrib |= {
        "class": "formula",
        "tabindex": "0",
        "role": "group",
        "aria-label": "Fórmula",
    }
    element.text = ""
    element.append(ElementTree.fromstring(to_mathml(latex, display=True)))


def _fill_inline(
    element: ElementTree.Element,
    parent: ElementTree.Element,
    previous: ElementTree.Element | None,
) -> None:
    """La fórmula con los signos que la tocan: el navegador partiría el renglón entre ellos."""
    before = (parent.text if previous is None else previous.tail) or ""
    opening = _OPENING.search(before)[0]
    closing = _CLOSING.match(element.tail or "")[0]
    math = ElementTree.fromstring(to_mathml(element.text[2:-2], display=False))
    math.tail = closing
    element.set("class", "formula-en-linea")
    element.text = opening
    element.append(math)
    element.tail = (element.tail or "").removeprefix(closing)
    if previous is None:
        parent.text = before.removesuffix(opening)
    else:
        previous.tail = before.removesuffix(opening)


def register(md: Markdown) -> None:
    """Añade las fórmulas a un conversor, con las opciones de arithmatex de las que dependen."""
    md.registerExtensions(["pymdownx.arithmatex"], {"pymdownx.arithmatex": ARITHMATEX})
    md.inlinePatterns["arithmatex-inline"].compiled_re = _INLINE
    # Tras prettify (10), que metería espacios; antes de toc (5), que lee el texto de los títulos.
    md.treeprocessors.register(MathTreeprocessor(md), "mathml", 9)
