"""Las celdas grabadas: las que usan PyTorch, que no hace falta para construir el sitio ni leerlo.

Una sesión que importa `torch` no se ejecuta nunca al construir, ni donde está instalado: la página
enseña lo que dio cuando se grabó. Cada una tiene su fichero, con su código, sus salidas y las
versiones que las hicieron, en `docs/datos/grabadas/`; solo lo escribe la orden `grabar`.

La clave de cada salida cubre el código de la sesión y los módulos propios y datos que alcanza, sin
comentarios ni docstrings: si algo de eso cambia, lo grabado ya no se encuentra, y la página no se
construye hasta que alguien vuelve a grabar.
"""

import json
import platform
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import asdict
from importlib.metadata import version
from itertools import zip_longest
from pathlib import Path

from lessons_code.sitekit.cache import Output, Session, Store, sessions, write_whole
from lessons_code.sitekit.collect import Cell, Inline, Page
from lessons_code.sitekit.findings import Finding
from lessons_code.sitekit.sources import Sources

FOLDER = "datos/grabadas"  # dentro de docs
ORDER = "`python -m lessons_code.sitekit grabar`, que necesita PyTorch (véase CONTRIBUTING.md)"


def recording(session: Session, docs: Path) -> Path:
    """Dónde está lo que se grabó de una sesión."""
    return docs / FOLDER / f"{session.page.path.stem}-{session.name}.json"


def outputs(page: Page, docs: Path, store: Store, sources: Sources) -> dict[Cell | Inline, Output]:
    """Las salidas de una página, de su grabación o del almacén; las que faltan no están."""
    found = {}
    for session in sessions(page, sources):
        recorded = _load(recording(session, docs)) if session.recorded else {}
        for item, key in zip(session.items, session.keys, strict=True):
            output = recorded.get(key) if session.recorded else store.get(key)
            if output:
                found[item] = output
    return found


def check(pages: Iterable[Page], docs: Path, sources: Sources) -> list[Finding]:
    """Las sesiones sin grabar, o grabadas cuando su código era otro."""
    findings = []
    owners: dict[Path, Page] = {}
    for page in pages:
        for session in sessions(page, sources):
            path = recording(session, docs)
            if not session.recorded or page.findings:
                continue
            if owners.setdefault(path, page) is not page:
                line = session.items[0].line
                problem = f"{owners[path].path.as_posix()} graba en el mismo fichero: {path.name}"
                message = f"{problem}; pon otro nombre a la sesión «{session.name}»"
                findings.append(Finding(page.path, line, "grabada", message))
            elif (recorded := [*_load(path)]) != session.keys:
                findings.append(_outdated(session, recorded))
    return findings


def _outdated(session: Session, recorded: list[str]) -> Finding:
    """Señala lo primero que no es como cuando se grabó."""
    pairs = enumerate(zip_longest(session.keys, recorded))
    changed = next(index for index, (key, old) in pairs if key != old)
    line = session.items[min(changed, len(session.items) - 1)].line
    why = "ha cambiado, ella o un módulo que importa, desde que se grabó"
    what = why if recorded else "no está grabada"
    message = f"la sesión «{session.name}» {what}: ejecuta {ORDER}"
    return Finding(session.page.path, line, "grabada", message)


def record(
    pages: Iterable[Page],
    docs: Path,
    root: Path,
    on_progress: Callable[[Session, float], None] | None = None,
) -> list[Finding]:
    """Ejecuta las sesiones que usan PyTorch y graba las que acaban bien; da los hallazgos.

    Lanza PackageNotFoundError donde no está instalado.
    """
    versions = {name: version(name).partition("+")[0] for name in ("torch", "numpy")}
    versions["python"] = platform.python_version()
    # Aquí y no arriba: quien solo lee lo grabado no necesita el motor.
    from lessons_code.sitekit.engine import execute

    sources = Sources(root)
    with tempfile.TemporaryDirectory() as folder:
        store = Store(root, Path(folder))
        findings = execute(pages, store, recorded=True, on_progress=on_progress)
        for session in (session for page in pages for session in sessions(page, sources)):
            found = [store.get(key) for key in session.keys]
            if session.recorded and all(found):
                _save(recording(session, docs), session, found, versions)
    return findings


def _save(path: Path, session: Session, found: list[Output], versions: dict[str, str]) -> None:
    """Un fichero que se lee y se compara: cada texto, en renglones."""
    items = []
    for item, key, output in zip(session.items, session.keys, found, strict=True):
        code = item.code if isinstance(item, Cell) else item.expression
        texts = {"code": code, **asdict(output)}
        lines = {name: text.split("\n") for name, text in texts.items() if text}
        items.append({"key": key, **lines})
    content = {"page": session.page.path.as_posix(), "versions": versions, "items": items}
    write_whole(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def _load(path: Path) -> dict[str, Output]:
    """Las salidas grabadas, por su clave y en orden; ninguna si el fichero falta o está roto."""
    try:
        content = json.loads(path.read_bytes())
        by = f"PyTorch {content['versions']['torch']}"
        return {item["key"]: _output(item, by) for item in content["items"]}
    except (OSError, ValueError, TypeError, KeyError):
        return {}


def _output(item: dict[str, list[str]], by: str) -> Output:
    texts = {name: "\n".join(item.get(name, ())) for name in ("text", "html", "error")}
    return Output(**texts, recorded=by)
