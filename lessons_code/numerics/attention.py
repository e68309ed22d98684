"""¿Qué parte de la entrada mira el decodificador en cada paso, y cómo aprende a mirarla?

Bahdanau, Cho y Bengio (2014), arXiv:1409.0473 · Luong, Pham y Manning (2015), arXiv:1508.04025 ·
Vaswani et al. (2017), arXiv:1706.03762. Todas hacen lo mismo: puntuar cada posición, repartir con
softmax y promediar. Solo cambia la puntuación, y *qué estado pregunta*: en Bahdanau el anterior al
paso, s_{i−1}; en Luong el posterior, s_i. Ninguna función puede saber cuál le han dado: lo decide
el bucle que la llama.

Primero, un paso de una frase, con los nombres de la lección. Después, cada una en lote y con su
gradiente. Al final, el producto escalar escalado del Transformer.

Letras: B lote · T destino · S origen · N estado del decodificador (d_s) · C anotación (d_h) ·
A alineación (d_attn) · L consultas · M memoria · K consulta y clave · P valor.
La usan las fichas P07 y P08.
"""

import math
from dataclasses import dataclass

import numpy as np

from lessons_code.numerics.functional import (
    masked_softmax,
    softmax,
    softmax_backward,
    tanh_backward,
)
from lessons_code.numerics.masks import repeat_for_queries
from lessons_code.numerics.shapes import check_shapes, suffix_shapes

ADDITIVE_SHAPES = {
    "decoder_state": "d_s",
    "encoder_states": "T_enc d_h",
    "W_a": "d_attn d_s",
    "U_a": "d_attn d_h",
    "v_a": "d_attn",
    "weights": "T_enc",
    "context": "d_h",
}
DOT_SHAPES = {
    "decoder_state": "d_h",
    "encoder_states": "T_enc d_h",
    "weights": "T_enc",
    "context": "d_h",
}
GENERAL_SHAPES = {
    "decoder_state": "d_s",
    "encoder_states": "T_enc d_h",
    "W": "d_s d_h",
    "weights": "T_enc",
    "context": "d_h",
}
CONCAT_SHAPES = {
    "decoder_state": "d_s",
    "encoder_states": "T_enc d_h",
    "W": "d_attn d_s+d_h",
    "v": "d_attn",
    "weights": "T_enc",
    "context": "d_h",
}


# ─── Un paso de una frase ─────────────────────────────────────────────────────────────────────


def additive_attention(decoder_state, encoder_states, W_a, U_a, v_a):
    """Atención aditiva. Bahdanau et al. (2014), ecs. (5)–(6) y A.1.2.

    `decoder_state` es s_{i−1}, el estado *anterior* al paso: la puntuación de la posición j es
    e_ij = v_aᵀ tanh(W_a s_{i−1} + U_a h_j).
    Devuelve context (d_h,) y weights (T_enc,).

    | tensor | forma |
    |---|---|
    | decoder_state | (d_s,) |
    | encoder_states | (T_enc, d_h) |
    | W_a | (d_attn, d_s) |
    | U_a | (d_attn, d_h) |
    | v_a | (d_attn,) |

    Lanza ShapeError si un tensor no encaja, ValueError si tiene un NaN o un infinito.
    """
    decoder_state, encoder_states, W_a, U_a, v_a = check_shapes(
        ADDITIVE_SHAPES,
        decoder_state=decoder_state,
        encoder_states=encoder_states,
        W_a=W_a,
        U_a=U_a,
        v_a=v_a,
    )

    projected_query_A = W_a @ decoder_state
    projected_annotations_SA = encoder_states @ U_a.T
    hidden_SA = np.tanh(projected_query_A + projected_annotations_SA)
    scores_S = hidden_SA @ v_a
    weights_S = softmax(scores_S)
    context_C = weights_S @ encoder_states
    return context_C, weights_S


