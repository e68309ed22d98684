"""¿Qué posiciones puede mirar cada consulta? Máscaras booleanas: True = visible.

Letras: B lote · L posiciones de consulta · M posiciones de memoria · T posiciones de destino.
Las usan la ficha P07 (relleno) y la P08 (relleno y causalidad).
"""

import numpy as np

from lessons_code.numerics.shapes import check_shapes, suffix_shapes

PADDING_SHAPES = {"lengths": "B"}
REPEAT_SHAPES = suffix_shapes("visible_BM")


def padding_mask(lengths, size):
    """Lo que no es relleno: en la fila b se ven las primeras `lengths[b]` de `size` posiciones.

    Devuelve visible_BM, booleana.
    Lanza ValueError si una longitud es negativa o no cabe en `size`, TypeError si no es entera.
    """
    (lengths,) = check_shapes(PADDING_SHAPES, lengths=lengths)
    positions_M = np.arange(_require_size(size))
    for row, length in enumerate(lengths):
        if not 0 <= length <= size:
            raise ValueError(f"lengths[{row}]: esperaba entre 0 y size={size}, llegó {length}.")

    visible_BM = positions_M < lengths[:, None]
    return visible_BM


def causal_mask(size):
    """Lo ya escrito: la posición i ve las posiciones j ≤ i. Vaswani et al. (2017), §3.2.3.

    Devuelve visible_TT, booleana. Lanza ValueError si `size` no es un entero positivo.
    """
    positions_T = np.arange(_require_size(size))

    visible_TT = positions_T <= positions_T[:, None]
    return visible_TT


def repeat_for_queries(visible_BM, L):
    """La misma máscara para cada una de las L consultas: de visible_BM a visible_BLM (una vista).

    Lanza ShapeError si `visible_BM` no tiene dos ejes, ValueError si L no es un entero positivo.
    """
    (visible_BM,) = check_shapes(REPEAT_SHAPES, visible_BM=visible_BM)

    B, M = visible_BM.shape
    visible_BLM = np.broadcast_to(visible_BM[:, None, :], (B, _require_size(L), M))
    return visible_BLM


def _require_size(size):
    if not isinstance(size, int | np.integer) or isinstance(size, bool) or size < 1:
        raise ValueError(f"esperaba un tamaño entero ≥ 1, llegó {size!r}.")
    return size
