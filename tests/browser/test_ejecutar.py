"""Ejecutar en la página: da lo mismo que al construir, se cambia, se detiene y se restablece."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import MOBILE, opener
from tests.browser.test_pages import violations
from tests.browser.test_search import CARD
from tests.built_site import PAGES

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LOADING = 60_000  # ms: cargar Python cuesta segundos, y más en una máquina ocupada
SAME = "Hecho: lo mismo que al construir la página"


def button(cell, name="Ejecutar"):
    return cell.get_by_role("button", name=name, exact=True)


def finished(cell):
    """Espera a que la celda acabe; da lo que dice su estado."""
    expect(button(cell)).to_be_visible(timeout=LOADING)
    return cell.locator(".celda-estado").inner_text()


def run(cell):
    button(cell).click()
    return finished(cell)


def write(cell, code):
    """Cambia el código entero, como quien lo selecciona y escribe encima."""
    cell.locator(".highlight code").click()
    cell.page.keyboard.press("Control+a")
    cell.page.keyboard.insert_text(code)


def shown(cell):
    """Lo que se ve de la salida: lo impreso, y cada figura entera."""
    return cell.locator(".celda-salida").evaluate(
        'each => each.innerHTML.replace(/ (id|open)="[^"]*"/g, \'\')'
    )


def drawing(cell):
    """Lo que no depende de la versión de matplotlib: título, resumen y datos."""
    figure = cell.locator("figure")
    return [
        figure.locator(part).text_content() for part in ("svg > title", "svg > desc", "details")
    ]


@pytest.fixture(scope="module")
def opened_card(chromium, address):
    with opener(chromium, address) as open_page:
        yield open_page(CARD)


@pytest.fixture
def card(opened_card):
    """La ficha, abierta una vez y con Python ya cargado; cada prueba la deja como estaba."""
    yield opened_card
    opened_card.wait_for_function("!document.querySelector('.celda-en-marcha')", timeout=LOADING)
    for reset in opened_card.get_by_role("button", name="Restablecer").all():
        reset.click()


@pytest.mark.parametrize("url", PAGES, ids=lambda url: url or "inicio")
def test_every_button_gives_what_the_build_gave(open_page, url):
    page = open_page(url)
    page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
    assert (
        page.locator("[data-grabada] .celda-mandos").count() == 0
    )  # en el navegador no hay PyTorch
    for cell in page.locator(".celda:not([data-grabada]):has(.highlight)").all():
        built = shown(cell)
        state = run(cell)
        if "matplotlib" in state:
            built = drawing(cell)
            assert re.fullmatch(r"Esta celda dibuja con matplotlib: \d+,\d\sMB más\.", state)
            button(cell, "Descargar y dibujar").click()
            assert finished(cell).startswith("Hecho")
            assert drawing(cell) == built
        else:
            assert (state, shown(cell)) == (SAME, built)
        assert cell.locator(".celda-tuya").count() == 0


def test_the_last_cell_runs_first_those_above(card):
    assert run(card.locator("#celda-forma-equivocada")) == SAME


def test_nothing_is_loaded_before_the_click_and_the_size_is_said(open_page, address):
    asked = []
    page = open_page("accesibilidad/")
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address + CARD)
    page.wait_for_load_state("networkidle")
    before = list(asked)
    assert any("ejecutar.js" in url for url in before)
    assert not [url for url in before if re.search(r"pyodide|curso-|trabajador|\.zip|\.wasm", url)]
    cell = page.locator("#celda-pesos-cat")
    state = cell.locator(".celda-estado").inner_text()
    said = float(re.fullmatch(r"descarga (\d+,\d)\sMB la primera vez", state)[1].replace(",", "."))
    assert run(cell) == SAME
    names = {url.rpartition("/")[2] for url in asked[len(before) :]}
    assert {"pyodide.asm.wasm", "python_stdlib.zip"} < names
    assert not [name for name in names if "matplotlib" in name]
    assert 5 < said < 12
    assert page.locator(".celda-estado", has_text="la primera vez").count() == 0


def test_an_edited_cell_is_marked_and_can_be_put_back(card):
    cell, below = card.locator("#celda-pesos-cat"), card.locator("#celda-pesos-mat")
    code, built = cell.locator(".highlight code"), shown(cell)
    original = code.inner_html()
    write(cell, code.inner_text().replace('"cat"', '"gato"'))
    assert cell.locator(".celda-estado").inner_text() == "Sin ejecutar todavía"
    assert run(cell) == "Hecho"
    assert "gana:     gato" in cell.locator(".salida-texto").inner_text()
    assert cell.locator(".celda-tuya").inner_text() == "Tu versión"
    assert run(below) == "Hecho"
    assert below.locator(".celda-tuya").is_visible()
    assert cell.locator(".celda-estado").inner_text() == "Hecho"  # lo que ya se dijo, sigue

    button(cell, "Restablecer").click()
    assert (code.inner_html(), shown(cell)) == (original, built)
    assert not button(cell, "Restablecer").is_visible()
    assert run(below) == SAME


def test_an_endless_loop_is_stopped_and_the_page_goes_on(card):
    cell = card.locator("#celda-pesos-cat")
    write(cell, "while True: pass")
    button(cell).click()
    expect(cell.locator(".celda-estado")).to_have_text("Ejecutando…", timeout=LOADING)
    button(cell, "Detener").click()
    assert "se han perdido las variables" in finished(cell)
    button(cell, "Restablecer").click()
    assert run(cell) == SAME


def test_an_error_says_its_line_and_the_page_goes_on(card):
    cell = card.locator("#celda-pesos-cat")
    live = cell.locator(".celda-salida")
    assert live.get_attribute("aria-live") == "polite"
    write(cell, "x = 2\nprint(x)\nprint(nada)")
    assert run(cell) == "Error en la línea 3"
    assert live.locator(".salida-error").inner_text() == (
        "2\nNameError: name 'nada' is not defined"
    )
    assert run(card.locator("#celda-pesos-mat")) == (
        "No se ha ejecutado: falla una celda de arriba. Corrígela o pulsa Restablecer en ella."
    )
    write(cell, "x = 3\nprint(x)")
    assert run(cell) == "Hecho"


def test_by_keyboard_alone(card):
    cell = card.locator("#celda-pesos-cat")
    code = cell.get_by_role("textbox", name="Código de la celda")
    play = button(cell)
    code.focus()
    hint = card.locator(f"#{code.get_attribute('aria-describedby')}")
    assert hint.inner_text() == "Ctrl + Intro ejecuta; Esc y Tab salen"
    card.keyboard.press("Tab")  # quien solo pasa no se queda dentro
    expect(play).to_be_focused()
    card.keyboard.press("Shift+Tab")
    card.keyboard.press("Control+a")
    for key in ("for x in (2, 3):", "Enter", "if x:", "Enter", "print(x)", "Enter", "Tab", "# fin"):
        (card.keyboard.press if key in {"Enter", "Tab"} else card.keyboard.type)(key)
    assert code.inner_text() == ("for x in (2, 3):\n    if x:\n        print(x)\n            # fin")
    card.keyboard.press("Control+Enter")
    assert finished(cell) == "Hecho"
    assert cell.locator(".salida-texto").inner_text() == "2\n3"
    card.keyboard.press("Escape")
    card.keyboard.press("Tab")
    expect(play).to_be_focused()


def test_a_failed_download_is_said_and_can_be_tried_again(chromium, address):
    page = chromium.new_page()
    page.goto(address + CARD)
    page.route("**/*.wasm", lambda route: route.abort())
    cell = page.locator("#celda-pesos-cat")
    assert "Comprueba la conexión y vuelve a ejecutar" in run(cell)
    page.unroute("**/*.wasm")
    assert run(cell) == SAME
    page.close()


def test_two_pages_do_not_share_variables(open_page):
    """Ni con navegación instantánea, que cambia el artículo y deja los guiones como estaban."""
    page = open_page(CARD)
    assert run(page.locator("#celda-pesos-cat")) == SAME
    page.evaluate(
        """async () => {
            const text = await (await fetch("../../notacion/")).text()
            const other = new DOMParser().parseFromString(text, "text/html")
            document.querySelector("article").replaceWith(other.querySelector("article"))
            document$.next(document)
        }"""
    )
    assert run(page.locator("#celda-softmax-numeros")) == SAME
    cell = page.locator("#celda-clave-de-letras")
    write(cell, "print(words)")
    assert run(cell) == "Error en la línea 1"
    assert "NameError" in cell.locator(".salida-error").inner_text()


def test_axe_finds_nothing_after_a_run(open_page):
    page = open_page(CARD, viewport=MOBILE, reduced_motion="reduce")
    long, wrong = page.locator("#celda-pesos-cat"), page.locator("#celda-pesos-mat")
    write(long, "print('a' * 997)")
    run(long)
    write(wrong, "print(nada)")
    run(wrong)
    for scheme in ("default", "slate"):
        page.evaluate("scheme => (document.body.dataset.mdColorScheme = scheme)", scheme)
        assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == MOBILE["width"]


def test_without_server_there_are_no_buttons(open_page, site):
    page = open_page(f"{CARD}index.html", base=f"{site.as_uri()}/")
    assert page.locator(".celda").count() > 0
    assert page.locator(".celda-mandos").count() == 0
