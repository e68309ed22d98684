from xml.etree import ElementTree

import numpy as np
import pytest

from lessons_code.figures.tables import table


def html_tree(result):
    return ElementTree.fromstring(result._repr_html_())


@pytest.fixture
def models():
    return table(
        ("modelo", "All", "pasos"),
        [("RNNsearch-50★", 28.45, 252000), ("Moses", 33.3, 0)],
        caption="BLEU <en> test",
        decimals=2,
    )


def test_numbers_are_spanish_and_text_is_kept(models):
    cells = [[cell.text for cell in row] for row in html_tree(models).findall(".//tbody/tr")]
    assert cells == [["RNNsearch-50★", "28,45", "252\u202f000"], ["Moses", "33,30", "0"]]


def test_headers_have_scope_and_the_table_a_caption(models):
    root = html_tree(models)
    assert [th.get("scope") for th in root.findall(".//thead//th")] == ["col"] * 3
    assert [th.get("scope") for th in root.findall(".//tbody//th")] == ["row"] * 2
    assert root.find(".//caption").text == "BLEU <en> test"


def test_text_columns_are_marked_to_the_left_and_numbers_are_not(models):
    root = html_tree(models)
    assert [th.get("class") for th in root.findall(".//thead//th")] == ["texto", None, None]
    mixed = table(("n", "nombre"), [(3, "tres")], caption="t")
    assert [td.get("class") for td in html_tree(mixed).findall(".//td")] == [None, "texto"]


def test_wide_table_scrolls_inside_a_named_keyboard_stop(models):
    root = html_tree(models)
    assert (root.get("role"), root.get("tabindex")) == ("group", "0")
    assert root.get("aria-label") == "BLEU <en> test"


def test_special_characters_are_escaped():
    result = table(('<b>"&', "v"), [("<eos>", "a & b")], caption='«"»')
    assert "<eos>" not in result._repr_html_()
    assert "<b>" not in result._repr_html_()
    root = html_tree(result)
    assert root.find(".//tbody//th").text == "<eos>"
    assert root.find(".//td").text == "a & b"


def test_numpy_numbers_are_numbers():
    result = table(("x", "y"), [(np.int64(5), np.float32(0.5))], caption="t", decimals=1)
    assert [td.text for td in html_tree(result).findall(".//td")] == ["5", "0,5"]


def test_short_row_is_named():
    with pytest.raises(ValueError, match=r"rows\[1\]: esperaba 2 celdas.*llegaron 3"):
        table(("a", "b"), [(1, 2), (1, 2, 3)], caption="t")


def test_no_columns():
    with pytest.raises(ValueError, match="al menos una columna"):
        table((), [], caption="t")


@pytest.mark.parametrize("cell", [None, True, 1j, [2]])
def test_cell_of_another_type_is_named(cell):
    with pytest.raises(TypeError, match=r"rows\[0\], columna «b».*conviértelo antes"):
        table(("a", "b"), [("x", cell)], caption="t")


def test_number_that_is_not_finite_fails_when_the_table_is_made():
    with pytest.raises(ValueError, match="nan no se puede escribir"):
        table(("a",), [(float("nan"),)], caption="t")
