"""Las celdas que ejecuta quien lee: qué se vuelve a ejecutar, qué se ve y en qué línea falló."""

import json
import sys
import warnings

import pytest

from lessons_code.sitekit import live


@pytest.fixture
def run(monkeypatch):
    """Ejecuta las celdas de una página; da lo que se ve de cada una de las ejecutadas."""
    monkeypatch.setattr(live, "_sessions", {})
    with warnings.catch_warnings():
        yield lambda *codes, page="una": json.loads(live.run(page, list(codes)))


def text(outcome):
    return outcome["html"].partition("<code>")[2].partition("</code>")[0]


def texts(outcomes):
    return {outcome["index"]: text(outcome) for outcome in outcomes}


def test_what_is_above_runs_first_and_only_once(run):
    assert texts(run("x = 2; print(x)", "print(x + 3)")) == {0: "2", 1: "5"}
    assert texts(run("x = 2; print(x)", "print(x + 3)", "print(x + 5)")) == {2: "7"}


def test_running_a_cell_again_gives_the_same(run):
    codes = "x = [2]", "x.append(3); print(x)"
    assert texts(run(*codes)) == {0: "", 1: "[2, 3]"}
    assert texts(run(*codes)) == {1: "[2, 3]"}
    assert texts(run(*codes, "print(x)")) == {2: "[2, 3]"}


def test_an_edit_above_runs_again_everything_from_it(run):
    run("x = 2", "y = x", "print(y)")
    assert texts(run("x = 2", "y = x + 3", "print(y)")) == {1: "", 2: "5"}


def test_a_draw_of_random_numbers_does_not_depend_on_the_clicks(run):
    first = "import numpy as np; rng = np.random.default_rng(7)"
    one = texts(run(first, "print(rng.integers(1000))", "print(rng.integers(1000))"))
    again = texts(run(first, "print(rng.integers(1000))", "print(rng.integers(1000))"))
    assert again == {2: one[2]}
    assert one[1] != one[2]


def test_a_function_sees_the_variables_of_the_cell_that_runs(run):
    run("x = 2\ndef f(): return x", "print(f())")
    assert texts(run("x = 2\ndef f(): return x", "x = 3; print(f())")) == {1: "3"}


def test_two_pages_share_nothing(run):
    run("x = 2")
    (outcome,) = run("print(x)", page="otra")
    assert outcome["error"] == "NameError: name 'x' is not defined"


def test_an_error_tells_its_line_in_the_cell_after_what_was_printed(run):
    (outcome,) = run("import json\nprint('antes')\njson.loads('{')\n")
    assert outcome["line"] == 3
    assert text(outcome).startswith("antes\nJSONDecodeError: Expecting")
    assert "salida-error" in outcome["html"]


def test_a_syntax_error_tells_its_line(run):
    (outcome,) = run("x = 1\ny = (")
    assert (outcome["line"], outcome["error"]) == (2, "SyntaxError: '(' was never closed")


def test_an_error_above_stops_there_and_is_tried_again(run):
    assert [each["index"] for each in run("1 / 0", "print(2)")] == [0]
    assert [each["index"] for each in run("1 / 0", "print(2)")] == [0]
    assert texts(run("x = 3", "print(x)")) == {0: "", 1: "3"}


def test_a_doubtful_number_is_an_error_as_in_the_build(run):
    (outcome,) = run("import numpy as np\nnp.log(np.zeros(2))")
    assert outcome["error"].startswith("RuntimeWarning: divide by zero")
    assert outcome["line"] == 2


def test_who_prints_without_end_is_told(run):
    (outcome,) = run("while True: print('x' * 1000)")
    assert outcome["error"] == "ValueError: la salida pasa de 256 KiB: imprime menos"


def test_what_is_printed_is_not_markup(run):
    assert texts(run("print('<b>&')")) == {0: "&lt;b&gt;&amp;"}


def test_the_last_expression_shows_its_html(run):
    (outcome,) = run("class F:\n    def _repr_html_(self): return '<figure></figure>'\nF()")
    assert outcome["html"] == "<figure></figure>"


def test_a_missing_drawing_is_asked_for_but_does_not_stop_those_below(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    codes = "y = 2\nimport matplotlib", "print(y)"
    (outcome,) = run(codes[0])
    assert outcome["missing"]
    assert [(each["index"], each["missing"]) for each in run(*codes)] == [(1, False)]


def test_an_empty_cell_gives_nothing(run):
    assert texts(run("")) == {0: ""}
    assert texts(run("# nada")) == {0: ""}
