"""Curvas de una o varias series: matplotlib las traza y `restyle` las viste como la página."""

import io
from collections.abc import Mapping, Sequence
from math import ceil, floor, log10

import numpy as np

from lessons_code.figures.figure import PALETTE, Figure
from lessons_code.figures.restyle import restyled
from lessons_code.figures.spanish import fixed, number, scientific
from lessons_code.figures.tables import Table, table
from lessons_code.spanish import SUPERSCRIPTS

# Cada serie se distingue también sin color: por su trazo, su marca y su rótulo al final.
STYLES = (("-", "o"), ("--", "s"), ("-.", "^"), (":", "D"), ((0, (7, 2, 1, 2, 1, 2)), "v"))
INKS = [PALETTE[f"serie-{n}"] for n in range(1, len(STYLES) + 1)]
MARKS = 7  # marcas por serie, cuando tiene más puntos
DATA_ROWS = 12  # filas de la tabla de datos, repartidas por todo el recorrido
DATA_DECIMALS = 4  # una pérdida pequeña no se queda en 0,001

PLOT_WIDTH, PLOT_HEIGHT = 290, 220  # px, que aquí son los puntos de matplotlib
LEFT, TOP, BOTTOM = 56, 34, 48  # px: cifras, título vertical y título horizontal
LABEL_HEIGHT = 19  # px entre dos rótulos vecinos
CHARACTER = 7.7  # px: ancho medio de una letra a 14 px

Points = dict[str, tuple[np.ndarray, np.ndarray]]


def curves(
    series: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    *,
    title: str,
    description: str,
    x_title: str,
    y_title: str,
    log_y: bool = False,
) -> Figure:
    """Dibuja cada serie `nombre: (x, y)`; `log_y` pone el eje vertical en escala logarítmica.

    Lanza ValueError si no hay entre 1 y 5 series, si una x y su y no son vectores del mismo
    tamaño, si algún valor no es finito o si la escala logarítmica recibe algo que no es positivo.
    """
    points = _checked(series, log_y)
    right = 10 if len(points) == 1 else round(max(map(len, points)) * CHARACTER) + 34
    size = (LEFT + PLOT_WIDTH + right, TOP + PLOT_HEIGHT + BOTTOM)
    source = _plotted(points, size, x_title, y_title, log_y)
    return Figure(
        title=title,
        description=description,
        summary=_summary(points, x_title, y_title),
        width=size[0],
        height=size[1],
        drawing=f'<g font-size="14" stroke-linejoin="round">{restyled(source)}</g>',
        data=_data(points, title, x_title, y_title),
    )


def _checked(series: Mapping[str, tuple[Sequence[float], Sequence[float]]], log_y: bool) -> Points:
    if not 1 <= len(series) <= len(STYLES):
        raise ValueError(
            f"series: llegaron {len(series)} y se distinguen de 1 a {len(STYLES)}; "
            "reparte las demás en otra figura"
        )
    points = {name: (np.asarray(x), np.asarray(y, dtype=float)) for name, (x, y) in series.items()}
    for name, (x, y) in points.items():
        if x.ndim != 1 or x.shape != y.shape or not x.size:
            raise ValueError(
                f"series[«{name}»]: x e y han de ser vectores del mismo tamaño y con algún punto, "
                f"llegaron {x.shape} e {y.shape}"
            )
        if not (np.isfinite(x).all() and np.isfinite(y).all()):
            raise ValueError(
                f"series[«{name}»]: hay un valor que no es finito; quítalo o revisa de dónde sale"
            )
        if log_y and y.min() <= 0:
            raise ValueError(
                f"series[«{name}»]: la escala logarítmica solo admite valores positivos, "
                f"llegó {y.min()}; usa log_y=False"
            )
    return points


def _plotted(points: Points, size: tuple[int, int], x_title: str, y_title: str, log_y: bool) -> str:
    """El SVG tal como lo escribe matplotlib, sin tocar su estado global ni el de quien llama."""
    import matplotlib  # aquí y no arriba: pesa, y el navegador solo lo carga si se dibuja
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Canvas

    width, height = size
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(
            {"svg.fonttype": "none", "font.size": 14, "text.parse_math": False}
        )
        canvas = Canvas(figsize=(width / 72, height / 72), dpi=72)
        FigureCanvasSVG(canvas)
        canvas.patch.set_visible(False)
        axes = canvas.add_axes(
            (LEFT / width, BOTTOM / height, PLOT_WIDTH / width, PLOT_HEIGHT / height)
        )
        axes.patch.set_visible(False)
        axes.spines[["left", "top", "right"]].set_visible(False)
        axes.tick_params(left=False, bottom=False)
        axes.grid(axis="y", color="black", alpha=0.18, linewidth=1)
        axes.set_axisbelow(True)

        for (x, y), ink, (dash, mark) in zip(points.values(), INKS, STYLES, strict=False):
            drawn = _outline(y)
            axes.plot(
                x[drawn],
                y[drawn],
                color=ink,
                linestyle=dash,
                linewidth=2,
                clip_on=False,
                marker=mark,
                markersize=6,
                markevery=_spread(len(drawn), MARKS),
            )
        _scale(axes, points, log_y)
        axes.set_xlabel(x_title)
        axes.annotate(
            y_title, (0, 1), (4 - LEFT, 16), xycoords="axes fraction", textcoords="offset points"
        )
        if len(points) > 1:
            _label_ends(axes, points)
        output = io.StringIO()
        canvas.savefig(output, format="svg")
    return output.getvalue()


