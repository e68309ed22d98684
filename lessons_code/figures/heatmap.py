"""Mapas de calor de la atención, dibujados directamente en SVG.

Orientación de Bahdanau et al. (2015), fig. 3: una fila por palabra generada (i), una columna por
palabra de origen (j). La tinta crece con el peso: α = 0 deja el fondo, α = 1 lo cubre de acento.
Solo NumPy: el mismo código dibuja en la página y en el navegador.
"""

from collections.abc import Sequence
from html import escape

import numpy as np

from lessons_code.figures.figure import Figure, color
from lessons_code.figures.spanish import fixed
from lessons_code.figures.tables import table

# A partir de esta cobertura la cifra cambia de tinta. Los acentos de las dos paletas se eligieron
# para que aquí la celda tenga la luminancia en que negro y blanco contrastan lo mismo (4,58 : 1).
INK_SWITCH = 0.645

CHARACTER = 7.7  # px: ancho medio de una letra a 14 px
LONGEST_LABEL = 16  # letras: más largas se cortan en el dibujo, nunca en los datos


def heatmap(
    weights: np.ndarray,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    description: str,
    row_title: str = "",
    column_title: str = "",
    decimals: int = 2,
) -> Figure:
    """Dibuja los pesos (filas, columnas) entre 0 y 1 y rodea el mayor de cada fila.

    `rows` son las palabras generadas y `columns` las de origen. Lanza ValueError si la forma no
    casa con las etiquetas o si algún peso no es un número entre 0 y 1.
    """
    weights_TS = _checked(weights, rows, columns)
    winners = [_winners(weights_S) for weights_S in weights_TS]

    cell = (46 if len(columns) <= 10 else 36) + 8 * max(decimals - 2, 0)
    column_labels, row_labels = _shortened(columns), _shortened(rows)
    longest = max(map(len, column_labels))
    tilted = longest * CHARACTER > cell
    reach = round(longest * CHARACTER * 0.71) + 12 if tilted else 20

    left = round(max(map(len, row_labels)) * CHARACTER) + 12 + (24 if row_title else 0)
    top = reach + (24 if column_title else 0)
    grid_width, grid_height = cell * len(columns), cell * len(rows)
    beyond = max(_overhang(column_labels, cell) if tilted else 2, _spill(column_title, grid_width))
    below = max(2, _spill(row_title, grid_height))

    drawing = (
        f'<g transform="translate({left} {top})" font-size="14">'
        + _axis_titles(row_title, column_title, grid_width, grid_height, left, top)
        + _column_labels(column_labels, cell, tilted)
        + _row_labels(row_labels, cell)
        + _cells(weights_TS, cell, decimals)
        + _rings(winners, cell)
        + "</g>"
    )
    return Figure(
        title=title,
        description=description,
        summary=_summary(weights_TS, winners, rows, columns, decimals),
        width=left + grid_width + beyond,
        height=top + grid_height + below,
        drawing=drawing,
        data=table(
            [f"{row_title or 'fila'} / {column_title or 'columna'}", *columns],
            [
                [word, *np.round(weights_S, decimals).tolist()]
                for word, weights_S in zip(rows, weights_TS, strict=True)
            ],
            caption=title,
            decimals=decimals,
        ),
    )


