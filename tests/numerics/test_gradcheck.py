"""Las diferencias centrales, contra derivadas que se saben de memoria."""

import numpy as np
import pytest

from lessons_code.numerics.gradcheck import numerical_gradient, relative_error
from tests.helpers import assert_gradients, assert_parity


def test_gradient_of_a_cubic():
    x = np.array([[1.0, -2.0, 0.5]])
    grad = numerical_gradient(lambda x: (x**3).sum(), x)

    assert grad == pytest.approx(3 * x**2, rel=1e-8)


def test_central_differences_are_exact_for_a_parabola_whatever_the_step():
    assert numerical_gradient(lambda x: x[0] ** 2, [3], step=0.5) == pytest.approx([6])


def test_the_point_is_not_moved():
    x = np.array([1.0, 2.0])
    x.flags.writeable = False
    numerical_gradient(np.sum, x)

    assert x.tolist() == [1, 2]


def test_relative_error_by_hand():
    assert relative_error(np.array([1.0, 3.0]), np.array([1.0, 1.0])) == 0.5
    assert relative_error(np.array([1e-9]), np.array([0.0]), floor=1e-3) == pytest.approx(1e-6)


@pytest.mark.parametrize("factor", [0.5, 1 + 1e-5, -1])
def test_a_wrong_gradient_is_caught_by_name(factor):
    x = np.array([1.0, 2.0])
    with pytest.raises(AssertionError, match="x: el gradiente difiere"):
        assert_gradients(lambda x: (x**2).sum(), {"x": x}, {"x": factor * 2 * x})


def test_a_difference_with_the_oracle_names_tensor_and_place():
    ours, theirs = np.zeros((2, 3)), np.zeros((2, 3))
    ours[1, 2] = 1e-6
    with pytest.raises(AssertionError, match=r"W_AN\[1, 2\]: difiere en 1\.0e-06"):
        assert_parity({"W_AN": ours}, {"W_AN": theirs})
