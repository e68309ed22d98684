"""Cada página pasa el linter y sus celdas se ejecutan."""

from lessons_code.sitekit.cache import Store, keys
from lessons_code.sitekit.collect import Cell, collect_site
from lessons_code.sitekit.engine import execute
from lessons_code.sitekit.lint import check_site
from lessons_code.sitekit.sources import Sources
from tests.built_site import DOCS, ROOT


def test_every_page_passes_the_linter():
    assert [str(finding) for finding in check_site(DOCS, ROOT)] == []


def test_every_cell_of_every_page_runs(cards):
    store = Store(ROOT)
    pages = collect_site(DOCS, root=ROOT)
    assert [str(finding) for page in pages for finding in page.findings] == []
    assert [str(finding) for finding in execute(pages, store)] == []
    for page in pages:
        for item, key in keys(page, Sources(ROOT)).items():
            assert store.get(key), f"{page.path}:{item.line} no dejó salida"
    with_cells = {page.path for page in pages if any(isinstance(i, Cell) for i in page.items)}
    assert {card.relative_to(ROOT) for card in cards} <= with_cells
