"""Los nombres dicen la verdad: `scores_BTS` mide (B, T, S), y B es la misma en toda la función.

Sin tocar el código de las lecciones: `sys.setprofile` mira las variables locales de cada función de
la numérica cuando termina, y ata cada letra a un tamaño. Solo ve el último valor de cada nombre.
"""

import re
import sys
from contextlib import contextmanager
from dataclasses import is_dataclass
from pathlib import Path

import numpy as np
import pytest

from lessons_code import numerics
from lessons_code.numerics import attention, masks, multi_head
from lessons_code.numerics.shapes import DIMENSIONS
from tests.numerics.cases import CASES

NUMERICS = Path(numerics.__file__).parent
SUFFIX = re.compile(r"_([A-Z]+)$")

# Arrays sin sufijo que no son argumentos, y por qué.
WITHOUT_SUFFIX = {
    ("concat_attention_forward", "W"): "N + C no tiene letra propia",
    ("multi_head_general_attention_forward", "context"): "B·H no tiene letra propia",
    ("multi_head_general_attention_forward", "weights"): "B·H no tiene letra propia",
    ("multi_head_general_attention_backward", "grad_query"): "B·H no tiene letra propia",
    ("multi_head_general_attention_backward", "grad_memory"): "B·H no tiene letra propia",
}
FREE_AXES = {"functional.py", "gradcheck.py", "shapes.py"}  # sus arrays tienen los ejes que lleguen


def disagreements(local_variables):
    """Letras que valen dos tamaños, ejes de menos o de más, y letras que no están en la clave.

    Cada caché o juego de parámetros es un ámbito propio: en la de *dot* que usan las cabezas, B es
    B·H.
    """
    sizes = {
        name: value
        for name, value in local_variables.items()
        if name in DIMENSIONS and isinstance(value, int)
    }
    for name, value in local_variables.items():
        if is_dataclass(value):
            yield from disagreements(vars(value))
        suffix = SUFFIX.search(name)
        if not suffix or not isinstance(value, np.ndarray):
            continue
        shape = value.shape
        if len(suffix[1]) != len(shape) or not set(suffix[1]) <= DIMENSIONS.keys():
            yield f"{name} mide {shape}"
            continue
        for letter, size in zip(suffix[1], shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                yield f"{name} mide {shape}, pero {letter}={sizes[letter]}"


@contextmanager
def watching(folder, seen):
    """Anota en `seen` el código y las variables locales de cada función de `folder` que termina."""

    def on_event(frame, event, _):
        code = frame.f_code
        if event == "return" and Path(code.co_filename).parent == folder and code.co_name[0] != "<":
            seen.append((code, dict(frame.f_locals)))

    sys.setprofile(on_event)
    try:
        yield
    finally:
        sys.setprofile(None)


def run_everything():
    rng = np.random.default_rng(2)
    for case in CASES:
        arrays, upstream = case.draw(rng)
        _, pull = case.run(**arrays)
        pull(**upstream)

    state, states = rng.normal(size=3), rng.normal(size=(5, 10))
    W_a, U_a, v_a = rng.normal(size=(7, 3)), rng.normal(size=(7, 10)), rng.normal(size=7)
    attention.additive_attention(state, states, W_a, U_a, v_a)
    attention.concat_attention(state, states, np.hstack([W_a, U_a]), v_a)
    attention.general_attention(state, states, W_a.T @ U_a)
    attention.dot_attention(states[0], states)
    multi_head.multi_head_general_attention(state, states, W_a.T @ U_a, 2)
    masks.causal_mask(5)


@pytest.fixture(scope="module")
def returns():
    seen = []
    with watching(NUMERICS, seen):
        run_everything()
    return seen


def test_every_suffix_says_the_shape(returns):
    wrong = [
        f"{code.co_name}: {problem}"
        for code, local_variables in returns
        for problem in disagreements(local_variables)
    ]
    assert wrong == []


def test_the_watch_reaches_the_heart_of_the_mechanism(returns):
    seen = {(code.co_name, name) for code, local_variables in returns for name in local_variables}

    assert ("additive_attention", "hidden_SA") in seen
    assert ("additive_attention_backward", "grad_hidden_BTSA") in seen
    assert ("_split_heads", "states_BTHK") in seen


def test_every_local_array_wears_its_suffix(returns):
    bare = {
        (code.co_name, name)
        for code, local_variables in returns
        if Path(code.co_filename).name not in FREE_AXES
        for name, value in local_variables.items()
        if isinstance(value, np.ndarray) and not SUFFIX.search(name)
        if name not in code.co_varnames[: code.co_argcount]
    }
    assert bare == WITHOUT_SUFFIX.keys()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("scores_BSL = query_BLK @ key_BSK.swapaxes(1, 2)", "scores_BSL mide (2, 3, 5)"),
        ("scores_BL = query_BLK @ key_BSK.swapaxes(1, 2)", "scores_BL mide (2, 3, 5)"),
        ("scores_BLZ = query_BLK @ key_BSK.swapaxes(1, 2)", "scores_BLZ mide (2, 3, 5)"),
        ("L, K = query_BLK.shape[1:][::-1]", "query_BLK mide (2, 3, 7), pero L=7"),
    ],
)
def test_a_lying_suffix_is_caught(tmp_path, line, problem):
    lesson = tmp_path / "lesson.py"
    source = f"def f(query_BLK, key_BSK):\n    {line}\n    return None\n"
    namespace = {}
    exec(compile(source, lesson, "exec"), namespace)

    seen = []
    with watching(tmp_path, seen):
        namespace["f"](np.ones((2, 3, 7)), np.ones((2, 5, 7)))

    ((_, local_variables),) = seen
    assert any(found.startswith(problem) for found in disagreements(local_variables))
