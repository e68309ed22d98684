"""Cada backward escrito a mano, contra diferencias centrales en float64 y con relleno."""

import numpy as np
import pytest

from tests.helpers import assert_gradients
from tests.numerics.cases import CASES


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("seed", [2, 3])
def test_backward_matches_central_differences(case, seed):
    arrays, upstream = case.draw(np.random.default_rng(seed))
    _, pull = case.run(**arrays)

    def weighted_sum_of_outputs(**arrays):
        outputs, _ = case.run(**arrays)
        return sum((outputs[name] * upstream[name]).sum() for name in outputs)

    assert_gradients(weighted_sum_of_outputs, arrays, pull(**upstream))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_forward_and_backward_never_write_on_their_arguments(case):
    arrays, upstream = case.draw(np.random.default_rng(5))
    for array in (*arrays.values(), *upstream.values()):
        array.flags.writeable = False

    _, pull = case.run(**arrays)
    pull(**upstream)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_float32_in_float32_out(case):
    arrays, upstream = case.draw(np.random.default_rng(7))
    outputs, pull = case.run(**{name: array.astype(np.float32) for name, array in arrays.items()})
    grads = pull(**{name: array.astype(np.float32) for name, array in upstream.items()})

    for name, array in (outputs | grads).items():
        assert array.dtype == np.float32, name


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_upstream_gradient_of_another_shape_is_refused(case):
    """Un gradiente de un solo paso se propagaría en silencio al sumarlo con los demás."""
    arrays, upstream = case.draw(np.random.default_rng(11))
    _, pull = case.run(**arrays)

    for name in upstream:
        with pytest.raises(ValueError, match="esperaba"):
            pull(**upstream | {name: upstream[name][:, :1]})
