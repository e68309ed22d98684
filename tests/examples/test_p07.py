"""Cada afirmación de la ficha P07 que nombra un ganador, una cifra o una igualdad, comprobada."""

import contextlib
import io
import runpy

import numpy as np
import pytest

from tests.built_site import ROOT


@pytest.fixture(scope="module")
def card():
    """Los nombres que deja el guion de la ficha y lo que imprime."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        names = runpy.run_path(str(ROOT / "lessons_code" / "examples" / "p07.py"))
    return names, printed.getvalue().splitlines()


def winners(lines):
    return [line.split()[-1] for line in lines if "gana" in line]


def test_the_query_near_cat_looks_at_cat_and_the_moved_one_at_mat(card):
    names, lines = card
    assert "pesos:    [0.464 0.305 0.231]" in lines
    assert winners(lines)[:2] == ["cat", "mat"]
    assert names["moved_weights"].argmax() == 2


def test_asking_with_the_state_of_sat_is_answered_by_mat(card):
    names, lines = card
    lengths = np.linalg.norm(names["encoder_states"], axis=1)
    assert winners(lines)[2] == "mat"
    assert lengths[2] > lengths[1]  # «más largo que el de sat»


def test_before_training_the_context_is_the_mean(card):
    _, lines = card
    printed = {line.split(":")[0]: line.split(":")[1].strip() for line in lines[9:12]}
    assert printed["pesos"] == "[0.333 0.333 0.333]"
    assert printed["contexto"] == printed["media"]


def test_the_miniature_learns_a_crossed_alignment(card):
    names, _ = card
    result = names["result"]
    assert (result.correct, result.parameters, result.trained_parameters) == (4, 18, 12)
    assert max(result.row_entropies) < 0.02
    assert (result.source[2], result.target[1]) == ("negro", "black")
    assert list(result.alignment) == [0, 2, 1, 3]  # la diagonal se cruza
    assert result.losses[0] == pytest.approx(np.log(4), rel=0.02)  # «casi»


def test_halfway_it_still_hesitates(card):
    names, _ = card
    assert names["halfway"].correct < 4
    assert names["halfway"].weights.max() < 0.5


def test_who_asks_changes_the_winner(card):
    _, lines = card
    assert winners(lines)[3:] == ["cat", "mat"]


def test_a_late_mask_leaves_the_row_short(card):
    names, _ = card
    assert names["late"].sum() < 0.8
    assert names["on_time"].sum() == pytest.approx(1)


def test_the_transposed_matrix_is_named_with_its_fix(card):
    _, lines = card
    assert lines[-2].startswith("W_a: ")
    assert lines[-1] == "Arreglo: prueba W_a.T."
