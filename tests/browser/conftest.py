"""Un Chromium y un servidor local para toda la carpeta; una pestaña limpia para cada prueba."""

import functools
import http.server
import os
import shutil
import threading
from contextlib import contextmanager

import pytest
from playwright.sync_api import sync_playwright

from tests.built_site import SUBPATH

DESKTOP, MOBILE = {"width": 1300, "height": 900}, {"width": 390, "height": 844}


class Handler(http.server.SimpleHTTPRequestHandler):
    """Sirve la carpeta bajo la subruta y nada fuera de ella, sin escribir en el terminal."""

    def translate_path(self, path):
        if not path.startswith(SUBPATH):
            return f"{self.directory}/fuera-de-la-subruta"
        return super().translate_path("/" + path.removeprefix(SUBPATH))

    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def address(site):
    """Dirección de la portada, servida bajo la subruta."""
    handler = functools.partial(Handler, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}{SUBPATH}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def chromium():
    """El navegador: el de CHROMIUM, el del sistema o el que instaló playwright."""
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    options = ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--no-sandbox")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=options)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium, address):
    """Abre una página del sitio en una pestaña nueva que no tolera errores ni visitas ajenas.

    Las opciones son las del contexto de playwright: `viewport`, `color_scheme`, `has_touch`…
    """
    with opener(chromium, address) as open_page:
        yield open_page


@contextmanager
def opener(chromium, address):
    """La función `open_page`; al salir cierra lo abierto y comprueba que nada fue mal."""
    contexts, problems = [], []

    def open_page(url="", *, base=address, viewport=DESKTOP, **options):
        context = chromium.new_context(viewport=viewport, locale="es-ES", **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(5000)
        page.on("pageerror", lambda error: problems.append(f"{url}: {error}"))
        page.on(
            "console",
            lambda m: m.type in {"error", "warning"} and problems.append(f"{url}: {m.text}"),
        )
        page.on(
            "request",
            lambda request: (
                request.url.startswith((base, "data:", "blob:", "about:"))
                or problems.append(f"{url}: pide {request.url}")
            ),
        )
        page.on(
            "response",
            lambda response: (
                response.status < 400 or problems.append(f"{url}: {response.status} {response.url}")
            ),
        )
        page.goto(base + url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []
