"""Las sesiones que usan PyTorch: se graban aparte, nunca se ejecutan al construir ni envejecen."""

import json
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from click.testing import CliRunner

from lessons_code.sitekit import __main__ as command
from lessons_code.sitekit import recorded
from lessons_code.sitekit.cache import Output
from lessons_code.sitekit.collect import collect_site
from lessons_code.sitekit.findings import SiteError
from lessons_code.sitekit.sources import Sources
from tests.sitekit.project import Project, name, without_main_file

PAGE = """\
# Página

```python exec="on" id="importar" session="con-torch"
import torch
```

```python exec="on" id="unos" session="con-torch"
from pack import scale
weights = torch.ones(3)
print(scale(weights), end="")
```

Son `{python} len(weights)`.
"""
FILE = "docs/datos/grabadas/p-con-torch.json"
AGAIN = (
    "ejecuta `python -m lessons_code.sitekit grabar`, que necesita PyTorch (véase CONTRIBUTING.md)"
)
CHANGED = f"«con-torch» ha cambiado, ella o un módulo que importa, desde que se grabó: {AGAIN}"


@pytest.fixture
def torch(tmp_path_factory, monkeypatch):
    """Un PyTorch de mentira, instalado fuera del proyecto; da el fichero que escribe al usarse."""
    folder = tmp_path_factory.mktemp("instalado")
    used = folder / "usado"
    (folder / "torch-2.3.5+cpu.dist-info").mkdir(parents=True)
    (folder / "torch-2.3.5+cpu.dist-info/METADATA").write_text("Name: torch\nVersion: 2.3.5+cpu\n")
    (folder / "torch.py").write_text(
        f"open({str(used)!r}, 'w').close()\n\ndef ones(size):\n    return [1.0] * size\n"
    )
    monkeypatch.syspath_prepend(folder)
    return used


@pytest.fixture
def project(tmp_path, torch):
    project = Project(tmp_path)
    project.write("pack.py", "def scale(values):\n    return [2 * value for value in values]\n")
    project.write("docs/p.md", PAGE)
    return project


def record(project):
    """Graba; da los hallazgos como se imprimen."""
    with without_main_file():
        found = recorded.record(project.pages(), project.root / "docs", project.root)
    return [str(finding) for finding in found]


def check(project):
    found = recorded.check(project.pages(), project.root / "docs", Sources(project.root))
    return [str(finding) for finding in found]


def outputs(project):
    """Lo que enseñaría cada elemento, por su nombre."""
    docs, sources = project.root / "docs", Sources(project.root)
    return {
        name(page, item): output
        for page in project.pages()
        for item, output in recorded.outputs(page, docs, project.store, sources).items()
    }


def order(project, word):
    with without_main_file():
        return CliRunner().invoke(command.main, ["--raiz", str(project.root), word])


# --- Lo que se enseña -----------------------------------------------------------------------------


def test_what_was_recorded_is_shown_and_never_run(project, torch):
    assert record(project) == []
    torch.unlink()
    by = "PyTorch 2.3.5"
    shown = {
        "p/importar": Output(recorded=by),
        "p/unos": Output("[2.0, 2.0, 2.0]", recorded=by),
        "p/len(weights)": Output("3", recorded=by),
    }
    assert outputs(project) == shown
    assert (project.run(), check(project)) == ([], [])
    assert outputs(project) == shown
    assert not torch.exists()
    assert not project.store.folder.exists()


def test_the_recording_can_be_read(project):
    assert record(project) == []
    content = json.loads((project.root / FILE).read_text(encoding="utf-8"))
    assert content["page"] == "docs/p.md"
    assert content["versions"]["torch"] == "2.3.5"
    assert content["versions"].keys() == {"torch", "numpy", "python"}
    assert content["items"][1]["code"][1:] == [
        "weights = torch.ones(3)",
        'print(scale(weights), end="")',
    ]
    assert content["items"][1]["text"] == ["[2.0, 2.0, 2.0]"]
    assert (project.root / FILE).stat().st_mode & 0o777 == 0o644


def test_recording_twice_gives_the_same_bytes(project):
    assert record(project) == []
    before = (project.root / FILE).read_bytes()
    (project.root / FILE).unlink()
    assert record(project) == []
    assert (project.root / FILE).read_bytes() == before


