"""Lo que no es Python: la envoltura del sitio no calcula y no llama a nadie de fuera."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
SHELL = sorted(
    path
    for path in [*DOCS.joinpath(".overrides").rglob("*"), *DOCS.joinpath("assets").rglob("*")]
    if path.suffix in {".html", ".js", ".css", ".svg"}
)
# Un espacio de nombres no se descarga; la licencia y el crédito son enlaces que alguien pulsa.
NOT_A_REQUEST = {"www.w3.org", "creativecommons.org", "squidfunk.github.io"}


def name(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", [*SHELL, ROOT / "mkdocs.yml"], ids=name)
def test_no_other_host_is_called(path):
    hosts = set(re.findall(r"(?:https?:|wss?:|[\"'(])//([\w.-]+\.\w+)", path.read_text("utf-8")))
    assert hosts <= NOT_A_REQUEST


@pytest.mark.parametrize("path", [path for path in SHELL if path.suffix == ".js"], ids=name)
def test_javascript_holds_no_mathematics(path):
    """Los números salen del mismo código que se lee: en la página no hay una segunda versión."""
    source = path.read_text("utf-8")
    arithmetic = r"Math\.(exp|log|sqrt|pow|tanh|sin|cos|random)|softmax|Float(32|64)Array|\*\*"
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", source, flags=re.DOTALL)
    assert not re.search(arithmetic, code)


@pytest.mark.parametrize("path", [path for path in SHELL if path.suffix != ".svg"], ids=name)
def test_shell_files_stay_small(path):
    assert len(path.read_text("utf-8").splitlines()) <= 400
