"""Las fórmulas en Chromium, con su fuente: crecen lo que deben y no ensanchan la página."""

from pathlib import Path

import markdown
import pytest

from lessons_code.sitekit import mathml

ASSETS = Path(__file__).parents[2] / "docs" / "assets"
HEAD = """<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="css/mates.css">"""

pytestmark = pytest.mark.browser


@pytest.fixture
def show(chromium):
    """Abre en un teléfono una página con esas fórmulas, y espera a la fuente."""
    context = chromium.new_context(viewport={"width": 390, "height": 844})

    def show(text):
        md = markdown.Markdown()
        mathml.register(md)
        body = md.convert(text)

        def answer(route):
            path = ASSETS / route.request.url.removeprefix("http://formulas/")
            if path.is_file():
                route.fulfill(path=path)
            else:
                route.fulfill(body=HEAD + body, content_type="text/html")

        page = context.new_page()
        page.route("**/*", answer)
        page.goto("http://formulas/")
        fonts = page.evaluate("document.fonts.ready.then(f => [...f].map(one => one.status))")
        assert fonts == ["loaded"]
        return page

    yield show
    context.close()


def heights(page, selector):
    return page.eval_on_selector_all(
        selector, "found => found.map(e => e.getBoundingClientRect().height)"
    )


def test_parentheses_grow_with_what_they_hold(show):
    page = show(r"$$(a) \left(\frac{\frac{a}{b}}{\frac{c}{d}}\right)$$")
    small, _, large, _ = heights(page, "mo")
    assert large > 2.5 * small


def test_sums_are_larger_in_a_block_than_in_a_line(show):
    page = show("$\\sum_i$\n\n$$\\sum_i$$")
    inline, block = heights(page, "mo")
    assert block > 1.2 * inline


def test_every_row_of_an_aligned_block_is_drawn(show):
    page = show(r"$$\begin{aligned} a &= b \\ c &= d \\ e &= f \end{aligned}$$")
    assert (
        page.eval_on_selector_all(
            "mtr", "r => new Set(r.map(e => e.getBoundingClientRect().y)).size"
        )
        == 3
    )


def test_a_wide_formula_scrolls_in_its_box_and_the_keyboard_reaches_it(show):
    page = show("$$" + " + ".join(f"a_{{{n}}}" for n in range(40)) + "$$")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.eval_on_selector(".formula", "box => box.scrollWidth > box.clientWidth")
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.scrollLeft > 0")


def test_a_line_never_breaks_between_a_formula_and_its_punctuation(show):
    page = show("($s_{i-1}$), y")
    page.add_style_tag(content="p { width: 1px }")
    rows = "span => new Set([...span.getClientRects()].map(box => box.bottom)).size"
    assert page.eval_on_selector(".formula-en-linea", rows) == 1
    height = "e => e.getBoundingClientRect().height"
    (formula,) = heights(page, ".formula-en-linea")
    assert page.eval_on_selector("p", height) < 3 * formula  # dos renglones: la fórmula y la «y»
