"""Lo que debe cumplir cada archivo del sitio construido, sin abrir un navegador."""

import re
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from tests.built_site import DOCS, PAGES, PUBLISHED, ROOT, SOURCES, SUBPATH, Html

ORIGIN = PUBLISHED["SITE_URL"].removesuffix(SUBPATH)


@pytest.fixture(scope="session")
def pages(site) -> dict[str, Html]:
    """Cada página por su dirección, y la de error."""
    found = {url: Html(site / url / "index.html") for url in PAGES}
    return found | {"404.html": Html(site / "404.html")}


def target(site: Path, page_url: str, link: str) -> tuple[Path, str]:
    """Archivo del sitio y ancla a los que lleva un enlace interno."""
    split = urlsplit(urljoin(f"{ORIGIN}{SUBPATH}{page_url}", link))
    assert split.path.startswith(SUBPATH), f"{page_url}: {link} se sale de la subruta"
    path = site / unquote(split.path.removeprefix(SUBPATH))
    return (path / "index.html" if path.is_dir() else path), unquote(split.fragment)


def is_internal(link: str) -> bool:
    return link.startswith(PUBLISHED["SITE_URL"]) or not urlsplit(link).scheme


def test_every_source_is_a_page(site):
    built = {path.relative_to(site).parent.as_posix() for path in site.rglob("index.html")}
    assert built == {url.rstrip("/") or "." for url in PAGES}


def test_internal_links_and_anchors_resolve(site, pages):
    anchors = {page.path: set(page.ids()) for page in pages.values()}
    broken = []
    for url, page in pages.items():
        for _, link in page.links():
            if not is_internal(link):
                continue
            path, anchor = target(site, url, link)
            if not path.is_file() or (anchor and anchor not in anchors[path]):
                broken.append(f"{url} → {link}")
    assert broken == []


def test_nothing_is_loaded_from_another_host(pages):
    loaded = [
        f"{url} → {link}"
        for url, page in pages.items()
        for tag, link in page.links()
        if tag not in {"a"} and not is_internal(link)
    ]
    assert loaded == []


def test_stylesheets_load_nothing_from_another_host(site):
    foreign = [
        f"{path.name}: {url}"
        for path in site.rglob("*.css")
        for url in re.findall(r"url\(['\"]?((?:https?:)?//[^)]+)", path.read_text("utf-8"))
    ]
    assert foreign == []


def test_ids_are_ascii_meaningful_and_unique(pages):
    for url, page in pages.items():
        ids = page.ids()
        assert len(ids) == len(set(ids)), f"{url}: {sorted(i for i in ids if ids.count(i) > 1)}"
        headings = [
            attrs["id"] for tag, attrs in page.elements if re.fullmatch("h[1-6]", tag) and attrs
        ]
        for heading in headings:
            assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", heading), f"{url}#{heading}"
            assert not re.fullmatch(r"(section|_)?\d*(_\d+)?", heading), f"{url}#{heading}"


def test_no_machinery_shows_through(pages):
    for url, page in pages.items():
        for trace in ("Traceback", "exec=", "show=", "--8<--", "{python}", "$$", "\\frac", "\\("):
            assert trace not in page.text, f"{url} enseña {trace!r}"


def test_every_drawing_has_a_title_and_a_description(pages):
    for url, page in pages.items():
        html = page.path.read_text(encoding="utf-8")
        for drawing in re.findall(r'<svg[^>]*role="img".*?</svg>', html, re.DOTALL):
            assert re.search(r"<title>[^<]{8,}</title>\s*<desc>[^<]{40,}</desc>", drawing), url


def test_no_code_block_is_empty(pages):
    for url, page in pages.items():
        html = page.path.read_text(encoding="utf-8")
        assert not re.search(r"<code[^>]*>\s*</code>", html), url


def test_table_rows_have_as_many_cells_as_their_header(pages):
    for url, page in pages.items():
        html = page.path.read_text(encoding="utf-8")
        for table in re.findall(r"<table.*?</table>", html, re.DOTALL):
            rows = re.findall(r"<tr[^>]*>(.*?)(?=<tr|</table)", table, re.DOTALL)
            widths = {len(re.findall(r"<t[hd][ >]", row)) for row in rows}
            assert len(widths) == 1, f"{url}: {table[:200]}"


def test_edit_links_name_files_that_exist(pages):
    for source, url in zip(SOURCES, PAGES, strict=True):
        edits = [attrs["href"] for _, attrs in pages[url].elements if attrs.get("rel") == "edit"]
        assert edits == [f"{PUBLISHED['REPO_URL']}/edit/main/docs/{source.as_posix()}"]
        assert (ROOT / edits[0].split("/edit/main/")[1]).is_file()


def test_canonical_addresses_and_sitemap(site, pages):
    addresses = {PUBLISHED["SITE_URL"] + url for url in PAGES}
    canonical = {
        attrs["href"]
        for url in PAGES
        for tag, attrs in pages[url].elements
        if tag == "link" and attrs.get("rel") == "canonical"
    }
    sitemap = (site / "sitemap.xml").read_text(encoding="utf-8")
    assert canonical == addresses
    assert set(re.findall(r"<loc>(.*?)</loc>", sitemap)) == addresses
    assert "lastmod" not in sitemap


def test_every_page_is_in_spanish_and_says_what_it_is(pages):
    for url, page in pages.items():
        languages = [attrs["lang"] for tag, attrs in page.elements if tag == "html"]
        assert languages == ["es"]
        if url != "404.html":
            metas = {attrs.get("name"): attrs.get("content") for _, attrs in page.elements}
            assert len(metas["description"]) > 40, url


def test_card_index_says_what_the_cards_say(pages):
    index = re.sub(r"\s+", " ", pages["fichas/"].text)
    cards = [s for s in SOURCES if s.parent == Path("fichas") and s.name != "index.md"]
    assert cards
    for source in cards:
        front = dict(re.findall(r"^(\w+): (.+)$", (DOCS / source).read_text("utf-8"), re.MULTILINE))
        for key in ("title", "nivel", "motor"):
            assert front[key] in index, f"{source}: falta {key} en el índice"


def test_deliverables_are_also_served_as_they_are(site, pages):
    sources = sorted((DOCS / "outputs").glob("*.md"))
    assert sources
    for source in sources:
        raw = site / "outputs" / source.name
        assert raw.read_bytes() == source.read_bytes()
        page = pages[f"outputs/{source.stem}/"]
        downloads = [attrs["href"] for tag, attrs in page.elements if "download" in attrs]
        assert downloads == [f"../{source.name}"]
        assert ("div", {"lang": "en"}) in page.elements
        assert "Pégalo en el asistente que uses" in page.text


def test_overridden_pieces_still_fit_the_theme(pages):
    """Las sustituciones de docs/.overrides/main.html callan si Material cambia su HTML."""
    for url, page in pages.items():
        html = page.path.read_text(encoding="utf-8")
        assert "workers/buscador.js?search." in html, url
        assert html.count('<span class="boton" role="button" tabindex="0"') == 2, url
        assert 'data-md-component="source"' not in html, url
        assert '<form class="md-search__form">' in html, url