def _outline(y: np.ndarray) -> np.ndarray:
    """Índices que bastan para trazar `y`: los extremos de cada tramo de dos píxeles.

    Una serie de miles de puntos conserva así sus picos y pesa como el dibujo que se ve.
    """
    if len(y) <= PLOT_WIDTH:
        return np.arange(len(y))
    stretches = np.array_split(np.arange(len(y)), PLOT_WIDTH // 2)
    extremes = [k for part in stretches for k in (part[y[part].argmin()], part[y[part].argmax()])]
    return np.unique([0, *extremes, len(y) - 1])


def _scale(axes, points: Points, log_y: bool) -> None:
    """Pocas marcas redondas en cada eje, escritas a la española."""
    from matplotlib.ticker import MaxNLocator

    whole = all(np.array_equal(x, np.round(x)) for x, _ in points.values())
    x_ticks = MaxNLocator(5, steps=[1, 2, 5, 10], integer=whole).tick_values(*axes.get_xlim())
    axes.set_xticks(*_visible(x_ticks, axes.get_xlim()))
    if log_y:
        lowest = floor(log10(min(y.min() for _, y in points.values())))
        highest = ceil(log10(max(y.max() for _, y in points.values())))
        highest = max(highest, lowest + 1)
        exponents = range(lowest, highest + 1, ceil((highest - lowest) / 10))
        axes.set_yscale("log")
        axes.set_ylim(10.0**lowest, 10.0**highest)
        axes.set_yticks([10.0**k for k in exponents], _powers(exponents))
        axes.minorticks_off()
    else:
        y_ticks = MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(*axes.get_ylim())
        axes.set_yticks(*_visible(y_ticks, axes.get_ylim()))


def _visible(ticks: np.ndarray, limits: tuple[float, float]) -> tuple[list[float], list[str]]:
    step = ticks[1] - ticks[0]
    inside = [tick for tick in ticks if limits[0] <= tick <= limits[1]]
    decimals = max(0, -floor(log10(step) + 1e-9))
    if decimals > 4 or np.abs(inside).max() >= 1e6:
        return inside, ["0" if abs(tick) < step / 2 else scientific(tick) for tick in inside]
    return inside, [fixed(tick, decimals) for tick in inside]


def _powers(exponents: range) -> list[str]:
    if exponents[0] >= -3 and exponents[-1] <= 3:
        return [fixed(10.0**k, max(0, -k)) for k in exponents]
    return [f"10{str(k).translate(SUPERSCRIPTS)}" for k in exponents]


def _label_ends(axes, points: Points) -> None:
    """Rotula cada serie junto a su último punto; los rótulos que chocan se separan."""
    heights = np.array(
        [axes.transData.transform((x[-1], y[-1]))[1] - BOTTOM for x, y in points.values()]
    )
    free = -np.inf
    for index in np.argsort(heights, kind="stable"):
        heights[index] = max(heights[index], free)
        free = heights[index] + LABEL_HEIGHT
    heights = (heights - max(0, heights.max() - PLOT_HEIGHT)) / PLOT_HEIGHT
    for name, height, ink, (_, mark) in zip(points, heights, INKS, STYLES, strict=False):
        axes.plot(
            [1 + 14 / PLOT_WIDTH],
            [height],
            color=ink,
            linestyle="none",
            marker=mark,
            markersize=6,
            transform=axes.transAxes,
            clip_on=False,
        )
        axes.text(
            1 + 24 / PLOT_WIDTH, height - 5 / PLOT_HEIGHT, name, color=ink, transform=axes.transAxes
        )


def _summary(points: Points, x_title: str, y_title: str) -> str:
    """Lo que se ve en el dibujo: de dónde a dónde va cada serie, y entre qué valores."""
    paths = [
        f"«{name}» va de {number(y[0].item())} a {number(y[-1].item())} "
        f"(mínimo {number(y.min().item())}, máximo {number(y.max().item())}) "
        f"cuando {x_title} va de {number(x[0].item())} a {number(x[-1].item())}"
        for name, (x, y) in points.items()
    ]
    return f"Curvas de {y_title} según {x_title}. {'; '.join(paths)}."


def _data(points: Points, title: str, x_title: str, y_title: str) -> Table:
    """Puntos repartidos por todo el recorrido: una columna por serie si comparten x."""
    first_x, _ = next(iter(points.values()))
    if all(np.array_equal(x, first_x) for x, _ in points.values()):
        chosen = _spread(len(first_x))
        columns = [first_x[chosen], *(y[chosen] for _, y in points.values())]
        headers = [x_title, *points] if len(points) > 1 else [x_title, y_title]
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
    else:
        headers = ["serie", x_title, y_title]
        rows = [
            (name, x[k].item(), y[k].item())
            for name, (x, y) in points.items()
            for k in _spread(len(x))
        ]
    return table(headers, rows, caption=title, decimals=DATA_DECIMALS)


def _spread(size: int, most: int = DATA_ROWS) -> list[int]:
    """Hasta `most` índices, del primero al último y equidistantes."""
    return np.unique(np.linspace(0, size - 1, min(most, size)).round().astype(int)).tolist()
