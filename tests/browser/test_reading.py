"""Leer con ratón, con teclado, con el dedo, desde el menú y desde el disco."""

import gzip

import pytest

from tests.browser.conftest import MOBILE
from tests.browser.test_pages import violations
from tests.browser.test_search import CARD, search
from tests.built_site import PAGES

pytestmark = pytest.mark.browser

BUDGET = 150 * 1024  # bytes comprimidos de la primera visita a una ficha


def test_first_visit_of_a_card_is_light(open_page, address):
    bodies = {}
    page = open_page("accesibilidad/")
    page.route("**/*", lambda route: route.continue_())  # con rutas no hay caché: es la primera vez
    page.on("response", lambda response: bodies.update({response.url: response}))
    page.goto(address + CARD)
    page.wait_for_load_state("networkidle")
    sizes = {url: len(gzip.compress(each.body(), 6)) for url, each in bodies.items()}
    assert any(".woff2" in url for url in sizes)
    assert sum(sizes.values()) <= BUDGET, sizes


def test_menu_leads_to_every_page_without_raw_formulas(open_page, address):
    page = open_page()
    for url in PAGES:
        page.goto(address)
        opener = page.locator("nav.md-nav--primary .md-nav__toggle")
        opener.evaluate_all("all => all.forEach(each => (each.checked = true))")
        page.locator(f"nav.md-nav--primary a[href='{url or '.'}']").last.click()
        page.wait_for_url(address + url)
        text = page.locator("article").inner_text()
        for trace in ("$$", "\\frac", "\\alpha", "\\("):
            assert trace not in text, f"{url}: {trace}"


def test_menu_opens_by_keyboard_on_a_phone(open_page):
    page = open_page(viewport=MOBILE)
    page.get_by_role("button", name="Abrir el menú").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.closest('.md-sidebar--primary') !== null")
    page.keyboard.press("Escape")
    assert not page.evaluate("document.getElementById('__drawer').checked")


def test_theme_follows_the_system_and_remembers_the_choice(open_page):
    page = open_page(color_scheme="dark")
    scheme = "document.body.dataset.mdColorScheme"
    assert page.evaluate(scheme) == "slate"
    page.get_by_title("Colores del sistema; cambiar al tema claro").click()
    assert page.evaluate(scheme) == "default"
    page.reload()
    assert page.evaluate(scheme) == "default"


def test_answers_open_by_keyboard(open_page):
    page = open_page(CARD)
    answer = page.locator("details.success").first
    answer.locator("summary").focus()
    page.keyboard.press("Enter")
    assert answer.evaluate("each => each.open")
    page.keyboard.press("Space")
    assert not answer.evaluate("each => each.open")


def test_wide_code_scrolls_by_keyboard(open_page):
    page = open_page(CARD, viewport=MOBILE)
    unreachable = page.evaluate(
        """() => [...document.querySelectorAll("article *")]
            .filter(each => each.scrollWidth > each.clientWidth + 1 && each.tabIndex < 0)
            .filter(each => /auto|scroll/.test(getComputedStyle(each).overflowX))
            .map(each => each.outerHTML.slice(0, 200))"""
    )
    assert unreachable == []


# --- Términos del glosario ------------------------------------------------------------------


def first_term(page):
    term = page.locator("a.termino").first
    term.scroll_into_view_if_needed()
    return term


def test_definition_by_keyboard(open_page):
    page = open_page(CARD)
    term = first_term(page)
    page.keyboard.press("Tab")  # el foco que sigue se ve, como el de quien usa el teclado
    term.focus()
    bubble = page.get_by_role("tooltip")
    assert bubble.inner_text() == term.get_attribute("data-definicion")
    assert term.get_attribute("aria-describedby") == bubble.get_attribute("id")
    assert violations(page) == []
    page.keyboard.press("Escape")
    bubble.wait_for(state="detached")
    assert term.evaluate("each => each === document.activeElement")


def test_definition_by_mouse_stays_while_pointed_at(open_page):
    page = open_page(CARD)
    first_term(page).hover()
    bubble = page.get_by_role("tooltip")
    bubble.hover()
    page.wait_for_timeout(500)
    assert bubble.is_visible()
    page.mouse.move(1, 1)
    bubble.wait_for(state="detached")


def test_definition_by_touch_offers_the_glossary(open_page, address):
    page = open_page(CARD, viewport=MOBILE, has_touch=True, is_mobile=True)
    first_term(page).tap()
    assert page.url == address + CARD
    box = page.get_by_role("tooltip").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= MOBILE["width"]
    page.get_by_role("link", name="Ver en el glosario").tap()
    page.wait_for_url(lambda url: "/glosario/#" in url)


# --- Desde el disco -------------------------------------------------------------------------


def test_works_opened_from_disk(open_page, site):
    page = open_page("index.html", base=f"{site.as_uri()}/")
    assert page.locator("article figure svg").is_visible()
    page.locator("article").get_by_role("link", name="índice de fichas").click()
    page.wait_for_url("**/fichas/index.html")
    page.locator("article td").get_by_role("link", name="P07").click()
    page.wait_for_url("**/fichas/p07-atencion/index.html")
    page.wait_for_function("[...document.fonts].some(font => font.status === 'loaded')")
    search(page, "notacion")
    page.keyboard.press("Enter")
    page.wait_for_url("**/notacion/index.html*")
