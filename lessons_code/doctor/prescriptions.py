"""De un cambio a una receta: qué tensor, qué forma le toca, el arreglo en una línea y su prueba.

El arreglo que pueda escribirse sin inventar datos se escribe. Un parámetro con otra forma hay que
crearlo y aprenderlo de nuevo; una máscara se rehace con las longitudes de las frases; unas
anotaciones que faltan no las sabe nadie, y entonces no hay arreglo de una línea. Repetir lo que
llegó hasta que encaje sería propagarlo a escondidas: nunca se propone.

La usa la lección 05·10.
"""

import math
from dataclasses import dataclass

import numpy as np

from lessons_code.doctor.repairs import find_repairs, is_data, is_parameter, sizes_of
from lessons_code.numerics.shapes import find_conflict


@dataclass(frozen=True)
class Finding:
    """Un culpable y qué hacer con él.

    `fix` y `test` son Python: usan los tensores por su nombre, `np` y los módulos `attention`,
    `masks` y `multi_head`. `fix` está vacío si ninguna línea lo arregla sin datos nuevos. `ties`
    son las demás explicaciones que cuestan lo mismo.
    """

    tensor: str
    shape: tuple[int, ...]
    expected: str
    reason: str
    fix: str
    test: str
    ties: tuple[str, ...] = ()

    def __str__(self):
        lines = [f"{self.tensor}: llegó {self.shape}, le toca {self.expected}. {self.reason}"]
        lines += [f"  Empate: {tie}." for tie in self.ties]
        lines.append(f"  Arreglo: {self.fix or 'ninguno de una línea.'}")
        lines += ["  Prueba:", *(f"    {line}" for line in self.test.splitlines())]
        return "\n".join(lines)


def prescribe(signature, inputs, n_heads=None):
    """Los hallazgos de una llamada que no encaja, según el menor cambio que lo explica todo."""
    shapes = {name: np.shape(tensor) for name, tensor in inputs.items()}
    repairs = find_repairs(signature.inputs, shapes)
    needs_more_than_axes = not repairs or repairs[0].cost > 1
    if needs_more_than_axes and (call := _batched_call(signature, shapes, n_heads)):
        return [call]
    if not repairs:
        return [_first_conflict(signature, shapes)]
    best, *others = repairs
    sizes, owners = sizes_of(signature.inputs, best.shapes)
    if n_heads:
        sizes["n_heads"] = n_heads
    for name in best.codes:
        _keep_own_sizes(signature.inputs[name].split(), shapes[name], sizes)
    ties = tuple(_in_words(signature, repair) for repair in others)
    if best.is_swap:
        return [_swap(signature, best, shapes, sizes, ties)]
    return [
        _one_guilty(signature, name, inputs[name], best, sizes, owners, ties) for name in best.codes
    ]


def _one_guilty(signature, name, tensor, repair, sizes, owners, ties):
    axes, shape = signature.inputs[name].split(), np.shape(tensor)
    if code := repair.codes[name]:
        fix, why = f"{name} = {code}", _what_moved(shape, repair.shapes[name])
    else:
        fix, why = _new_shape(name, tensor, axes, sizes)
        if not any(map(is_parameter, signature.inputs)) and fix and is_data(name):
            why = f"Consulta y clave miden distinto: el error más frecuente al empezar. {why}"
    if _resized(axes, sizes, "d_h", 1 / 2) == shape:
        why = f"Es la anchura de una sola dirección, y el codificador es bidireccional. {why}"
        ties = () if is_parameter(name) else ties
    elif _resized(axes, sizes, "d_h", 2) == shape:
        why = f"¿Llegó una sola dirección del codificador? Concatena entonces las dos. {why}"
    others = {
        letter: [one for one in names if one not in repair.codes]
        for letter, names in owners.items()
    }
    sentences = (why, _fixed_by(axes, sizes, others), _broadcast(axes, shape, sizes))
    reason = " ".join(sentence for sentence in sentences if sentence)
    test = regression_test(signature, [name], sizes)
    return Finding(name, shape, form(axes, sizes), reason, fix, test, ties)


# ─── La forma que toca, y la prueba que la guarda ─────────────────────────────────────────────


def form(axes, sizes):
    """«(d_attn=11, d_s=3)»; un eje que nadie fija va sin número."""
    known = [(axis, _size(axis, sizes)) for axis in axes]
    return f"({', '.join(axis if size is None else f'{axis}={size}' for axis, size in known)})"