def _checked(weights: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> np.ndarray:
    weights_TS = np.asarray(weights, dtype=float)
    expected = (len(rows), len(columns))
    if weights_TS.shape != expected or 0 in expected:
        raise ValueError(
            f"weights: esperaba la forma {expected}, una fila por etiqueta de rows y una columna "
            f"por etiqueta de columns, llegó {weights_TS.shape}; revisa las etiquetas o traspón"
        )
    wrong = ~((weights_TS >= 0) & (weights_TS <= 1 + 1e-9))
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise ValueError(
            f"weights[{i}, {j}] = {weights_TS[i, j]}: un peso de atención está entre 0 y 1; "
            "¿son puntuaciones sin softmax?"
        )
    return np.minimum(weights_TS, 1)


def _winners(weights_S: np.ndarray) -> list[int]:
    """Columnas del mayor peso, o ninguna si la fila reparte por igual."""
    highest = np.flatnonzero(weights_S >= weights_S.max() - 1e-9).tolist()
    return [] if len(highest) == len(weights_S) > 1 else highest


def _shortened(labels: Sequence[str]) -> list[str]:
    return [
        label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "…"
        for label in labels
    ]


def _overhang(labels: Sequence[str], cell: int) -> int:
    """Lo que las etiquetas inclinadas sobresalen por la derecha de la cuadrícula."""
    ends = [(j + 0.5) * cell + len(label) * CHARACTER * 0.71 + 8 for j, label in enumerate(labels)]
    return max(2, round(max(ends)) - cell * len(labels))


def _spill(axis_title: str, length: int) -> int:
    """Lo que un título centrado sobresale por cada lado de una cuadrícula más corta que él."""
    return max(0, round(len(axis_title) * CHARACTER) - length) // 2


def _axis_titles(
    row_title: str, column_title: str, grid_width: int, grid_height: int, left: int, top: int
) -> str:
    above = f'<text x="{grid_width // 2}" y="{14 - top}">{escape(column_title, quote=False)}</text>'
    beside = (
        f'<text transform="translate({14 - left} {grid_height // 2}) rotate(-90)">'
        f"{escape(row_title, quote=False)}</text>"
    )
    titles = (above if column_title else "") + (beside if row_title else "")
    return f'<g text-anchor="middle" font-weight="bold">{titles}</g>' if titles else ""


def _column_labels(labels: Sequence[str], cell: int, tilted: bool) -> str:
    anchor = "" if tilted else ' text-anchor="middle"'
    turn = " rotate(-45)" if tilted else ""
    texts = "".join(
        f'<text transform="translate({cell * j + cell // 2} -8){turn}">'
        f"{escape(label, quote=False)}</text>"
        for j, label in enumerate(labels)
    )
    return f"<g{anchor}>{texts}</g>"


def _row_labels(labels: Sequence[str], cell: int) -> str:
    texts = "".join(
        f'<text x="-8" y="{cell * i + cell // 2 + 5}">{escape(label, quote=False)}</text>'
        for i, label in enumerate(labels)
    )
    return f'<g text-anchor="end">{texts}</g>'


def _cells(weights_TS: np.ndarray, cell: int, decimals: int) -> str:
    """Un fondo para toda la cuadrícula y, encima, cada celda con la opacidad de su peso.

    Cada celda se dibuja en coordenadas propias: así son casi iguales y se comprimen.
    """
    T, S = weights_TS.shape
    side = cell - 2
    cells = "".join(
        f'<g transform="translate(0 {cell * i})">'
        + "".join(
            f'<g transform="translate({cell * j})">'
            f'<rect x="1" y="1" width="{side}" height="{side}" rx="3" '
            f'fill-opacity="{weight:.2f}"/>'
            f'<text x="{cell // 2}" y="{cell // 2 + 5}" stroke="none" {_ink(weight)}>'
            f"{fixed(weight, decimals)}</text></g>"
            for j, weight in enumerate(weights_S)
        )
        + "</g>"
        for i, weights_S in enumerate(weights_TS)
    )
    return (
        f'<rect width="{cell * S}" height="{cell * T}" fill="{color("fondo")}"/>'
        f'<g text-anchor="middle" font-size="13" fill="{color("acento")}" '
        f'stroke="{color("acento")}" stroke-opacity=".25">{cells}</g>'
    )


def _ink(weight: float) -> str:
    """La tinta que contrasta con una celda de ese peso."""
    name = "tinta-alta" if round(weight, 2) >= INK_SWITCH else "tinta-baja"
    return f'fill="{color(name)}"'


def _rings(winners: list[list[int]], cell: int) -> str:
    side = cell - 2
    rings = "".join(
        f'<rect x="{cell * j + 1}" y="{cell * i + 1}" width="{side}" height="{side}" rx="3"/>'
        for i, row in enumerate(winners)
        for j in row
    )
    return f'<g fill="none" stroke="{color("senal")}" stroke-width="3">{rings}</g>'


def _summary(
    weights_TS: np.ndarray,
    winners: list[list[int]],
    rows: Sequence[str],
    columns: Sequence[str],
    decimals: int,
) -> str:
    """Lo que se ve en el dibujo: dónde cae el mayor peso de cada fila."""
    looks = []
    for word, weights_S, row in zip(rows, weights_TS, winners, strict=True):
        target = "→ " + " y ".join(f"«{columns[j]}»" for j in row) if row else "reparte por igual"
        looks.append(f"«{word}» {target} ({fixed(weights_S.max(), decimals)})")
    return (
        f"Mapa de calor de {len(rows)} filas por {len(columns)} columnas. "
        f"Mayor peso de cada fila: {'; '.join(looks)}."
    )
