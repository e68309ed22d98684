"""Softmax y compañía: valores a mano, invariantes y los casos que las rompen."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from lessons_code.numerics.functional import (
    cross_entropy,
    cross_entropy_backward,
    entropy,
    masked_softmax,
    sigmoid,
    sigmoid_backward,
    softmax,
    softmax_backward,
    tanh_backward,
)
from tests.helpers import reproducible

scores = arrays(
    np.float64,
    array_shapes(min_dims=1, max_dims=3, max_side=7),
    elements=st.floats(-5e4, 5e4, allow_subnormal=False),
)


# ─── softmax ──────────────────────────────────────────────────────────────────────────────────


def test_softmax_by_hand():
    assert softmax(np.log([1, 2, 5])) == pytest.approx([1 / 8, 2 / 8, 5 / 8])


@reproducible
@given(scores)
def test_softmax_rows_are_distributions_in_the_order_of_the_scores(x):
    weights = softmax(x)

    assert weights.shape == x.shape
    assert (weights >= 0).all()
    assert weights.sum(axis=-1) == pytest.approx(1, abs=1e-14)
    of_the_best = np.take_along_axis(weights, x.argmax(axis=-1, keepdims=True), axis=-1)
    np.testing.assert_array_equal(of_the_best[..., 0], weights.max(axis=-1))


@reproducible
@given(scores, st.integers(-1000, 1000))
def test_softmax_does_not_see_a_shift(x, shift):
    assert softmax(x + shift) == pytest.approx(softmax(x), abs=1e-9)


def test_softmax_of_huge_scores():
    assert softmax([5e4, 5e4, -5e4]).tolist() == [0.5, 0.5, 0]
    assert softmax([-5e4, -5e4 + math.log(3)]) == pytest.approx([1 / 4, 3 / 4])


def test_softmax_over_another_axis_is_the_transpose():
    x = np.random.default_rng(2).normal(size=(3, 5))

    np.testing.assert_array_equal(softmax(x, axis=0), softmax(x.T).T)


def test_softmax_of_integers_and_lists():
    assert softmax([[0, 0], [1, 1]]).tolist() == [[0.5, 0.5], [0.5, 0.5]]
    # −100 − 100 no cabe en int8: el resultado sería otro
    assert softmax(np.array([-100, 100], dtype=np.int8)).tolist()[1] == 1


@pytest.mark.parametrize(
    ("x", "error", "says"),
    [
        (2.0, ValueError, "x: esperaba 1 eje"),
        ([], ValueError, "llegó vacío"),
        (np.empty((3, 0)), ValueError, "llegó vacío"),
        ([[0, math.nan]], ValueError, r"x\[0, 1\]: hay un NaN"),
        ([True, False], TypeError, "x: esperaba números reales, llegó bool"),
    ],
)
def test_softmax_refuses_what_has_no_answer(x, error, says):
    with pytest.raises(error, match=says):
        softmax(x)


# ─── masked_softmax ───────────────────────────────────────────────────────────────────────────


@st.composite
def masked_scores(draw):
    x = draw(scores)
    visible = draw(arrays(np.bool_, x.shape))
    visible[..., draw(st.integers(0, x.shape[-1] - 1))] = True
    return x, visible


@reproducible
@given(masked_scores())
def test_masked_rows_sum_to_one_and_hidden_positions_weigh_exactly_zero(drawn):
    x, visible = drawn
    weights = masked_softmax(x, visible)

    assert weights.sum(axis=-1) == pytest.approx(1, abs=1e-14)
    assert (weights[~visible] == 0).all()


@reproducible
@given(masked_scores())
def test_masking_is_the_same_as_removing(drawn):
    x, visible = drawn
    weights = masked_softmax(x, visible)

    for row, seen, given_weights in zip(
        x.reshape(-1, x.shape[-1]),
        visible.reshape(-1, x.shape[-1]),
        weights.reshape(-1, x.shape[-1]),
        strict=True,
    ):
        assert given_weights[seen] == pytest.approx(softmax(row[seen]))


@reproducible
@given(scores)
def test_with_everything_visible_it_is_softmax(x):
    np.testing.assert_array_equal(masked_softmax(x, np.ones(x.shape, dtype=bool)), softmax(x))


@pytest.mark.parametrize("visible_score", [5e4, -5e4, -1e10])
@pytest.mark.parametrize("hidden_score", [5e4, 1e9, 1e300])
def test_no_score_beats_the_mask(visible_score, hidden_score):
    """Con −1e4 o −1e9 por máscara, una fila de puntuaciones muy negativas miraría lo oculto."""
    weights = masked_softmax([visible_score, visible_score, hidden_score], [True, True, False])

    assert weights.tolist() == [0.5, 0.5, 0]


def test_a_batch_of_different_lengths_by_hand():
    """El ejercicio 1 de la lección."""
    x = np.log([[1, 1, 2], [3, 1, 9]])
    weights = masked_softmax(x, [[True, True, True], [True, True, False]])

    assert weights == pytest.approx(np.array([[1 / 4, 1 / 4, 1 / 2], [3 / 4, 1 / 4, 0]]))


@pytest.mark.parametrize(
    ("visible", "error", "says"),
    [
        ([[True, True], [False, False]], ValueError, r"visible\[1\]: no hay nada visible"),
        ([True, True], ValueError, "visible: esperaba 2 ejes"),
        ([[True], [True]], ValueError, "visible: esperaba .eje0=2, M=2., llegó .2, 1."),
        ([[0.0, -1e9], [0.0, 0.0]], TypeError, "visible: esperaba booleanos"),
    ],
)
def test_masked_softmax_refuses_a_wrong_mask(visible, error, says):
    with pytest.raises(error, match=says):
        masked_softmax([[1.0, 2.0], [3.0, 4.0]], visible)


def test_one_fully_masked_row_is_named_without_index():
    with pytest.raises(ValueError, match=r"^visible: no hay nada visible"):
        masked_softmax([1.0, 2.0], [False, False])


def test_gradient_of_what_is_hidden_is_exactly_zero():
    weights = masked_softmax([1.0, 2.0, 3.0], [True, False, True])
    grad = softmax_backward([5.0, 7.0, 11.0], weights)

    assert grad[1] == 0
    assert grad.sum() == pytest.approx(0, abs=1e-14)


# ─── No linealidades ──────────────────────────────────────────────────────────────────────────


def test_sigmoid_by_hand_and_without_overflow():
    assert sigmoid([0, math.log(3), -math.log(3)]) == pytest.approx([1 / 2, 3 / 4, 1 / 4])
    assert sigmoid([5e4, -5e4]).tolist() == [1, 0]
    assert sigmoid(0.0) == 0.5


def test_slopes_by_hand():
    assert sigmoid_backward([2.0], [0.25]) == pytest.approx([2 * 3 / 16])
    assert tanh_backward([2.0], [0.5]) == pytest.approx([2 * 3 / 4])


@pytest.mark.parametrize("backward", [sigmoid_backward, tanh_backward, softmax_backward])
def test_backward_never_broadcasts(backward):
    with pytest.raises(ValueError, match="esperaba"):
        backward(np.ones((3, 1)), np.ones((3, 5)))


# ─── Entropías ────────────────────────────────────────────────────────────────────────────────


def test_cross_entropy_by_hand_and_from_logits():
    losses = cross_entropy(np.log([[1, 2, 5], [4, 4, 8]]), [2, 0])

    assert losses == pytest.approx([-math.log(5 / 8), -math.log(1 / 4)])


def test_cross_entropy_of_huge_logits():
    assert cross_entropy([5e4, -5e4], 1) == pytest.approx(1e5)
    assert cross_entropy([5e4, -5e4], 0) == 0


def test_cross_entropy_is_entropy_on_average():
    """Si las etiquetas salen de la propia distribución, la pérdida media es su entropía."""
    logits = np.log([1, 2, 5])
    losses = cross_entropy(np.tile(logits, (8, 1)), [0, 1, 1, 2, 2, 2, 2, 2])

    assert losses.mean() == pytest.approx(entropy(softmax(logits)))


def test_cross_entropy_never_touches_padding_when_its_gradient_is_zero():
    logits = np.random.default_rng(2).normal(size=(2, 3, 5))
    grad = cross_entropy_backward([[1, 1, 1], [1, 0, 0]], logits, np.zeros((2, 3), dtype=int))

    assert (grad[1, 1:] == 0).all()
    assert grad.sum(axis=-1) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(
    ("labels", "error", "says"),
    [
        (
            [0, 5],
            ValueError,
            r"labels\[1\]: esperaba un índice entre 0 y 4, porque logits tiene V=5",
        ),
        ([-1, 0], ValueError, r"labels\[0\]"),
        ([0.0, 1.0], TypeError, "labels: esperaba enteros, llegó float64"),
        ([0], ValueError, r"labels: esperaba \(eje0=2\), llegó \(1,\)"),
    ],
)
def test_cross_entropy_refuses_wrong_labels(labels, error, says):
    with pytest.raises(error, match=says):
        cross_entropy(np.ones((2, 5)), labels)


def test_entropy_by_hand():
    weights = [[1, 0, 0, 0], [1 / 2, 1 / 2, 0, 0], [1 / 4, 1 / 4, 1 / 4, 1 / 4]]

    assert entropy(weights) == pytest.approx([0, math.log(2), math.log(4)])
    assert f"{entropy(weights[0]):.1f}" == "0.0"  # y no «-0.0», que se imprimiría en la página


def test_entropy_refuses_a_negative_weight():
    with pytest.raises(ValueError, match=r"^weights\[1, 1\]: esperaba pesos ≥ 0"):
        entropy([[0.5, 0.5], [1.5, -0.5]])
