"""El entregable: lo lee un asistente que no ve nuestro código, así que no puede contradecirlo."""

import re

import yaml

from lessons_code.numerics import attention
from tests.built_site import DOCS

PROMPT = DOCS / "outputs" / "prompt-attention-shapes.md"
TEXT = PROMPT.read_text(encoding="utf-8")
BODY = TEXT.split("---\n", 2)[2]

DECLARED = {
    "decoder_state": attention.ADDITIVE_SHAPES["decoder_state"],
    "encoder_states": attention.ADDITIVE_SHAPES["encoder_states"],
    "W_a": attention.ADDITIVE_SHAPES["W_a"],
    "U_a": attention.ADDITIVE_SHAPES["U_a"],
    "v_a": attention.ADDITIVE_SHAPES["v_a"],
    "W": attention.GENERAL_SHAPES["W"],
    "weights": attention.ADDITIVE_SHAPES["weights"],
    "context": attention.ADDITIVE_SHAPES["context"],
}


def written(axes):
    """«d_s d_h» → «(d_s, d_h)», como lo escribe Python."""
    sizes = [axis.replace("+", " + ") for axis in axes.split()]
    return f"({', '.join(sizes)}{',' * (len(sizes) == 1)})"


def test_its_front_matter_has_the_agreed_keys():
    front_matter = yaml.safe_load(TEXT.split("---\n", 2)[1])
    assert list(front_matter) == ["name", "description", "phase", "lesson"]
    assert front_matter["name"] == "attention-shapes"
    assert (front_matter["phase"], front_matter["lesson"]) == (5, 10)


def test_its_shapes_are_those_of_the_code():
    rows = dict(re.findall(r"^\| `(\w+)` \| `(\(.+?\))` \|", BODY, re.MULTILINE))
    assert rows == {name: written(axes) for name, axes in DECLARED.items()}
    concat = [written(attention.CONCAT_SHAPES[name]) for name in ("W", "v")]
    assert f"| `W`, `v` | `{concat[0]}`, `{concat[1]}` |" in BODY


def test_it_asks_for_everything_the_lesson_promises():
    for number in range(1, 5):
        assert re.search(rf"^{number}\. \*\*", BODY, re.MULTILINE)
    for symbol in ("d_s", "d_h", "d_attn", "T_enc", "T_dec", "batch_size"):
        assert f"`{symbol}`" in BODY
    for test in ("(batch_size, T_dec, d_h)", "(batch_size, T_dec, T_enc)", "weights.sum(dim=-1)"):
        assert test in BODY
    for state in ("`s_{t-1}`, the state *before*", "`s_t`, the state *after*"):
        assert state in re.sub(r"\s+", " ", BODY)


def test_the_raw_file_is_plain_english():
    assert TEXT.isascii()
    assert not re.search(r"\{[:#.]|--8<--|\{python\}", TEXT)
