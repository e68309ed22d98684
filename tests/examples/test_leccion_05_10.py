"""Cada afirmación de la lección 05·10 sobre sus salidas, comprobada."""

import contextlib
import io
import runpy

import numpy as np
import pytest

from lessons_code.numerics.functional import softmax
from tests.built_site import ROOT


@pytest.fixture(scope="module")
def lesson():
    """Los nombres que deja el guion de la lección y lo que imprime."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        names = runpy.run_path(str(ROOT / "lessons_code" / "examples" / "leccion_05_10.py"))
    return names, printed.getvalue().splitlines()


def after(lines, label):
    return [line.removeprefix(label).strip() for line in lines if line.startswith(label)]


def test_the_worked_example_in_both_directions(lesson):
    _, lines = lesson
    assert "pesos: [0.464 0.305 0.231] → gana cat" in lines
    assert [line.split()[-1] for line in lines if "gana" in line] == ["cat", "mat"]


def test_concat_is_the_additive_with_both_matrices_in_one(lesson):
    _, lines = lesson
    assert after(lines, "¿concat = aditiva con W = [W_a U_a]?") == ["True"]


def test_the_bridge_is_an_equality_up_to_the_scale(lesson):
    _, lines = lesson
    (dot,), (undone,) = after(lines, "dot de Luong:"), after(lines, "escalada, consulta × √d:")
    (scaled,) = after(lines, "escalada: ")
    assert dot == undone != scaled
    spread = [np.ptp([float(x) for x in row.strip("[]").split()]) for row in (dot, scaled)]
    assert spread[1] < spread[0]  # «acerca los pesos al reparto por igual»


def test_the_doctor_names_the_matrix_and_a_fix_that_works(lesson):
    names, _ = lesson
    finding, fixed = names["finding"], names["healthy"]
    assert (finding.tensor, finding.fix) == ("W_a", "W_a = W_a.T")
    context, weights = names["additive_attention"](**fixed)
    exec(finding.test, fixed | {"np": np, "context": context, "weights": weights})


def test_exercise_1_fails_as_given_and_passes_when_solved(lesson):
    _, lines = lesson
    assert after(lines, "¿el relleno pesa cero?") == ["False", "True"]
    assert after(lines, "¿suma 1 lo visible?") == ["False", "True"]


def solve_with_a_very_negative_number(scores, visible):
    return softmax(np.where(visible, scores, -1e9))


def solve_after_the_softmax(scores, visible):
    return softmax(scores) * visible


def solve_by_hand(scores, visible):
    hidden = np.where(visible, scores, -np.inf)
    exponentials = np.exp(hidden - hidden.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize(
    ("solve", "passes"),
    [
        (solve_with_a_very_negative_number, False),
        (solve_after_the_softmax, False),
        (solve_by_hand, True),
    ],
)
def test_exercise_1_tells_right_answers_from_wrong_ones(lesson, solve, passes):
    """Las pistas dicen qué no sirve: el ejercicio tiene que notarlo."""
    names, _ = lesson
    visible = names["visible"]
    mine = solve(names["scores"], visible)
    assert passes == ((mine[~visible] == 0).all() and np.allclose((mine * visible).sum(-1), 1))


def test_one_head_is_the_function_of_before(lesson):
    _, lines = lesson
    assert after(lines, "¿el mismo contexto?") == ["True"]
    assert after(lines, "¿los mismos pesos?") == ["True"]
