"""La orden `ai-evolution`, como la teclea quien estudia."""

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from lessons_code.cli import main
from tests.papers.cards import BODY, write_card

MODULE = [sys.executable, "-m", "lessons_code.cli"]


def run(*arguments, root=None, env=None):
    return CliRunner().invoke(main, arguments, obj=root, env={"SITE_URL": None} | (env or {}))


# ─── Las órdenes ──────────────────────────────────────────────────────────────────────────────


def test_papers_lists_the_cards():
    result = run("papers")
    assert result.exit_code == 0
    assert "P07  L3  Atención (Bahdanau)  /fichas/p07-atencion/  (con paper-lab)\n" in result.output


def test_papers_aligns_its_columns(tmp_path):
    write_card(tmp_path, "P03")
    write_card(tmp_path, "P05")
    lines = run("papers", root=tmp_path, env={"SITE_URL": "https://x.org/r/"}).output.splitlines()
    assert lines == [
        f"{code}  L3  Una ficha  https://x.org/r/fichas/{code.lower()}-prueba/"
        for code in ("P03", "P05")
    ]


def test_paper_shows_the_card_and_its_url(tmp_path):
    write_card(tmp_path)
    result = run("paper", "p03", root=tmp_path, env={"SITE_URL": "https://x.org/r/"})
    assert result.exit_code == 0
    assert "    c_i = Σ_j α_ij h_j\n" in result.output
    assert result.output.endswith("https://x.org/r/fichas/p03-prueba/\n")


def test_paper_with_a_broken_card_names_the_line(tmp_path):
    write_card(tmp_path, body=BODY.replace("Un **problema**", "Vale `{python} x`"))
    result = run("paper", "P03", root=tmp_path)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: docs/fichas/p03-prueba.md:19: ")


def test_paper_lab_json_is_pure_and_repeatable():
    first = run("paper-lab", "P07", "--seed", "3", "--json")
    data = json.loads(first.stdout)
    assert (data["config"]["seed"], data["correct"]) == (3, 4)
    assert "\\u" not in first.stdout
    assert run("paper-lab", "P07", "--seed", "3", "--json").stdout_bytes == first.stdout_bytes


def test_paper_lab_changes_with_the_seed():
    default, seven, eight = (
        run("paper-lab", "P07", *options).output
        for options in ([], ["--seed", "7"], ["--seed", "8"])
    )
    assert default == seven
    assert "Semilla: 8" in eight
    assert eight.splitlines()[3:10] != seven.splitlines()[3:10]


# ─── Ayuda y errores ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "arguments", [[], ["--help"], ["paper-lab", "--help"], ["papers", "--help"]]
)
def test_help_is_in_spanish(arguments):
    result = run(*arguments)
    assert result.exit_code == 0
    assert result.output.startswith("Uso: ")
    assert "Muestra esta ayuda y termina." in result.output
    for english in ("Usage", "Options", "OPTIONS", "COMMAND", "ARGS", "Show", "default"):
        assert english not in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["paper", "P99"], "no hay ficha «P99». Hay: P07"),
        (["paper"], "falta FICHA."),
        (["paper-lab", "P99"], "no hay miniatura «P99». Hay: P07."),
        (
            ["paper-lab", "P07", "--seed", "-1"],
            "un entero de 0 a 999999999999999, p. ej. 7; llegó «-1».",
        ),
        (
            ["paper-lab", "P07", "--seed", "siete"],
            "un entero de 0 a 999999999999999, p. ej. 7; llegó «siete».",
        ),
        (
            ["paper-lab", "P07", "--seed", "7.0"],
            "un entero de 0 a 999999999999999, p. ej. 7; llegó «7.0».",
        ),
        (["paper-lab", "P07", "--seed", "9" * 5000], "llegó «999"),
        (["paper-lab", "P07", "--seed"], "la opción «--seed» necesita un valor."),
        (["paper-lab", "P07", "--json=si"], "la opción «--json» no lleva valor."),
        (["paper-lab", "P07", "--semilla", "7"], "«--semilla». Hay: --seed, --json, --help."),
        (["paper-lab", "P07", "P08"], "sobran argumentos."),
        (["entrenar"], "no existe la orden «entrenar». Hay: paper, paper-lab, papers."),
        (["--version"], "no existe la opción «--version». Hay: --help."),
    ],
)
def test_usage_errors_are_in_spanish_and_exit_2(arguments, message):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    usage, error = result.stderr.splitlines()
    assert usage.startswith("Uso: ")
    assert error.startswith("Error: ")
    assert message in error


# ─── En un proceso de verdad ──────────────────────────────────────────────────────────────────


def test_utf8_even_where_the_terminal_says_ascii():
    env = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    run = subprocess.run([*MODULE, "paper-lab", "P07"], env=env, capture_output=True, check=True)
    assert "Pérdida:" in run.stdout.decode("utf-8")
    assert run.stderr == b""


def test_a_reader_that_closes_early_is_not_an_error():
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "wb") as closed_pipe:
        run = subprocess.run([*MODULE, "paper", "P07"], stdout=closed_pipe, stderr=subprocess.PIPE)
    assert run.stderr == b""


def test_help_does_not_wait_for_numpy():
    code = "import sys, lessons_code.cli; sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
