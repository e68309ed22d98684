"""Máscaras: True = visible."""

import numpy as np
import pytest

from lessons_code.numerics.masks import causal_mask, padding_mask, repeat_for_queries


def test_padding_mask_by_hand():
    visible = padding_mask([3, 1, 0], 3)

    assert visible.tolist() == [[True, True, True], [True, False, False], [False, False, False]]
    assert visible.dtype == bool


def test_causal_mask_sees_the_past_and_itself():
    assert causal_mask(3).tolist() == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]


def test_each_query_sees_the_same():
    visible = padding_mask([2, 3], 3)
    repeated = repeat_for_queries(visible, 5)

    assert repeated.shape == (2, 5, 3)
    for query in range(5):
        np.testing.assert_array_equal(repeated[:, query], visible)


@pytest.mark.parametrize(
    ("lengths", "size", "error", "says"),
    [
        ([3, 5], 4, ValueError, r"lengths\[1\]: esperaba entre 0 y size=4, llegó 5"),
        ([-1], 4, ValueError, r"lengths\[0\]: .* llegó -1"),
        ([2.0], 4, TypeError, "lengths: esperaba enteros, llegó float64"),
        ([True], 4, TypeError, "lengths: esperaba enteros, llegó bool"),
        (2, 4, ValueError, "lengths: esperaba 1 eje"),
        ([[2]], 4, ValueError, "lengths: esperaba 1 eje"),
        ([2], 0, ValueError, "esperaba un tamaño entero ≥ 1, llegó 0"),
        ([2], 4.0, ValueError, r"esperaba un tamaño entero ≥ 1, llegó 4\.0"),
    ],
)
def test_impossible_lengths_are_refused(lengths, size, error, says):
    with pytest.raises(error, match=says):
        padding_mask(lengths, size)


@pytest.mark.parametrize("size", [0, -1, 2.5, True, "3"])
def test_impossible_sizes_are_refused(size):
    with pytest.raises(ValueError, match="esperaba un tamaño entero ≥ 1"):
        causal_mask(size)


def test_a_mask_of_two_axes_is_not_repeated_twice():
    with pytest.raises(ValueError, match="visible_BM: esperaba 2 ejes"):
        repeat_for_queries(np.ones((2, 3, 5), dtype=bool), 5)