def dot_attention(decoder_state, encoder_states):
    """Atención de producto escalar. Luong et al. (2015), §3.1, forma *dot*.

    `decoder_state` es s_i, el estado *posterior* al paso (h_t en el artículo): la puntuación es
    e_ij = s_iᵀ h_j. Exige d_s = d_h; si no lo son, `general_attention`.
    Devuelve context (d_h,) y weights (T_enc,).

    | tensor | forma |
    |---|---|
    | decoder_state | (d_h,) |
    | encoder_states | (T_enc, d_h) |

    Lanza ShapeError si un tensor no encaja, ValueError si tiene un NaN o un infinito.
    """
    decoder_state, encoder_states = check_shapes(
        DOT_SHAPES, decoder_state=decoder_state, encoder_states=encoder_states
    )

    scores_S = encoder_states @ decoder_state
    weights_S = softmax(scores_S)
    context_C = weights_S @ encoder_states
    return context_C, weights_S


def general_attention(decoder_state, encoder_states, W):
    """Atención multiplicativa. Luong et al. (2015), §3.1, forma *general*.

    `decoder_state` es s_i, el estado *posterior* al paso: la puntuación es e_ij = s_iᵀ W h_j.
    `W` lleva el estado al espacio de las anotaciones, así que d_s y d_h pueden diferir.
    Devuelve context (d_h,) y weights (T_enc,).

    | tensor | forma |
    |---|---|
    | decoder_state | (d_s,) |
    | encoder_states | (T_enc, d_h) |
    | W | (d_s, d_h) |

    Lanza ShapeError si un tensor no encaja, ValueError si tiene un NaN o un infinito.
    """
    decoder_state, encoder_states, W = check_shapes(
        GENERAL_SHAPES, decoder_state=decoder_state, encoder_states=encoder_states, W=W
    )

    projected_query_C = W.T @ decoder_state
    scores_S = encoder_states @ projected_query_C
    weights_S = softmax(scores_S)
    context_C = weights_S @ encoder_states
    return context_C, weights_S


def concat_attention(decoder_state, encoder_states, W, v):
    """Atención por concatenación. Luong et al. (2015), §3.1, forma *concat*.

    `decoder_state` es s_i, el estado *posterior* al paso: e_ij = vᵀ tanh(W [s_i ; h_j]). Es la
    aditiva con W = [W_a U_a] en una sola matriz; lo que cambia es el estado que pregunta.
    Devuelve context (d_h,) y weights (T_enc,).

    | tensor | forma |
    |---|---|
    | decoder_state | (d_s,) |
    | encoder_states | (T_enc, d_h) |
    | W | (d_attn, d_s + d_h) |
    | v | (d_attn,) |

    Lanza ShapeError si un tensor no encaja, ValueError si tiene un NaN o un infinito.
    """
    decoder_state, encoder_states, W, v = check_shapes(
        CONCAT_SHAPES, decoder_state=decoder_state, encoder_states=encoder_states, W=W, v=v
    )

    states_SN = np.tile(decoder_state, (len(encoder_states), 1))
    hidden_SA = np.tanh(np.concatenate([states_SN, encoder_states], axis=1) @ W.T)
    scores_S = hidden_SA @ v
    weights_S = softmax(scores_S)
    context_C = weights_S @ encoder_states
    return context_C, weights_S


# ─── De puntuaciones a contexto, en lote: lo que todas comparten ──────────────────────────────

ATTEND_SHAPES = suffix_shapes(
    "scores_BLM", "value_BMP", "visible_BLM", "weights_BLM", "grad_context_BLP", "grad_weights_BLM"
)


def attend(scores_BLM, value_BMP, visible_BLM):
    """Reparte con softmax y promedia los valores: la parte que no depende de cómo se puntúa.

    La consulta y la clave ya han hecho su trabajo al puntuar. En la atención clásica el valor es la
    propia clave, la anotación h_j; en el Transformer puede ser otra proyección.
    Devuelve context_BLP y weights_BLM.
    Lanza ShapeError si dos tensores discrepan en una letra; ValueError, con el índice, si una
    consulta no ve nada.
    """
    scores_BLM, value_BMP, visible_BLM = check_shapes(
        ATTEND_SHAPES, scores_BLM=scores_BLM, value_BMP=value_BMP, visible_BLM=visible_BLM
    )

    weights_BLM = masked_softmax(scores_BLM, visible_BLM)
    context_BLP = weights_BLM @ value_BMP
    return context_BLP, weights_BLM


