"""Los nombres del código: firmas y palabras, leídas sin importar y al día."""

import os

import pytest

from lessons_code.sitekit.names import Signature, Site, code_names

MODULE = """
def dot(decoder_state, encoder_states, /, scale=1, *, axis=-1):
    return helper(decoder_state)

class Head:
    def run(self, query): ...

def anything(*tensors, **options): ...

SHAPES = {"W_a": "d_attn d_s"}
"""


@pytest.fixture
def package(tmp_path):
    (tmp_path / "attention.py").write_text(MODULE, encoding="utf-8")
    return tmp_path


def test_signatures_leave_self_out(package):
    functions = code_names(package).functions
    assert functions["run"][0].parameters == ("query",)
    assert functions["dot"][0].parameters == ("decoder_state", "encoder_states", "scale", "axis")


@pytest.mark.parametrize(
    ("positional", "keywords", "accepted"),
    [
        (2, [], True),
        (3, ["axis"], True),
        (4, [], False),
        (1, ["mask"], False),
    ],
)
def test_what_a_call_may_give(package, positional, keywords, accepted):
    functions = code_names(package).functions
    assert functions["dot"][0].accepts(positional, keywords) is accepted
    assert functions["anything"][0].accepts(positional, keywords)


def test_two_functions_with_one_name_are_both_known(package):
    (package / "other.py").write_text("def dot(x): ...\n", encoding="utf-8")
    assert len(code_names(package).functions["dot"]) == 2


def test_words_are_names_parameters_and_declared_dimensions(package):
    words = code_names(package).words
    assert {"dot", "Head", "run", "axis", "helper", "SHAPES", "W_a", "d_attn", "d_s"} <= words


def test_a_file_that_cannot_be_read_counts_for_nothing(package):
    (package / "broken.py").write_text("def (", encoding="utf-8")
    assert "dot" in code_names(package).functions


def test_an_edited_file_is_read_again(package):
    path = package / "attention.py"
    assert "dot" in code_names(package).functions
    path.write_text("def general(query): ...\n", encoding="utf-8")
    os.utime(path, ns=(1, 1))
    assert code_names(package).functions == {"general": (Signature(("query",), 1, False, False),)}


def test_a_site_looks_at_its_own_code(tmp_path):
    (tmp_path / "lessons_code").mkdir()
    (tmp_path / "lessons_code" / "a.py").write_text("def only(): ...\n", encoding="utf-8")
    assert list(Site(tmp_path / "docs", tmp_path).code.functions) == ["only"]
