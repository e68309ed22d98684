"""Valores hechos a mano, invariantes, y qué estado pregunta en cada artículo."""

import inspect
import math

import numpy as np
import pytest

from lessons_code.numerics import attention
from lessons_code.numerics.attention import (
    AdditiveParams,
    ConcatParams,
    GeneralParams,
    additive_attention,
    additive_attention_forward,
    attend,
    concat_attention,
    concat_attention_forward,
    dot_attention,
    dot_attention_forward,
    general_attention,
    general_attention_forward,
    scaled_dot_attention,
)
from lessons_code.numerics.masks import causal_mask, padding_mask, repeat_for_queries
from tests.helpers import PRIMES

S, N, C, A, B, T = PRIMES[1:7]
cat_sat_mat = np.array([[1.0, 0.0, 0.2], [0.5, 0.5, 0.1], [0.1, 0.9, 0.3]])


def drawn_call(name, seed=2):
    """Una llamada a la función de ese nombre, con tamaños primos y d_s distinto de d_h."""
    rng = np.random.default_rng(seed)
    states = rng.normal(size=(S, C))
    state = rng.normal(size=C if name == "dot_attention" else N)
    params = {
        "additive_attention": {"W_a": (A, N), "U_a": (A, C), "v_a": (A,)},
        "dot_attention": {},
        "general_attention": {"W": (N, C)},
        "concat_attention": {"W": (A, N + C), "v": (A,)},
    }[name]
    tensors = {param: rng.normal(size=shape) for param, shape in params.items()}
    return getattr(attention, name), {"decoder_state": state, "encoder_states": states} | tensors


NAMES = ("additive_attention", "dot_attention", "general_attention", "concat_attention")
each_attention = pytest.mark.parametrize("name", NAMES)


# ─── A mano ───────────────────────────────────────────────────────────────────────────────────


def test_worked_example_of_the_lesson_looks_at_cat():
    context, weights = dot_attention(np.array([0.9, 0.1, 0.2]), cat_sat_mat)

    assert weights.round(3).tolist() == [0.464, 0.305, 0.231]
    assert weights.argmax() == 0
    # 0,464·(1; 0; 0,2) + 0,305·(0,5; 0,5; 0,1) + 0,231·(0,1; 0,9; 0,3)
    assert context.round(3).tolist() == [0.64, 0.36, 0.193]


def test_worked_example_moved_to_the_last_state_looks_at_mat():
    _, weights = dot_attention(cat_sat_mat[2], cat_sat_mat)

    assert weights.argmax() == 2


def test_additive_by_hand():
    """d_s = 1, d_h = 2, d_attn = 1: tanh(ln 2 · …) da fracciones que se hacen con lápiz."""
    log_2 = math.log(2)
    # tanh(ln 2) = 3/5 y tanh(0) = 0, así que las puntuaciones son v·3/5 y 0.
    context, weights = additive_attention(
        decoder_state=np.array([1.0]),
        encoder_states=np.array([[0.0, 5.0], [-log_2, 7.0]]),
        W_a=np.array([[log_2]]),
        U_a=np.array([[1.0, 0.0]]),
        v_a=np.array([5 / 3 * math.log(3)]),
    )

    assert weights == pytest.approx([3 / 4, 1 / 4])
    assert context == pytest.approx([-log_2 / 4, 5.5])


def test_general_by_hand():
    context, weights = general_attention(
        decoder_state=np.array([1.0, 2.0]),
        encoder_states=np.array([[1.0], [0.0]]),
        W=np.array([[math.log(2)], [math.log(3)]]),
    )

    # s W = ln 2 + 2 ln 3 = ln 18
    assert weights == pytest.approx([18 / 19, 1 / 19])
    assert context == pytest.approx([18 / 19])


def test_concat_by_hand():
    log_2 = math.log(2)
    context, weights = concat_attention(
        decoder_state=np.array([1.0]),
        encoder_states=np.array([[0.0], [-1.0]]),
        W=np.array([[log_2, log_2]]),
        v=np.array([5 / 3 * math.log(3)]),
    )

    assert weights == pytest.approx([3 / 4, 1 / 4])
    assert context == pytest.approx([-1 / 4])


