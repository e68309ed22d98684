"""Un caso por cada `*_backward`: qué entra, qué sale y qué gradientes devuelve.

De aquí beben la prueba de gradientes (diferencias centrales), la de paridad (PyTorch) y la de
sufijos de forma. La de completitud exige que no falte ninguno.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lessons_code.numerics import attention, functional, multi_head
from lessons_code.numerics.masks import padding_mask, repeat_for_queries
from tests.helpers import PRIMES

B, T, S, N, C, A, K, P = PRIMES[:8]
HEADS = 3
HEADED_C = 4 * HEADS  # lo que se reparte entre cabezas no puede ser primo
LABELS = np.array([[0, 6, 3], [4, 4, 1]])

# La segunda frase lleva relleno; la última consulta ve menos que las demás.
VISIBLE = padding_mask([S, 2], S)
VISIBLE_PER_QUERY = repeat_for_queries(VISIBLE, T).copy()
VISIBLE_PER_QUERY[0, -1, 1:4] = False


@dataclass(frozen=True)
class Case:
    """`run(**arrays)` da las salidas y una función que lleva sus gradientes a los de `arrays`."""

    backward: Callable
    shapes: dict[str, tuple[int, ...]]
    run: Callable

    @property
    def name(self):
        return self.backward.__name__.removesuffix("_backward")

    def draw(self, rng):
        """Entradas al azar y un gradiente de llegada, también al azar, para *cada* salida."""
        arrays = {name: rng.normal(size=shape).round(2) for name, shape in self.shapes.items()}
        outputs, _ = self.run(**arrays)
        upstream = {name: rng.normal(size=out.shape).round(2) for name, out in outputs.items()}
        return arrays, upstream


# ─── Funciones sin parámetros ─────────────────────────────────────────────────────────────────


def run_softmax(scores):
    weights_BTS = functional.masked_softmax(scores, VISIBLE_PER_QUERY)
    weights_over_T = functional.softmax(scores, axis=1)

    def pull(weights, weights_over_axis_1):
        masked = functional.softmax_backward(weights, weights_BTS)
        return {
            "scores": masked
            + functional.softmax_backward(weights_over_axis_1, weights_over_T, axis=1)
        }

    return {"weights": weights_BTS, "weights_over_axis_1": weights_over_T}, pull


def run_sigmoid(x):
    gate = functional.sigmoid(x)
    return {"output": gate}, lambda output: {"x": functional.sigmoid_backward(output, gate)}


def run_tanh(x):
    hidden = np.tanh(x)
    return {"output": hidden}, lambda output: {"x": functional.tanh_backward(output, hidden)}


def run_cross_entropy(logits):
    losses_BT = functional.cross_entropy(logits, LABELS)

    def pull(losses):
        return {"logits": functional.cross_entropy_backward(losses, logits, LABELS)}

    return {"losses": losses_BT}, pull


# ─── Atención ─────────────────────────────────────────────────────────────────────────────────


def run_attend(scores, value):
    context_BTP, weights_BTS = attention.attend(scores, value, VISIBLE_PER_QUERY)

    def pull(context, weights):
        grads = attention.attend_backward(context, weights, value, weights_BTS)
        return dict(zip(("scores", "value"), grads, strict=True))

    return {"context": context_BTP, "weights": weights_BTS}, pull


def run_dot(decoder_state, encoder_states):
    context_BTC, weights_BTS, cache = attention.dot_attention_forward(
        decoder_state, encoder_states, VISIBLE
    )

    def pull(context, weights):
        grads = attention.dot_attention_backward(context, weights, cache)
        return dict(zip(("decoder_state", "encoder_states"), grads, strict=True))

    return {"context": context_BTC, "weights": weights_BTS}, pull


def run_scaled_dot(query, key, value):
    context_BTP, weights_BTS, cache = attention.scaled_dot_attention_forward(
        query, key, value, VISIBLE_PER_QUERY
    )

    def pull(context, weights):
        grads = attention.scaled_dot_attention_backward(context, weights, cache)
        return dict(zip(("query", "key", "value"), grads, strict=True))

    return {"context": context_BTP, "weights": weights_BTS}, pull


def trainable(params_type, forward, backward, *options):
    """`run` de una atención con parámetros: estado, anotaciones y los campos de `params_type`."""

    def run(decoder_state, encoder_states, **params):
        context_BTC, weights, cache = forward(
            decoder_state, encoder_states, params_type(**params), VISIBLE, *options
        )

        def pull(context, weights):
            grad_state, grad_states, grads = backward(context, weights, cache)
            return {"decoder_state": grad_state, "encoder_states": grad_states, **vars(grads)}

        return {"context": context_BTC, "weights": weights}, pull

    return run


CASES = (
    Case(functional.softmax_backward, {"scores": (B, T, S)}, run_softmax),
    Case(functional.sigmoid_backward, {"x": (B, T)}, run_sigmoid),
    Case(functional.tanh_backward, {"x": (B, T)}, run_tanh),
    Case(functional.cross_entropy_backward, {"logits": (B, T, N)}, run_cross_entropy),
    Case(attention.attend_backward, {"scores": (B, T, S), "value": (B, S, P)}, run_attend),
    Case(
        attention.additive_attention_backward,
        {
            "decoder_state": (B, T, N),
            "encoder_states": (B, S, C),
            "W_AN": (A, N),
            "U_AC": (A, C),
            "v_A": (A,),
        },
        trainable(
            attention.AdditiveParams,
            attention.additive_attention_forward,
            attention.additive_attention_backward,
        ),
    ),
    Case(
        attention.dot_attention_backward,
        {"decoder_state": (B, T, C), "encoder_states": (B, S, C)},
        run_dot,
    ),
    Case(
        attention.general_attention_backward,
        {"decoder_state": (B, T, N), "encoder_states": (B, S, C), "W_NC": (N, C)},
        trainable(
            attention.GeneralParams,
            attention.general_attention_forward,
            attention.general_attention_backward,
        ),
    ),
    Case(
        attention.concat_attention_backward,
        {
            "decoder_state": (B, T, N),
            "encoder_states": (B, S, C),
            "W": (A, N + C),
            "v_A": (A,),
        },
        trainable(
            attention.ConcatParams,
            attention.concat_attention_forward,
            attention.concat_attention_backward,
        ),
    ),
    Case(
        attention.scaled_dot_attention_backward,
        {"query": (B, T, K), "key": (B, S, K), "value": (B, S, P)},
        run_scaled_dot,
    ),
    Case(
        multi_head.multi_head_general_attention_backward,
        {"decoder_state": (B, T, N), "encoder_states": (B, S, HEADED_C), "W_NC": (N, HEADED_C)},
        trainable(
            attention.GeneralParams,
            multi_head.multi_head_general_attention_forward,
            multi_head.multi_head_general_attention_backward,
            HEADS,
        ),
    ),
)
