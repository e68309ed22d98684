"""¿Qué le pasa a esta llamada de atención, y cómo se arregla en una línea?

`diagnose` mira una llamada como quien ya se equivocó antes: señala el tensor culpable, la forma que
le toca y quién la fija, da un arreglo de una línea y una prueba para que el fallo no vuelva.

No ofrece arreglos que se propagan a escondidas, no adivina los empates (los enumera) y no ve en las
formas lo que no está en ellas: una matriz *cuadrada* traspuesta encaja igual, y s_{i−1} mide lo
mismo que s_i. Para lo primero, dale los `weights` que obtuviste o tu propia función, y los compara
con los que deberían ser. Para lo segundo, dale los dos estados.

La usan la lección 05·10, su entregable y la orden `ai-evolution shapes`.
"""

import numpy as np

from lessons_code.doctor.prescriptions import Finding, form, prescribe, regression_test
from lessons_code.doctor.repairs import sizes_of
from lessons_code.doctor.signatures import find_signature
from lessons_code.numerics.shapes import ShapeError, check_shapes, find_conflict

STATES = ("previous_state", "current_state")


def diagnose(function, /, **tensors):
    """Los fallos de una llamada, según el menor cambio que los explica todos; [] si está sana.

    `function` es una de las de `signatures`, su nombre, o tu propia versión si se llama igual.
    Los tensores van por su nombre; los parámetros de una versión en lote, sueltos:
    `**vars(params)`. Si quieres, también lo que obtuviste (`weights`, `context`) y los dos estados
    entre los que estaba el paso (`previous_state`, `current_state`), para saber cuál preguntó.
    Devuelve una lista de Finding.
    Lanza ValueError si no conoce la función, TypeError si falta un tensor o sobra un nombre, y lo
    que lance `check_shapes` si un tensor no es de números o tiene un NaN.
    """
    signature = find_signature(function)
    _require_arguments(signature, tensors)
    inputs = {name: tensors[name] for name in signature.inputs}
    shapes = {name: np.shape(tensor) for name, tensor in inputs.items()}
    if find_conflict(signature.inputs, shapes):
        return prescribe(signature, inputs, tensors.get("n_heads"))

    inputs = dict(zip(inputs, check_shapes(signature.inputs, **inputs), strict=True))
    sizes, _ = sizes_of(signature.inputs, shapes)
    if signature.has_heads:
        inputs["n_heads"] = sizes["n_heads"] = tensors["n_heads"]
        if findings := _diagnose_heads(signature, sizes):
            return findings
    answer = {name: tensors[name] for name in signature.outputs if name in tensors}
    if callable(function) and function is not signature.function:
        context, weights = signature.call(inputs, function)
        answer = {"weights": weights, "context": context} | answer
    return [
        *_diagnose_state(signature, inputs, sizes, tensors),
        *_diagnose_answer(signature, inputs, sizes, answer),
    ]


def shape_table(function, /, **tensors):
    """Lo que mide cada tensor de una llamada sana, entre o salga: {"W_a": "(d_attn=11, d_s=3)"}."""
    signature = find_signature(function)
    shapes = {name: np.shape(tensors[name]) for name in signature.inputs}
    sizes, _ = sizes_of(signature.inputs, shapes)
    sizes |= {"n_heads": tensors["n_heads"]} if signature.has_heads else {}
    declared = signature.inputs | signature.outputs
    return {name: form(axes.split(), sizes) for name, axes in declared.items()}


def _require_arguments(signature, tensors):
    needed = [*signature.inputs, *(["n_heads"] if signature.has_heads else [])]
    optional = [*signature.outputs, *(STATES if signature.asks else ())]
    if unknown := [name for name in tensors if name not in (*needed, *optional)]:
        known = f"lleva {', '.join(needed)} y, si quieres, {', '.join(optional)}"
        raise TypeError(f"{signature.name} no tiene {', '.join(unknown)}: {known}.")
    if missing := [name for name in needed if name not in tensors]:
        raise TypeError(f"{signature.name}: falta {', '.join(missing)}.")
    if len(tensors.keys() & set(STATES)) == 1:
        raise TypeError("previous_state y current_state van juntos: se comparan entre sí.")
    n_heads = tensors.get("n_heads", 1)
    if not isinstance(n_heads, int | np.integer) or n_heads < 1:
        raise ValueError(f"n_heads: esperaba un entero ≥ 1, llegó {n_heads!r}.")


# ─── Lo que no es la forma de un tensor ───────────────────────────────────────────────────────


