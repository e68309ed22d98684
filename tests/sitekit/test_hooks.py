"""El sitio en miniatura con MkDocs de verdad: construir, fallar con su línea y servir."""

import html
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.sitekit.project import Project

REPOSITORY = Path(__file__).parents[2]
CONFIG = f"""\
site_name: Miniatura
theme: mkdocs
plugins: []
watch: [minicourse]
hooks: [{REPOSITORY / "lessons_code/sitekit/hooks.py"}]
markdown_extensions:
  - admonition
  - attr_list
  - pymdownx.highlight
  - pymdownx.snippets:
      base_path: .
      check_paths: true
  - pymdownx.superfences:
      custom_fences:
        - name: python
          class: python
          validator: !!python/name:lessons_code.sitekit.fence.validate
          format: !!python/name:lessons_code.sitekit.fence.render
  - lessons_code.sitekit.extension
"""
MKDOCS = [sys.executable, "-m", "mkdocs"]
# Sin SITE_URL ni REPO_URL, como en el ordenador de quien acaba de clonar.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
ENVIRONMENT["NO_MKDOCS_2_WARNING"] = "1"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """El sitio en miniatura, con su mkdocs.yml, construido una vez."""
    project = Project(tmp_path_factory.mktemp("mini"), mini=True)
    project.write("mkdocs.yml", CONFIG)
    result = build(project)
    assert result.returncode == 0, result.stderr
    return project


@pytest.fixture
def mini(executed, tmp_path):
    """Una copia del sitio ya construido, para cambiarla."""
    project = Project(tmp_path, mini=True)
    shutil.copytree(executed.root, project.root, dirs_exist_ok=True)
    return project


def build(project):
    return subprocess.run(
        [*MKDOCS, "build", "--strict"],
        cwd=project.root,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
    )


def page(project, name=""):
    return (project.root / "site" / name / "index.html").read_text(encoding="utf-8")


def test_the_site_is_built_with_what_it_executed(mini):
    index, two, three = page(mini), page(mini, "dos"), page(mini, "tres")
    assert "<code>suma: 1.0</code>" in index
    assert '<span class="valor">0,500</span>' in index
    assert '<figure class="figura" data-search-exclude>' in two
    assert "ShapeError: length: esperaba 0 o más, llegó -1" in html.unescape(two)
    assert 'data-nombre="minicourse.numbers.scale"' in three
    for text in (index, two):
        assert not re.search(
            "Traceback|exec=|--8&lt;--|--8<--|linea=|<code>\\s*</code>|\ue000", text
        )


def test_a_second_build_executes_nothing_and_is_the_same(mini):
    first = page(mini, "dos")
    result = build(mini)
    assert result.returncode == 0
    assert "celdas ·" not in result.stderr  # el progreso de lo que se ejecuta
    assert page(mini, "dos") == first


@pytest.mark.parametrize(
    ("path", "old", "new", "line", "message"),
    [
        ("docs/index.md", "print(len(weights))", 'raise ValueError("mal")', 21, "ValueError: mal"),
        ("docs/index.md", 'title="Sumar"', 'titel="Sumar"', 9, "«titel» no existe"),
        ("docs/index.md", "print(len(weights))", "import torch", 9, "no está grabada"),
        ("docs/dos.md", ":medir", ":medri", 6, "«medri»"),
        ("docs/tres.md", "numbers.scale", "numbers.scael", 5, "«scael»"),
        ("docs/tres.md", "Un listado,", "Sea $\\alhpa$,", 3, "«\\alhpa» no existe"),
        ("docs/index.md", "weights.max():.3f", "weights.mx():.3f", 16, "mx"),
        ("docs/index.md", "weights.max():.3f", "weights.max(:.3f", 16, "no se entiende"),
        ("minicourse/numbers.py", "def scale", "def scale_by", 5, "no define «scale»"),
    ],
)
def test_what_is_wrong_stops_the_build_and_names_its_line(mini, path, old, new, line, message):
    mini.edit(path, old, new)
    result = build(mini)
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    wrong = path if path.startswith("docs/") else "docs/tres.md"
    assert re.search(rf"{wrong}:{line}: \[\w+\] .*{re.escape(message)}", result.stderr), (
        result.stderr
    )
    assert build(mini).returncode == 1  # nada equivocado quedó guardado


def test_the_linter_stops_a_strict_build(mini):
    mini.edit("docs/tres.md", "Un listado,", "Un listado da 0,731,")
    result = build(mini)
    assert result.returncode == 1
    assert "docs/tres.md:3: " in result.stderr


def test_editing_two_imports_deep_changes_the_page(mini):
    assert "width:21em" in page(mini, "dos")
    mini.edit("minicourse/numbers.py", "FACTOR = 3", "FACTOR = 5")
    build(mini)
    assert "width:35em" in page(mini, "dos")


def test_without_hooks_a_missing_output_still_stops_the_build(mini):
    mini.edit("mkdocs.yml", "hooks:", "extra_css: [] #")
    shutil.rmtree(mini.root / ".celdas")
    result = build(mini)
    assert result.returncode != 0
    assert "falta su salida" in result.stderr
    assert not (mini.root / "site/index.html").exists()


def test_without_hooks_what_was_executed_is_shown(mini):
    mini.edit("mkdocs.yml", "hooks:", "extra_css: [] #")
    assert build(mini).returncode == 0
    assert "<code>suma: 1.0</code>" in page(mini)


@contextmanager
def serve(project):
    """Sirve el sitio en un puerto libre; da una función que lee una página."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with (project.root / "serve.log").open("w") as log:
        process = subprocess.Popen(
            [*MKDOCS, "serve", "--dev-addr", address],
            cwd=project.root,
            env=ENVIRONMENT,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )

    def read(name=""):
        with urllib.request.urlopen(f"http://{address}/{name}", timeout=20) as answer:
            return answer.read().decode()

    try:
        yield read
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_for(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if condition():
                return
        except OSError:
            pass
        time.sleep(0.1)
    pytest.fail("no llegó a tiempo")


def test_serving_shows_each_edit_and_survives_a_wrong_one(mini):
    log = mini.root / "serve.log"
    with serve(mini) as read:
        wait_for(lambda: "width:21em" in read("dos/"))
        mini.edit("minicourse/numbers.py", "FACTOR = 3", "FACTOR = 5")
        wait_for(lambda: "width:35em" in read("dos/"))
        mini.edit("docs/index.md", "print(len(weights))", "print(len(wights))")
        wait_for(lambda: "docs/index.md:21: [celda]" in log.read_text())
        assert "<code>3</code>" in read()  # la de antes
        mini.edit("docs/index.md", "print(len(wights))", "print(len(weights) + 4)")
        wait_for(lambda: "<code>7</code>" in read())
