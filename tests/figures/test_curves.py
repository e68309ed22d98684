import gzip
import re

import numpy as np
import pytest

from lessons_code.figures.curves import curves
from tests.figures.page import SVG, alternative, data_rows, outputs_of_two_processes, texts, tree

LENGTHS = [5, 10, 20, 40, 80]
FALLING = {
    "vector fijo": (LENGTHS, [0.91, 0.438, 0.22, 0.127, 0.093]),
    "atención": (LENGTHS, [1.0, 0.999, 0.996, 0.989, 0.96]),
}


def drawn(series, **options):
    frame = {"title": "Acierto", "description": "Cae.", "x_title": "longitud", "y_title": "acierto"}
    return curves(series, **(frame | options))


def strokes(figure):
    """Los trazos de las series, sin marcas ni cuadrícula."""
    return [
        path
        for path in tree(figure).iter(f"{SVG}path")
        if "serie" in path.get("stroke", "") and path.get("fill") == "none"
    ]


def test_page_ink_replaces_fixed_ink():
    svg = drawn(FALLING).svg()
    assert "var(--figura-serie-1,#1a237e)" in svg
    assert "currentColor" in svg
    assert not re.search(r'(fill|stroke)="#', svg)


def test_no_ids_styles_metadata_or_fonts_of_matplotlib():
    html = drawn(FALLING)._repr_html_()
    for trace in (" id=", "url(#", " style=", "metadata", "DejaVu", "clip-path", "<use"):
        assert trace not in html


def test_series_differ_without_color():
    figure = drawn(FALLING)
    dashes = [path.get("stroke-dasharray") for path in strokes(figure)]
    assert len(dashes) == len(set(dashes)) == 2
    marks = {
        ink: path.get("d")
        for path in tree(figure).iter(f"{SVG}path")
        if path.get("transform") and "serie" in (ink := path.get("fill"))
    }
    assert len(marks) == len(set(marks.values())) == 2
    assert {"vector fijo", "atención"} <= set(texts(figure))


def test_one_series_needs_no_label():
    assert "pérdida" not in texts(drawn({"pérdida": ([0, 1], [2.0, 1.0])}))


def test_axes_are_titled_and_written_in_spanish():
    labels = texts(drawn(FALLING))
    assert {"longitud", "acierto", "0,2", "0,4", "1,0", "20", "80"} <= set(labels)
    assert not any("." in label for label in labels)


def test_whole_steps_have_whole_ticks():
    labels = texts(drawn({"a": ([1, 2, 3], [0.5, 0.25, 0.75])}))
    assert {"1", "2", "3"} <= set(labels)
    assert "1,5" not in labels


def test_negative_and_tiny_values_are_written_in_spanish():
    assert "−5" in texts(drawn({"a": ([0, 1], [-7.0, 5.0])}))
    assert {"0", "2,0·10⁻⁷"} <= set(texts(drawn({"a": ([3, 5], [0.0, 5e-7])})))
    assert "4,0·10⁶" in texts(drawn({"a": ([0, 1], [0.0, 5e6])}))


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ([0.02, 3.0], {"0,01", "0,1", "1", "10"}),
        ([3e-7, 0.5], {"10⁻⁷", "10⁻⁶", "10⁰"}),
        ([0.5, 0.5], {"0,1", "1"}),
        ([1.0, 1.0], {"1", "10"}),
    ],
)
def test_logarithmic_axis_shows_whole_decades(y, expected):
    assert expected <= set(texts(drawn({"a": ([0, 1], y)}, log_y=True)))


def test_constant_series_is_drawn():
    assert len(strokes(drawn({"a": ([0, 1], [0.5, 0.5])}))) == 1
    assert len(strokes(drawn({"a": ([3], [0.5])}))) == 1


def test_labels_that_would_collide_are_kept_apart():
    figure = drawn(
        {name: ([0, 1], [0.0, 0.5]) for name in ("uno", "dos", "tres", "cuatro", "cinco")}
    )
    heights = sorted(
        float(text.get("y"))
        for text in tree(figure).iter(f"{SVG}text")
        if "serie" in text.get("fill", "")
    )
    assert len(heights) == 5
    assert min(np.diff(heights)) >= 18
    assert heights[0] > 0
    assert heights[-1] < figure.height


def test_description_says_where_each_series_goes():
    described = alternative(drawn(FALLING))
    assert "Curvas de acierto según longitud" in described
    assert "«vector fijo» va de 0,910 a 0,093 (mínimo 0,093, máximo 0,910)" in described
    assert "cuando longitud va de 5 a 80" in described


