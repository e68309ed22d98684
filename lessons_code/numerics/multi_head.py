"""¿Y si hay que mirar varias cosas a la vez? Varias cabezas sobre la forma general de Luong.

Es el ejercicio 2 de la lección, y el ensayo de Vaswani et al. (2017), §3.2.2. El d_h de las
anotaciones se parte en n_heads grupos iguales. Cada cabeza mira solo su grupo, con su propia W:
el bloque de columnas de ese grupo. El estado del decodificador *no* se parte: cada cabeza pregunta
con el estado entero, así que d_s no tiene que ser divisible y con una cabeza todo vuelve a ser
`general_attention`, con los mismos parámetros.

Letras: B lote · T destino · S origen · N estado (d_s) · C anotación (d_h) · H cabezas · K = C / H.
La usan las fichas P07 y P08.
"""

from dataclasses import dataclass

import numpy as np

from lessons_code.numerics.attention import (
    GENERAL_FORWARD_SHAPES,
    GENERAL_SHAPES,
    DotCache,
    GeneralParams,
    dot_attention_backward,
    dot_attention_forward,
    general_attention,
    sum_of_outer,
)
from lessons_code.numerics.shapes import ShapeError, check_shapes, suffix_shapes

BACKWARD_SHAPES = suffix_shapes("W_NC", "weights_BHTS", "grad_context_BTC", "grad_weights_BHTS")


def multi_head_general_attention(decoder_state, encoder_states, W, n_heads):
    """Forma *general* de Luong con `n_heads` cabezas. `decoder_state` es s_i, *posterior* al paso.

    Reparte las columnas de `encoder_states` y de `W` entre las cabezas, atiende con cada una por
    separado y concatena sus contextos.
    Devuelve context (d_h,) y weights (n_heads, T_enc): cada cabeza tiene los suyos.

    | tensor | forma |
    |---|---|
    | decoder_state | (d_s,) |
    | encoder_states | (T_enc, d_h) |
    | W | (d_s, d_h) |

    Lanza ShapeError si un tensor no encaja o si n_heads no divide d_h.
    """
    decoder_state, encoder_states, W = check_shapes(
        GENERAL_SHAPES, decoder_state=decoder_state, encoder_states=encoder_states, W=W
    )
    _require_divisible("encoder_states", encoder_states, n_heads)

    memories = np.split(encoder_states, n_heads, axis=1)
    matrices = np.split(W, n_heads, axis=1)
    heads = [
        general_attention(decoder_state, memory_SK, W_NK)
        for memory_SK, W_NK in zip(memories, matrices, strict=True)
    ]
    context_C = np.concatenate([context_K for context_K, _ in heads])
    weights_HS = np.stack([weights_S for _, weights_S in heads])
    return context_C, weights_HS


@dataclass(frozen=True, eq=False)
class MultiHeadGeneralCache:
    """Lo que `multi_head_general_attention_backward` necesita del forward."""

    decoder_state_BTN: np.ndarray
    W_NC: np.ndarray
    weights_BHTS: np.ndarray
    dot: DotCache


def multi_head_general_attention_forward(
    decoder_state_BTN, encoder_states_BSC, params, visible_BS, n_heads
):
    """`multi_head_general_attention` en lote y sin bucle: decoder_state_BTN[:, i] es s_i.

    Cada cabeza ocupa un puesto más del lote. `params` es GeneralParams.
    Devuelve context_BTC, weights_BHTS y la caché del backward.
    Lanza ShapeError si dos tensores discrepan en una letra o si n_heads no divide C; ValueError si
    una frase es toda relleno.
    """
    decoder_state_BTN, encoder_states_BSC, W_NC, visible_BS = check_shapes(
        GENERAL_FORWARD_SHAPES,
        decoder_state_BTN=decoder_state_BTN,
        encoder_states_BSC=encoder_states_BSC,
        **vars(params),
        visible_BS=visible_BS,
    )
    _require_divisible("encoder_states_BSC", encoder_states_BSC, n_heads)

    projected_query_BTC = decoder_state_BTN @ W_NC
    context, weights, dot_cache = dot_attention_forward(
        _split_heads(projected_query_BTC, n_heads),
        _split_heads(encoder_states_BSC, n_heads),
        np.repeat(visible_BS, n_heads, axis=0),
    )
    context_BTC = _merge_heads(context, n_heads)
    weights_BHTS = weights.reshape(-1, n_heads, *weights.shape[1:])

    cache = MultiHeadGeneralCache(decoder_state_BTN, W_NC, weights_BHTS, dot_cache)
    return context_BTC, weights_BHTS, cache


def multi_head_general_attention_backward(grad_context_BTC, grad_weights_BHTS, cache):
    """Gradientes del estado, de las anotaciones y de W (GeneralParams).

    Lanza ShapeError si un gradiente no tiene la forma de lo que salió del forward.
    """
    W_NC, weights_BHTS, grad_context_BTC, grad_weights_BHTS = check_shapes(
        BACKWARD_SHAPES,
        W_NC=cache.W_NC,
        weights_BHTS=cache.weights_BHTS,
        grad_context_BTC=grad_context_BTC,
        grad_weights_BHTS=grad_weights_BHTS,
    )
    n_heads = weights_BHTS.shape[1]

    grad_query, grad_memory = dot_attention_backward(
        _split_heads(grad_context_BTC, n_heads),
        grad_weights_BHTS.reshape(-1, *weights_BHTS.shape[2:]),
        cache.dot,
    )
    grad_encoder_states_BSC = _merge_heads(grad_memory, n_heads)

    grad_projected_query_BTC = _merge_heads(grad_query, n_heads)
    grad_W_NC = sum_of_outer(cache.decoder_state_BTN, grad_projected_query_BTC)
    grad_decoder_state_BTN = grad_projected_query_BTC @ W_NC.T
    return grad_decoder_state_BTN, grad_encoder_states_BSC, GeneralParams(grad_W_NC)


def _split_heads(states_BTC, n_heads):
    """De (B, T, C) a (B·H, T, K): parte C en grupos y pone cada cabeza en el eje del lote."""
    B, T, C = states_BTC.shape
    states_BTHK = states_BTC.reshape(B, T, n_heads, C // n_heads)
    return states_BTHK.swapaxes(1, 2).reshape(B * n_heads, T, C // n_heads)


def _merge_heads(heads, n_heads):
    """La inversa de `_split_heads`: de (B·H, T, K) a (B, T, C)."""
    rows, T, K = heads.shape
    states_BHTK = heads.reshape(rows // n_heads, n_heads, T, K)
    return states_BHTK.swapaxes(1, 2).reshape(rows // n_heads, T, n_heads * K)


def _require_divisible(name, states, n_heads):
    size = states.shape[-1]
    if not isinstance(n_heads, int | np.integer) or isinstance(n_heads, bool) or n_heads < 1:
        raise ValueError(f"n_heads: esperaba un entero ≥ 1, llegó {n_heads!r}.")
    if size % n_heads:
        divisors = ", ".join(str(n) for n in range(1, size + 1) if size % n == 0)
        message = f"{name}: {size} columnas no se reparten entre n_heads={n_heads}"
        raise ShapeError(f"{message}. Arreglo: usa un divisor, {divisors}.")