def attend_backward(grad_context_BLP, grad_weights_BLM, value_BMP, weights_BLM):
    """Gradientes de `attend`: devuelve grad_scores_BLM y grad_value_BMP.

    Un peso influye por dos caminos: por sí mismo, si alguien lo usa, y a través del contexto.
    Lanza ShapeError si dos tensores discrepan en una letra.
    """
    value_BMP, weights_BLM, grad_context_BLP, grad_weights_BLM = check_shapes(
        ATTEND_SHAPES,
        value_BMP=value_BMP,
        weights_BLM=weights_BLM,
        grad_context_BLP=grad_context_BLP,
        grad_weights_BLM=grad_weights_BLM,
    )

    grad_value_BMP = weights_BLM.swapaxes(1, 2) @ grad_context_BLP
    total_grad_weights_BLM = grad_weights_BLM + grad_context_BLP @ value_BMP.swapaxes(1, 2)
    grad_scores_BLM = softmax_backward(total_grad_weights_BLM, weights_BLM)
    return grad_scores_BLM, grad_value_BMP


# ─── Aditiva, en lote y con gradiente ─────────────────────────────────────────────────────────

ADDITIVE_FORWARD_SHAPES = suffix_shapes(
    "decoder_state_BTN", "encoder_states_BSC", "W_AN", "U_AC", "v_A", "visible_BS"
)


@dataclass(frozen=True, eq=False)
class AdditiveParams:
    """W_a, U_a y v_a de Bahdanau."""

    W_AN: np.ndarray
    U_AC: np.ndarray
    v_A: np.ndarray


@dataclass(frozen=True, eq=False)
class AdditiveCache:
    """Lo que `additive_attention_backward` necesita del forward."""

    decoder_state_BTN: np.ndarray
    encoder_states_BSC: np.ndarray
    params: AdditiveParams
    hidden_BTSA: np.ndarray
    weights_BTS: np.ndarray


def additive_attention_forward(decoder_state_BTN, encoder_states_BSC, params, visible_BS):
    """`additive_attention` para un lote de frases y T pasos: decoder_state_BTN[:, i] es s_{i−1}.

    En un bucle recurrente T = 1, porque s_i necesita el contexto del paso i.
    Devuelve context_BTC, weights_BTS y la caché del backward.
    Lanza ShapeError si dos tensores discrepan en una letra; ValueError si una frase es toda
    relleno.
    """
    decoder_state_BTN, encoder_states_BSC, W_AN, U_AC, v_A, visible_BS = check_shapes(
        ADDITIVE_FORWARD_SHAPES,
        decoder_state_BTN=decoder_state_BTN,
        encoder_states_BSC=encoder_states_BSC,
        **vars(params),
        visible_BS=visible_BS,
    )

    projected_query_BTA = decoder_state_BTN @ W_AN.T
    projected_annotations_BSA = encoder_states_BSC @ U_AC.T
    hidden_BTSA = np.tanh(
        projected_query_BTA[:, :, None, :] + projected_annotations_BSA[:, None, :, :]
    )
    scores_BTS = hidden_BTSA @ v_A
    visible_BTS = repeat_for_queries(visible_BS, scores_BTS.shape[1])
    context_BTC, weights_BTS = attend(scores_BTS, encoder_states_BSC, visible_BTS)

    params = AdditiveParams(W_AN, U_AC, v_A)
    cache = AdditiveCache(decoder_state_BTN, encoder_states_BSC, params, hidden_BTSA, weights_BTS)
    return context_BTC, weights_BTS, cache


