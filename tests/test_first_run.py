"""Lo que decide la primera orden, sin red: qué se rehace, qué se reutiliza y qué se dice."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lessons_code import __main__ as first_run
from lessons_code.sitekit import bundle, pip
from lessons_code.sitekit.pip import debian_pip, find_pip


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """Un repositorio en miniatura; crear el entorno e instalar solo dejan constancia."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "requirements.txt").write_text("numpy==2.3.5\n", "utf-8")
    (tmp_path / "tests/requirements.txt").write_text("-r ../requirements.txt\npytest==9\n", "utf-8")
    installed = []

    def create(folder, *, symlinks, with_pip):
        python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        python.parent.mkdir()
        python.touch()
        version = ".".join(map(str, sys.version_info[:3]))
        (folder / "pyvenv.cfg").write_text(f"version = {version}\n", "utf-8")

    def install(pip, root, requirements):
        installed.append(requirements)

    monkeypatch.setattr(first_run.venv, "create", create)
    monkeypatch.setattr(first_run, "install", install)
    monkeypatch.setattr(pip, "find_pip", lambda python: ["pip"])
    return tmp_path, installed


def test_second_run_installs_nothing(clone):
    root, installed = clone
    python = first_run.prepare(root, "requirements.txt")
    assert python.exists()
    assert first_run.prepare(root, "requirements.txt") == python
    assert installed == ["requirements.txt"]


def test_the_tests_environment_also_serves_the_site(clone):
    root, installed = clone
    first_run.prepare(root, "tests/requirements.txt")
    first_run.prepare(root, "requirements.txt")
    assert installed == ["tests/requirements.txt"]


def test_the_site_environment_is_completed_for_the_tests(clone):
    root, installed = clone
    first_run.prepare(root, "requirements.txt")
    first_run.prepare(root, "tests/requirements.txt")
    assert installed == ["requirements.txt", "tests/requirements.txt"]


def test_a_new_pin_is_installed_over_the_same_environment(clone):
    root, installed = clone
    python = first_run.prepare(root, "tests/requirements.txt")
    (root / "requirements.txt").write_text("numpy==2.4.6\n", "utf-8")
    (python.parent / "testigo").touch()
    first_run.prepare(root, "tests/requirements.txt")
    assert installed == ["tests/requirements.txt"] * 2
    assert (python.parent / "testigo").exists()


def test_a_killed_install_is_made_again(clone, monkeypatch):
    root, installed = clone

    def killed(pip, root, requirements):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(first_run, "install", killed)
        with pytest.raises(KeyboardInterrupt):
            first_run.prepare(root, "requirements.txt")
    (root / ".venv/resto").touch()

    first_run.prepare(root, "requirements.txt")
    assert installed == ["requirements.txt"]
    assert not (root / ".venv/resto").exists()


@pytest.mark.parametrize(
    "config", ["version = 3.2.1\n", "version_info = 3.2.1\n", "home = /usr/bin\n"]
)
def test_an_environment_of_another_python_is_made_again(clone, config):
    root, installed = clone
    first_run.prepare(root, "requirements.txt")
    (root / ".venv/pyvenv.cfg").write_text(config, "utf-8")
    (root / ".venv/resto").touch()
    first_run.prepare(root, "requirements.txt")
    assert len(installed) == 2
    assert not (root / ".venv/resto").exists()


def test_an_environment_made_by_hand_is_kept(clone):
    root, installed = clone
    (root / ".venv").mkdir()
    first_run.venv.create(root / ".venv", symlinks=True, with_pip=True)
    (root / ".venv/propio").touch()
    first_run.prepare(root, "requirements.txt")
    assert installed == ["requirements.txt"]
    assert (root / ".venv/propio").exists()


# --- pip ---------------------------------------------------------------------------------------


def answers(code):
    return lambda *arguments, **options: subprocess.CompletedProcess(arguments, code)


def test_without_pip_in_the_environment_the_one_of_this_python_installs_there(monkeypatch):
    monkeypatch.setattr(first_run.subprocess, "run", answers(1))
    monkeypatch.setattr(first_run.importlib.util, "find_spec", lambda name: object())
    command = find_pip(Path("entorno/bin/python"))
    assert command == [sys.executable, "-m", "pip", "--python", str(Path("entorno/bin/python"))]


