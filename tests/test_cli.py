"""La orden `ai-evolution`, como la teclea quien estudia."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from lessons_code.cli import main
from tests.doctor.broken_calls import healthy
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


# ─── El médico de formas ──────────────────────────────────────────────────────────────────────


def save(folder, **changes):
    """Un .npz con una llamada de `additive_attention`, cambiada."""
    path = folder / "paso.npz"
    np.savez(path, **healthy("additive_attention") | changes)
    return str(path)


def test_shapes_says_when_everything_fits(tmp_path):
    result = run("shapes", save(tmp_path), "--funcion", "additive_attention")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("Todo encaja en additive_attention.\n")
    assert "  W_a             (d_attn=13, d_s=5)\n" in result.stdout
    assert "  weights         (T_enc=7)\n" in result.stdout
    assert "una matriz cuadrada traspuesta" in result.stdout


def test_shapes_prints_the_findings_and_exits_1(tmp_path):
    W_a, U_a = (healthy("additive_attention")[name].T for name in ("W_a", "U_a"))
    path = save(tmp_path, W_a=W_a, U_a=U_a)
    result = run("shapes", path, "--funcion", "additive_attention")
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.startswith("W_a: llegó (5, 13), le toca (d_attn=13, d_s=5).")
    assert "\n\nU_a: llegó (11, 13)" in result.stdout
    assert "  Arreglo: W_a = W_a.T\n" in result.stdout


def test_shapes_in_json(tmp_path):
    broken = save(tmp_path, decoder_state=np.ones((5, 1)))
    result = run("shapes", broken, "--funcion", "additive_attention", "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 1
    assert (report["function"], report["shapes"]) == ("additive_attention", {})
    (finding,) = report["findings"]
    assert finding.keys() == {"tensor", "shape", "expected", "reason", "fix", "test", "ties"}
    assert finding["fix"] == "decoder_state = np.squeeze(decoder_state, 1)"

    healthy_run = run("shapes", save(tmp_path), "--funcion", "additive_attention", "--json")
    report = json.loads(healthy_run.stdout)
    assert report["findings"] == []
    assert report["shapes"]["context"] == "(d_h=11)"


def test_shapes_reads_a_number_as_a_number(tmp_path):
    path = tmp_path / "cabezas.npz"
    np.savez(path, **healthy("multi_head_general_attention") | {"n_heads": 5})
    result = run("shapes", str(path), "--funcion", "multi_head_general_attention")
    assert result.exit_code == 1
    assert "Arreglo: n_heads = 4" in result.stdout


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        (
            {"foo": 1, "bar": 2},
            ["--funcion", "additive_attention"],
            "no tiene foo, bar: lleva deco",
        ),
        ({}, ["--funcion", "dot_attention"], "dot_attention no tiene W_a, U_a, v_a: lleva decoder"),
        ({}, ["--funcion", "suma"], "no conozco la función «suma». Conozco: additive_attention, "),
        ({}, [], "falta la opción «--funcion». Conozco: additive_attention, dot_attention, "),
        (
            {"v_a": np.array([{}, None])},
            ["--funcion", "additive_attention"],
            "no se puede leer «v_a»",
        ),
        ({"v_a": np.full(13, np.nan)}, ["--funcion", "additive_attention"], "hay un NaN"),
        ({"v_a": np.full(13, "a")}, ["--funcion", "additive_attention"], "esperaba números reales"),
    ],
)
def test_shapes_says_what_it_cannot_diagnose(tmp_path, changes, options, message):
    result = run("shapes", save(tmp_path, **changes), *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr.splitlines()[-1]


def save_npy(path):
    """Un solo array, aunque se llame .npz."""
    with path.open("wb") as file:
        np.save(file, np.ones(3))


def cut(path):
    """Un .npz al que le falta un trozo por dentro."""
    content = bytearray(path.read_bytes())
    content[200:400] = bytes(200)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda path: path.unlink(), "no existe el fichero"),
        (lambda path: path.write_text("hola"), "no es un .npz"),
        (lambda path: path.write_bytes(b""), "no es un .npz"),
        (save_npy, "no es un .npz"),
        (cut, "no se puede leer «"),
    ],
    ids=["no está", "texto", "vacío", "npy", "cortado"],
)
def test_shapes_refuses_what_is_not_an_npz(tmp_path, spoil, message):
    path = save(tmp_path)
    spoil(tmp_path / "paso.npz")
    result = run("shapes", path, "--funcion", "additive_attention")
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr.splitlines()[-1]


# ─── Ayuda y errores ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "arguments",
    [[], ["--help"], ["paper-lab", "--help"], ["papers", "--help"], ["shapes", "--help"]],
)
def test_help_is_in_spanish(arguments):
    result = run(*arguments)
    assert result.exit_code == 0
    assert result.output.startswith("Uso: ")
    assert "Muestra esta ayuda y termina." in result.output
    for english in (
        "Usage",
        "Options",
        "OPTIONS",
        "COMMAND",
        "ARGS",
        "Show",
        "default",
        "required",
    ):
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
        (["entrenar"], "no existe la orden «entrenar». Hay: paper, paper-lab, papers, shapes."),
        (["shapes"], "falta FICHERO."),
        (["shapes", "paso.npz", "--funcion"], "la opción «--funcion» necesita un valor."),
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
    run = subprocess.run([*MODULE, "papers"], env=env, capture_output=True, check=True)
    assert "Atención" in run.stdout.decode("utf-8")
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