# ─── Invariantes ──────────────────────────────────────────────────────────────────────────────


@each_attention
def test_weights_are_a_distribution_and_the_context_their_average(name):
    function, tensors = drawn_call(name)
    context, weights = function(**tensors)

    assert weights.shape == (S,)
    assert context.shape == (C,)
    assert (weights > 0).all()
    assert weights.sum() == pytest.approx(1, abs=1e-15)
    average = sum(weights[j] * tensors["encoder_states"][j] for j in range(S))
    assert context == pytest.approx(average)


@each_attention
def test_reordering_the_source_reorders_the_weights_and_keeps_the_context(name):
    function, tensors = drawn_call(name)
    order = np.random.default_rng(3).permutation(S)
    context, weights = function(**tensors)
    moved = tensors | {"encoder_states": tensors["encoder_states"][order]}
    moved_context, moved_weights = function(**moved)

    assert moved_weights == pytest.approx(weights[order])
    assert moved_context == pytest.approx(context)


@each_attention
@pytest.mark.parametrize("tensor", ["decoder_state", "encoder_states"])
def test_weights_look_at_both_states(name, tensor):
    """Unos pesos que no miran las anotaciones no son atención."""
    function, tensors = drawn_call(name)
    _, weights = function(**tensors)
    _, perturbed = function(**tensors | {tensor: -tensors[tensor]})

    assert np.abs(perturbed - weights).max() > 1e-3


@each_attention
def test_equal_annotations_share_the_weight_equally(name):
    function, tensors = drawn_call(name)
    same = np.tile(tensors["encoder_states"][0], (S, 1))
    context, weights = function(**tensors | {"encoder_states": same})

    assert weights == pytest.approx(np.full(S, 1 / S))
    assert context == pytest.approx(same[0])


# ─── Iguales entre sí ─────────────────────────────────────────────────────────────────────────


def test_concat_is_additive_with_both_matrices_side_by_side():
    _, tensors = drawn_call("additive_attention")
    state, states = tensors["decoder_state"], tensors["encoder_states"]
    W_a, U_a, v_a = tensors["W_a"], tensors["U_a"], tensors["v_a"]

    additive = additive_attention(state, states, W_a, U_a, v_a)
    concat = concat_attention(state, states, np.concatenate([W_a, U_a], axis=1), v_a)
    assert concat[0] == pytest.approx(additive[0])
    assert concat[1] == pytest.approx(additive[1])


def test_general_with_the_identity_is_dot():
    function, tensors = drawn_call("dot_attention")
    context, weights = function(**tensors)
    general_context, general_weights = general_attention(**tensors, W=np.eye(C))

    assert general_weights == pytest.approx(weights)
    assert general_context == pytest.approx(context)


def test_the_bridge_dot_is_scaled_dot_with_annotations_as_key_and_value():
    """Consulta = estado, clave = valor = anotaciones: solo los separa el factor √d."""
    _, tensors = drawn_call("dot_attention")
    state, states = tensors["decoder_state"], tensors["encoder_states"]
    context, weights = dot_attention(state, states)

    memory = states[None]
    visible = np.ones((1, 1, S), dtype=bool)
    query = math.sqrt(C) * state[None, None]
    scaled_context, scaled_weights = scaled_dot_attention(query, memory, memory, visible)
    assert scaled_weights[0, 0] == pytest.approx(weights, rel=1e-13)
    assert scaled_context[0, 0] == pytest.approx(context, rel=1e-13)

    _, without_factor = scaled_dot_attention(state[None, None], memory, memory, visible)
    assert np.abs(without_factor[0, 0] - weights).max() > 0.01


