"""¿Cuál es el menor cambio con el que todos los tensores encajan?

El tensor que choca no siempre es el culpable: si `encoder_states` llega traspuesto, quien choca es
`U_a`. Aquí se prueban los cambios, del menor al mayor, y se queda el que lo explica *todo*:

    coste 1   mover los ejes de un tensor sin tocar sus números, o poner el del lote a todos
    coste 2   intercambiar dos tensores de la misma clase, o mover los ejes de dos
    coste 2   dar otra forma a un tensor (hacen falta otros números)
    coste 3+  dos tensores, y al menos uno con otra forma

Si varios cuestan lo mismo hay empate: las formas no dicen cuál es, y hay que decirlo. Ningún cambio
estira un eje: cada uno deja todos los tamaños como la declaración pide. La usa la lección 05·10.
"""

from dataclasses import dataclass
from itertools import combinations, groupby

from lessons_code.numerics.shapes import find_conflict, rearrange


@dataclass(frozen=True)
class Repair:
    """Un cambio. `codes` da, de cada culpable, la expresión que lo arregla, o "" si no la hay.

    `shapes` son las formas de todos después del cambio, salvo la de los que necesitan otra.
    """

    cost: int
    codes: dict[str, str]
    shapes: dict[str, tuple[int, ...]]

    @property
    def is_swap(self):
        return len(self.codes) == 2 and set(self.codes) == set(self.codes.values())


def find_repairs(declaration, shapes):
    """Los cambios de menor coste con los que todo encaja, primero los más creíbles; [] si ninguno.

    Entre dos que cuestan lo mismo es más creíble el que no toca los números y, después, el que
    señala a un parámetro o a una máscara: las anotaciones y los estados vienen de otra red.
    """
    candidates = sorted(_candidates(declaration, shapes), key=lambda repair: repair.cost)
    for _, same_cost in groupby(candidates, key=lambda repair: repair.cost):
        if found := [repair for repair in same_cost if _fits(declaration, repair)]:
            return sorted(found, key=_doubt)
    return []


def sizes_of(declaration, shapes):
    """Lo que mide cada letra y quién lo dice: dos diccionarios, `sizes` y `owners`.

    De «d_s+d_h» se despeja la que falte.
    """
    sizes, owners = {}, {}
    for name, shape in shapes.items():
        for axis, size in zip(declaration[name].split(), shape, strict=True):
            if "+" not in axis:
                sizes[axis] = size
                owners.setdefault(axis, []).append(name)
    for name, shape in shapes.items():
        for axis, size in zip(declaration[name].split(), shape, strict=True):
            for one, other in _both_ways(axis):
                if other in sizes and one not in sizes:
                    sizes[one] = size - sizes[other]
                    owners[one] = [name, *owners[other]]
    return sizes, owners


def is_data(name):
    """Si el tensor viene de los datos o de otra red."""
    return name.startswith(("decoder_state", "encoder_states", "query", "key", "value"))


def is_parameter(name):
    """Si la propia atención lo aprende; una máscara no es ni dato ni parámetro."""
    return not is_data(name) and not name.startswith("visible")


def _both_ways(axis):
    one, plus, other = axis.partition("+")
    return [(one, other), (other, one)] if plus else []


def _fits(declaration, repair):
    if not repair.shapes or find_conflict(declaration, repair.shapes):
        return False
    return all(size > 0 for size in sizes_of(declaration, repair.shapes)[0].values())


def _doubt(repair):
    needs_numbers = [name for name, code in repair.codes.items() if not code]
    return len(needs_numbers), any(map(is_data, needs_numbers))


# ─── Los cambios que se prueban ───────────────────────────────────────────────────────────────


def _candidates(declaration, shapes):
    edits = {name: list(_edits(name, shapes)) for name in shapes}
    for repairs in edits.values():
        yield from repairs
    yield from _without_batch(declaration, shapes)
    for one, other in combinations(shapes, 2):
        if (is_data(one), is_parameter(one)) == (is_data(other), is_parameter(other)):
            swapped = {one: shapes[other], other: shapes[one]}
            yield Repair(2, {one: other, other: one}, shapes | swapped)
        for first in edits[one]:
            for second in edits[other]:
                yield _together(first, second, one, other)


def _edits(name, shapes):
    """Lo que se le puede hacer a un solo tensor: mover sus ejes, o pedirle otra forma."""
    seen = {shapes[name]}
    for code, shape in rearrange(name, shapes[name]):
        if shape not in seen:
            seen.add(shape)
            yield Repair(1, {name: code}, shapes | {name: shape})
    others = {other: shape for other, shape in shapes.items() if other != name}
    yield Repair(2, {name: ""}, others)


def _together(first, second, one, other):
    shapes = dict(first.shapes)
    if other in second.shapes:
        shapes[other] = second.shapes[other]
    else:
        del shapes[other]
    return Repair(first.cost + second.cost, first.codes | second.codes, shapes)


def _without_batch(declaration, shapes):
    """El eje del lote que falta en todos a la vez es un solo olvido."""
    batched = [name for name in shapes if declaration[name].startswith("batch")]
    if len(batched) > 1 and all(
        len(shapes[name]) == len(declaration[name].split()) - 1 for name in batched
    ):
        codes = {name: f"np.expand_dims({name}, 0)" for name in batched}
        yield Repair(1, codes, shapes | {name: (1, *shapes[name]) for name in batched})
