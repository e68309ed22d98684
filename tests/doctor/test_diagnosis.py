"""El médico de formas: nombra al culpable, su línea funciona y su prueba falla si no se aplica."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons_code.doctor.diagnosis import diagnose, shape_table
from lessons_code.doctor.signatures import SIGNATURES
from lessons_code.numerics import attention, functional, masks, multi_head
from lessons_code.numerics.functional import masked_softmax, softmax
from lessons_code.numerics.shapes import ShapeError, find_conflict
from tests.doctor.broken_calls import (
    BROKEN,
    LENGTHS,
    ONE,
    WITHOUT_FIX,
    healthy,
    run,
)
from tests.helpers import reproducible

each_broken = pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.id)
each_without_fix = pytest.mark.parametrize("broken", WITHOUT_FIX, ids=lambda broken: broken.id)
each_function = pytest.mark.parametrize("function", SIGNATURES)


def answer(function, tensors):
    return dict(zip(("context", "weights"), SIGNATURES[function].call(tensors), strict=True))


def declared(function, tensors):
    """Si las formas son exactamente las declaradas: nada estirado."""
    inputs = SIGNATURES[function].inputs
    return find_conflict(inputs, {name: np.shape(tensors[name]) for name in inputs}) is None


def passes(test, namespace):
    try:
        run(test, dict(namespace))
    except AssertionError:
        return False
    return True


# ─── Llamadas sanas ───────────────────────────────────────────────────────────────────────────


@each_function
def test_a_healthy_call_has_nothing(function):
    tensors = healthy(function)
    assert diagnose(function, **tensors) == []
    assert diagnose(SIGNATURES[function].function, **tensors) == []
    assert diagnose(function, **tensors, **answer(function, tensors)) == []


@each_function
def test_the_table_of_shapes_is_that_of_the_call(function):
    tensors = healthy(function)
    measured = tensors | answer(function, tensors)
    table = shape_table(function, **tensors)
    assert table.keys() == measured.keys() - {"n_heads"}
    for name, form in table.items():
        assert tuple(map(int, re.findall(r"=(\d+)", form))) == np.shape(measured[name])


# ─── Llamadas rotas ───────────────────────────────────────────────────────────────────────────


def test_there_are_broken_calls_of_every_kind():
    kinds = [broken.kind for broken in BROKEN]
    assert len(BROKEN) >= 24
    assert len(set(kinds)) == 8
    assert min(map(kinds.count, kinds)) >= 2
    assert {broken.function for broken in BROKEN} >= SIGNATURES.keys() - {
        "scaled_dot_attention_forward"
    }


@each_broken
def test_it_names_the_guilty_the_right_shape_and_the_fix(broken):
    findings = diagnose(broken.function, **broken.tensors())
    assert {finding.tensor: finding.expected for finding in findings} == broken.expected
    assert findings[0].fix == broken.fix
    assert findings[0].ties == broken.ties


@each_broken
def test_the_fix_works_when_applied(broken):
    tensors = broken.tensors()
    findings = diagnose(broken.function, **tensors)
    namespace = tensors | {"lengths": LENGTHS}
    for finding in findings:
        assert "\n" not in finding.fix
        run(finding.fix, namespace)
    if "weights" not in namespace:  # el arreglo no era otra llamada: se repite la suya
        assert declared(broken.function, namespace)
        repaired = {name: namespace[name] for name in tensors}
        assert diagnose(broken.function, **repaired) == []
        namespace |= answer(broken.function, repaired)
    doubled = namespace | {"weights": 2 * namespace["weights"]}
    for finding in findings:
        assert passes(finding.test, namespace), finding.test
        assert not passes(finding.test, doubled), "la prueba no mira que los pesos sumen 1"
    if broken.exact:
        right = answer(broken.function, broken.healthy())
        np.testing.assert_allclose(namespace["context"], right["context"], rtol=1e-12)


@pytest.fixture
def without_checks(monkeypatch):
    """NumPy a secas: las mismas funciones, sin nadie que mire las formas."""

    def trust(declaration, /, **tensors):
        return tuple(np.asarray(tensor) for tensor in tensors.values())

    for module in (attention, functional, masks, multi_head):
        monkeypatch.setattr(module, "check_shapes", trust)


def silent_answer(broken, tensors):
    """Lo que NumPy daría, o None si protesta."""
    try:
        return answer(broken.function, tensors)
    except (ValueError, IndexError, TypeError):
        return None


@each_broken
def test_the_regression_test_fails_on_the_broken_call(broken, without_checks):
    """También donde NumPy calla y hay un resultado: ahí es donde hace falta la prueba."""
    tensors = broken.tensors()
    result = silent_answer(broken, tensors) or answer(broken.function, broken.healthy())
    for finding in diagnose(broken.function, **tensors):
        assert not passes(finding.test, tensors | result), finding.test


@each_without_fix
def test_without_the_data_there_is_no_fix(broken):
    findings = diagnose(broken.function, **broken.tensors())
    assert {finding.tensor: finding.expected for finding in findings} == broken.expected
    assert {finding.fix for finding in findings} == {""}
    assert "Arreglo: ninguno de una línea." in str(findings[0])


# ─── Nada que se propague a escondidas ────────────────────────────────────────────────────────


def test_what_numpy_would_swallow_is_flagged(without_checks):
    """Las llamadas rotas con las que NumPy da un resultado: todas se ven, y con su aviso."""
    silent = 0
    for broken in BROKEN + WITHOUT_FIX:
        tensors = broken.tensors()
        if silent_answer(broken, tensors) is None or broken.kind in {"intercambio", "cabezas"}:
            continue
        silent += 1
        findings = diagnose(broken.function, **tensors)
        assert any("NumPy puede callar y propagar" in finding.reason for finding in findings)
    assert silent >= 6


def test_a_silent_broadcast_changes_the_numbers(without_checks):
    """(d_s, 1) en vez de (d_s,), con T_enc = d_attn: la forma del resultado es la de siempre."""
    column = next(broken for broken in BROKEN if broken.sizes)
    wrong, right = (
        silent_answer(column, column.tensors()),
        answer(column.function, column.healthy()),
    )
    assert wrong["weights"].shape == right["weights"].shape
    assert wrong["weights"].sum() == pytest.approx(1)
    assert not np.allclose(wrong["weights"], right["weights"])


STRETCHING = re.compile(r"None|newaxis|reshape\(-1|keepdims|broadcast|tile|repeat\(")


@st.composite
def vandalised(draw):
    """Una función y sus tensores, con uno o dos de una forma cualquiera."""
    function = draw(st.sampled_from(sorted(SIGNATURES)))
    tensors = healthy(function)
    names = st.sampled_from(sorted(SIGNATURES[function].inputs))
    for name in draw(st.lists(names, min_size=1, max_size=2, unique=True)):
        sizes = st.sampled_from([1, 2, 3, 5, 7, 11, 12, 13, 17, 22])
        shape = draw(st.lists(sizes, max_size=4))
        tensors[name] = np.ones(shape, dtype=tensors[name].dtype)
    return function, tensors


@reproducible
@given(vandalised())
def test_no_fix_ever_stretches_anything(call):
    function, tensors = call
    findings = diagnose(function, **tensors)
    assert bool(findings) != declared(function, tensors)
    for finding in findings:
        assert not STRETCHING.search(finding.fix)
        assert str(finding).startswith(f"{finding.tensor}: llegó {finding.shape}, le toca ")
        assert finding.test
    if all(finding.fix for finding in findings):
        namespace = dict(tensors)
        for finding in findings:
            sizes = {}
            run(finding.test.partition("\n")[0], sizes)
            namespace["lengths"] = [1] * sizes.get("batch", 0)
            run(finding.fix, namespace)
        assert "weights" in namespace or declared(function, namespace)


def test_a_tie_is_said():
    tensors = healthy("additive_attention") | {"decoder_state": np.ones(23)}
    (finding,) = diagnose("additive_attention", **tensors)
    assert "  Empate: también encajaría con decoder_state (d_s=5)." in str(finding).splitlines()


def test_only_tensors_of_a_kind_are_swapped():
    """W y encoder_states encajarían al revés, pero nadie pasa una matriz por unas anotaciones."""
    tensors = {"decoder_state": np.ones(7), "encoder_states": np.ones((7, 11))}
    (finding,) = diagnose("general_attention", **tensors, W=np.ones((5, 11)))
    assert (finding.tensor, finding.expected) == ("W", "(d_s=7, d_h=11)")
    assert finding.ties == ("también encajaría con decoder_state (d_s=5)",)


def test_a_batch_of_one_is_not_called_a_broadcast():
    tensors = healthy("scaled_dot_attention", ONE | {"batch": 1, "T_enc": 7}, lengths=[7])
    tensors["value_BMP"] = tensors["value_BMP"][0]
    (finding,) = diagnose("scaled_dot_attention", **tensors)
    assert finding.fix == "value_BMP = np.expand_dims(value_BMP, 0)"
    assert "propagar" not in finding.reason


def test_a_sum_of_sizes_is_solved_for_the_one_that_is_wrong():
    """W (13, 16) con un estado de 23: o W mide 34, o el estado 5; las anotaciones, −7, no."""
    tensors = healthy("concat_attention") | {"decoder_state": np.ones(23)}
    (finding,) = diagnose("concat_attention", **tensors)
    assert (finding.tensor, finding.expected) == ("W", "(d_attn=13, d_s+d_h=34)")
    assert finding.ties == ("también encajaría con decoder_state (d_s=5)",)


def test_a_mask_that_could_be_two_things_says_so():
    """Con T_dec = batch, (2, 7) puede ser la de relleno o la causal sin lote."""
    tensors = healthy("scaled_dot_attention", ONE | {"T_dec": 2})
    tensors["visible_BLM"] = tensors["visible_BLM"][:, 0]
    (finding,) = diagnose("scaled_dot_attention", **tensors)
    assert "también podría ser la causal" in finding.reason


def test_a_mask_that_differs_by_query_is_not_cut():
    tensors = healthy("additive_attention_forward")
    tensors["visible_BS"] = np.ones((2, 3, 7), bool)
    tensors["visible_BS"][0, 1, 6] = False
    (finding,) = diagnose("additive_attention_forward", **tensors)
    assert finding.fix == "visible_BS = masks.padding_mask(lengths, 7)"


def test_half_an_encoder_is_asked_about():
    tensors = healthy("additive_attention")
    tensors["U_a"] = np.ones((13, 22))
    (finding,) = diagnose("additive_attention", **tensors)
    assert finding.reason.startswith("¿Llegó una sola dirección del codificador?")


def test_what_is_too_broken_points_to_the_first_clash():
    tensors = {name: np.ones((n, n)) for n, name in enumerate(healthy("additive_attention"), 2)}
    (finding,) = diagnose("additive_attention", **tensors)
    assert (finding.tensor, finding.fix) == ("decoder_state", "")
    assert "el primero que choca" in finding.reason


def test_an_empty_tensor_needs_data():
    tensors = healthy("dot_attention") | {"encoder_states": np.ones((0, 11))}
    (finding,) = diagnose("dot_attention", **tensors)
    assert finding.reason.startswith("Está vacío")
    assert finding.fix == ""


# ─── El resultado: pesos que suman donde no deben ─────────────────────────────────────────────

SCORED = healthy("scaled_dot_attention")
SCORES = SCORED["query_BLK"] @ SCORED["key_BMK"].swapaxes(1, 2) / np.sqrt(17)
RIGHT = answer("scaled_dot_attention", SCORED)


@pytest.mark.parametrize(
    ("weights", "reason"),
    [
        (
            softmax(SCORES, axis=1),
            "Suman 1 sobre T_dec y no sobre T_enc: el softmax se hizo con axis=1",
        ),
        (softmax(SCORES, axis=0), "Suman 1 sobre batch y no sobre T_enc"),
        (np.exp(SCORES) / np.exp(SCORES).sum(), "No suman 1 sobre ningún eje"),
        (softmax(SCORES) * SCORED["visible_BLM"], "No suman 1 sobre ningún eje"),
        (softmax(SCORES), "Suman 1, pero no son los de estos tensores"),
        (RIGHT["weights"].swapaxes(1, 2), "Son los números buenos, pero traspuestos"),
        (RIGHT["weights"][..., None], "Son los números buenos, con los ejes mal puestos"),
    ],
    ids=["sobre T_dec", "sobre el lote", "sobre todo", "máscara después", "sin máscara", "T", "1"],
)
def test_wrong_weights_are_explained_and_repaired(weights, reason):
    (finding,) = diagnose("scaled_dot_attention", **SCORED, weights=weights)
    assert (finding.tensor, finding.shape) == ("weights", weights.shape)
    assert finding.expected == "(batch=2, T_dec=3, T_enc=7)"
    assert finding.reason.startswith(reason)

    namespace = SCORED | RIGHT | {"weights": weights}
    assert not passes(finding.test, namespace)
    run(finding.fix, namespace)
    assert passes(finding.test, namespace)


def test_weights_over_the_wrong_axis_of_a_square_are_seen():
    """Con T_dec = T_enc la forma es la misma: solo la suma lo dice."""
    tensors = healthy("dot_attention_forward", ONE | {"T_dec": 7})
    scores = tensors["decoder_state_BTC"] @ tensors["encoder_states_BSC"].swapaxes(1, 2)
    weights = softmax(np.where(tensors["visible_BS"][:, None], scores, -1e3), axis=1)
    (finding,) = diagnose("dot_attention_forward", **tensors, weights=weights)
    assert finding.reason.startswith("Suman 1 sobre T_dec")
    assert finding.shape == (2, 7, 7)


def test_heads_that_share_one_softmax_are_seen():
    tensors = healthy("multi_head_general_attention")
    weights = answer("multi_head_general_attention", tensors)["weights"]
    wrong = weights / weights.sum(axis=0)
    (finding,) = diagnose("multi_head_general_attention", **tensors, weights=wrong)
    assert finding.reason.startswith("Suman 1 sobre n_heads y no sobre T_enc")


def test_a_wrong_context_is_seen():
    wrong = RIGHT["context"] * 2
    (finding,) = diagnose("scaled_dot_attention", **SCORED, context=wrong)
    assert finding.tensor == "context"
    namespace = SCORED | RIGHT | {"context": wrong}
    assert not passes(finding.test, namespace)
    run(finding.fix, namespace)
    assert passes(finding.test, namespace)


def test_float32_answers_are_good_answers():
    answers = {name: array.astype(np.float32) for name, array in RIGHT.items()}
    assert diagnose("scaled_dot_attention", **SCORED, **answers) == []


# ─── Lo que la forma no dice ──────────────────────────────────────────────────────────────────


def test_a_transposed_square_is_invisible_until_the_weights_are_shown():
    tensors = healthy("general_attention", ONE | {"d_s": 11})
    transposed = tensors | {"W": tensors["W"].T}
    assert diagnose("general_attention", **transposed) == []

    wrong = answer("general_attention", transposed)["weights"]
    (finding,) = diagnose("general_attention", **tensors, weights=wrong)
    assert "una matriz cuadrada va traspuesta" in finding.reason


def test_your_own_version_is_run_and_compared():
    def general_attention(decoder_state, encoder_states, W):
        weights = softmax(encoder_states @ (W @ decoder_state))  # falta trasponer W
        return weights @ encoder_states, weights

    tensors = healthy("general_attention", ONE | {"d_s": 11})
    (finding,) = diagnose(general_attention, **tensors)
    assert finding.tensor == "weights"
    namespace = dict(tensors)
    run(finding.fix, namespace)
    assert passes(finding.test, namespace)


def test_your_own_batched_version_too():
    def dot_attention_forward(decoder_state_BTC, encoder_states_BSC, visible_BS):
        scores_BTS = decoder_state_BTC @ encoder_states_BSC.swapaxes(1, 2)
        weights_BTS = masked_softmax(scores_BTS, np.repeat(visible_BS[:, None], 3, axis=1))
        return weights_BTS @ encoder_states_BSC, weights_BTS, None

    assert diagnose(dot_attention_forward, **healthy("dot_attention_forward")) == []


@pytest.mark.parametrize(
    ("function", "right", "wrong", "who"),
    [
        ("additive_attention", "previous_state", "current_state", "Bahdanau pregunta con s_{i−1}"),
        ("dot_attention", "current_state", "previous_state", "Luong pregunta con s_i"),
        ("concat_attention", "current_state", "previous_state", "Luong pregunta con s_i"),
        ("general_attention_forward", "current_state", "previous_state", "Luong pregunta con s_i"),
    ],
)
def test_the_state_that_asks_follows_each_paper(function, right, wrong, who):
    tensors = healthy(function)
    name = next(iter(tensors))
    states = {right: tensors[name], wrong: tensors[name] + 1}
    assert diagnose(function, **tensors, **states) == []

    asked = tensors | {name: states[wrong]}
    (finding,) = diagnose(function, **asked, **states)
    assert finding.tensor == name
    assert who in finding.reason
    assert f"{name} es {wrong}" in finding.reason
    namespace = asked | states
    assert not passes(finding.test, namespace)
    run(finding.fix, namespace)
    assert passes(finding.test, namespace)


def test_a_state_that_is_neither_is_seen():
    tensors = healthy("dot_attention")
    states = {"previous_state": np.zeros(11), "current_state": np.ones(11)}
    (finding,) = diagnose("dot_attention", **tensors, **states)
    assert "decoder_state no es ninguno de los dos" in finding.reason


# ─── Lo que no se puede diagnosticar ──────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("function", "changes", "error", "message"),
    [
        ("attend", {}, ValueError, "no conozco la función «attend». Conozco: additive_attention, "),
        (len, {}, ValueError, "no conozco la función «len»."),
        (
            "dot_attention",
            {"W": np.ones(3)},
            TypeError,
            "dot_attention no tiene W: lleva decoder_state",
        ),
        (
            "dot_attention",
            {"decoder_state": None},
            TypeError,
            "dot_attention: falta decoder_state.",
        ),
        ("dot_attention", {"previous_state": np.ones(11)}, TypeError, "van juntos"),
        ("scaled_dot_attention", {"previous_state": 1}, TypeError, "no tiene previous_state"),
        ("multi_head_general_attention", {"n_heads": None}, TypeError, "falta n_heads"),
        ("multi_head_general_attention", {"n_heads": 0}, ValueError, "un entero ≥ 1, llegó 0"),
        ("multi_head_general_attention", {"n_heads": 2.0}, ValueError, "un entero ≥ 1, llegó 2.0"),
        ("dot_attention", {"decoder_state": np.full(11, np.nan)}, ValueError, "hay un NaN"),
        (
            "dot_attention",
            {"decoder_state": np.full(11, "a")},
            TypeError,
            "esperaba números reales",
        ),
        (
            "dot_attention",
            {"previous_state": np.ones(3), "current_state": np.ones(11)},
            ShapeError,
            r"previous_state: esperaba la forma de decoder_state, \(11,\), llegó \(3,\)",
        ),
    ],
)
def test_calls_that_cannot_be_read(function, changes, error, message):
    known = function if function in SIGNATURES else "dot_attention"
    tensors = {n: v for n, v in (healthy(known) | changes).items() if v is not None}
    with pytest.raises(error, match=message):
        diagnose(function, **tensors)


def test_lists_are_as_good_as_arrays():
    assert diagnose("dot_attention", decoder_state=[1, 2], encoder_states=[[1, 2], [3, 4]]) == []
    (finding,) = diagnose("dot_attention", decoder_state=[1], encoder_states=[[1, 2], [3, 4]])
    assert finding.shape == (1,)
