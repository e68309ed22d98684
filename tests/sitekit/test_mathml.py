"""Las fórmulas se convierten enteras, no aparecen donde no las hay, y las malas dan su línea."""

import re
from pathlib import Path
from xml.etree import ElementTree

import markdown
import pytest

from lessons_code.sitekit import mathml
from lessons_code.sitekit.mathml import FormulaError, check_formulas, to_mathml

ROOT = Path(__file__).parents[2]
PAGE = Path("docs/fichas/p07.md")


def render(text):
    md = markdown.Markdown(extensions=["tables", "toc", "attr_list", "admonition", "fenced_code"])
    mathml.register(md)
    return md.convert(text)


def tags(latex, *, display=True):
    """Cuántos elementos de cada clase tiene el MathML de una fórmula."""
    counts = {}
    for element in ElementTree.fromstring(to_mathml(latex, display=display)).iter():
        counts[element.tag] = counts.get(element.tag, 0) + 1
    return counts


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"\begin{aligned} a &= 1 \\ b &= 2 \\ c &= 3 \end{aligned}", {"mtr": 3, "mtd": 6}),
        (r"\begin{cases} s^\top h & \text{dot} \\ 0 & \text{si no} \end{cases}", {"mtr": 2}),
        (r"\alpha_{ij} = \frac{\exp(e_{ij})}{\sum_{k=1}^{T_x} \exp(e_{ik})}", {"mfrac": 1}),
        (r"c_i = \sum_{j=1}^{T_x} \alpha_{ij} h_j", {"munderover": 1}),
        (r"\hat{y}", {"mover": 1}),
        (r"\overrightarrow{h}_j, \overleftarrow{h}_j", {"mover": 2}),
        (r"v_a^\top", {"msubsup": 1}),
        (r"\sqrt{d_k}", {"msqrt": 1}),
        (r"\operatorname{softmax}(x) + \mathrm{score}", {"mi": 3}),
        ("α_{ij}", {"msub": 1}),
    ],
)
def test_the_notation_of_the_course_is_converted_whole(latex, expected):
    found = tags(latex)
    assert {tag: found.get(tag) for tag in expected} == expected


def test_latin_greek_and_names_are_the_right_characters():
    text = "".join(
        ElementTree.fromstring(to_mathml(r"\alpha_{ij} \top \mathbb{R}", display=False)).itertext()
    )
    assert text == "αij⊤ℝ"


def test_inline_and_block_formulas_leave_no_latex_behind():
    html = render(
        "La puntuación $e_{ij}$:\n\n$$\n\\begin{aligned}\na &< b \\\\\nc &= d\n\\end{aligned}\n$$\n"
    )
    assert "<math><msub><mi>e</mi>" in html
    assert '<math display="block">' in html
    assert not any(rest in html for rest in ("$", "\\", "{", "arithmatex"))


def test_a_block_formula_scrolls_inside_a_labelled_box_that_the_keyboard_reaches():
    box = ElementTree.fromstring(render("$$a$$"))
    assert box.attrib == {
        "class": "formula",
        "tabindex": "0",
        "role": "group",
        "aria-label": "Fórmula",
    }
    assert box[0].tag == "math"


def test_a_formula_keeps_the_signs_that_touch_it_and_gains_no_space():
    html = re.sub("<math>.*?</math>", "F", render("La *s* ($a$), «$b$»: $c$**d** $e$."))
    assert html == (
        '<p>La <em>s</em> <span class="formula-en-linea">(F),</span>'
        ' <span class="formula-en-linea">«F»:</span>'
        ' <span class="formula-en-linea">F</span><strong>d</strong>'
        ' <span class="formula-en-linea">F.</span></p>'
    )


def test_a_heading_keeps_a_readable_ascii_id():
    assert 'id="la-puntuacion-eij"' in render("## La puntuación $e_{ij}$")


def test_formulas_inside_lists_quotes_and_admonitions():
    text = "- uno $x$\n\n    $$\n    y\n    $$\n\n> $$z$$\n\n!!! note\n    $$w$$\n"
    assert render(text).count("<math") == 4
    assert check_formulas(PAGE, text) == []


