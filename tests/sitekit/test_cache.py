"""La clave cambia con todo lo que puede cambiar la salida, y con nada más."""

import json
import os
import sys
from pathlib import Path

import pytest

from lessons_code.sitekit.cache import KEPT_DAYS, Output, Store, pending
from lessons_code.sitekit.sources import Sources
from tests.sitekit.project import Project

OUTPUT = Output("año\n", "<b>", "")
KEY = "a" * 64


@pytest.fixture
def mini(tmp_path):
    return Project(tmp_path, mini=True)


def changed(project, path, old, new):
    """Los elementos cuya clave cambia con esa edición."""
    before = project.item_keys()
    project.edit(path, old, new)
    return difference(before, project.item_keys())


def difference(before, after):
    assert before.keys() == after.keys()
    return {name for name in before if before[name] != after[name]}


def page(project, stem):
    return {name for name in project.item_keys() if name.startswith(f"{stem}/")}


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("minicourse/numbers.py", "FACTOR = 3", "FACTOR = 5"),  # a dos importaciones
        ("minicourse/drawing.py", "scale(length)", "scale(2 * length)"),
        ("minicourse/__init__.py", "miniatura", "prueba"),
        ("docs/datos/lengths.json", "7", "11"),
    ],
)
def test_what_is_imported_or_read_changes_only_the_page_that_uses_it(mini, path, old, new):
    assert changed(mini, path, old, new) == page(mini, "dos")


def test_a_pin_changes_everything(mini):
    edit = ("requirements.txt", "numpy==2.4.6", "numpy==2.4.7")
    assert changed(mini, *edit) == set(mini.item_keys())


def test_the_python_version_changes_everything(mini, monkeypatch):
    before = mini.item_keys()
    monkeypatch.setattr(sys, "version_info", (3, 97, 0))
    assert difference(before, mini.item_keys()) == set(before)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("docs/index.md", "Celdas escritas", "Celdas\n\nescritas"),
        ("docs/index.md", 'title="Sumar"', 'title="Resta" source="none" result="json"'),
        ("docs/dos.md", 'session="medidas"', 'session="otras"'),
        ("docs/index.md", "---\n\n# Uno", "autor: x\n---\n\n# Uno"),
        ("docs/dos.md", "# Dos\n", "# Dos\n\nMás prosa.\n\n<!-- y un comentario -->\n"),
        ("minicourse/examples/dos.py", '"""Las celdas', '"""\n\nLas celdas'),
        ("requirements.txt", "numpy", "# fijadas\nnumpy"),
        ("docs/tres.md", "Un listado", "Una lista"),
    ],
)
def test_prose_and_lines_change_nothing(mini, path, old, new):
    assert changed(mini, path, old, new) == set()


def test_a_cell_changes_itself_and_what_follows(mini):
    edit = ("minicourse/examples/dos.py", "lengths[", "lengths [")
    assert changed(mini, *edit) == page(mini, "dos") - {"dos/medir"}


def test_the_announced_error_counts(mini):
    edit = ("docs/dos.md", '"ShapeError"', '"ValueError"')
    assert "dos/equivocarse" in changed(mini, *edit)


def test_an_inline_format_counts(mini):
    edit = ("docs/index.md", "max():.3f", "max():.2f")
    assert "index/weights.max()" in changed(mini, *edit)


def test_sessions_do_not_mix(mini):
    mini.edit("docs/index.md", 'id="contar"', 'id="contar" session="otra"')
    assert changed(mini, "docs/index.md", "0.5]", "0.50]") == {
        "index/sumar",
        "index/weights.max()",
        "index/-weights.min()",
    }


def test_a_cell_does_not_depend_on_what_only_later_ones_import(mini):
    mini.cells("index.md", "x = 1", "import minicourse.numbers")
    edit = ("minicourse/numbers.py", "3", "5")
    assert "index/c1" not in changed(mini, *edit)


def test_what_is_stored_comes_back(tmp_path):
    store = Store(tmp_path)
    assert store.get(KEY) is None
    store.put(KEY, OUTPUT)
    assert store.get(KEY) == OUTPUT
    assert [file.name for file in store.folder.iterdir()] == [f"{KEY}.json"]


DAMAGES = {
    "vacío": lambda text: "",
    "cortado": lambda text: text[:-3],
    "otra cosa": lambda text: "[]",
    "sin salida": lambda text: '{"output": null}',
    "una letra": lambda text: text.replace("año", "ano"),
    "sin suma": lambda text: text.replace('"sum"', '"suma"'),
    "otros campos": lambda text: json.dumps(json.loads(text) | {"output": {"texto": "x"}}),
    "ceros": lambda text: "\x00" * 17,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_entry_is_absent(tmp_path, damage):
    store = Store(tmp_path)
    store.put(KEY, OUTPUT)
    file = store.folder / f"{KEY}.json"
    text = file.read_text(encoding="utf-8")
    file.write_text(damage(text), encoding="utf-8")
    assert file.read_text(encoding="utf-8") != text
    assert store.get(KEY) is None
    store.put(KEY, OUTPUT)
    assert store.get(KEY) == OUTPUT


def test_an_interrupted_write_leaves_nothing(tmp_path, monkeypatch):
    store = Store(tmp_path)
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        store.put(KEY, OUTPUT)
    assert list(store.folder.iterdir()) == []


def test_only_what_is_old_and_unused_is_removed(tmp_path):
    store = Store(tmp_path)
    keys = {name: name * 64 for name in ("a", "b", "c")}
    for key in keys.values():
        store.put(key, OUTPUT)
    partial = store.folder / "x.parcial"
    partial.touch()
    now = partial.stat().st_mtime
    old = now - (KEPT_DAYS + 1) * 24 * 3600
    for file in (store.folder / f"{keys['a']}.json", store.folder / f"{keys['b']}.json", partial):
        os.utime(file, (old, old))
    assert store.prune([keys["a"]], now=now + 1) == 2
    assert {file.stem for file in store.folder.iterdir()} == {keys["a"], keys["c"]}


def test_a_session_is_pending_until_all_of_it_is_stored(mini):
    def names():
        return [session.name for session in pending(mini.pages(), mini.store, Sources(mini.root))]

    assert names() == ["medidas", "index"]
    keys = mini.item_keys()
    for name in page(mini, "dos"):
        mini.store.put(keys[name], OUTPUT)
    assert names() == ["index"]
    (mini.store.folder / f"{keys['dos/dibujar']}.json").unlink()
    assert names() == ["medidas", "index"]
