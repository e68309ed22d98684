"""¿Qué espera cada atención, dicho con las palabras de la lección?

Las declaraciones de forma viven junto a cada función. Aquí se juntan las que el diagnóstico conoce
y se traducen a un solo vocabulario: batch, T_dec, T_enc, d_s, d_h, d_attn, d_k, d_v y n_heads.
La usa la lección 05·10.
"""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, fields

from lessons_code.numerics import attention, multi_head

_LESSON_WORDS = {
    "B": "batch",
    "T": "T_dec",
    "L": "T_dec",
    "S": "T_enc",
    "M": "T_enc",
    "N": "d_s",
    "C": "d_h",
    "A": "d_attn",
    "K": "d_k",
    "P": "d_v",
    "H": "n_heads",
}


@dataclass(frozen=True)
class Signature:
    """Lo que entra y sale de una función, tensor a tensor.

    `params` es el juego de parámetros de una versión en lote; sus campos se pasan sueltos. `asks`
    es el estado que pregunta: «previous» (Bahdanau), «current» (Luong) o vacío si no hay estado.
    """

    function: Callable
    inputs: dict[str, str]
    outputs: dict[str, str]
    params: type | None
    asks: str

    @property
    def name(self):
        return self.function.__name__

    @property
    def has_heads(self):
        return "n_heads" in inspect.signature(self.function).parameters

    @property
    def batched(self):
        """La misma función para un lote; None si esta ya lo es."""
        is_batched = self.outputs["weights"].startswith("batch")
        return None if is_batched else SIGNATURES[f"{self.name}_forward"]

    def call(self, tensors, function=None):
        """Llama a la función (o a otra que se le parezca): devuelve context y weights."""
        arguments = dict(tensors)
        if self.params:
            params = {field.name: arguments.pop(field.name) for field in fields(self.params)}
            arguments["params"] = self.params(**params)
        return (function or self.function)(**arguments)[:2]

    def code(self, expressions=None):
        """La llamada, escrita; `expressions` da lo que va en lugar de algunos nombres."""
        expressions = expressions or {}
        arguments = []
        for name in inspect.signature(self.function).parameters:
            if name == "params":
                names = [field.name for field in fields(self.params)]
                inner = ", ".join(expressions.get(name, name) for name in names)
                arguments.append(f"attention.{self.params.__name__}({inner})")
            else:
                arguments.append(expressions.get(name, name))
        module = self.function.__module__.rpartition(".")[2]
        returned = "context, weights, _" if self.name.endswith("_forward") else "context, weights"
        return f"{returned} = {module}.{self.name}({', '.join(arguments)})"


def find_signature(function):
    """La firma de una función, de su nombre o de otra implementación que se llame igual.

    Lanza ValueError, con las que hay, si no se conoce.
    """
    name = function if isinstance(function, str) else getattr(function, "__name__", str(function))
    if name not in SIGNATURES:
        raise ValueError(f"no conozco la función «{name}». Conozco: {', '.join(SIGNATURES)}.")
    return SIGNATURES[name]


def _signature(function, declaration, weights, context, asks, params=None):
    names = []
    for name in inspect.signature(function).parameters:
        names += [field.name for field in fields(params)] if name == "params" else [name]
    inputs = {name: _in_lesson_words(declaration[name]) for name in names if name != "n_heads"}
    outputs = {"weights": _in_lesson_words(weights), "context": _in_lesson_words(context)}
    return Signature(function, inputs, outputs, params, asks)


def _in_lesson_words(axes):
    return re.sub(r"\b[A-Z]\b", lambda letter: _LESSON_WORDS[letter[0]], axes)


_ONE, _BATCH = ("S", "C"), ("B T S", "B T C")

SIGNATURES = {
    signature.name: signature
    for signature in (
        _signature(attention.additive_attention, attention.ADDITIVE_SHAPES, *_ONE, "previous"),
        _signature(attention.dot_attention, attention.DOT_SHAPES, *_ONE, "current"),
        _signature(attention.general_attention, attention.GENERAL_SHAPES, *_ONE, "current"),
        _signature(attention.concat_attention, attention.CONCAT_SHAPES, *_ONE, "current"),
        _signature(
            multi_head.multi_head_general_attention,
            attention.GENERAL_SHAPES,
            "H S",
            "C",
            "current",
        ),
        _signature(
            attention.additive_attention_forward,
            attention.ADDITIVE_FORWARD_SHAPES,
            *_BATCH,
            "previous",
            attention.AdditiveParams,
        ),
        _signature(
            attention.dot_attention_forward, attention.DOT_FORWARD_SHAPES, *_BATCH, "current"
        ),
        _signature(
            attention.general_attention_forward,
            attention.GENERAL_FORWARD_SHAPES,
            *_BATCH,
            "current",
            attention.GeneralParams,
        ),
        _signature(
            attention.concat_attention_forward,
            attention.CONCAT_FORWARD_SHAPES | {"visible_BS": "B S"},
            *_BATCH,
            "current",
            attention.ConcatParams,
        ),
        _signature(
            multi_head.multi_head_general_attention_forward,
            attention.GENERAL_FORWARD_SHAPES,
            "B H T S",
            "B T C",
            "current",
            attention.GeneralParams,
        ),
        _signature(
            attention.scaled_dot_attention, attention.SCALED_DOT_SHAPES, "B L M", "B L P", ""
        ),
        _signature(
            attention.scaled_dot_attention_forward,
            attention.SCALED_DOT_SHAPES,
            "B L M",
            "B L P",
            "",
        ),
    )
}
