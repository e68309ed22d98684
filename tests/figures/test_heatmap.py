import gzip

import numpy as np
import pytest

from lessons_code.figures.heatmap import INK_SWITCH, heatmap
from lessons_code.numerics.functional import softmax
from tests.figures.page import SVG, alternative, data_rows, outputs_of_two_processes, texts, tree

SPANISH, ENGLISH = map(
    str.split,
    (
        "el acuerdo sobre la Zona Económica Europea se firmó en agosto de 1992 , dijo ayer",
        "the agreement on the European Economic Area was signed in August 1992 , he said .",
    ),
)


def drawn(weights, rows="abc", columns="vwxyz", **options):
    frame = {"title": "Alineación", "description": "Cada fila suma 1."}
    return heatmap(np.asarray(weights), rows=rows, columns=columns, **(frame | options))


@pytest.fixture
def weights():
    return softmax(3 * np.random.default_rng(11).normal(size=(3, 5)))


def squares(figure):
    return [rect for rect in tree(figure).iter(f"{SVG}rect") if rect.get("fill-opacity")]


def test_rows_are_targets_downwards_and_columns_sources_rightwards(weights):
    figure = drawn(weights)
    root = tree(figure)
    cells = next(
        g for g in root.iter(f"{SVG}g") if len(g) == 5 and g[0].find(f"{SVG}rect") is not None
    )
    assert len(squares(figure)) == 15
    shifts = [float(g.get("transform")[10:-1]) for g in cells]
    assert shifts == sorted(shifts)
    assert [float(g.find(f"{SVG}rect").get("fill-opacity")) for g in cells] == pytest.approx(
        weights[0], abs=0.005
    )


def test_opacity_is_the_weight(weights):
    opacities = [float(rect.get("fill-opacity")) for rect in squares(drawn(weights))]
    np.testing.assert_allclose(np.reshape(opacities, (3, 5)), weights, atol=0.005)


def test_digits_and_labels_are_drawn_in_spanish():
    figure = drawn([[0.25, 0.75]], rows=["gató"], columns=["cat", "<eos>"])
    assert texts(figure) == ["cat", "<eos>", "gató", "0,25", "0,75"]


def test_decimals_reach_cells_and_data():
    figure = drawn([[0.464, 0.305, 0.231]], rows=["s"], columns=["cat", "sat", "mat"], decimals=3)
    assert texts(figure)[-3:] == ["0,464", "0,305", "0,231"]
    assert data_rows(figure) == [["s", "0,464", "0,305", "0,231"]]


def test_data_table_holds_every_weight_with_its_labels(weights):
    figure = drawn(weights, row_title="traducción", column_title="original")
    headers = [th.text for th in tree(figure).findall(".//thead//th")]
    assert headers == ["traducción / original", *"vwxyz"]
    values = [[float(cell.replace(",", ".")) for cell in row[1:]] for row in data_rows(figure)]
    np.testing.assert_allclose(values, weights, atol=0.005)
    assert [row[0] for row in data_rows(figure)] == list("abc")


def test_description_names_the_winner_of_each_row():
    figure = drawn(
        [[0.1, 0.7, 0.2], [0.6, 0.3, 0.1]], rows=["zona", "la"], columns=["the", "Area", "."]
    )
    assert "2 filas por 3 columnas" in alternative(figure)
    assert "«zona» → «Area» (0,70); «la» → «the» (0,60)" in alternative(figure)


def test_description_names_ties_and_uniform_rows():
    figure = drawn([[0.4, 0.2, 0.4], [1 / 3, 1 / 3, 1 / 3]], rows="ab", columns="xyz")
    assert "«a» → «x» y «z» (0,40); «b» reparte por igual (0,33)" in alternative(figure)


