"""Varias cabezas sobre la forma general: el ejercicio 2 de la lección."""

import numpy as np
import pytest

from lessons_code.numerics.attention import (
    GeneralParams,
    general_attention,
    general_attention_forward,
)
from lessons_code.numerics.masks import padding_mask
from lessons_code.numerics.multi_head import (
    multi_head_general_attention,
    multi_head_general_attention_forward,
)
from lessons_code.numerics.shapes import ShapeError
from tests.helpers import PRIMES

B, T, S, N = PRIMES[:4]
C = 12


@pytest.fixture
def step():
    rng = np.random.default_rng(2)
    return rng.normal(size=N), rng.normal(size=(S, C)), rng.normal(size=(N, C))


def test_one_head_is_the_single_head_function(step):
    context, weights = general_attention(*step)
    headed_context, headed_weights = multi_head_general_attention(*step, n_heads=1)

    np.testing.assert_array_equal(headed_context, context)
    np.testing.assert_array_equal(headed_weights, [weights])


@pytest.mark.parametrize("n_heads", [1, 2, 3, 4, 6, 12])
def test_each_head_only_sees_its_own_group(step, n_heads):
    state, states, W = step
    context, weights = multi_head_general_attention(*step, n_heads)
    assert context.shape == (C,)
    assert weights.shape == (n_heads, S)
    assert weights.sum(axis=1) == pytest.approx(1, abs=1e-15)

    width = C // n_heads
    for head in range(n_heads):
        group = slice(head * width, (head + 1) * width)
        scores = [state @ W[:, group] @ annotation[group] for annotation in states]
        assert np.log(weights[head]) - np.log(weights[head, 0]) == pytest.approx(
            np.array(scores) - scores[0]
        )
        assert context[group] == pytest.approx(weights[head] @ states[:, group])


def test_heads_look_at_different_places(step):
    _, weights = multi_head_general_attention(*step, n_heads=3)

    assert np.abs(weights[0] - weights[1]).max() > 0.01


@pytest.mark.parametrize("n_heads", [1, 3, 4])
def test_the_batched_twin_is_the_single_step_without_its_padding(n_heads):
    rng = np.random.default_rng(3)
    state, states = rng.normal(size=(B, T, N)), rng.normal(size=(B, S, C))
    W, lengths = rng.normal(size=(N, C)), [S, 2]
    context, weights, _ = multi_head_general_attention_forward(
        state, states, GeneralParams(W), padding_mask(lengths, S), n_heads
    )

    assert weights.shape == (B, n_heads, T, S)
    for b, length in enumerate(lengths):
        for i in range(T):
            expected = multi_head_general_attention(state[b, i], states[b, :length], W, n_heads)
            assert context[b, i] == pytest.approx(expected[0])
            assert weights[b, :, i, :length] == pytest.approx(expected[1])
            assert (weights[b, :, i, length:] == 0).all()


def test_one_batched_head_is_the_batched_general_form():
    rng = np.random.default_rng(5)
    call = rng.normal(size=(B, T, N)), rng.normal(size=(B, S, C)), GeneralParams(np.ones((N, C)))
    visible = padding_mask([S, 3], S)
    context, weights, _ = general_attention_forward(*call, visible)
    headed_context, headed_weights, _ = multi_head_general_attention_forward(*call, visible, 1)

    np.testing.assert_array_equal(headed_context, context)
    np.testing.assert_array_equal(headed_weights[:, 0], weights)


@pytest.mark.parametrize(
    ("function", "state"),
    [
        (multi_head_general_attention, "`decoder_state` es s_i, *posterior* al paso"),
        (multi_head_general_attention_forward, "decoder_state_BTN[:, i] es s_i."),
    ],
)
def test_each_docstring_says_which_state_asks(function, state):
    assert state in function.__doc__


def test_heads_that_do_not_divide_the_annotation_are_refused(step):
    with pytest.raises(ShapeError, match=r"12 columnas no se .*n_heads=5.*1, 2, 3, 4, 6, 12"):
        multi_head_general_attention(*step, n_heads=5)


@pytest.mark.parametrize("n_heads", [0, -1, 2.0, True, None])
def test_a_number_of_heads_is_a_positive_integer(step, n_heads):
    with pytest.raises(ValueError, match="n_heads: esperaba un entero ≥ 1"):
        multi_head_general_attention(*step, n_heads=n_heads)
