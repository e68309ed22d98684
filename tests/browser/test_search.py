"""La búsqueda: en español, con acentos o sin ellos, con números, y sin cargar nada de antemano."""

import pytest

from tests.browser.conftest import DESKTOP, MOBILE
from tests.browser.test_pages import every_scheme, violations

pytestmark = pytest.mark.browser

CARD = "fichas/p07-atencion/"


def search(page, text: str) -> list[str]:
    """Escribe en el buscador y devuelve los enlaces de los resultados."""
    page.get_by_role("textbox", name="Buscar").click()
    page.keyboard.type(text)
    page.locator(".md-search-result__item").first.wait_for()
    links = page.locator(".md-search-result__link")
    return links.evaluate_all("links => links.map(link => link.href)")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("atencion", "atención"),
        ("ATENCIÓN", "atención"),
        ("alineaciones", "alineación"),
        ("bahdanau", "Bahdanau"),
        ("28,45", "28,45"),
        ("28.45", "28,45"),
        ("1409.0473", "1409.0473"),
        ("dot_attention", "dot"),
    ],
)
def test_finds_the_card(open_page, address, text, found):
    page = open_page()
    assert any(link.startswith(address + CARD) for link in search(page, text))
    marks = page.locator(".md-search-result mark").all_inner_texts()
    assert found.lower() in {mark.lower() for mark in marks}


@pytest.mark.parametrize("text", ["0,464", "0.464"])
def test_finds_a_decimal_written_either_way(open_page, address, text):
    assert any(link.startswith(f"{address}notacion/") for link in search(open_page(), text))


@every_scheme
@pytest.mark.parametrize("viewport", [DESKTOP, MOBILE], ids=["1300", "390"])
def test_axe_finds_nothing_in_the_results(open_page, viewport, scheme):
    page = open_page(viewport=viewport, color_scheme=scheme)
    page.locator("label[for=__search] .boton").evaluate("each => each.click()")
    page.keyboard.type("atencion")
    page.locator(".md-search-result__item").first.wait_for()
    assert violations(page) == []


def test_says_when_there_is_nothing(open_page):
    page = open_page()
    page.get_by_role("textbox", name="Buscar").click()
    page.keyboard.type("zanahoria")
    page.get_by_text("Ninguna página lo menciona").wait_for()


def test_a_result_opens_its_section(open_page, address):
    page = open_page()
    search(page, "cuello de botella")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != address)
    assert "cuello de botella" in page.locator("article").inner_text().lower()


def test_nothing_loads_before_searching(open_page):
    page = open_page("notacion/")
    page.wait_for_load_state("networkidle")
    loaded = "performance.getEntriesByType('resource').map(entry => entry.name).join(' ')"
    requests = []
    page.context.on("request", lambda request: requests.append(request.url))
    assert "search_index" not in page.evaluate(loaded)
    search(page, "softmax")
    assert any("search_index.js" in url for url in requests)


def test_opens_by_keyboard_on_a_phone(open_page):
    page = open_page(viewport=MOBILE)
    page.get_by_role("button", name="Abrir la búsqueda").focus()
    page.keyboard.press("Enter")
    page.keyboard.type("atencion")
    page.locator(".md-search-result__item").first.wait_for()
