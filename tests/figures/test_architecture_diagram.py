"""El diagrama de P07 está hecho a mano: aquí se sostiene lo que dice y cómo se viste."""

import gzip
import re
from xml.etree import ElementTree

import pytest

from lessons_code.figures.figure import PALETTE
from tests.figures.page import ROOT, SVG

SOURCE = (ROOT / "docs/assets/figuras/p07-arquitectura.svg").read_text("utf-8")


@pytest.fixture(scope="module")
def formulas():
    """Los textos del diagrama, con sus subíndices pegados."""
    root = ElementTree.fromstring(SOURCE)
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]


@pytest.mark.parametrize(
    "formula",
    [
        "eij = vᵀ tanh(W si−1 + U hj)",
        "softmax: Σj αij = 1",
        "ci = Σj αij hj",
        "si = f(si−1, yi−1, ci)",
        "pregunta el estado anterior, si−1",
        "en el paso siguiente pregunta si",
    ],
)
def test_equations_are_those_of_the_card(formulas, formula):
    assert formula in formulas


def test_four_positions_with_two_states_each(formulas):
    for j in "1234":
        assert formulas.count(f"h{j}") == 2
        assert {f"x{j}", f"ei{j}", f"αi{j}"} <= set(formulas)


def test_illustrative_weights_sum_to_one():
    opacities = re.findall(r'<circle[^>]*fill-opacity="([.\d]+)"', SOURCE)
    assert len(opacities) == 4
    assert sum(map(float, opacities)) == pytest.approx(1)


def test_alternative_text_tells_the_flow():
    root = ElementTree.fromstring(SOURCE)
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text
    description = root.find(f"{SVG}desc").text
    for part in ("bidireccional", "Pregunta el estado anterior", "softmax", "contexto", "emite"):
        assert part in description


def test_follows_the_palette_and_can_be_inlined():
    for name, reserve in re.findall(r"var\(--figura-([a-z0-9-]+),(#[0-9a-f]{6})\)", SOURCE):
        assert PALETTE[name] == reserve
    assert not re.search(r'(fill|stroke)="#', SOURCE)
    assert not re.search(r"\s(id|style|class)=|<style|foreignObject|xlink", SOURCE)
    assert "\n\n" not in SOURCE  # una línea en blanco cerraría el bloque HTML en Markdown
    assert SOURCE.startswith("<svg")


def test_weighs_at_most_6_kib_compressed():
    assert len(gzip.compress(SOURCE.encode(), 9)) <= 6 * 1024