def regression_test(signature, changed, sizes):
    """Los `assert` que fallarían si el fallo volviera: lo cambiado, el resultado y la suma."""
    declared = {name: signature.inputs[name].split() for name in changed if name != "n_heads"}
    outputs = {name: axes.split() for name, axes in signature.outputs.items()}
    measured = {
        name: axes
        for name, axes in (declared | outputs).items()
        if all(_size(axis, sizes) for axis in axes)
    }
    letters = list(
        dict.fromkeys(
            letter for axes in measured.values() for axis in axes for letter in axis.split("+")
        )
    )
    lines = [f"{', '.join(letters)} = {', '.join(str(sizes[letter]) for letter in letters)}"]
    for name, axes in measured.items():
        wanted = [axis.replace("+", " + ") for axis in axes]
        lines.append(f"assert {name}.shape == ({', '.join(wanted)}{',' * (len(wanted) == 1)})")
    lines.append("assert np.allclose(weights.sum(axis=-1), 1)")
    return "\n".join(lines)


def _size(axis, sizes):
    letters = axis.split("+")
    return sum(sizes[letter] for letter in letters) if sizes.keys() >= set(letters) else None


def _wanted(axes, sizes):
    """La forma en números, o None si falta alguno."""
    shape = tuple(_size(axis, sizes) for axis in axes)
    return None if None in shape else shape


def _resized(axes, sizes, letter, factor):
    """La forma que tendría si una letra midiera otra cosa."""
    return _wanted(axes, sizes | {letter: sizes[letter] * factor}) if letter in sizes else None


def _keep_own_sizes(axes, shape, sizes):
    """Un eje que nadie más fija mide lo que trae el propio culpable, contando desde el final."""
    for axis, size in zip(reversed(axes), reversed(shape), strict=False):
        if "+" not in axis:
            sizes.setdefault(axis, size)


# ─── Las palabras ─────────────────────────────────────────────────────────────────────────────


def _fixed_by(axes, sizes, owners):
    parts = []
    for letter in dict.fromkeys("+".join(axes).split("+")):
        if names := owners.get(letter):
            verb = "lo fija" if len(names) == 1 else "lo fijan"
            parts.append(f"{letter}={sizes[letter]} {verb} {_and(names)}")
    return f"{'; '.join(parts)}." if parts else ""


def _and(names):
    *first, last = names
    return f"{', '.join(first)} y {last}" if first else last


def _broadcast(axes, shape, sizes):
    """El aviso, si NumPy podría estirar lo que llegó sin protestar."""
    wanted = _wanted(axes, sizes)
    if wanted in (None, shape):
        return ""
    try:
        stretched = np.broadcast_shapes(shape, wanted)
    except ValueError:
        return ""
    if stretched == wanted and math.prod(shape) == math.prod(wanted):
        return ""  # solo falta un eje de tamaño 1 delante: no se repite nada
    return (
        f"Cuidado: NumPy puede callar y propagar, {shape} con {wanted} da {stretched}; no habría "
        "error, sino números que no son."
    )


def _what_moved(shape, changed):
    if len(shape) == len(changed):
        return "Llegó traspuesto: son sus números, con los ejes en otro orden."
    return "Le sobra un eje de tamaño 1." if len(shape) > len(changed) else "Le falta un eje."


def _in_words(signature, repair):
    """Otra explicación que cuesta lo mismo, en una frase."""
    if repair.is_swap:
        return f"también encajaría si {_and(list(repair.codes))} llegaron intercambiados"
    sizes, _ = sizes_of(signature.inputs, repair.shapes)
    parts = [
        f"{name} = {code}" if code else f"{name} {form(signature.inputs[name].split(), sizes)}"
        for name, code in repair.codes.items()
    ]
    return f"también encajaría con {_and(parts)}"


# ─── Las recetas ──────────────────────────────────────────────────────────────────────────────


def _new_shape(name, tensor, axes, sizes):
    """Un tensor al que no le basta con mover los ejes: la línea, y por qué esa."""
    wanted, shape = _wanted(axes, sizes), np.shape(tensor)
    if wanted is None:
        return "", "Con lo que ha llegado no se sabe cuánto mide."
    if 0 in shape:
        return "", "Está vacío: cada eje necesita al menos un elemento."
    if name.startswith("visible"):
        return _new_mask(name, np.asarray(tensor), wanted)
    if shape[1:] == wanted:
        if np.array_equal(tensor, np.broadcast_to(tensor[:1], shape)):
            return f"{name} = {name}[0]", f"Está repetido {shape[0]} veces, y aquí va una."
        return "", f"Le sobra un eje: cuál de los {shape[0]} trozos quieres, no se deduce."
    if is_parameter(name):
        why = "Es un parámetro: con otra forma hay que crearlo y aprenderlo de nuevo."
        return f"{name} = {_drawn(wanted)}", why
    if len(shape) == len(wanted) and shape[:-1] == wanted[:-1]:
        why = "Una matriz que se aprende lo proyecta, como hace la forma general de Luong."
        return f"{name} = {name} @ {_drawn((shape[-1], wanted[-1]))}", why
    return "", "Faltan datos, y repetir los que hay hasta que encajen taparía el fallo."


