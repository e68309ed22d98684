"""¿Cómo se convierten unas puntuaciones en pesos que suman 1, y cómo vuelve el gradiente?

Las funciones sin parámetros que comparten todos los mecanismos, cada una con su `_backward`.
Letras: M posiciones entre las que se reparte el peso · V vocabulario; «...» son los ejes que haya
delante. Las usan todas las fichas.
"""

import numpy as np

from lessons_code.numerics.shapes import check_shapes, first_index

SOFTMAX_SHAPES = {"x": "... M"}
SOFTMAX_BACKWARD_SHAPES = {"grad_weights": "... M", "weights": "... M"}
MASKED_SOFTMAX_SHAPES = {"scores": "... M", "visible": "... M", "weights": "... M"}
ELEMENTWISE_SHAPES = {"x": "...", "grad_output": "...", "output": "..."}
CROSS_ENTROPY_SHAPES = {"logits": "... V", "labels": "...", "grad_losses": "...", "losses": "..."}
ENTROPY_SHAPES = {"weights": "... M"}


# ─── De puntuaciones a pesos ──────────────────────────────────────────────────────────────────


def softmax(x, axis=-1):
    """Pesos positivos que suman 1 a lo largo de `axis`: exp(x_j) / Σ_k exp(x_k).

    Restar el máximo no cambia el resultado y evita que exp desborde con puntuaciones grandes.
    Devuelve un array con la forma de `x`.
    Lanza ShapeError si `x` está vacío o es un escalar, ValueError si tiene un NaN o un infinito.
    """
    (x,) = check_shapes(SOFTMAX_SHAPES, x=x)

    exponentials = np.exp(x - x.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def masked_softmax(scores, visible):
    """Softmax sobre el último eje que solo reparte entre lo visible (True = visible).

    La máscara entra *antes* de normalizar: exp(−∞) = 0, así que lo oculto pesa exactamente cero y
    lo visible suma 1, por grandes que sean las puntuaciones ocultas.
    Devuelve un array con la forma de `scores`.
    Lanza ShapeError si `visible` no tiene la forma de `scores`; ValueError, con el índice, si una
    fila no tiene nada visible.
    """
    scores, visible = check_shapes(MASKED_SOFTMAX_SHAPES, scores=scores, visible=visible)

    visible_scores = np.where(visible, scores, -np.inf)
    exponentials = np.exp(visible_scores - visible_scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def softmax_backward(grad_weights, weights, axis=-1):
    """Gradiente de las puntuaciones: ∂α_j/∂e_k = α_j (δ_jk − α_k).

    Vale también para `masked_softmax`: donde el peso es cero, el gradiente es cero.
    Recibe los pesos que devolvió el forward; devuelve un array con su misma forma.
    Lanza ShapeError si las dos formas difieren.
    """
    grad_weights, weights = check_shapes(
        SOFTMAX_BACKWARD_SHAPES, grad_weights=grad_weights, weights=weights
    )

    mean_grad = (grad_weights * weights).sum(axis=axis, keepdims=True)
    return weights * (grad_weights - mean_grad)


# ─── No linealidades ──────────────────────────────────────────────────────────────────────────


def sigmoid(x):
    """Logística 1 / (1 + exp(−x)), elemento a elemento, sin desbordar por ningún lado.

    Lanza ValueError si `x` tiene un NaN o un infinito.
    """
    (x,) = check_shapes(ELEMENTWISE_SHAPES, x=x)

    decayed = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, decayed) / (1 + decayed)


def sigmoid_backward(grad_output, output):
    """Gradiente de la entrada, a partir de la salida: σ'(x) = σ(x) (1 − σ(x)).

    Lanza ShapeError si las dos formas difieren.
    """
    grad_output, output = check_shapes(ELEMENTWISE_SHAPES, grad_output=grad_output, output=output)

    return grad_output * output * (1 - output)


def tanh_backward(grad_output, output):
    """Gradiente de la entrada de `np.tanh`, a partir de su salida: 1 − tanh²(x).

    Lanza ShapeError si las dos formas difieren.
    """
    grad_output, output = check_shapes(ELEMENTWISE_SHAPES, grad_output=grad_output, output=output)

    return grad_output * (1 - output**2)


# ─── Medidas, en nats ─────────────────────────────────────────────────────────────────────────


def cross_entropy(logits, labels):
    """Pérdida de cada posición: −log softmax(logits)[label], en nats.

    Recibe logits, no probabilidades: normaliza ella, una sola vez. No promedia: quien llama decide
    qué posiciones cuentan, p. ej. `losses[visible].mean()`.
    Lanza ShapeError si falta una etiqueta por fila, ValueError si una etiqueta no está en [0, V).
    """
    logits, labels = check_shapes(CROSS_ENTROPY_SHAPES, logits=logits, labels=labels)
    label_index = _label_index(logits, labels)

    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_total = np.log(np.exp(shifted).sum(axis=-1))
    return log_total - np.take_along_axis(shifted, label_index, axis=-1)[..., 0]


def cross_entropy_backward(grad_losses, logits, labels):
    """Gradiente de los logits: softmax(logits) menos un 1 en la etiqueta.

    Lanza ShapeError si las formas no casan, ValueError si una etiqueta no está en [0, V).
    """
    logits, labels, grad_losses = check_shapes(
        CROSS_ENTROPY_SHAPES, logits=logits, labels=labels, grad_losses=grad_losses
    )
    label_index = _label_index(logits, labels)

    one_hot = np.zeros_like(logits)
    np.put_along_axis(one_hot, label_index, 1, axis=-1)
    return grad_losses[..., None] * (softmax(logits) - one_hot)


def _label_index(logits, labels):
    V = logits.shape[-1]
    bad = (labels < 0) | (labels >= V)
    if bad.any():
        wanted = f"un índice entre 0 y {V - 1}, porque logits tiene V={V}"
        raise ValueError(f"labels{first_index(bad)}: esperaba {wanted}.")
    return labels[..., None]


def entropy(weights):
    """Entropía de cada fila, −Σ_j α_j log α_j, en nats: 0 si mira un solo sitio, log M si a todos.

    Que cada fila sume 1 es cosa de quien la calcula: las páginas imprimen esa suma al lado.
    Lanza ValueError, con el índice, si un peso es negativo.
    """
    (weights,) = check_shapes(ENTROPY_SHAPES, weights=weights)
    _require_non_negative(weights)

    positive = np.where(weights > 0, weights, 1)  # 0 · log 0 = 0
    return 0 - (weights * np.log(positive)).sum(axis=-1)  # «0 −» y no «−»: nula es 0, no −0


def _require_non_negative(weights):
    bad = weights < 0
    if bad.any():
        raise ValueError(
            f"weights{first_index(bad)}: esperaba pesos ≥ 0. Arreglo: pasa lo que devuelve softmax."
        )