def test_what_a_cell_prints_and_draws_is_recorded_to_the_letter(project):
    drawing = "class Html:\n    def _repr_html_(self):\n        return '<b>\\nñ</b>'\n"
    project.write("drawing.py", drawing)
    project.cells(
        "p.md", "import torch\nfrom drawing import Html\nprint('\\n a ', end='\\n\\n')\nHtml()"
    )
    project.edit("docs/p.md", 'id="c1"', 'id="c1" session="con-torch"')
    assert record(project) == []
    assert outputs(project)["p/c1"] == Output("\n a \n\n", "<b>\nñ</b>", recorded="PyTorch 2.3.5")


def test_other_sessions_of_the_page_run_as_always(project):
    project.write("docs/p.md", PAGE + '\n```python exec="on" id="otra"\nprint(5)\n```\n')
    assert project.run() == []
    assert outputs(project) == {"p/otra": Output("5\n")}
    assert record(project) == []
    assert outputs(project).keys() == {"p/importar", "p/unos", "p/len(weights)", "p/otra"}


def test_a_module_that_uses_torch_makes_its_session_recorded(project, torch):
    project.write("pack.py", "def scale(values):\n    import torch\n    return torch.ones(5)\n")
    project.edit("docs/p.md", "import torch\n", "x = 1\n")
    project.edit("docs/p.md", "torch.ones(3)", "[1.0]")
    assert project.run() == []
    assert not torch.exists()
    assert outputs(project) == {}


def test_the_page_says_that_it_was_recorded(md, torch):
    text = '```python exec="on" id="a" session="con-torch"\n{}\n```\n'
    shown, silent = text.format("import torch\nprint(torch.ones(2))"), text.format("import torch")
    pages = {"pagina": shown, "otra": silent}
    for stem, page in pages.items():
        md.page.with_stem(stem).write_text(page, encoding="utf-8")
    with without_main_file():
        found = collect_site(md.root / "docs", root=md.root)
        assert recorded.record(found, md.root / "docs", md.root) == []
    html = md.convert(shown)
    assert '<div class="celda" id="celda-a" data-sesion="con-torch" data-grabada>' in html
    line = '<p class="salida-grabada">Salida grabada con PyTorch 2.3.5</p></div></div>'
    assert html.endswith(f"<code>[1.0, 1.0]</code></pre>{line}")
    md.page = md.page.with_stem("otra")
    md.markdown.preprocessors["celdas"].page = md.page
    html = md.convert(silent)
    assert "data-grabada" in html
    assert "salida-grabada" not in html


def test_no_page_is_made_without_its_recording(md):
    with pytest.raises(SiteError) as caught:
        md.convert('Texto.\n\n```python exec="on" id="a"\nimport torch\n```\n')
    assert str(caught.value) == (
        f"docs/pagina.md:3: [grabada] la sesión «pagina» no está grabada: {AGAIN}"
    )


# --- Lo que ya no vale ----------------------------------------------------------------------------


@pytest.mark.parametrize("content", [None, "{", "[]", '{"versions": {}, "items": []}'])
def test_a_missing_or_broken_recording_is_said(project, content):
    if content is not None:
        project.write(FILE, content)
    assert check(project) == [
        f"docs/p.md:3: [grabada] la sesión «con-torch» no está grabada: {AGAIN}"
    ]
    assert outputs(project) == {}


@pytest.mark.parametrize(
    ("path", "old", "new", "line", "left"),
    [
        ("docs/p.md", "torch.ones(3)", "torch.ones(5)", 7, 1),
        ("docs/p.md", "len(weights)", "sum(weights):.1f", 13, 2),
        ("docs/p.md", "Son", "Hay `{python} 1` y son", 13, 2),
        ("docs/p.md", "Son `{python} len(weights)`.", "", 7, 2),
        ("docs/p.md", "import torch\n", "import torch\nimport math\n", 3, 0),
        ("pack.py", "2 *", "3 *", 7, 1),
        ("pack.py", "def", "OFFSET = 7\n\n\ndef", 7, 1),
    ],
)
def test_what_changed_is_said_and_nothing_old_is_shown(project, path, old, new, line, left):
    assert record(project) == []
    project.edit(path, old, new)
    assert check(project) == [f"docs/p.md:{line}: [grabada] la sesión {CHANGED}"]
    assert len(outputs(project)) == left
    assert record(project) == []
    assert check(project) == []


