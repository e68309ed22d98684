"""Las páginas de verdad: lo que tienen en común sus pruebas."""

from pathlib import Path

import pytest

from tests.built_site import DOCS


def pytest_addoption(parser):
    parser.addoption(
        "--registrar-ids",
        action="store_true",
        help="añade a tests/docs/ids.json las páginas y los ids nuevos; nunca quita ninguno",
    )


@pytest.fixture(scope="session")
def cards() -> list[Path]:
    """Las fichas publicadas."""
    return sorted(path for path in (DOCS / "fichas").glob("*.md") if path.name != "index.md")
