"""Los errores de forma: qué tensor, qué se esperaba, quién lo fijó, y un arreglo que funciona."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons_code.numerics import attention, multi_head
from lessons_code.numerics.shapes import (
    DIMENSIONS,
    ShapeError,
    check_shapes,
    suffix_shapes,
)
from tests.helpers import reproducible

PUBLIC = {
    attention.additive_attention: attention.ADDITIVE_SHAPES,
    attention.dot_attention: attention.DOT_SHAPES,
    attention.general_attention: attention.GENERAL_SHAPES,
    attention.concat_attention: attention.CONCAT_SHAPES,
    attention.scaled_dot_attention: attention.SCALED_DOT_SHAPES,
    attention.attend: {
        name: attention.ATTEND_SHAPES[name] for name in ("scores_BLM", "value_BMP", "visible_BLM")
    },
}
RESULTS = {"context", "weights"}


def inputs(declaration):
    return {name: axes.split() for name, axes in declaration.items() if name not in RESULTS}


def letters(declaration):
    return sorted(
        {letter for axes in inputs(declaration).values() for letter in axes} - {"d_s+d_h"}
    )


def build(declaration, sizes):
    """Tensores con la forma declarada; los booleanos, todo visible."""
    sizes = sizes | {"d_s+d_h": sizes.get("d_s", 0) + sizes.get("d_h", 0)}
    rng = np.random.default_rng(2)
    shapes = {name: [sizes[axis] for axis in axes] for name, axes in inputs(declaration).items()}
    return {
        name: np.ones(shape, bool) if name.startswith("visible") else rng.normal(size=shape)
        for name, shape in shapes.items()
    }


@st.composite
def calls(draw, distinct=False):
    """Una función pública y tamaños para sus letras; `distinct`, todos distintos y > 1."""
    function = draw(st.sampled_from(list(PUBLIC)))
    names = letters(PUBLIC[function])
    smallest = 2 if distinct else 1
    size = st.integers(smallest, 9)
    drawn = draw(st.lists(size, min_size=len(names), max_size=len(names), unique=distinct))
    return function, dict(zip(names, drawn, strict=True))


# ─── Propiedades ──────────────────────────────────────────────────────────────────────────────


@reproducible
@given(calls())
def test_any_sizes_that_fit_give_the_declared_results(call):
    function, sizes = call
    tensors = build(PUBLIC[function], sizes)
    context, weights = function(**tensors)

    source = next(tensor for name, tensor in tensors.items() if name.startswith(("enc", "value")))
    assert weights.shape[-1] == source.shape[-2]
    assert context.shape == (*weights.shape[:-1], source.shape[-1])
    assert weights.sum(axis=-1) == pytest.approx(1, abs=1e-14)
    assert (context <= source.max(axis=-2, keepdims=context.ndim > 1) + 1e-12).all()
    assert (context >= source.min(axis=-2, keepdims=context.ndim > 1) - 1e-12).all()


@reproducible
@given(calls(), st.data())
def test_a_lost_or_extra_axis_never_broadcasts(call, data):
    function, sizes = call
    tensors = build(PUBLIC[function], sizes)
    name = data.draw(st.sampled_from(list(tensors)))
    axis = data.draw(st.integers(0, tensors[name].ndim - 1))
    if data.draw(st.booleans()):
        broken = np.expand_dims(tensors[name], axis)
    else:
        broken = tensors[name].take(0, axis=axis)

    with pytest.raises(ShapeError, match="esperaba"):
        function(**tensors | {name: broken})


@reproducible
@given(calls(), st.data())
def test_an_axis_of_another_size_never_broadcasts(call, data):
    """Ni siquiera de tamaño 1, que es el que NumPy estiraría."""
    function, sizes = call
    declaration = inputs(PUBLIC[function])
    shared = [
        (name, position)
        for name, axes in declaration.items()
        for position, axis in enumerate(axes)
        if sum(axis in other for other in declaration.values()) > 1 or "+" in axis
    ]
    tensors = build(PUBLIC[function], sizes)
    name, position = data.draw(st.sampled_from(shared))
    other_size = data.draw(st.sampled_from([1, 10]))
    if tensors[name].shape[position] == other_size:
        other_size += 1
    broken = np.repeat(tensors[name].take([0], axis=position), other_size, axis=position)

    with pytest.raises(ShapeError, match="esperaba"):
        function(**tensors | {name: broken})


@reproducible
@given(calls(distinct=True), st.data())
def test_the_suggested_fix_works_when_applied(call, data):
    """Se rompe un tensor sin tocar sus números; el arreglo propuesto, ejecutado, lo recompone."""
    function, sizes = call
    tensors = build(PUBLIC[function], sizes)
    name = data.draw(st.sampled_from(list(tensors)))
    i = data.draw(st.integers(0, tensors[name].ndim - 1))
    ways = [np.expand_dims(tensors[name], i)]
    if tensors[name].ndim > 1:
        ways.append(tensors[name].swapaxes(i, i - 1))
    broken = tensors | {name: data.draw(st.sampled_from(ways))}

    with pytest.raises(ShapeError) as caught:
        function(**broken)
    code = re.search(r"Arreglo: prueba (.+)\.$", str(caught.value))[1]
    guilty = re.search("|".join(tensors), code)[0]
    repaired = function(**broken | {guilty: eval(code, {"np": np}, broken)})
    if guilty == name:
        np.testing.assert_array_equal(repaired[0], function(**tensors)[0])


# ─── Mensajes ─────────────────────────────────────────────────────────────────────────────────


def message(function, **shapes):
    """El error de `function` para tensores de unos con esas formas."""
    with pytest.raises(ShapeError) as caught:
        function(**{name: np.ones(shape) for name, shape in shapes.items()})
    return str(caught.value)


ADDITIVE = {
    "decoder_state": (3,),
    "encoder_states": (5, 7),
    "W_a": (11, 3),
    "U_a": (11, 7),
    "v_a": (11,),
}


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        (
            {"W_a": (3, 11)},
            "W_a: esperaba (d_attn, d_s=3), llegó (3, 11); d_s=3 lo fijó decoder_state. "
            "Arreglo: prueba W_a.T.",
        ),
        (
            {"U_a": (7, 11)},
            "U_a: esperaba (d_attn=11, d_h=7), llegó (7, 11); d_attn=11 lo fijó W_a. "
            "Arreglo: prueba U_a.T.",
        ),
        (
            # La culpable no es la que choca: es encoder_states, y se dice.
            {"encoder_states": (7, 5)},
            "U_a: esperaba (d_attn=11, d_h=5), llegó (11, 7); d_h=5 lo fijó encoder_states. "
            "Arreglo: prueba encoder_states.T.",
        ),
        (
            {"decoder_state": (5, 7), "encoder_states": (3,)},
            "decoder_state: esperaba 1 eje (d_s), llegó (5, 7). "
            "Arreglo: prueba a intercambiar decoder_state y encoder_states.",
        ),
        (
            {"v_a": (11, 1)},
            "v_a: esperaba 1 eje (d_attn=11), llegó (11, 1). Arreglo: prueba np.squeeze(v_a, 1).",
        ),
        (
            {"v_a": ()},
            "v_a: esperaba 1 eje (d_attn=11), llegó (). Arreglo: dale la forma (11).",
        ),
        (
            {"decoder_state": (2, 3)},
            "decoder_state: esperaba 1 eje (d_s), llegó (2, 3). "
            "Arreglo: dale la forma (d_s); si sobra el eje del lote, usa la versión _forward.",
        ),
        (
            # El ancho de un codificador bidireccional es 2N, y U_a se hizo para N.
            {"encoder_states": (5, 14)},
            "U_a: esperaba (d_attn=11, d_h=14), llegó (11, 7); d_h=14 lo fijó encoder_states. "
            "Arreglo: dale la forma (11, 14) o pon una matriz en medio, "
            "como hace general_attention.",
        ),
        (
            {"encoder_states": (0, 7)},
            "encoder_states: esperaba (T_enc, d_h), llegó vacío (0, 7). "
            "Arreglo: cada eje necesita al menos un elemento.",
        ),
    ],
)
def test_messages_of_additive_attention(broken, expected):
    assert message(attention.additive_attention, **ADDITIVE | broken) == expected


def test_dot_of_different_widths_points_to_general():
    assert message(attention.dot_attention, decoder_state=(3,), encoder_states=(5, 7)) == (
        "encoder_states: esperaba (T_enc, d_h=3), llegó (5, 7); d_h=3 lo fijó decoder_state. "
        "Arreglo: dale la forma (T_enc, 3) o pon una matriz en medio, "
        "como hace general_attention."
    )


def test_a_sum_of_sizes_names_both_owners():
    shapes = {"decoder_state": (3,), "encoder_states": (5, 7), "W": (11, 9), "v": (11,)}
    assert message(attention.concat_attention, **shapes) == (
        "W: esperaba (d_attn, d_s+d_h=10), llegó (11, 9); d_s+d_h=10 lo fijó decoder_state y "
        "encoder_states. Arreglo: dale la forma (d_attn, 10) o pon una matriz en medio, "
        "como hace general_attention."
    )


def test_nobody_projects_a_mask_or_a_batch():
    tensors = {"query_BLK": np.ones((2, 3, 5)), "key_BMK": np.ones((2, 7, 5))}
    call = tensors | {"value_BMP": np.ones((2, 7, 11)), "visible_BLM": np.ones((2, 3, 7), bool)}
    for broken in ({"visible_BLM": np.ones((2, 3, 9), bool)}, {"key_BMK": np.ones((4, 7, 5))}):
        with pytest.raises(ShapeError, match=r"Arreglo: dale la forma \(2, \w, \d\)\.$"):
            attention.scaled_dot_attention(**call | broken)


def test_a_whole_batch_axis_forgotten_everywhere():
    tensors = {"query_BLK": (3, 5), "key_BMK": (7, 5), "value_BMP": (7, 11)}
    with pytest.raises(ShapeError) as caught:
        attention.scaled_dot_attention(
            **{name: np.ones(shape) for name, shape in tensors.items()},
            visible_BLM=np.ones((3, 7), dtype=bool),
        )
    assert str(caught.value).endswith(
        "Arreglo: prueba query_BLK[None], key_BMK[None], value_BMP[None], visible_BLM[None]."
    )


def test_a_mask_without_its_query_axis_is_refused():
    """(B, S) contra (B, T, S) se propagaría si B = T; se pide la forma entera."""
    with pytest.raises(
        ShapeError, match=r"^visible: esperaba 2 ejes \(eje0=2, M=3\), llegó \(3,\)"
    ):
        check_shapes(
            {"scores": "... M", "visible": "... M"},
            scores=np.ones((2, 3)),
            visible=np.ones(3, dtype=bool),
        )


def test_ragged_lists_are_explained():
    with pytest.raises(ShapeError, match=r"^encoder_states: sus filas no miden lo mismo"):
        attention.dot_attention([1, 2], [[1, 2], [3]])


# ─── Declaraciones ────────────────────────────────────────────────────────────────────────────


def test_suffixes_write_their_own_declaration():
    assert suffix_shapes("query_BLK", "v_A") == {"query_BLK": "B L K", "v_A": "A"}


def test_arguments_come_back_in_order_and_without_copies():
    declaration = {"decoder_state": "d_s", "W": "d_s d_h"}
    state, W = np.ones(3, dtype=np.float32), np.ones((3, 5))
    checked = check_shapes(declaration, W=W, decoder_state=state)

    assert checked[0] is W
    assert checked[1] is state


def declarations():
    return [
        declaration
        for module in (attention, multi_head)
        for name, declaration in vars(module).items()
        if name.endswith("_SHAPES")
    ]


def test_every_declared_axis_is_explained_by_the_key():
    explained = DIMENSIONS.keys() | set(re.findall(r"[\w']+", " ".join(DIMENSIONS.values())))
    used = {
        letter
        for declaration in declarations()
        for axes in declaration.values()
        for letter in re.split(r"[ +]", axes)
    }
    assert used <= explained


@pytest.mark.parametrize(
    ("function", "declaration"),
    [
        (attention.additive_attention, attention.ADDITIVE_SHAPES),
        (attention.dot_attention, attention.DOT_SHAPES),
        (attention.general_attention, attention.GENERAL_SHAPES),
        (attention.concat_attention, attention.CONCAT_SHAPES),
        (multi_head.multi_head_general_attention, attention.GENERAL_SHAPES),
    ],
)
def test_the_table_of_each_docstring_is_its_declaration(function, declaration):
    rows = re.findall(r"^ *\| (\w+) \| \((.+)\) \|$", function.__doc__, re.MULTILINE)
    table = {
        name: " ".join(axis for axis in axes.replace(" + ", "+").split(", ")).replace(",", "")
        for name, axes in rows
    }
    assert table == {name: axes for name, axes in declaration.items() if name not in RESULTS}
