"""¿Encajan estos tensores? Y si no, cuál sobra, quién fijó su tamaño y cómo se arregla.

Aquí está la clave de letras de todo el proyecto. Un nombre como `query_BLK` dice su forma: lote,
posiciones de consulta, tamaño de la consulta. Las funciones que nombran los textos conservan los
nombres del texto (`W_a`, `encoder_states`), y su forma está en una declaración junto a ellas.

Letras: todas. La usan todas las fichas, y la página de notación la imprime.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

DIMENSIONS = {
    "B": "lote (batch); batch_size en la lección",
    "S": "posiciones de origen (source); T_enc en la lección, T_x en Bahdanau",
    "T": "posiciones de destino (target); T_dec en la lección, T_y en Bahdanau",
    "L": "posiciones de consulta (query)",
    "M": "posiciones de memoria: las de las claves y los valores (key, value)",
    "V": "vocabulario",
    "E": "embedding",
    "N": "unidades recurrentes: el tamaño del estado del decodificador; d_s en la lección",
    "C": "tamaño de una anotación (2N si el codificador es bidireccional); d_h en la lección",
    "A": "unidades de alineación; d_attn en la lección, n' en Bahdanau",
    "D": "ancho del modelo; d_model en Vaswani",
    "H": "cabezas (heads); n_heads en la lección",
    "K": "tamaño de consulta y clave; d_k en Vaswani",
    "P": "tamaño de un valor; d_v en Vaswani",
    "F": "capa intermedia de la red por posición; d_ff en Vaswani",
}


class ShapeError(ValueError):
    """Un tensor no encaja: el mensaje dice cuál, qué se esperaba, quién lo fijó y el arreglo."""


def suffix_shapes(*names):
    """La declaración que los propios nombres escriben: `query_BLK` mide «B L K»."""
    return {name: " ".join(name.rpartition("_")[2]) for name in names}


def check_shapes(declaration, /, **tensors):
    """Comprueba los tensores de una función pública antes de calcular nada con ellos.

    `declaration` da los ejes de cada nombre: «T_enc d_h», «d_attn d_s+d_h», o «... M» si delante
    puede haber los ejes que se quiera, los mismos en todos. El primer tensor con una letra fija
    su tamaño. Un nombre que empieza por `visible` es una máscara booleana (True = visible) con
    algo visible en cada fila; los que empiezan por `labels` o `lengths` son enteros; los demás,
    números reales.

    Devuelve los tensores como arrays, en el orden de la llamada: los enteros pasan a float64, los
    float32 se quedan como están y ninguno se copia sin necesidad.
    Lanza ShapeError si una forma no encaja, TypeError si un tensor no es del tipo que debe y
    ValueError si hay un NaN, un infinito o una fila sin nada visible.
    """
    arrays = {name: _as_array(name, tensor) for name, tensor in tensors.items()}
    shapes = {name: array.shape for name, array in arrays.items()}
    conflict = find_conflict(declaration, shapes)
    if conflict:
        fix = suggest_fix(declaration, shapes, conflict)
        raise ShapeError(f"{conflict.tensor}: {conflict.reason}. Arreglo: {fix}.")
    for name, array in arrays.items():
        _check_values(name, array)
    return tuple(arrays.values())


# ─── Tipos y valores ──────────────────────────────────────────────────────────────────────────


def _as_array(name, tensor):
    try:
        array = np.asarray(tensor)
    except ValueError as error:
        fix = "rellénalas hasta igualarlas y oculta el relleno con padding_mask"
        raise ShapeError(f"{name}: sus filas no miden lo mismo. Arreglo: {fix}.") from error
    if name.startswith("visible"):
        return _require_kind(name, array, "b", "booleanos (True = visible)", "astype(bool)")
    if name.startswith(("labels", "lengths")):
        return _require_kind(name, array, "iu", "enteros", "astype(int)")
    _require_kind(name, array, "iuf", "números reales", "astype(float)")
    precision = np.result_type(array, np.float32) if array.dtype.kind == "f" else np.float64
    return array.astype(precision, copy=False)


def _require_kind(name, array, kinds, wanted, conversion):
    if array.dtype.kind not in kinds:
        fix = f"si es lo que quieres, np.asarray({name}).{conversion}"
        raise TypeError(f"{name}: esperaba {wanted}, llegó {array.dtype}. Arreglo: {fix}.")
    return array


def _check_values(name, array):
    if name.startswith("visible"):
        bad, problem = ~array.any(axis=-1), "no hay nada visible"
        fix = "deja ver al menos una posición por fila, o quita esa fila del lote"
    elif array.dtype.kind == "f":
        bad, problem = ~np.isfinite(array), "hay un NaN o un infinito"
        fix = "busca de dónde sale; si era una máscara, pásala como booleana"
    else:
        return
    if bad.any():
        raise ValueError(f"{name}{first_index(bad)}: {problem}. Arreglo: {fix}.")


def first_index(bad):
    """Dónde está el primer True, listo para escribirlo tras el nombre del tensor: «[1, 2]»."""
    index = [int(position) for position in np.argwhere(bad)[0]]
    return str(index) if index else ""


# ─── Qué no encaja ────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Conflict:
    """El primer tensor que no encaja y su forma esperada («d_s=3» si está fijado, o «d_s»)."""

    tensor: str
    expected: tuple[str, ...]
    reason: str


def find_conflict(declaration, shapes):
    """Recorre los tensores fijando tamaños; devuelve el primer Conflict, o None si todo encaja."""
    sizes, fixed_by = {}, {}
    for name, axes in _axes(declaration, shapes).items():
        shape = shapes[name]
        known = {axis: _size(axis, sizes) for axis in axes}
        expected = tuple(axis if known[axis] is None else f"{axis}={known[axis]}" for axis in axes)
        form = f"({', '.join(expected)})"
        if len(axes) != len(shape):
            plural = "eje" if len(axes) == 1 else "ejes"
            return Conflict(name, expected, f"esperaba {len(axes)} {plural} {form}, llegó {shape}")
        for axis, size, wanted in zip(axes, shape, expected, strict=True):
            if known[axis] not in (None, size):
                owners = " y ".join(fixed_by[letter] for letter in axis.split("+"))
                reason = f"esperaba {form}, llegó {shape}; {wanted} lo fijó {owners}"
                return Conflict(name, expected, reason)
        if 0 in shape:
            return Conflict(name, expected, f"esperaba {form}, llegó vacío {shape}")
        for axis, size in zip(axes, shape, strict=True):
            sizes.setdefault(axis, size)
            fixed_by.setdefault(axis, name)
    return None


def _axes(declaration, shapes):
    """Los ejes de cada tensor; «...» son los que le sobran al primero, iguales en todos."""
    first = next(iter(shapes))
    extra = len(shapes[first]) - len(declaration[first].split()) + 1
    leading = " ".join(f"eje{axis}" for axis in range(extra))
    return {name: declaration[name].replace("...", leading).split() for name in shapes}


def _size(axis, sizes):
    """El tamaño ya fijado de «d_s» o de «d_s+d_h»; None si el eje todavía es libre."""
    letters = axis.split("+")
    return sum(sizes[letter] for letter in letters) if sizes.keys() >= set(letters) else None


# ─── Cómo se arregla ──────────────────────────────────────────────────────────────────────────


def suggest_fix(declaration, shapes, conflict):
    """El primer cambio de una línea con el que *todos* los tensores encajan, sin propagar nada."""
    name, shape = conflict.tensor, shapes[conflict.tensor]
    if 0 in shape:
        return "cada eje necesita al menos un elemento"
    for code, changed in _rearrangements(declaration, shapes, name):
        if find_conflict(declaration, shapes | changed) is None:
            return f"prueba {code}"
    wanted = [size.rpartition("=")[2] for size in conflict.expected]
    fix = f"dale la forma ({', '.join(wanted)})"
    if len(shape) > len(wanted):
        return f"{fix}; si sobra el eje del lote, usa la versión _forward"
    is_matrix_of_numbers = len(shape) == len(wanted) > 1 and not name.startswith("visible")
    if is_matrix_of_numbers and wanted[-1].isdigit() and int(wanted[-1]) != shape[-1]:
        return f"{fix} o pon una matriz en medio, como hace general_attention"
    return fix


def _rearrangements(declaration, shapes, suspect):
    """Cambios que no tocan los números: (código, formas nuevas), primero los del sospechoso."""
    for name in sorted(shapes, key=lambda name: name != suspect):
        for code, changed in rearrange(name, shapes[name]):
            yield code, {name: changed}
    for one, other in combinations(shapes, 2):
        yield f"a intercambiar {one} y {other}", {one: shapes[other], other: shapes[one]}
    axes = _axes(declaration, shapes)
    short = [name for name in shapes if len(axes[name]) == len(shapes[name]) + 1]
    yield ", ".join(f"{name}[None]" for name in short), {name: (1, *shapes[name]) for name in short}


def rearrange(name, shape):
    """Las formas que un tensor puede tomar sin que cambien sus números: (código, forma nueva).

    Dos ejes que cambian de sitio, un eje de tamaño 1 que aparece o uno que desaparece.
    """
    for i, j in combinations(range(len(shape)), 2):
        swapped = list(shape)
        swapped[i], swapped[j] = shape[j], shape[i]
        code = f"{name}.T" if len(shape) == 2 else f"{name}.swapaxes({i}, {j})"
        yield code, tuple(swapped)
    for axis in range(len(shape) + 1):
        yield f"np.expand_dims({name}, {axis})", (*shape[:axis], 1, *shape[axis:])
    for axis in range(len(shape)):
        if shape[axis] == 1:
            yield f"np.squeeze({name}, {axis})", (*shape[:axis], *shape[axis + 1 :])