def additive_attention_backward(grad_context_BTC, grad_weights_BTS, cache):
    """Gradientes del estado, de las anotaciones y de los parámetros (AdditiveParams).

    Las anotaciones reciben gradiente dos veces: como valor, en el contexto, y como clave, al
    puntuar.
    Lanza ShapeError si un gradiente no tiene la forma de lo que salió del forward.
    """
    params = cache.params
    grad_scores_BTS, grad_value_BSC = attend_backward(
        grad_context_BTC, grad_weights_BTS, cache.encoder_states_BSC, cache.weights_BTS
    )

    grad_v_A = np.tensordot(grad_scores_BTS, cache.hidden_BTSA, axes=3)
    grad_hidden_BTSA = grad_scores_BTS[..., None] * params.v_A
    grad_sum_BTSA = tanh_backward(grad_hidden_BTSA, cache.hidden_BTSA)

    grad_projected_annotations_BSA = grad_sum_BTSA.sum(axis=1)
    grad_U_AC = sum_of_outer(grad_projected_annotations_BSA, cache.encoder_states_BSC)
    grad_encoder_states_BSC = grad_value_BSC + grad_projected_annotations_BSA @ params.U_AC

    grad_projected_query_BTA = grad_sum_BTSA.sum(axis=2)
    grad_W_AN = sum_of_outer(grad_projected_query_BTA, cache.decoder_state_BTN)
    grad_decoder_state_BTN = grad_projected_query_BTA @ params.W_AN

    grad_params = AdditiveParams(grad_W_AN, grad_U_AC, grad_v_A)
    return grad_decoder_state_BTN, grad_encoder_states_BSC, grad_params


# ─── Producto escalar, en lote y con gradiente ────────────────────────────────────────────────

DOT_FORWARD_SHAPES = suffix_shapes("decoder_state_BTC", "encoder_states_BSC", "visible_BS")


@dataclass(frozen=True, eq=False)
class DotCache:
    """Lo que `dot_attention_backward` necesita del forward."""

    decoder_state_BTC: np.ndarray
    encoder_states_BSC: np.ndarray
    weights_BTS: np.ndarray


def dot_attention_forward(decoder_state_BTC, encoder_states_BSC, visible_BS):
    """`dot_attention` para un lote de frases y T pasos: decoder_state_BTC[:, i] es s_i.

    Devuelve context_BTC, weights_BTS y la caché del backward.
    Lanza ShapeError si dos tensores discrepan en una letra; ValueError si una frase es toda
    relleno.
    """
    decoder_state_BTC, encoder_states_BSC, visible_BS = check_shapes(
        DOT_FORWARD_SHAPES,
        decoder_state_BTC=decoder_state_BTC,
        encoder_states_BSC=encoder_states_BSC,
        visible_BS=visible_BS,
    )

    scores_BTS = decoder_state_BTC @ encoder_states_BSC.swapaxes(1, 2)
    visible_BTS = repeat_for_queries(visible_BS, scores_BTS.shape[1])
    context_BTC, weights_BTS = attend(scores_BTS, encoder_states_BSC, visible_BTS)

    cache = DotCache(decoder_state_BTC, encoder_states_BSC, weights_BTS)
    return context_BTC, weights_BTS, cache


def dot_attention_backward(grad_context_BTC, grad_weights_BTS, cache):
    """Gradientes del estado y de las anotaciones; esta forma no tiene parámetros.

    Lanza ShapeError si un gradiente no tiene la forma de lo que salió del forward.
    """
    grad_scores_BTS, grad_value_BSC = attend_backward(
        grad_context_BTC, grad_weights_BTS, cache.encoder_states_BSC, cache.weights_BTS
    )

    grad_key_BSC = grad_scores_BTS.swapaxes(1, 2) @ cache.decoder_state_BTC
    grad_encoder_states_BSC = grad_value_BSC + grad_key_BSC
    grad_decoder_state_BTC = grad_scores_BTS @ cache.encoder_states_BSC
    return grad_decoder_state_BTC, grad_encoder_states_BSC


# ─── General, en lote y con gradiente ─────────────────────────────────────────────────────────

