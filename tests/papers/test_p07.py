"""Lo que cuenta la miniatura de P07."""

import json

import pytest

from lessons_code.papers import p07


@pytest.fixture(scope="module")
def result():
    return p07.run_lab(seed=7)


def test_text_tells_the_weights_the_checks_and_the_limits(result):
    lines = p07.to_text(result).splitlines()
    assert "Semilla: 7" in lines
    assert "Aciertos:      4/4" in lines
    cat = next(line.split() for line in lines if line.startswith("cat"))
    assert cat == ["cat", "0,000", "0,999", "0,000", "0,000", "1,000", "0,0065", "gato"]
    assert max(map(len, lines)) <= 82
    text = " ".join(line.strip() for line in lines)
    for item in (*p07.IMPLEMENTED, *p07.NOT_IMPLEMENTED):
        assert f"• {item}" in text


def test_json_holds_the_result_and_the_limits(result):
    data = json.loads(json.dumps(p07.to_json(result), allow_nan=False))
    assert data["paper"] == "P07"
    assert data["weights"] == result.weights.tolist()
    assert data["not_implemented"] == list(p07.NOT_IMPLEMENTED)


def test_bad_seed():
    with pytest.raises(ValueError, match=r"^seed: esperaba un entero ≥ 0"):
        p07.run_lab(seed=-1)
