"""Cada página pasa el linter, sus celdas se ejecutan y lo grabado con PyTorch es lo que da."""

import json

import pytest

from lessons_code.sitekit import recorded
from lessons_code.sitekit.cache import Store, sessions
from lessons_code.sitekit.collect import Cell, Listing, collect_site
from lessons_code.sitekit.engine import execute
from lessons_code.sitekit.lint.check import check_site
from lessons_code.sitekit.sources import Sources
from tests.built_site import DOCS, ROOT
from tests.helpers import require_torch


def test_every_page_passes_the_linter():
    assert [str(finding) for finding in check_site(DOCS, ROOT)] == []


def test_every_cell_of_every_page_runs(cards):
    store, sources = Store(ROOT), Sources(ROOT)
    pages = collect_site(DOCS, root=ROOT)
    assert [str(finding) for page in pages for finding in page.findings] == []
    assert [str(finding) for finding in execute(pages, store)] == []
    for page in pages:
        found = recorded.outputs(page, DOCS, store, sources)
        for item in page.items:
            assert isinstance(item, Listing) or item in found, (
                f"{page.path}:{item.line}: sin salida"
            )
    with_cells = {page.path for page in pages if any(isinstance(i, Cell) for i in page.items)}
    assert {card.relative_to(ROOT) for card in cards} <= with_cells


def test_every_page_prints_the_same_the_second_time(tmp_path):
    """Lo ya guardado no se repite al construir: una hora o un azar sin semilla solo se ven aquí."""
    kept, again, sources = Store(ROOT), Store(ROOT, tmp_path), Sources(ROOT)
    pages = collect_site(DOCS, root=ROOT)
    assert execute(pages, kept) == execute(pages, again) == []
    for page in pages:
        first = recorded.outputs(page, DOCS, kept, sources)
        assert recorded.outputs(page, DOCS, again, sources) == first


def recordings(docs):
    """Lo grabado en cada fichero, sin las versiones con que se grabó."""
    files = (docs / recorded.FOLDER).glob("*")
    return {file.name: json.loads(file.read_text("utf-8"))["items"] for file in files}


def test_every_recording_is_up_to_date_and_belongs_to_a_page():
    pages, sources = collect_site(DOCS, root=ROOT), Sources(ROOT)
    assert [str(finding) for finding in recorded.check(pages, DOCS, sources)] == []
    found = [session for page in pages for session in sessions(page, sources)]
    expected = {recorded.recording(session, DOCS).name for session in found if session.recorded}
    assert recordings(DOCS).keys() == expected


@pytest.mark.torch
def test_torch_still_gives_what_was_recorded(tmp_path):
    """Se vuelve a grabar con `python -m lessons_code.sitekit grabar`."""
    require_torch()
    pages = collect_site(DOCS, root=ROOT)
    assert [str(finding) for finding in recorded.record(pages, tmp_path, ROOT)] == []
    assert recordings(tmp_path) == recordings(DOCS)