def test_the_bridge_additive_is_another_score_over_the_same_query_key_and_value():
    _, tensors = drawn_call("additive_attention")
    query, key = tensors["decoder_state"], tensors["encoder_states"]
    W_a, U_a, v_a = tensors["W_a"], tensors["U_a"], tensors["v_a"]
    context, weights = additive_attention(query, key, W_a, U_a, v_a)

    scores = [[v_a @ np.tanh(W_a @ query + U_a @ key_j) for key_j in key]]
    value, visible = key, np.ones((1, 1, S), dtype=bool)
    bridged_context, bridged_weights = attend(np.array([scores]), value[None], visible)
    assert bridged_weights[0, 0] == pytest.approx(weights)
    assert bridged_context[0, 0] == pytest.approx(context)


def batched(name, state_BT, states_B, params, visible_BS):
    """La gemela en lote de la función `name`, con los parámetros de la llamada de una frase."""
    if name == "dot_attention":
        return dot_attention_forward(state_BT, states_B, visible_BS)
    forward, params_type = {
        "additive_attention": (additive_attention_forward, AdditiveParams),
        "general_attention": (general_attention_forward, GeneralParams),
        "concat_attention": (concat_attention_forward, ConcatParams),
    }[name]
    return forward(state_BT, states_B, params_type(*params), visible_BS)


@each_attention
def test_the_batched_twin_is_the_single_step_without_its_padding(name):
    """Cada frase y paso del lote, contra la función de la lección sobre la frase sin relleno."""
    function, tensors = drawn_call(name)
    params = [tensor for key, tensor in tensors.items() if not key.endswith(("state", "states"))]
    rng = np.random.default_rng(5)
    states = rng.normal(size=(B, S, C))
    state = rng.normal(size=(B, T, *tensors["decoder_state"].shape))
    lengths = [1 + row % S for row in range(B)]

    context, weights, _ = batched(name, state, states, params, padding_mask(lengths, S))
    assert context.shape == (B, T, C)
    assert weights.shape == (B, T, S)
    for b, length in enumerate(lengths):
        for i in range(T):
            single_context, single_weights = function(state[b, i], states[b, :length], *params)
            assert weights[b, i, :length] == pytest.approx(single_weights)
            assert (weights[b, i, length:] == 0).all()
            assert context[b, i] == pytest.approx(single_context)


@each_attention
def test_what_padding_holds_does_not_matter(name):
    _, tensors = drawn_call(name)
    params = [tensor for key, tensor in tensors.items() if not key.endswith(("state", "states"))]
    rng = np.random.default_rng(7)
    states = rng.normal(size=(1, S, C))
    state = rng.normal(size=(1, T, *tensors["decoder_state"].shape))
    visible = padding_mask([S - 1], S)
    clean = batched(name, state, states, params, visible)
    states[:, -1] = 5e4
    dirty = batched(name, state, states, params, visible)

    np.testing.assert_array_equal(dirty[0], clean[0])
    np.testing.assert_array_equal(dirty[1], clean[1])


def test_the_scale_is_the_size_of_a_head_and_value_may_be_wider():
    """Con consultas y claves de ceros y unos: √K, no √P ni √M."""
    K, P = 4, 9
    query = np.ones((1, 1, K))
    key = np.stack([np.ones(K), np.zeros(K)])[None]
    value = np.zeros((1, 2, P))
    _, weights = scaled_dot_attention(query, key, value, np.ones((1, 1, 2), dtype=bool))

    # e = 4/√4 = 2 frente a 0
    assert weights[0, 0, 0] == pytest.approx(1 / (1 + math.exp(-2)))


def test_the_future_does_not_change_the_past():
    rng = np.random.default_rng(17)
    query, key, value = rng.normal(size=(3, 1, T, C))
    visible = causal_mask(T)[None]
    context, _ = scaled_dot_attention(query, key, value, visible)
    key[:, -1], value[:, -1] = 5e4, -5e4
    changed, _ = scaled_dot_attention(query, key, value, visible)

    np.testing.assert_array_equal(changed[:, :-1], context[:, :-1])
    assert np.abs(changed[:, -1] - context[:, -1]).max() > 1