def test_without_any_pip_says_what_to_install(monkeypatch):
    monkeypatch.setattr(first_run.subprocess, "run", answers(1))
    monkeypatch.setattr(first_run.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(first_run.shutil, "which", lambda name: None)
    with pytest.raises(SystemExit, match="no trae pip ni ensurepip"):
        find_pip(Path("entorno/bin/python"))


def test_where_apt_has_no_pip_either_gives_the_command(monkeypatch, tmp_path):
    def refuse(arguments, *, check=False, **options):
        if check:
            raise subprocess.CalledProcessError(100, arguments)

    monkeypatch.setattr(first_run.subprocess, "run", refuse)
    with pytest.raises(SystemExit, match="sudo apt install python3-venv"):
        debian_pip(tmp_path)


@pytest.mark.parametrize(
    "output",
    [
        "WARNING: Retrying (Retry(total=4, connect=None)) after connection broken by 'X'",
        "urllib3.exceptions.NewConnectionError: <…>: Failed to establish a new connection",
        "ERROR: Could not install packages due to an OSError: ProxyError('Cannot connect')",
    ],
)
def test_without_network_speaks_of_the_network(output):
    assert "Comprueba la conexión" in first_run.explain(output)


def test_another_failure_shows_the_last_lines_of_pip():
    output = "\n".join(f"línea {number}" for number in range(40)) + "\nERROR: No matching"
    message = first_run.explain(output)
    assert "ERROR: No matching" in message
    assert "línea 39" in message
    assert "línea 3\n" not in message


def test_a_failing_pip_stops_with_its_reason(tmp_path):
    pip = [sys.executable, "-c", "print('ERROR: disco lleno'); raise SystemExit(3)"]
    with pytest.raises(SystemExit, match="disco lleno"):
        first_run.install(pip, tmp_path, "requirements.txt")


# --- El navegador ------------------------------------------------------------------------------


def test_the_chosen_browser_wins(monkeypatch):
    monkeypatch.setenv("CHROMIUM", sys.executable)
    assert first_run.find_chromium() == sys.executable


def test_a_chosen_browser_that_does_not_exist_is_an_error(monkeypatch):
    monkeypatch.setenv("CHROMIUM", "/no/existe")
    with pytest.raises(SystemExit, match="CHROMIUM=/no/existe"):
        first_run.find_chromium()


def test_finds_a_browser_in_the_path(monkeypatch, tmp_path):
    browser = tmp_path / ("msedge.exe" if os.name == "nt" else "msedge")
    browser.touch(mode=0o755)
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(first_run, "APPLICATIONS", ())
    assert first_run.find_chromium() == str(browser)


def test_without_browser_nor_permission_gives_the_command(monkeypatch):
    def fails(arguments, **options):
        return subprocess.CompletedProcess(arguments, 1, stdout="")

    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr(first_run.shutil, "which", lambda name: None)
    monkeypatch.setattr(first_run.subprocess, "run", fails)
    with pytest.raises(SystemExit, match="sudo apt install chromium"):
        first_run.install_chromium(Path("python"))


# --- Las órdenes -------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [[], ["servri"], ["preparar", "algo"]])
def test_an_unknown_order_shows_the_help(arguments):
    with pytest.raises(SystemExit, match="lessons_code servir"):
        first_run.main(arguments)


def test_each_order_goes_to_its_module(monkeypatch):
    calls = []
    monkeypatch.setattr(first_run, "prepare", lambda root, requirements: requirements)
    monkeypatch.setattr(first_run, "find_chromium", lambda: "/usr/bin/chromium")
    monkeypatch.setattr(first_run, "delegate", lambda *call: calls.append(call))
    monkeypatch.setattr(bundle, "gather", lambda root, say, python: calls.append((python, "reúne")))
    monkeypatch.setenv("CHROMIUM", "")
    first_run.main(["probar", "-k", "pesos"])
    first_run.main(["servir"])
    first_run.main(["construir"])
    assert calls == [
        ("tests/requirements.txt", "pytest", "-k", "pesos"),
        ("requirements.txt", "reúne"),
        ("requirements.txt", "lessons_code.sitekit", "servir"),
        ("requirements.txt", "reúne"),
        ("requirements.txt", "lessons_code.sitekit", "construir"),
    ]
    assert os.environ["CHROMIUM"] == "/usr/bin/chromium"


def test_without_python_for_the_browser_the_site_is_served_but_not_published(monkeypatch, capsys):
    def unreachable(root, say, python):
        raise bundle.RuntimeMissingError("sin red")

    served = []
    monkeypatch.setattr(first_run, "prepare", lambda root, requirements: requirements)
    monkeypatch.setattr(first_run, "delegate", lambda *call: served.append(call[-1]))
    monkeypatch.setattr(bundle, "gather", unreachable)
    first_run.main(["servir"])
    assert "sin botones" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="sin red"):
        first_run.main(["construir"])
    assert served == ["servir"]


def test_an_old_python_reads_the_file_and_is_told_its_version(monkeypatch):
    source = Path(first_run.__file__).read_text("utf-8")
    ast.parse(source, feature_version=(3, 7))
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    with pytest.raises(SystemExit, match=r"necesita Python 3\.11 o posterior; .* es el 3\.9"):
        exec(compile(source, "__main__.py", "exec"), {"__name__": "prueba"})