def _new_mask(name, visible, wanted):
    """Una máscara de otros ejes se rehace: estirarla ocultaría lo que no es."""
    batch, size = wanted[0], wanted[-1]
    padding = f"masks.padding_mask(lengths, {size})"
    lengths = "lengths son las longitudes de las frases de origen."
    if len(wanted) == 2:
        has_queries = visible.ndim == 3 and (batch, size) == visible.shape[::2]
        if has_queries and (visible == visible[:, :1]).all():
            return (
                f"{name} = {name}[:, 0]",
                "Trae también el eje T_dec, y todos los pasos ven igual.",
            )
        return f"{name} = {padding}", f"Es de otros ejes: aquí se dice qué origen se ve; {lengths}"
    if visible.shape == (batch, size):
        fix = f"{name} = masks.repeat_for_queries({name}, {wanted[1]})"
        tie = " Como T_dec = batch, también podría ser la causal." if batch == wanted[1] else ""
        return fix, f"Dice qué se ve de cada frase; falta decirlo para cada consulta.{tie}"
    if visible.shape in (wanted[1:], (1, *wanted[1:])):
        join = "stack" if visible.ndim == 2 else "concatenate"
        fix = f"{name} = np.{join}([{name}] * {batch})"
        return fix, "Dice qué ve cada consulta; falta decirlo para cada frase del lote."
    return (
        f"{name} = masks.repeat_for_queries({padding}, {wanted[1]})",
        f"Es de otros ejes; {lengths}",
    )


def _drawn(shape):
    return f"np.random.default_rng(7).normal(scale=0.1, size={shape})"


def _swap(signature, repair, shapes, sizes, ties):
    one, other = repair.codes
    axes = signature.inputs[one].split()
    return Finding(
        one,
        shapes[one],
        form(axes, sizes),
        f"Llegó intercambiado con {other}, que mide {shapes[other]} y debe medir "
        f"{form(signature.inputs[other].split(), sizes)}.",
        f"{one}, {other} = {other}, {one}",
        regression_test(signature, [one, other], sizes),
        ties,
    )


def _batched_call(signature, shapes, n_heads):
    """Varias frases, o varios pasos, dados a la función de uno solo: la llamada en lote."""
    if not signature.batched:
        return None
    state, states = shapes["decoder_state"], shapes["encoder_states"]
    if len(state) < 2 or len(states) < 2:
        return None
    moved = {"decoder_state": state, "encoder_states": states}
    if len(states) == 2:
        moved = {name: (1, *shape) for name, shape in moved.items()}
    elif len(state) == 2:
        moved["decoder_state"] = (state[0], 1, state[1])
    batched, visible = signature.batched, moved["encoder_states"][:2]
    names = dict(zip(batched.inputs, signature.inputs, strict=False))
    after = {new: moved.get(old, shapes[old]) for new, old in names.items()}
    after |= {"visible_BS": visible}
    if find_conflict(batched.inputs, after):
        return None
    codes = {
        new: old if after[new] == shapes[old] else f"{old}.reshape{after[new]}"
        for new, old in names.items()
    }
    sizes, _ = sizes_of(batched.inputs, after)
    if n_heads:
        sizes["n_heads"] = n_heads
    return Finding(
        "decoder_state",
        state,
        form(signature.inputs["decoder_state"].split(), sizes),
        f"{signature.name} atiende un paso de una frase y aquí llegan varios: para eso está "
        f"{batched.name}. Si hay relleno, pon masks.padding_mask en lugar de los unos.",
        batched.code(codes | {"visible_BS": f"np.ones({visible}, bool)"}),
        regression_test(batched, [], sizes),
    )


def _first_conflict(signature, shapes):
    """Demasiado roto para un solo diagnóstico: se señala lo primero que choca."""
    conflict = find_conflict(signature.inputs, shapes)
    return Finding(
        conflict.tensor,
        shapes[conflict.tensor],
        f"({', '.join(conflict.expected)})",
        "Ningún cambio de uno o dos tensores lo explica todo, y este es el primero que choca. "
        "Dale su forma y vuelve a preguntar.",
        "",
        f"assert {conflict.tensor}.ndim == {len(conflict.expected)}",
    )