# ─── Qué estado pregunta ──────────────────────────────────────────────────────────────────────
#
# Ninguna de las funciones puede saber si le dan s_{i−1} o s_i: lo decide el bucle. Estos son los de
# los dos artículos, con un decodificador mínimo: s_i = tanh(R s_{i−1} + y_{i−1}), y en Bahdanau
# también + c_i.


def bahdanau_weights(initial_state, words, states, params, R):
    """s_{i−1} → α_i → c_i → s_i. Bahdanau et al. (2014), §3.1."""
    state, every_weights = initial_state, []
    for word in words:
        context, weights = additive_attention(state, states, *params)
        state = np.tanh(R @ state + word + context)
        every_weights.append(weights)
    return np.array(every_weights)


def luong_weights(initial_state, words, states, R):
    """s_i → α_i → c_i. Luong et al. (2015), §3.1 (h_t es nuestro s_i)."""
    state, every_weights = initial_state, []
    for word in words:
        state = np.tanh(R @ state + word)
        _, weights = dot_attention(state, states)
        every_weights.append(weights)
    return np.array(every_weights)


@pytest.fixture
def tiny_decoder():
    rng = np.random.default_rng(11)
    return {
        "initial_state": rng.normal(size=C),
        "words": rng.normal(size=(T, C)),
        "states": rng.normal(size=(S, C)),
        "R": rng.normal(size=(C, C)) / C,
    }


@pytest.fixture
def params():
    rng = np.random.default_rng(13)
    return rng.normal(size=(A, C)), rng.normal(size=(A, C)), rng.normal(size=A)


def test_bahdanau_step_1_depends_on_s_0_only(tiny_decoder, params):
    weights = bahdanau_weights(**tiny_decoder, params=params)
    other_word = tiny_decoder | {"words": -tiny_decoder["words"]}
    changed = bahdanau_weights(**other_word, params=params)

    np.testing.assert_array_equal(changed[0], weights[0])
    assert np.abs(changed[1] - weights[1]).max() > 1e-3
    direct = additive_attention(tiny_decoder["initial_state"], tiny_decoder["states"], *params)[1]
    np.testing.assert_array_equal(weights[0], direct)


def test_luong_step_1_depends_on_s_1(tiny_decoder):
    weights = luong_weights(**tiny_decoder)
    other_word = tiny_decoder | {"words": -tiny_decoder["words"]}
    changed = luong_weights(**other_word)

    assert np.abs(changed[0] - weights[0]).max() > 1e-3
    first_state = np.tanh(
        tiny_decoder["R"] @ tiny_decoder["initial_state"] + tiny_decoder["words"][0]
    )
    np.testing.assert_array_equal(weights[0], dot_attention(first_state, tiny_decoder["states"])[1])


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("additive_attention", "s_{i−1}, el estado *anterior* al paso"),
        ("dot_attention", "s_i, el estado *posterior* al paso"),
        ("general_attention", "s_i, el estado *posterior* al paso"),
        ("concat_attention", "s_i, el estado *posterior* al paso"),
        ("additive_attention_forward", "decoder_state_BTN[:, i] es s_{i−1}"),
        ("dot_attention_forward", "decoder_state_BTC[:, i] es s_i."),
        ("general_attention_forward", "decoder_state_BTN[:, i] es s_i."),
        ("concat_attention_forward", "decoder_state_BTN[:, i] es s_i."),
    ],
)
def test_each_docstring_says_which_state_asks(name, state):
    assert state in inspect.getdoc(getattr(attention, name))


# ─── Lo que llega de verdad ───────────────────────────────────────────────────────────────────


@each_attention
def test_lists_integers_read_only_and_strided_arrays_are_welcome(name):
    function, tensors = drawn_call(name)
    integers = {key: (3 * tensor).round() for key, tensor in tensors.items()}
    expected = function(**integers)

    variants = {
        "listas": lambda array: array.tolist(),
        "int64": lambda array: array.astype(np.int64),
        "int8": lambda array: array.astype(np.int8),
        "Fortran": np.asfortranarray,
        "a saltos": lambda array: np.repeat(array, 2, axis=-1)[..., ::2],
        "solo lectura": lambda array: np.broadcast_to(array, array.shape),
        "orden de bytes": lambda array: array.astype(array.dtype.newbyteorder()),
    }
    for kind, convert in variants.items():
        context, weights = function(**{key: convert(array) for key, array in integers.items()})
        assert weights == pytest.approx(expected[1], rel=1e-12), kind
        assert context == pytest.approx(expected[0], rel=1e-12), kind