def test_what_does_not_change_the_output_keeps_it(project, monkeypatch):
    project.write("requirements.txt", "numpy==2.0\n")
    assert record(project) == []
    before = outputs(project)
    project.edit("pack.py", "):\n", '):\n    """Dobla."""\n\n    # por dos\n')
    project.edit("docs/p.md", "# Página\n", "# Otra\n\nMás prosa.\n")
    project.write("requirements.txt", "numpy==2.1\n")
    monkeypatch.setattr(sys, "version_info", (3, 97, 0))
    assert check(project) == []
    assert outputs(project) == before


def test_two_pages_cannot_share_a_recording(project):
    project.write("docs/q/p.md", PAGE)
    assert order(project, "grabar").exit_code == 1
    (project.root / FILE).unlink()
    first, second = check(project)
    assert first.startswith("docs/p.md:3: [grabada] la sesión «con-torch» no está grabada")
    assert second == (
        "docs/q/p.md:3: [grabada] docs/p.md graba en el mismo fichero: p-con-torch.json; "
        "pon otro nombre a la sesión «con-torch»"
    )


def test_a_wrong_page_is_not_said_to_be_unrecorded(project):
    project.write("docs/p.md", PAGE + "\n`{python} +`\n")
    assert check(project) == []


# --- Lo que falla al grabar -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "finding"),
    [
        ("1 / 0", "docs/p.md:9: [celda] «unos»: ZeroDivisionError: division by zero"),
        ("__import__('warnings').warn('ojo')", "docs/p.md:9: [aviso] «unos»: UserWarning: ojo"),
    ],
)
def test_a_failing_session_is_not_recorded_and_the_old_recording_survives(project, code, finding):
    project.write("docs/q.md", PAGE.replace("con-torch", "otra"))
    assert record(project) == []
    before = (project.root / FILE).read_bytes()
    project.edit("docs/p.md", "weights = torch.ones(3)", code)
    project.edit("docs/q.md", "ones(3)", "ones(5)")
    assert record(project) == [finding]
    assert (project.root / FILE).read_bytes() == before
    assert len(outputs(project)) == 1 + 3  # la primera celda de p, y lo recién grabado de q
    (project.root / FILE).unlink()
    assert record(project) == [finding]
    assert not (project.root / FILE).exists()


def test_an_interrupted_write_keeps_the_old_recording(project, monkeypatch):
    assert record(project) == []
    before = (project.root / FILE).read_bytes()
    project.edit("docs/p.md", "ones(3)", "ones(5)")
    monkeypatch.setattr(Path, "replace", _interrupt)
    with pytest.raises(KeyboardInterrupt):
        record(project)
    assert (project.root / FILE).read_bytes() == before


def _interrupt(*_):
    raise KeyboardInterrupt


# --- Las órdenes ----------------------------------------------------------------------------------


def test_the_order_records_and_then_the_site_is_sound(project, torch):
    for word in ("ejecutar", "revisar", "construir", "servir"):
        result = order(project, word)
        assert result.exit_code == 1
        assert result.output.count("docs/p.md:3: [grabada]") == 1
    assert not torch.exists()
    assert order(project, "grabar").exit_code == 0
    for word in ("ejecutar", "revisar"):
        assert order(project, word).exit_code == 0


def test_the_order_says_what_could_not_be_recorded(project):
    project.edit("docs/p.md", "torch.ones(3)", "1 / 0")
    result = order(project, "grabar")
    assert result.exit_code == 1
    assert "docs/p.md:9: [celda] «unos»: ZeroDivisionError" in result.output
    assert "[grabada]" not in result.output


def test_without_torch_nothing_is_recorded(project, monkeypatch):
    monkeypatch.setattr(recorded, "version", _not_installed)
    result = order(project, "grabar")
    assert result.exit_code == 2
    assert "grabar necesita PyTorch, y en este entorno no está" in result.output
    assert not (project.root / FILE).exists()


def _not_installed(package):
    raise PackageNotFoundError(package)
