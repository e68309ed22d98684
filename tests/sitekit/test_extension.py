"""La página que resulta: valores en su sitio, errores con su línea y nada de una página en otra."""

import pytest

from lessons_code.sitekit.cache import Output
from lessons_code.sitekit.findings import SiteError

CELL = '```python exec="on" id="suma"\nweight = 2 + 3\n```\n'
FRONT_MATTER = "---\ntitle: Prueba\nficha: P07\n---\n\n\n"


def values(md, *texts):
    md.outputs = [Output(text=text) for text in texts]


def test_inline_values_are_spans_in_their_place(md):
    values(md, "0,464", "46 %")
    assert md.convert("Gana con `{python} a:.3f` (un `{python} a:.0%`) y `código`.") == (
        '<p>Gana con <span class="valor">0,464</span> (un <span class="valor">46 %</span>)'
        " y <code>código</code>.</p>"
    )


def test_inline_values_fit_where_text_fits(md):
    values(md, "2", "3", "5", "7")
    html = md.convert(
        "# Hay `{python} a:d`\n\n- uno\n    - `{python} b:d`\n\n"
        "| a | b |\n|---|---|\n| `{python} c | d:d` | **`{python} e:d`** |\n"
    )
    assert html.count('<span class="valor">') == 4
    assert html.count("<td>") == 2
    assert '<h1 id="hay-2">' in html


def test_an_inline_value_is_text_and_nothing_else(md):
    values(md, "<b>$x$</b> & `y` **z**\x02")
    html = md.convert("Vale `{python} nombre`.")
    assert (
        html
        == '<p>Vale <span class="valor">&lt;b&gt;$x$&lt;/b&gt; &amp; `y` **z**\ufffd</span>.</p>'
    )


def test_each_value_is_its_own_even_with_the_same_expression(md):
    values(md, "", "5", "", "7")
    html = md.convert(
        f"{CELL}\n`{{python}} weight:d`\n\n{CELL.replace('suma', 'otra')}\n`{{python}} weight:d`"
    )
    assert html.index(">5<") < html.index("celda-otra") < html.index(">7<")


@pytest.mark.parametrize("front_matter", ["", FRONT_MATTER])
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (CELL, "salida"),
        ("Vale `{python} peso:.3f`.\n", "salida"),
        ("Vale `{python} peso +`.\n", "valor"),
        ("Sea $\\mal$.\n", "formula"),
        (CELL.replace("exec", "exek"), "opción"),
        (CELL.replace("id=", "result='klingon' id="), "opción"),
        ("```text mal\nx\n```\n", "opción"),
        ('--8<-- "docs/figura.svg"\n', "inclusión"),
        (CELL.replace("weight = 2 + 3", '--8<-- "lessons_code/__init__.py:nada"'), "sección"),
        ('```python show="lessons_code.numerics.functional.sofmax"\n```\n', "listado"),
    ],
)
def test_every_error_names_the_true_line(md, front_matter, text, rule):
    with pytest.raises(SiteError) as caught:
        md.convert(f"# Título\n\nTexto.\n\n{text}", front_matter=front_matter)
    line = 5 + front_matter.count("\n") + (rule == "sección")
    assert [(one.path.as_posix(), one.line, one.rule) for one in caught.value.findings] == [
        ("docs/pagina.md", line, rule)
    ]


def test_all_the_errors_of_a_page_are_told_at_once(md):
    with pytest.raises(SiteError) as caught:
        md.convert("Sea $\\mal$\n\n`{python} `\n\n```text x\n```\n")
    assert [one.rule for one in caught.value.findings] == ["formula", "valor", "opción"]


@pytest.mark.parametrize("indent", ["    ", "\t"])
def test_a_cell_that_markdown_reads_as_text_is_an_error(md, indent):
    """Con cuatro espacios de más, Markdown publicaría el bloque con sus opciones."""
    md.outputs = [Output(text="5\n")]
    with pytest.raises(SiteError, match=r"docs/pagina.md:3: \[celda\].*sangría"):
        md.convert("Texto.\n\n" + "".join(indent + line for line in CELL.splitlines(True)))


def test_nothing_leaks_from_one_page_to_the_next(md):
    md.outputs = [Output(text="5\n")]
    assert ">5<" in md.convert(CELL)
    md.outputs = []
    assert "celda" not in md.convert("Texto.\n\n```python\nx = 1\n```\n")
    with pytest.raises(SiteError):
        md.convert(CELL.replace("2 + 3", "2 + 5"))


def test_a_damaged_entry_is_a_missing_entry(md):
    md.outputs = [Output(text="5\n")]
    md.convert(CELL)
    (entry,) = (md.root / ".celdas").glob("*.json")
    entry.write_text(entry.read_text(encoding="utf-8").replace("5", "7"), encoding="utf-8")
    md.outputs = []
    with pytest.raises(SiteError, match="falta su salida"):
        md.convert(CELL)