def test_small_integers_do_not_wrap_around():
    """100 · 100 no cabe en int8: sin pasar a float64, la puntuación saldría 16."""
    state = np.array([100], dtype=np.int8)
    _, weights = dot_attention(state, np.array([[100], [99]], dtype=np.int8))

    assert weights == pytest.approx([1, 0], abs=1e-40)


@each_attention
def test_float32_stays_float32_and_float16_is_widened(name):
    function, tensors = drawn_call(name)
    for given in (np.float16, np.float32):
        for result in function(**{key: array.astype(given) for key, array in tensors.items()}):
            assert result.dtype == np.float32


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_huge_scores_stay_right(dtype):
    states = np.array([[5e4], [-5e4], [5e4]], dtype=dtype)
    context, weights = dot_attention(np.array([1], dtype=dtype), states)
    assert weights.tolist() == [0.5, 0, 0.5]
    assert context.tolist() == [5e4]

    _, weights = dot_attention(np.array([-1], dtype=dtype), states)
    assert weights.tolist() == [0, 1, 0]


@each_attention
@pytest.mark.parametrize(
    ("bad", "error", "says"),
    [
        (lambda array: array > 0, TypeError, "llegó bool"),
        (lambda array: array.astype(complex), TypeError, "llegó complex128"),
        (lambda array: array.astype(object), TypeError, "llegó object"),
        (lambda array: array.astype(str), TypeError, "llegó <U"),
        (lambda array: None, TypeError, "llegó object"),
    ],
    ids=["bool", "complex", "object", "str", "None"],
)
def test_what_is_not_a_real_number_is_refused_by_name(name, bad, error, says):
    function, tensors = drawn_call(name)
    for key, array in tensors.items():
        with pytest.raises(error, match=rf"^{key}: esperaba números reales, {says}.*Arreglo: "):
            function(**tensors | {key: bad(array)})


@each_attention
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_nan_and_infinities_are_refused_with_their_index(name, value):
    function, tensors = drawn_call(name)
    for key, array in tensors.items():
        index = tuple(size - 1 for size in array.shape)
        spoiled = array.copy()
        spoiled[index] = value
        with pytest.raises(ValueError, match="hay un NaN o un infinito") as caught:
            function(**tensors | {key: spoiled})
        assert str(caught.value).startswith(f"{key}{list(index)}: ")


@each_attention
def test_no_positions_to_look_at_is_an_error(name):
    function, tensors = drawn_call(name)
    with pytest.raises(ValueError, match=r"^encoder_states: .* llegó vacío \(0, 7\)"):
        function(**tensors | {"encoder_states": np.empty((0, C))})


def test_a_sentence_that_is_all_padding_names_its_row():
    visible = np.ones((B, S), dtype=bool)
    visible[3] = False
    states = np.ones((B, S, C))
    with pytest.raises(ValueError, match=r"^visible_BS\[3\]: no hay nada visible"):
        dot_attention_forward(np.ones((B, T, C)), states, visible)

    per_query = repeat_for_queries(np.ones((B, S), dtype=bool), T).copy()
    per_query[2, 5] = False
    with pytest.raises(ValueError, match=r"^visible_BLM\[2, 5\]: no hay nada visible"):
        scaled_dot_attention(np.ones((B, T, C)), states, states, per_query)


@pytest.mark.parametrize("dtype", [int, float])
def test_a_mask_of_numbers_is_refused(dtype):
    visible = np.ones((B, S), dtype=dtype)
    with pytest.raises(TypeError, match=r"^visible_BS: esperaba booleanos \(True = visible\)"):
        dot_attention_forward(np.ones((B, T, C)), np.ones((B, S, C)), visible)
