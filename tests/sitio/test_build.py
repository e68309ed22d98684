"""Construir dos veces da los mismos bytes, y sin variables no se inventa ninguna dirección."""

from pathlib import Path

import pytest

from tests.built_site import PAGES, PUBLISHED, Html, build

pytestmark = pytest.mark.slow


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_two_builds_are_byte_identical(site, tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    first, second = contents(site), contents(build(tmp_path / "otra", **PUBLISHED))
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


def test_without_variables_there_are_no_edit_links_nor_canonical_addresses(tmp_path):
    folder = build(tmp_path / "sitio")
    for url in PAGES:
        page = Html(folder / url / "index.html")
        relations = {attrs.get("rel") for _, attrs in page.elements}
        assert not relations & {"edit", "canonical"}
        assert 'class="md-source"' not in page.path.read_text(encoding="utf-8")
