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

    query_A = W_a @ decoder_state
    annotations_SA = encoder_states @ U_a.T
    hidden_SA = np.tanh(query_A + annotations_SA)
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

    query_C = W.T @ decoder_state
    scores_S = encoder_states @ query_C
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
