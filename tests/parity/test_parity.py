"""Cada función de la numérica, hacia delante y hacia atrás, da lo mismo que PyTorch.

Lo que PyTorch calculó está grabado en `grabado/`, así que la paridad se comprueba sin tenerlo
instalado. Donde sí lo está, se vuelve a calcular y se compara con lo grabado; con EXIGE_TORCH=1,
no tenerlo es un fallo. Se graba con `pytest tests/parity --regrabar`.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.helpers import assert_parity, require_torch
from tests.numerics.cases import CASES

RECORDED = Path(__file__).parent / "grabado"
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def load(case):
    """Lo grabado: entradas, gradientes de llegada, salidas y gradientes, por nombre de tensor."""
    groups = {}
    for key, values in json.loads((RECORDED / f"{case.name}.json").read_text()).items():
        group, name = key.split("/")
        groups.setdefault(group, {})[name] = np.array(values)
    return groups


def save(case, groups):
    """Un tensor por línea; redondeado, que la paridad se exige con doce cifras."""
    lines = [
        f'"{group}/{name}": {json.dumps(array.round(14).tolist(), separators=(",", ":"))}'
        for group, tensors in groups.items()
        for name, array in tensors.items()
    ]
    RECORDED.mkdir(exist_ok=True)
    (RECORDED / f"{case.name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


@each_case
@pytest.mark.torch
def test_torch_still_gives_what_was_recorded(case, request):
    require_torch()
    from tests.parity import oracle

    if request.config.getoption("--regrabar", default=False):
        arrays, upstream = case.draw(np.random.default_rng(7))
        outputs, grads = oracle.run(case.name, arrays, upstream)
        groups = {"arrays": arrays, "upstream": upstream, "outputs": outputs, "grads": grads}
        save(case, groups)

    recorded = load(case)
    outputs, grads = oracle.run(case.name, recorded["arrays"], recorded["upstream"])
    assert_parity(outputs, recorded["outputs"])
    assert_parity(grads, recorded["grads"])


@each_case
def test_outputs_and_gradients_match_pytorch(case):
    recorded = load(case)
    outputs, pull = case.run(**recorded["arrays"])

    assert_parity(outputs, recorded["outputs"])
    assert_parity(pull(**recorded["upstream"]), recorded["grads"])


def test_nothing_else_is_recorded():
    assert {path.stem for path in RECORDED.iterdir()} == {case.name for case in CASES}