def test_ring_surrounds_the_winners_and_nothing_else():
    figure = drawn([[0.4, 0.2, 0.4], [1 / 3, 1 / 3, 1 / 3], [0, 1, 0]], columns="xyz")
    rings = next(g for g in tree(figure).iter(f"{SVG}g") if "senal" in g.get("stroke", ""))
    places = [(int(rect.get("y")) // 46, int(rect.get("x")) // 46) for rect in rings]
    assert places == [(0, 0), (0, 2), (2, 1)]


def test_ink_changes_where_the_palettes_cross():
    around = [0.0, INK_SWITCH - 0.006, INK_SWITCH + 0.006, 1.0]
    figure = drawn([around], rows=["a"], columns="wxyz")
    digits = [text for text in tree(figure).iter(f"{SVG}text") if text.get("fill")]
    inks = ["alta" if "tinta-alta" in text.get("fill") else "baja" for text in digits]
    assert inks == ["baja", "baja", "alta", "alta"]


def test_title_description_and_captions_are_there_once(weights):
    figure = drawn(weights, title="¿Dónde mira?", description="Una fila por palabra.")
    root = tree(figure)
    assert root.tag == "figure"
    assert root.get("class") == "figura"
    assert "¿Dónde mira?" in alternative(figure)
    assert "Una fila por palabra." in "".join(root.find("figcaption").itertext())
    assert root.find("details/summary").text == "Ver los datos"


def test_axis_titles_are_drawn(weights):
    figure = drawn(weights, row_title="traducción (i)", column_title="original (j)")
    assert {"traducción (i)", "original (j)"} <= set(texts(figure))


def test_excluded_from_search_and_without_ids_or_inline_styles(weights):
    html = drawn(weights)._repr_html_()
    assert html.startswith('<figure class="figura" data-search-exclude')
    assert " id=" not in html
    assert " style=" not in html


def test_special_characters_are_escaped_everywhere():
    nasty = "<script>\"&'"
    figure = drawn([[1.0]], rows=[nasty], columns=[nasty], title=nasty, description=nasty)
    assert "<script" not in figure._repr_html_()
    assert nasty in alternative(figure)
    assert data_rows(figure) == [[nasty, "1,00"]]


def test_long_words_are_shortened_in_the_drawing_and_kept_in_the_data():
    word = "electroencefalografista"
    figure = drawn([[1.0]], rows=[word], columns=[word])
    assert texts(figure)[:2] == ["electroencefalo…", "electroencefalo…"]
    assert data_rows(figure)[0][0] == word
    assert f"«{word}» → «{word}»" in alternative(figure)


@pytest.mark.parametrize("size", [1, 7, 16])
def test_everything_is_drawn_inside_the_figure(size):
    figure = drawn(np.eye(size), rows=SPANISH[:size], columns=ENGLISH[:size], row_title="i")
    last_column, last_row = squares(figure)[-1], size * (46 if size <= 10 else 36)
    assert figure.height >= last_row
    assert figure.width >= size * int(last_column.get("width"))


def test_axis_titles_longer_than_the_grid_are_not_cut():
    titles = {"row_title": "traducción (i)", "column_title": "frase original (j)"}
    short, long = drawn([[1.0]], "a", "v"), drawn([[1.0]], "a", "v", **titles)
    assert long.height >= short.height + 24 + 20
    assert long.width >= short.width + 24 + 40


def test_wide_figures_scroll_by_keyboard_and_narrow_ones_add_no_stop():
    narrow = tree(drawn(np.eye(5), rows="abcde", columns="vwxyz")).find("div")
    wide = tree(drawn(np.eye(16), rows=SPANISH, columns=ENGLISH)).find("div")
    assert narrow.get("tabindex") is None
    assert (wide.get("tabindex"), wide.get("role")) == ("0", "group")
    assert wide.get("aria-label") == "Alineación"


@pytest.mark.parametrize("sharpness", [1, 3, 9])
def test_sixteen_words_weigh_at_most_3_kib_compressed(sharpness):
    scores = sharpness * np.random.default_rng(sharpness).normal(size=(16, 16))
    figure = drawn(
        softmax(scores),
        rows=SPANISH,
        columns=ENGLISH,
        row_title="traducción (i)",
        column_title="original (j)",
    )
    assert len(gzip.compress(figure._repr_html_().encode(), 9)) <= 3 * 1024


def test_two_processes_draw_the_same_bytes_without_matplotlib():
    program = (
        "import sys, numpy as np\n"
        "from lessons_code.figures.heatmap import heatmap\n"
        "figure = heatmap(np.eye(3), rows='abc', columns='xyz', title='t', description='d')\n"
        "sys.stdout.write(figure._repr_html_())\n"
        "assert 'matplotlib' not in sys.modules\n"
    )
    outputs = outputs_of_two_processes(program)
    assert len(outputs) == 1
    assert b"<figure" in outputs.pop()


def test_weights_are_not_modified(weights):
    weights.flags.writeable = False
    drawn(weights)


def test_rounding_error_above_one_is_accepted():
    assert "1,00" in texts(drawn([[1 + 1e-12, 0]], rows="a", columns="xy"))


@pytest.mark.parametrize("shape", [(5, 3), (3, 7), (3,), (2, 3, 5)])
def test_shape_that_does_not_match_its_labels(shape):
    with pytest.raises(ValueError, match=r"esperaba la forma \(3, 5\).*revisa las etiquetas"):
        drawn(np.zeros(shape))


def test_empty_matrix():
    with pytest.raises(ValueError, match="esperaba la forma"):
        drawn(np.zeros((0, 5)), rows=[])


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), -0.1, 1.5])
def test_weight_that_is_not_one_is_named(weights, wrong):
    weights[1, 2] = wrong
    with pytest.raises(ValueError, match=r"weights\[1, 2\] = .*entre 0 y 1"):
        drawn(weights)