def _diagnose_heads(signature, sizes):
    n_heads, d_h = sizes["n_heads"], sizes["d_h"]
    if d_h % n_heads == 0:
        return []
    divisors = [number for number in range(1, d_h + 1) if d_h % number == 0]
    fits = max(number for number in divisors if number < n_heads)
    fixed = sizes | {"n_heads": fits}
    return [
        Finding(
            "n_heads",
            (),
            f"un divisor de d_h={d_h}",
            f"{d_h} columnas no se reparten entre {n_heads} cabezas; sí entre "
            f"{', '.join(map(str, divisors))}. d_h={d_h} lo fija encoder_states.",
            f"n_heads = {fits}",
            f"assert {d_h} % n_heads == 0\n{regression_test(signature, [], fixed)}",
        )
    ]


def _diagnose_state(signature, inputs, sizes, tensors):
    """Bahdanau pregunta con s_{i−1} y Luong con s_i: los dos miden lo mismo, así que se miran."""
    if STATES[0] not in tensors:
        return []
    name = next(iter(inputs))
    asked = inputs[name]
    states = {state: np.asarray(tensors[state]) for state in STATES}
    for state, value in states.items():
        if value.shape != asked.shape:
            raise ShapeError(
                f"{state}: esperaba la forma de {name}, {asked.shape}, llegó {value.shape}."
            )
    right, wrong = STATES if signature.asks == "previous" else reversed(STATES)
    if np.array_equal(asked, states[right]):
        return []
    said = f"es {wrong}" if np.array_equal(asked, states[wrong]) else "no es ninguno de los dos"
    whose = (
        "Bahdanau pregunta con s_{i−1}, el estado anterior al paso"
        if signature.asks == "previous"
        else "Luong pregunta con s_i, el estado posterior al paso"
    )
    return [
        Finding(
            name,
            asked.shape,
            f"{form(signature.inputs[name].split(), sizes)}, la misma",
            f"Convenio: {whose}, y {name} {said}. La forma es la misma, así que nada más avisa.",
            f"{name} = {right}",
            f"assert np.array_equal({name}, {right})",
        )
    ]


def _diagnose_answer(signature, inputs, sizes, answer):
    """Compara lo obtenido con lo que dan estos mismos tensores; basta el primer desacuerdo."""
    context, weights = signature.call(inputs)
    for name, right in (("weights", weights), ("context", context)):
        if name not in answer or _close(got := np.asarray(answer[name]), right):
            continue
        axes = signature.outputs[name].split()
        fix, why = _explain(name, got, right, axes)
        return [
            Finding(
                name,
                got.shape,
                form(axes, sizes),
                why,
                fix or signature.code(),
                f"{regression_test(signature, [], sizes)}\n{_same_numbers(signature, name)}",
            )
        ]
    return []


def _close(one, other):
    """Los mismos números en la misma forma; lo obtenido puede venir en float32."""
    return one.shape == other.shape and np.allclose(one, other, rtol=1e-4, atol=1e-6)


def _same_numbers(signature, name):
    index = 1 if name == "weights" else 0
    call = signature.code().partition(" = ")[2]
    return f"assert np.allclose({name}, {call}[{index}], rtol=1e-4, atol=1e-6)"


def _explain(name, got, right, axes):
    """El arreglo, si basta con mover los ejes, y qué delatan los números."""
    if got.ndim > 1 and _close(got.swapaxes(-1, -2), right):
        return f"{name} = {name}.swapaxes(-1, -2)", "Son los números buenos, pero traspuestos."
    if got.size == right.size and _close(got.reshape(right.shape), right):
        fix = f"{name} = {name}.reshape({right.shape})"
        return fix, "Son los números buenos, con los ejes mal puestos."
    if name == "context":
        return "", "No es el promedio de las anotaciones con esos pesos."
    over = [axis for axis in range(got.ndim) if np.allclose(got.sum(axis=axis), 1, atol=1e-4)]
    if not over:
        return "", (
            "No suman 1 sobre ningún eje: falta el softmax, se hizo sobre todo el tensor o la "
            "máscara se multiplicó después."
        )
    if got.shape == right.shape and got.ndim - 1 not in over:
        return "", (
            f"Suman 1 sobre {axes[over[0]]} y no sobre {axes[-1]}: el softmax se hizo con "
            f"axis={over[0]}; hazlo con axis=-1, que es por donde se reparte el peso."
        )
    return "", (
        "Suman 1, pero no son los de estos tensores: mira si una matriz cuadrada va traspuesta, si "
        "preguntó otro estado o si falta la máscara."
    )
