"""La orden del sitio: hallazgos en orden, códigos de salida y progreso."""

import os
import socket
import subprocess
import sys

import pytest
from click.testing import CliRunner

from lessons_code.sitekit import __main__ as command
from tests.sitekit.project import Project


@pytest.fixture
def mini(tmp_path):
    return Project(tmp_path, mini=True)


def order(project, *arguments):
    """Ejecuta la orden como se teclea, desde fuera del proyecto."""
    whole = [sys.executable, "-m", "lessons_code.sitekit", "--raiz", str(project.root), *arguments]
    return subprocess.run(whole, capture_output=True, text=True, check=False)


def inside(project, *arguments):
    """Ejecuta la orden sin proceso nuevo."""
    return CliRunner().invoke(command.main, ["--raiz", str(project.root), *arguments])


def test_run_says_each_page_and_then_nothing_is_left(mini):
    first = order(mini, "ejecutar", "--procesos", "1")
    assert (first.returncode, first.stdout) == (0, "")
    lines = first.stderr.splitlines()
    assert [line.rpartition(" · ")[0] for line in lines] == [
        "docs/dos.md · 3 celdas",
        "docs/index.md · 2 celdas",
        "3 páginas, 5 celdas",
    ]
    assert all(line.endswith(" s") for line in lines)
    assert None not in mini.outputs().values()
    again = order(mini, "ejecutar")
    assert [line.rpartition(" · ")[0] for line in again.stderr.splitlines()] == [
        "3 páginas, 5 celdas"
    ]


def test_every_finding_is_said_in_order_with_exit_1(mini):
    mini.write("docs/a.md", '```python exec="on" id="a"\n1 / 0\n```\n')
    mini.write("docs/b.md", '\n```python exec="on"\nx\n```\n\n`{python} +`\n')
    result = order(mini, "ejecutar")
    assert result.returncode == 1
    findings = [
        line for line in result.stderr.splitlines() if line.startswith("docs/") and "[" in line
    ]
    assert findings == [
        "docs/a.md:2: [celda] «a»: ZeroDivisionError: division by zero",
        'docs/b.md:2: [id] a la celda le falta el id: añade id="nombre-de-la-celda"',
        "docs/b.md:6: [valor] no se entiende `{python} +`: no es una expresión de Python",
    ]
    assert mini.outputs()["index/sumar"] is not None


def test_old_entries_are_pruned_only_after_running(mini):
    assert inside(mini, "ejecutar").exit_code == 0
    old = mini.store.folder / ("b" * 64 + ".json")
    old.touch()
    os.utime(old, (0, 0))
    assert inside(mini, "ejecutar").exit_code == 0
    assert old.exists()
    mini.edit("docs/index.md", "0.5]", "0.50]")
    assert inside(mini, "ejecutar").exit_code == 0
    assert not old.exists()
    assert None not in mini.outputs().values()


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (
            "# P\n\nSea $\\nada$ y pesa 0,4637 kilos.\n\n`{python} +`\n",
            ["3: [formula]", "5: [valor]"],
        ),
        ("# P\n\nPesa 0,4637 kilos.\n", ["3: [números]"]),
    ],
)
def test_check_says_first_what_would_spoil_a_page(mini, text, rules):
    for page in ("index", "dos", "tres"):
        mini.write(f"docs/{page}.md", "# Vacía\n")
    mini.write("docs/p.md", text)
    result = order(mini, "revisar")
    assert result.returncode == 1
    findings = result.stderr.splitlines()
    assert [found.removeprefix("docs/p.md:").split("] ")[0] + "]" for found in findings] == rules
    assert not mini.store.folder.exists()


def test_a_page_that_is_not_utf8_is_said(mini):
    (mini.root / "docs/latin.md").write_bytes("año".encode("latin-1"))
    for word in ("ejecutar", "revisar", "construir"):
        result = order(mini, word)
        assert result.returncode == 1
        assert result.stderr.count("docs/latin.md:1: [texto]") == 1


def test_a_busy_port_is_said_before_running_anything(mini):
    with socket.create_server(("127.0.0.1", 0)) as busy:
        address = f"127.0.0.1:{busy.getsockname()[1]}"
        result = inside(mini, "servir", "-a", address)
    assert result.exit_code == 1
    assert f"no se puede servir en {address}: lo ocupa otro programa. Prueba con" in result.output
    assert set(mini.outputs().values()) == {None}


@pytest.mark.parametrize("word", ["construir", "servir"])
def test_nothing_is_built_from_a_broken_page(mini, monkeypatch, word):
    called = []
    monkeypatch.setattr(subprocess, "call", lambda *_, **__: called.append(1))
    mini.write("docs/a.md", '```python exec="on" id="a"\n1 / 0\n```\n')
    result = inside(mini, word, *(["-a", "127.0.0.1:0"] if word == "servir" else []))
    assert result.exit_code == 1
    assert "docs/a.md:2: [celda]" in result.output
    assert called == []


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["construir"], ["build", "--strict"]),
        (["construir", "--site-dir", "otra"], ["build", "--strict", "--site-dir", "otra"]),
        (["servir", "-a", "localhost:0"], ["serve", "--dev-addr", "localhost:0"]),
    ],
)
def test_mkdocs_is_called_after_running(mini, monkeypatch, arguments, expected):
    called = []

    def call(words, *, cwd, env):
        called.append((words, cwd, env["NO_MKDOCS_2_WARNING"]))
        return 7

    monkeypatch.setattr(command, "_check", lambda site: [])
    monkeypatch.setattr(subprocess, "call", call)
    assert inside(mini, *arguments).exit_code == 7
    assert called == [([sys.executable, "-m", "mkdocs", *expected], mini.root, "1")]
    assert None not in mini.outputs().values()


def test_stopping_the_server_is_not_a_failure(mini, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "call", stop)
    assert inside(mini, "servir").exit_code == 0


def test_a_folder_without_pages_is_said(tmp_path):
    result = CliRunner().invoke(command.main, ["--raiz", str(tmp_path), "ejecutar"])
    assert result.exit_code == 2
    assert "usa --raiz y --docs" in result.output
