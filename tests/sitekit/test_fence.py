"""El HTML de celdas y listados: lo que se busca, escapado y en su orden; lo demás, como siempre."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from pymdownx.superfences import SuperFencesException

from lessons_code.sitekit.cache import Output
from lessons_code.sitekit.findings import SiteError

CELL = """\
```python exec="on" id="suma"{options}
print(2 + 3)
```
"""


def cell(options=""):
    return CELL.replace("{options}", f" {options}" if options else "")


def text_of(html):
    return unescape(re.sub("<[^>]*>", "", html))


def test_a_cell_is_code_then_print_then_figure(md):
    md.outputs = [Output(text="5\n", html="<figure>plano</figure>")]
    html = md.convert(cell())
    assert html.startswith('<div class="celda" id="celda-suma" data-sesion="pagina">')
    code, output = html.split('<div class="celda-salida no-copy" data-search-exclude>')
    assert 'class="highlight"' in code
    assert "print(2 + 3)" in text_of(code)
    assert output == (
        '<pre class="salida-texto" tabindex="0" role="group" aria-label="Salida de la celda">'
        "<code>5</code></pre><figure>plano</figure></div></div>"
    )


def test_a_cell_that_shows_nothing_has_no_output_block(md):
    md.outputs = [Output()]
    assert "celda-salida" not in md.convert(cell())


def test_source_none_leaves_only_the_output(md):
    md.outputs = [Output(text="5\n")]
    html = md.convert(cell('source="none"'))
    assert "print" not in html
    assert html.count("<code>") == 1


def test_what_a_cell_prints_is_text_and_nothing_else(md):
    printed = (
        '<script>alert(1)</script> & `x` $y$ **z** \x02wzxhzdk:0\x03\n\n[a](b)\n\n    --8<-- "x"\n'
    )
    md.outputs = [Output(text=printed)]
    html = md.convert(cell('source="none"'))
    assert "<script" not in html
    assert text_of(html) == re.sub("[\x02\x03]", "\ufffd", printed).rstrip("\n")


def test_an_announced_error_is_shown_as_output_without_a_traceback(md):
    md.outputs = [
        Output(text="antes\nZeroDivisionError: division by zero", error="ZeroDivisionError")
    ]
    html = md.convert(cell('error="ZeroDivisionError"'))
    assert '<pre class="salida-texto salida-error" ' in html
    assert "ZeroDivisionError: division by zero" in html
    assert "error=" not in html


def test_the_printed_language_can_be_coloured(md):
    md.outputs = [Output(text='{"seed": 7}\n')]
    html = md.convert(cell('source="none" result="json"'))
    assert '<span class="nt">' in html
    assert text_of(html) == '{"seed": 7}'


def test_titles_are_shown_and_escaped(md):
    md.outputs = [Output(text="5\n")]
    html = md.convert(cell('title="a < b & c"'))
    assert '<span class="filename">a &lt; b &amp; c</span>' in html


def test_cells_inside_admonitions_and_lists(md):
    md.outputs = [Output(text="5\n"), Output(text="7\n")]
    inside = "".join(f"    {line}\n" for line in cell().splitlines())
    other = inside.replace("suma", "otra")
    html = md.convert(f"!!! note\n    Texto.\n\n{inside}\n- Punto.\n\n{other}")
    assert html.count('<div class="celda"') == 2
    assert [text_of(one) for one in re.findall("<code>[0-9]</code>", html)] == ["5", "7"]


def test_a_listing_shows_the_folded_source_and_keeps_the_whole(md):
    html = md.convert(
        '```python show="lessons_code.numerics.functional.softmax" title="softmax"\n```\n'
    )
    assert html.startswith(
        '<div class="listado" data-nombre="lessons_code.numerics.functional.softmax">'
    )
    folded, whole = html.split("<details><summary>Definición completa</summary>")
    assert '"""' not in text_of(folded)
    assert '"""' in text_of(whole)
    assert '<span class="filename">softmax</span>' in folded


def test_a_listing_with_nothing_to_fold_is_shown_once(md):
    html = md.convert('```python show="lessons_code.sitekit.cache.FORMAT"\n```\n')
    assert "<details>" not in html
    assert text_of(html).startswith("FORMAT = ")


def test_a_plain_python_block_is_highlighted_as_always(md):
    html = md.convert(
        '```python title="fuera" hl_lines="1"\nx = 1\n```\n\n```text\nexec="on"\n```\n'
    )
    assert "celda" not in html
    assert '<span class="filename">fuera</span>' in html
    assert 'class="hll"' in html


def test_a_cell_that_collect_does_not_see_fails(md, root):
    (root / "docs" / "otro.md").write_text(cell(), encoding="utf-8")
    with pytest.raises(SuperFencesException, match="exec o show"):
        md.convert('--8<-- "docs/otro.md"\n')


@pytest.mark.parametrize(
    "options", ['{ .python exec="on" id="suma" }', 'python exec="on" id="suma" mas="1"']
)
def test_options_that_do_not_exist_never_reach_the_page(md, options):
    with pytest.raises(SiteError, match=r"docs/pagina\.md:3: \[opción\]"):
        md.convert(f"Uno.\n\n```{options}\nprint(5)\n```\n")


def test_a_user_cannot_stamp_a_block(md):
    with pytest.raises(SiteError, match="«linea» no existe"):
        md.convert('```python linea="7"\nx = 1\n```\n')


class _Ids(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.found += [value for name, value in attrs if name == "id"]


def test_ids_are_unique(md):
    md.outputs = [Output(text="5\n"), Output(text="7\n")]
    ids = _Ids(md.convert(cell() + "\n" + cell().replace("suma", "resta"))).found
    assert ids == ["celda-suma", "celda-resta"]
