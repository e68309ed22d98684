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
labels_BT = np.array([[0, 6, 3], [4, 4, 1]])

# La segunda frase lleva relleno; la última consulta ve menos que las demás.
visible_BS = padding_mask([S, 2], S)
visible_BTS = repeat_for_queries(visible_BS, T).copy()
visible_BTS[0, -1, 1:4] = False


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
        arrays = {name: rng.normal(size=shape) for name, shape in self.shapes.items()}
        outputs, _ = self.run(**arrays)
        return arrays, {name: rng.normal(size=output.shape) for name, output in outputs.items()}


# ─── Funciones sin parámetros ─────────────────────────────────────────────────────────────────


def run_softmax(scores):
    weights_BTS = functional.masked_softmax(scores, visible_BTS)
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
    losses_BT = functional.cross_entropy(logits, labels_BT)

    def pull(losses):
        return {"logits": functional.cross_entropy_backward(losses, logits, labels_BT)}

    return {"losses": losses_BT}, pull


# ─── Atención ─────────────────────────────────────────────────────────────────────────────────


def run_attend(scores, value):
    context_BTP, weights_BTS = attention.attend(scores, value, visible_BTS)

    def pull(context, weights):
        grads = attention.attend_backward(context, weights, value, weights_BTS)
        return dict(zip(("scores", "value"), grads, strict=True))

    return {"context": context_BTP, "weights": weights_BTS}, pull


def run_dot(decoder_state, encoder_states):
    context_BTC, weights_BTS, cache = attention.dot_attention_forward(
        decoder_state, encoder_states, visible_BS
    )

    def pull(context, weights):
        grads = attention.dot_attention_backward(context, weights, cache)
        return dict(zip(("decoder_state", "encoder_states"), grads, strict=True))

    return {"context": context_BTC, "weights": weights_BTS}, pull


def run_scaled_dot(query, key, value):
    context_BTP, weights_BTS, cache = attention.scaled_dot_attention_forward(
        query, key, value, visible_BTS
    )

    def pull(context, weights):
        grads = attention.scaled_dot_attention_backward(context, weights, cache)
        return dict(zip(("query", "key", "value"), grads, strict=True))

    return {"context": context_BTP, "weights": weights_BTS}, pull


def trainable(params_type, forward, backward, *options):
    """`run` de una atención con parámetros: estado, anotaciones y los campos de `params_type`."""

    def run(decoder_state, encoder_states, **params):
        context_BTC, weights, cache = forward(
            decoder_state, encoder_states, params_type(**params), visible_BS, *options
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
