"""Lo que comparten las pruebas de la numérica: tamaños, gradientes, paridad y PyTorch."""

import os
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from lessons_code.numerics.gradcheck import numerical_gradient, relative_error

# Cada eje de una prueba mide un primo distinto: un eje cambiado no puede pasar inadvertido.
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29)

# Hypothesis, siempre con los mismos ejemplos y sin reloj.
reproducible = settings(
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)


def assert_gradients(function, arrays, grads, tolerance=1e-6):
    """Compara cada gradiente con diferencias centrales de `function(**arrays)`, un número."""
    assert grads.keys() == arrays.keys()
    for name, array in arrays.items():
        assert grads[name].shape == array.shape, name
        expected = numerical_gradient(lambda x, name=name: function(**arrays | {name: x}), array)
        error = relative_error(grads[name], expected)
        assert error <= tolerance, f"{name}: el gradiente difiere en {error:.1e} (relativo)"


def assert_parity(ours, theirs, tolerance=1e-12):
    """Compara tensor a tensor y nombra el que difiere y dónde."""
    assert ours.keys() == theirs.keys()
    for name, expected in theirs.items():
        assert ours[name].shape == expected.shape, name
        gap = np.abs(ours[name] - expected)
        where = tuple(int(axis) for axis in np.unravel_index(gap.argmax(), gap.shape))
        bound = tolerance * max(1.0, float(np.abs(expected).max()))
        assert gap.max() <= bound, f"{name}{list(where)}: difiere en {gap.max():.1e}"


def require_torch():
    """Sin PyTorch basta con lo grabado, y la prueba se salta; con EXIGE_TORCH=1 es un fallo."""
    if find_spec("torch") is None:
        if os.environ.get("EXIGE_TORCH") == "1":
            pytest.fail("EXIGE_TORCH=1 y no hay PyTorch: pip install torch")
        pytest.skip("sin PyTorch basta con lo grabado")
