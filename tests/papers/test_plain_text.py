"""Markdown y fórmulas como texto de terminal."""

import pytest

from lessons_code.papers.plain_text import (
    PlainTextError,
    block_to_text,
    formula_to_text,
    inline_to_text,
)


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\alpha_{ij}", "α_ij"),
        (r"s_{i-1} + y_{<i}", "s_{i−1} + y_<i"),
        (
            r"e_{ij} = v_a^\top \tanh\left(W_a s_{i-1} + U_a h_j\right)",
            "e_ij = v_aᵀ tanh(W_a s_{i−1} + U_a h_j)",
        ),
        (
            r"\frac{\exp(e_{ij})}{\sum_{k=1}^{T_x} \exp(e_{ik})}"
            + "\n\\qquad\\Longrightarrow\n\\quad",
            "exp(e_ij) / (Σ_{k=1}^{T_x} exp(e_ik))   ⟹",
        ),
        (r"\frac{a + b}{2}", "(a + b) / 2"),
        (
            r"\operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right) V",
            "softmax(QKᵀ / √(d_k)) V",
        ),
        (r"T_x \times T_y \in \mathbb{R}", "T_x × T_y ∈ ℝ"),
        (r"p(y \mid x)\, z", "p(y | x) z"),
        (r"\begin{aligned} a &= b \\ c &= d \end{aligned}", "a = b\nc = d"),
        (r"\overrightarrow{h}_1", "h\N{COMBINING RIGHT ARROW ABOVE}_1"),
    ],
)
def test_formula(latex, text):
    assert formula_to_text(latex) == text


@pytest.mark.parametrize(
    ("latex", "message"),
    [(r"\inventada x", r"\\inventada"), (r"\frac{a}{b", "llave"), (r"x_{a", "llave")],
)
def test_formula_that_cannot_be_read(latex, message):
    with pytest.raises(PlainTextError, match=message):
        formula_to_text(latex)


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("**fuerte** y *énfasis* y `código_con_*`", "fuerte y énfasis y código_con_*"),
        ("[arXiv](https://arxiv.org/abs/1)", "arXiv (https://arxiv.org/abs/1)"),
        ("[*notación*](../notacion.md#x)", "notación"),
        ("el paso $i$ de $T_y$", "el paso i de T_y"),
        ("3 * 4 * 5", "3 * 4 * 5"),
        ("dos\nlíneas\n{ .clase }", "dos líneas"),
    ],
)
def test_inline(markdown, text):
    assert inline_to_text(markdown) == text


def test_list_hangs_its_lines():
    text = block_to_text("- uno dos tres\n  cuatro\n- **cinco**", width=12)
    assert text == "• uno dos\n  tres\n  cuatro\n• cinco"


def test_table_aligns_its_fields_and_drops_its_header():
    table = "| Campo | Dato |\n|---|---|\n| Año | 2014 |\n| Autores | Uno y Dos |"
    assert block_to_text(table, width=16) == "Año      2014\nAutores  Uno y\n         Dos"


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("Vale `{python} 1 + 1` euros", "solo se calcula en la página"),
        ('```python exec="on"\nprint(1)\n```', "no se ejecutan celdas"),
        ("| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |", "dos columnas"),
    ],
)
def test_block_that_cannot_be_read(block, message):
    with pytest.raises(PlainTextError, match=message):
        block_to_text(block, width=80)
