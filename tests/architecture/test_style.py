"""El estilo que una máquina puede vigilar: ruff, tamaños, semillas y excepciones contadas."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = sorted([*(ROOT / "lessons_code").rglob("*.py"), *(ROOT / "tests").rglob("*.py")])

# Líneas de un módulo que se lee de una sentada, y los que se apartan de ello, por menos o por más.
MODULE_LINES, TEST_LINES = 400, 600
LINE_BUDGETS = {
    "lessons_code/sitekit/hooks.py": 80,
    "lessons_code/numerics/attention.py": 550,  # cinco atenciones, cada una con su backward
}

# Cada excepción a una regla lleva su razón, y el presupuesto solo puede bajar.
NOQA_BUDGET = 7
SKIP_BUDGET = 1


def name(path):
    return path.relative_to(ROOT).as_posix()


def lines_with(pattern):
    """Las líneas de código que encajan, como «archivo:línea: texto»."""
    return [
        f"{name(path)}:{number}: {line.strip()}"
        for path in PYTHON
        if path != Path(__file__)
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if re.search(pattern, line)
    ]


@pytest.mark.parametrize("check", [["check"], ["format", "--check"]], ids=["reglas", "formato"])
def test_ruff_has_nothing_to_say(check):
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *check, "."], cwd=ROOT, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_drawer_of_odds_and_ends():
    drawers = {"utils.py", "util.py", "common.py", "misc.py", "helpers.py", "tools.py"}
    found = [name(path) for path in PYTHON if path.name in drawers]
    assert [path for path in found if path != "tests/helpers.py"] == []


def test_modules_stay_readable_in_one_sitting():
    for path in PYTHON:
        lines = len(path.read_text("utf-8").splitlines())
        usual = TEST_LINES if name(path).startswith("tests/") else MODULE_LINES
        assert lines <= LINE_BUDGETS.get(name(path), usual), f"{name(path)}: {lines} líneas"


def test_every_exception_to_a_rule_has_a_reason():
    assert lines_with(r"# noqa(?!: [A-Z]+\d+(, [A-Z]+\d+)* [-(] ?\w)") == []
    assert lines_with(r"# type: ignore|# pragma: no cover|# fmt: off|ruff: noqa") == []


def test_exceptions_stay_within_their_budget():
    noqa = lines_with(r"# noqa")
    assert len(noqa) <= NOQA_BUDGET, "\n".join(noqa)
    skips = lines_with(r"\b(skip|skipif|xfail|importorskip)\(")
    assert len(skips) <= SKIP_BUDGET, "\n".join(skips)


def test_chance_always_has_a_seed():
    """ruff (NPY002) prohíbe el azar global; aquí, los generadores sin semilla y el `random`."""
    for path in PYTHON:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "default_rng":
                assert node.args or node.keywords, f"{name(path)}:{node.lineno}: falta la semilla"
            if isinstance(node, ast.Import):
                imported = {alias.name for alias in node.names}
                assert "random" not in imported, f"{name(path)}:{node.lineno}: usa numpy.random"