def test_formulas_keep_the_cells_of_their_table():
    text = "| a | b |\n|---|---|\n| $p(y \\mid x)$ | $\\|x\\|$ |\n| $\\lvert x \\rvert$ | 2 |\n"
    html = render(text)
    assert html.count("<td>") == 4
    assert html.count("<math") == 3
    assert check_formulas(PAGE, text) == []


@pytest.mark.parametrize(
    "prose",
    [
        "Vale $5.",
        "Cuesta $5 y aquello $7.",
        "Entre $5-$10 al mes.",
        r"Son \$5 o 6\$.",
        "`$x$` y `\\frac`",
    ],
)
def test_money_and_code_are_not_formulas(prose):
    assert "<math" not in render(prose)
    assert check_formulas(PAGE, prose) == []


def test_code_blocks_and_comments_are_not_formulas():
    assert check_formulas(PAGE, "```text\n$\\mal$ $$\n```\n\n<!-- $\\peor$ -->\n") == []


@pytest.mark.parametrize(
    ("formula", "explanation"),
    [
        (r"$\softmx(x)$", r"la orden «\softmx» no existe"),
        (r"$\frac{a$", "falta cerrar con «}»"),
        ("$a}$", "«}» cierra algo que no se abrió"),
        ("$a_b_c$", "agrúpalos con llaves"),
        (r"$\frac$", "le falta su argumento"),
        ("$a & b$", "«&» solo vale dentro de aligned"),
        (r"$\begin{alined}a\end{alined}$", "el entorno «alined» no existe"),
        (r"$\begin{aligned}a\end{cases}$", r"se esperaba «\end{aligned}» y hay «\end{cases}»"),
        (r"$a \tag{5}$", "no vale en este lugar"),
        ("$#$", "no es LaTeX válido"),
        ("$5 % de a$", "«%» oculta lo que le sigue"),
        ("Texto $$a$$ en medio", "ocupa su propio párrafo"),
        ("$ a $", "no lleva espacios por dentro"),
        ("Cuesta $5 ($x$) hoy", r"se escribe `\$`"),
        (r"Sea \alpha un peso", r"«\alpha» queda fuera de una fórmula"),
        ("| $a|b$ | c |", r"«|» parte la celda; escribe \mid"),
    ],
)
def test_a_bad_formula_is_told_in_spanish_with_its_line(formula, explanation):
    (finding,) = check_formulas(PAGE, f"# Título\n\nUn párrafo.\n\n{formula}\n")
    assert str(finding).startswith("docs/fichas/p07.md:5: [formula] ")
    assert explanation in finding.message


def test_the_line_is_the_one_of_the_formula_not_of_its_paragraph():
    findings = check_formulas(PAGE, "Uno.\nDos $a$.\nTres $\\mal$.\n\n- Cinco $x^$\n")
    assert [finding.line for finding in findings] == [3, 5]


def test_lines_count_from_the_first_line_given():
    (finding,) = check_formulas(PAGE, "Uno.\n\n$\\mal$\n", first_line=11)
    assert finding.line == 13


def test_what_reaches_the_tree_unchecked_still_fails():
    with pytest.raises(FormulaError, match="no existe"):
        render("$\\mal$")


def test_the_font_has_every_sign_that_the_pages_write():
    css = (ROOT / "docs/assets/css/mates.css").read_text(encoding="utf-8")
    font = set()
    for first, last in re.findall(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?[,;]", css):
        font |= {chr(code) for code in range(int(first, 16), int(last or first, 16) + 1)}
    assert {"α", "ℝ", "∑", "⊤", "𝑠"} <= font
    for path in (ROOT / "docs").rglob("*.md"):
        for formula in re.findall("<math.*?</math>", render(path.read_text(encoding="utf-8"))):
            text = "".join(ElementTree.fromstring(formula).itertext())
            assert set(text) <= font, f"{path}: a mates.css le faltan {set(text) - font}"


def test_the_font_is_light_and_its_licence_travels_with_it():
    fonts = ROOT / "docs/assets/fonts"
    assert (fonts / "stix-two-math.woff2").stat().st_size <= 40_000
    assert "SIL OPEN FONT LICENSE" in (fonts / "LICENCIA-STIX.txt").read_text(encoding="utf-8")