GENERAL_FORWARD_SHAPES = suffix_shapes(
    "decoder_state_BTN", "encoder_states_BSC", "W_NC", "visible_BS"
)


@dataclass(frozen=True, eq=False)
class GeneralParams:
    """La W de la forma general de Luong."""

    W_NC: np.ndarray


@dataclass(frozen=True, eq=False)
class GeneralCache:
    """Lo que `general_attention_backward` necesita del forward."""

    decoder_state_BTN: np.ndarray
    W_NC: np.ndarray
    dot: DotCache


def general_attention_forward(decoder_state_BTN, encoder_states_BSC, params, visible_BS):
    """`general_attention` para un lote de frases y T pasos: decoder_state_BTN[:, i] es s_i.

    Es la forma *dot* con el estado ya proyectado al tamaño de las anotaciones.
    Devuelve context_BTC, weights_BTS y la caché del backward.
    Lanza ShapeError si dos tensores discrepan en una letra; ValueError si una frase es toda
    relleno.
    """
    decoder_state_BTN, encoder_states_BSC, W_NC, visible_BS = check_shapes(
        GENERAL_FORWARD_SHAPES,
        decoder_state_BTN=decoder_state_BTN,
        encoder_states_BSC=encoder_states_BSC,
        **vars(params),
        visible_BS=visible_BS,
    )

    projected_query_BTC = decoder_state_BTN @ W_NC
    context_BTC, weights_BTS, dot_cache = dot_attention_forward(
        projected_query_BTC, encoder_states_BSC, visible_BS
    )
    return context_BTC, weights_BTS, GeneralCache(decoder_state_BTN, W_NC, dot_cache)


def general_attention_backward(grad_context_BTC, grad_weights_BTS, cache):
    """Gradientes del estado, de las anotaciones y de W (GeneralParams).

    Lanza ShapeError si un gradiente no tiene la forma de lo que salió del forward.
    """
    grad_projected_query_BTC, grad_encoder_states_BSC = dot_attention_backward(
        grad_context_BTC, grad_weights_BTS, cache.dot
    )

    grad_W_NC = sum_of_outer(cache.decoder_state_BTN, grad_projected_query_BTC)
    grad_decoder_state_BTN = grad_projected_query_BTC @ cache.W_NC.T
    return grad_decoder_state_BTN, grad_encoder_states_BSC, GeneralParams(grad_W_NC)


# ─── Concatenación, en lote y con gradiente ───────────────────────────────────────────────────

CONCAT_FORWARD_SHAPES = suffix_shapes("decoder_state_BTN", "encoder_states_BSC", "v_A") | {
    "W": "A N+C"
}


@dataclass(frozen=True, eq=False)
class ConcatParams:
    """La W (A, N + C) y la v de la forma concat de Luong."""

    W: np.ndarray
    v_A: np.ndarray


def concat_attention_forward(decoder_state_BTN, encoder_states_BSC, params, visible_BS):
    """`concat_attention` para un lote de frases y T pasos: decoder_state_BTN[:, i] es s_i.

    W [s ; h] = W_a s + U_a h, con W_a las N primeras columnas de W y U_a las demás: es la aditiva.
    Devuelve context_BTC, weights_BTS y la caché del backward.
    Lanza ShapeError si dos tensores discrepan en una letra; ValueError si una frase es toda
    relleno.
    """
    decoder_state_BTN, encoder_states_BSC, W, v_A = check_shapes(
        CONCAT_FORWARD_SHAPES,
        decoder_state_BTN=decoder_state_BTN,
        encoder_states_BSC=encoder_states_BSC,
        **vars(params),
    )

    W_AN, U_AC = np.split(W, [decoder_state_BTN.shape[-1]], axis=1)
    return additive_attention_forward(
        decoder_state_BTN, encoder_states_BSC, AdditiveParams(W_AN, U_AC, v_A), visible_BS
    )


