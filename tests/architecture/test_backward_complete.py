"""Ningún `*_backward` de la numérica se queda sin su caso de gradientes."""

import inspect
import pkgutil
from importlib import import_module

from lessons_code import numerics
from tests.numerics.cases import CASES


def numerics_modules():
    names = [module.name for module in pkgutil.iter_modules(numerics.__path__)]
    return [import_module(f"{numerics.__name__}.{name}") for name in names]


def backwards(modules):
    """Los `*_backward` que cada módulo define, con su nombre completo."""
    return {
        f"{module.__name__}.{name}"
        for module in modules
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if name.endswith("_backward") and function.__module__ == module.__name__
    }


def test_every_backward_has_a_gradient_case():
    covered = {f"{case.backward.__module__}.{case.backward.__name__}" for case in CASES}

    assert len(covered) == len(CASES)
    assert backwards(numerics_modules()) == covered


def test_a_backward_without_a_case_would_be_seen(tmp_path, monkeypatch):
    (tmp_path / "gru_de_prueba.py").write_text("def gru_backward(grad, cache):\n    return grad\n")
    monkeypatch.syspath_prepend(tmp_path)

    assert backwards([import_module("gru_de_prueba")]) == {"gru_de_prueba.gru_backward"}
