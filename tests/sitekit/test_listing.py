"""Un listado es la fuente: lo que se ve es una parte, en orden, de sus líneas."""

import ast
from pathlib import Path

import pytest

from lessons_code.sitekit.listing import fold

ROOT = Path(__file__).parents[2]

SHORT = '''\
def dot_attention(decoder_state, encoder_states):
    """Luong et al. (2015).

    Dos párrafos.
    """
    decoder_state, encoder_states = check_shapes(
        DOT_SHAPES, decoder_state=decoder_state, encoder_states=encoder_states
    )
    check_shapes(ONE, decoder_state=decoder_state)

    scores = encoder_states @ decoder_state

    weights = softmax(scores)
    return weights @ encoder_states, weights
'''


def test_the_docstring_and_the_shape_check_fold_away():
    assert fold(SHORT) == (
        "def dot_attention(decoder_state, encoder_states):\n"
        "    scores = encoder_states @ decoder_state\n"
        "\n"
        "    weights = softmax(scores)\n"
        "    return weights @ encoder_states, weights\n"
    )


def test_a_class_folds_its_docstring_and_those_of_its_methods():
    source = (
        'class Cache:\n    """Nota."""\n\n    a: int\n\n'
        '    def twice(self):\n        """Nota."""\n        return 2 * self.a\n'
    )
    assert fold(source) == (
        "class Cache:\n    a: int\n\n    def twice(self):\n        return 2 * self.a\n"
    )


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    sizes = check_shapes(X, x=x)\n    return sizes\n",  # hace falta más abajo
        'def f(x):\n    """Solo esto."""\n',  # sin ella no sería Python
        'def f(x):\n    return """no es un docstring"""\n',
        'SHAPES = {"a": "B L"}\n',
    ],
)
def test_what_the_reader_needs_is_not_folded(source):
    assert fold(source) == source


DEFINITIONS = [
    pytest.param(ast.get_source_segment(text, node), id=f"{path.stem}.{node.name}")
    for path in sorted((ROOT / "lessons_code/numerics").glob("*.py"))
    for text in [path.read_text(encoding="utf-8")]
    for node in ast.parse(text).body
    if isinstance(node, ast.FunctionDef | ast.ClassDef)
]


@pytest.mark.parametrize("source", DEFINITIONS)
def test_the_visible_lines_are_a_subsequence_of_the_true_source(source):
    true_lines = iter(source.splitlines())
    assert all(line in true_lines for line in fold(source).splitlines())


@pytest.mark.parametrize("source", DEFINITIONS)
def test_what_is_seen_computes_what_the_source_computes(source):
    """Quitados docstrings y comprobaciones, los dos árboles son el mismo."""
    assert _statements(fold(source)) == _statements(source)


def _statements(source):
    return [
        ast.unparse(node)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.stmt)
        and not isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not isinstance(getattr(node, "value", None), ast.Constant)
        and "check_shapes(" not in ast.unparse(node)
    ]
