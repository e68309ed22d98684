"""Cada página del sitio, con los dos temas y las dos anchuras, como la ve quien la lee."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import DESKTOP, MOBILE
from tests.built_site import PAGES

pytestmark = pytest.mark.browser

every_page = pytest.mark.parametrize("url", [*PAGES, "404.html"], ids=lambda url: url or "inicio")
every_width = pytest.mark.parametrize("viewport", [DESKTOP, MOBILE], ids=["1300", "390"])
every_scheme = pytest.mark.parametrize("scheme", ["light", "dark"])


def violations(page) -> list[str]:
    return [
        f"{violation['id']}: {node['html'][:160]} {node['failureSummary']}"
        for violation in Axe().run(page).response["violations"]
        for node in violation["nodes"]
    ]


@every_page
@every_width
@every_scheme
def test_axe_finds_nothing(open_page, url, viewport, scheme):
    page = open_page(url, viewport=viewport, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
    assert violations(page) == []


@every_page
def test_reads_the_same_without_javascript(open_page, url):
    """Lo único que JavaScript añade a la lectura son los mandos de ejecutar."""
    read = """article => {
        article.querySelectorAll(".celda-mandos").forEach(each => each.remove())
        return article.innerText.replace(/\\s+/g, " ")
    }"""
    with_script = open_page(url).locator("article").first.evaluate(read)
    without = open_page(url, java_script_enabled=False).locator("article").first.evaluate(read)
    assert without == with_script


@every_page
def test_a_phone_never_scrolls_sideways(open_page, url):
    page = open_page(url, viewport=MOBILE)
    page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") == MOBILE["width"]


@every_page
def test_small_things_can_be_hit(open_page, url):
    """Botones y enlaces sueltos miden al menos 24 px; los que van en una frase están exentos."""
    page = open_page(url, viewport=MOBILE)
    small = page.evaluate(
        """() => [...document.querySelectorAll("button, summary, [role=button], nav a")]
            .filter(each => each.checkVisibility({visibilityProperty: true, opacityProperty: true}))
            .map(each => [each.outerHTML.slice(0, 120), each.getBoundingClientRect()])
            .filter(([, box]) => box.width && (box.width < 24 || box.height < 24))
            .map(([html, box]) => `${html} ${box.width}×${box.height}`)"""
    )
    assert small == []


@every_page
def test_only_code_offers_to_be_copied(open_page, url):
    page = open_page(url)
    buttons = page.locator(".md-code__button")
    assert page.locator(".highlight:not(.salida-texto) pre > code").count() == buttons.count()
    assert page.locator(".celda-salida .md-code__button").count() == 0
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(each => each.id)")
    assert len(ids) == len(set(ids))


@every_page
def test_folded_answers_are_on_paper(open_page, url):
    page = open_page(url, java_script_enabled=False)
    page.emulate_media(media="print")
    hidden = page.evaluate(
        """() => [...document.querySelectorAll("article details:not(:is(.figura, .listado) *)")]
            .filter(each => each.lastElementChild.getBoundingClientRect().height === 0)
            .map(each => each.innerText.slice(0, 80))"""
    )
    assert hidden == []