def concat_attention_backward(grad_context_BTC, grad_weights_BTS, cache):
    """Gradientes del estado, de las anotaciones y de los parámetros (ConcatParams).

    Lanza ShapeError si un gradiente no tiene la forma de lo que salió del forward.
    """
    grad_decoder_state_BTN, grad_encoder_states_BSC, grads = additive_attention_backward(
        grad_context_BTC, grad_weights_BTS, cache
    )

    grad_params = ConcatParams(np.concatenate([grads.W_AN, grads.U_AC], axis=1), grads.v_A)
    return grad_decoder_state_BTN, grad_encoder_states_BSC, grad_params


def sum_of_outer(left, right):
    """Σ sobre lote y posición de left ⊗ right: el gradiente de toda matriz que proyecta un lote."""
    return np.tensordot(left, right, axes=([0, 1], [0, 1]))


# ─── El puente: consulta, clave y valor ───────────────────────────────────────────────────────

SCALED_DOT_SHAPES = suffix_shapes("query_BLK", "key_BMK", "value_BMP", "visible_BLM")


@dataclass(frozen=True, eq=False)
class ScaledDotCache:
    """Lo que `scaled_dot_attention_backward` necesita del forward."""

    query_BLK: np.ndarray
    key_BMK: np.ndarray
    value_BMP: np.ndarray
    weights_BLM: np.ndarray


def scaled_dot_attention(query_BLK, key_BMK, value_BMP, visible_BLM):
    """Atención de producto escalar escalado. Vaswani et al. (2017), ec. (1).

    Cada posición L promedia los valores de M con pesos softmax(q·k/√K). Con el estado como consulta
    y las anotaciones como clave y valor es `dot_attention`, salvo el factor 1/√K.
    Nuestras K y P son d_k y d_v en el artículo.
    Devuelve context_BLP y weights_BLM.
    Lanza ShapeError si dos tensores discrepan en una letra; ValueError, con el índice, si una
    consulta no ve nada.
    """
    query_BLK, key_BMK, value_BMP, visible_BLM = check_shapes(
        SCALED_DOT_SHAPES,
        query_BLK=query_BLK,
        key_BMK=key_BMK,
        value_BMP=value_BMP,
        visible_BLM=visible_BLM,
    )

    K = query_BLK.shape[-1]
    scores_BLM = query_BLK @ key_BMK.swapaxes(1, 2) / math.sqrt(K)
    weights_BLM = masked_softmax(scores_BLM, visible_BLM)
    context_BLP = weights_BLM @ value_BMP
    return context_BLP, weights_BLM


def scaled_dot_attention_forward(query_BLK, key_BMK, value_BMP, visible_BLM):
    """`scaled_dot_attention` que además devuelve la caché del backward."""
    query_BLK, key_BMK, value_BMP, visible_BLM = check_shapes(
        SCALED_DOT_SHAPES,
        query_BLK=query_BLK,
        key_BMK=key_BMK,
        value_BMP=value_BMP,
        visible_BLM=visible_BLM,
    )

    context_BLP, weights_BLM = scaled_dot_attention(query_BLK, key_BMK, value_BMP, visible_BLM)

    cache = ScaledDotCache(query_BLK, key_BMK, value_BMP, weights_BLM)
    return context_BLP, weights_BLM, cache


def scaled_dot_attention_backward(grad_context_BLP, grad_weights_BLM, cache):
    """Gradientes de la consulta, la clave y el valor.

    Lanza ShapeError si un gradiente no tiene la forma de lo que salió del forward.
    """
    grad_scores_BLM, grad_value_BMP = attend_backward(
        grad_context_BLP, grad_weights_BLM, cache.value_BMP, cache.weights_BLM
    )

    grad_product_BLM = grad_scores_BLM / math.sqrt(cache.query_BLK.shape[-1])
    grad_query_BLK = grad_product_BLM @ cache.key_BMK
    grad_key_BMK = grad_product_BLM.swapaxes(1, 2) @ cache.query_BLK
    return grad_query_BLK, grad_key_BMK, grad_value_BMP