def test_shared_x_gives_one_column_per_series():
    figure = drawn(FALLING)
    assert [th.text for th in tree(figure).findall(".//thead//th")] == [
        "longitud", "vector fijo", "atención",
    ]  # fmt: skip
    assert data_rows(figure)[0] == ["5", "0,9100", "1,0000"]
    assert len(data_rows(figure)) == 5


def test_different_x_gives_one_row_per_point():
    figure = drawn({"a": ([0, 1], [0.5, 0.25]), "b": ([0, 2, 3], [1.0, 2.0, 3.0])})
    assert data_rows(figure) == [
        ["a", "0", "0,5000"],
        ["a", "1", "0,2500"],
        ["b", "0", "1,0000"],
        ["b", "2", "2,0000"],
        ["b", "3", "3,0000"],
    ]


def test_long_data_are_thinned_from_first_to_last():
    steps = np.arange(2999)
    rows = data_rows(drawn({"pérdida": (steps, np.linspace(2, 1, 2999))}))
    assert len(rows) == 12
    assert rows[0] == ["0", "2,0000"]
    assert rows[-1] == ["2998", "1,0000"]


def test_a_single_peak_among_thousands_is_still_drawn():
    y = np.ones(4999)
    y[1237] = 11.0
    [path] = strokes(drawn({"a": (np.arange(4999), y)}))
    heights = [float(pair) for pair in re.findall(r"[ML][\d.]+ ([\d.]+)", path.get("d"))]
    assert max(heights) - min(heights) > 150


def test_noisy_training_curves_weigh_at_most_15_kib_compressed():
    rng = np.random.default_rng(13)
    steps = np.arange(4999)
    series = {f"semilla {n}": (steps, np.exp(-steps / 701) + rng.random(4999)) for n in range(5)}
    assert len(gzip.compress(drawn(series)._repr_html_().encode(), 9)) <= 15 * 1024


def test_labels_with_markup_or_dollars_are_text():
    nasty = "<b> $x_1$ & «y»"
    figure = drawn({nasty: ([0, 1], [0.0, 1.0]), "b": ([0, 1], [1.0, 0.0])}, x_title=nasty)
    assert texts(figure).count(nasty) == 2
    assert "<b>" not in figure._repr_html_()


def test_drawing_leaves_the_settings_of_the_caller_alone():
    import matplotlib

    with matplotlib.rc_context({"font.size": 23, "lines.linewidth": 7}):
        before = dict(matplotlib.rcParams)
        styled = drawn(FALLING).svg()
        assert dict(matplotlib.rcParams) == before
    assert styled == drawn(FALLING).svg()


def test_two_processes_draw_the_same_bytes():
    program = (
        "import sys\n"
        "from lessons_code.figures.curves import curves\n"
        "assert 'matplotlib' not in sys.modules\n"
        "figure = curves({'a': ([0, 1, 2], [3, 1, 2]), 'b': ([0, 2], [1, 5])}, title='t',\n"
        "                description='d', x_title='x', y_title='y')\n"
        "sys.stdout.write(figure._repr_html_())\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    outputs = outputs_of_two_processes(program)
    assert len(outputs) == 1
    assert b"<figure" in outputs.pop()


@pytest.mark.parametrize("count", [0, 6])
def test_number_of_series(count):
    with pytest.raises(ValueError, match=f"llegaron {count} y se distinguen de 1 a 5"):
        drawn({str(n): ([0, 1], [0, 1]) for n in range(count)})


@pytest.mark.parametrize(
    ("x", "y"), [([0, 1, 2], [0, 1]), ([], []), ([[0, 1]], [[0, 1]])], ids=["tamaño", "vacía", "2d"]
)
def test_series_that_are_not_matching_vectors(x, y):
    with pytest.raises(ValueError, match=r"series\[«a»\]: x e y han de ser vectores"):
        drawn({"a": (x, y)})


@pytest.mark.parametrize("wrong", [float("nan"), float("-inf")])
def test_values_that_are_not_finite(wrong):
    with pytest.raises(ValueError, match="no es finito"):
        drawn({"a": ([0, 1], [0.5, wrong])})


def test_logarithmic_scale_of_something_not_positive():
    with pytest.raises(ValueError, match="solo admite valores positivos"):
        drawn({"a": ([0, 1], [0.0, 1.0])}, log_y=True)
