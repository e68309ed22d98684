"""El almacén de salidas: lo que ya se ejecutó no se repite, y nada viejo se puede encontrar.

La clave de un elemento es el SHA-256 de todo lo que puede cambiar su salida: la versión del
formato, lo que se ejecuta antes que él en su sesión y él mismo (el código, no la prosa ni las
líneas), los módulos propios que importa, directa o indirectamente, los datos que se leen, la
versión de Python y las dependencias fijadas en requirements.txt. El almacén es una carpeta de
ficheros JSON, `.celdas/`, sin base de datos: si se borra, solo se pierde tiempo.

Una sesión que importa PyTorch no se ejecuta: se enseña lo grabado (véase recorded.py), y su clave
no mira lo que cambia de una máquina a otra.

Un dato cuenta si su ruta desde la raíz está escrita entera (`"docs/datos/x.json"`) en la celda o
en uno de esos módulos. El motor comprueba que no se lea ni importe nada más.
"""

import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from lessons_code.sitekit.collect import Cell, Inline, Listing, Page
from lessons_code.sitekit.sources import Reach, Sources

FORMAT = 1  # súbelo si cambia lo que se guarda o el entorno en que se ejecuta
KEPT_DAYS = 30
RECORDED = "torch"  # lo que importan las sesiones grabadas


@dataclass(frozen=True)
class Output:
    """Lo que produjo un elemento. Un valor en línea solo tiene `text`, ya en español."""

    text: str = ""  # lo impreso, sin escapar; con `error`, acaba en «Tipo: mensaje»
    html: str = ""  # la figura o tabla de la última expresión
    error: str = ""  # el tipo de la excepción que la celda anunciaba
    recorded: str = ""  # con qué se grabó, si no se ejecuta al construir


@dataclass
class Session:
    """Lo que una página ejecuta en un mismo proceso, en orden, con la clave de cada elemento."""

    page: Page
    name: str
    items: list[Cell | Inline] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    reaches: list[Reach] = field(default_factory=list)  # lo alcanzado hasta cada elemento

    @property
    def recorded(self) -> bool:
        """¿Importa PyTorch alguna de sus celdas, o lo que importan?"""
        return RECORDED in self.reaches[-1].external


def sessions(page: Page, sources: Sources) -> list[Session]:
    """Las sesiones de una página."""
    found: dict[str, Session] = {}
    for item in page.items:
        if isinstance(item, Listing):
            continue
        session = found.setdefault(item.session, Session(page, item.session))
        code = item.code if isinstance(item, Cell) else item.expression
        before = session.reaches[-1] if session.reaches else Reach()
        session.items.append(item)
        session.reaches.append(sources.reach(code) | before)
    for session in found.values():
        session.keys += _keys(session, sources)
    return list(found.values())


def _keys(session: Session, sources: Sources) -> Iterator[str]:
    """La clave de cada elemento, que cubre la de los anteriores."""
    key = RECORDED if session.recorded else _base(sources)
    for item, reach in zip(session.items, session.reaches, strict=True):
        if isinstance(item, Cell):
            content = ["celda", item.code, item.error]
        else:
            content = ["valor", item.expression, item.format_spec]
        files = sources.essences(reach) if session.recorded else sorted(reach.files)
        key = _digest([key, content, files])
        yield key


def keys(page: Page, sources: Sources) -> dict[Cell | Inline, str]:
    """La clave de cada celda y valor en línea de una página."""
    return {
        item: key
        for session in sessions(page, sources)
        for item, key in zip(session.items, session.keys, strict=True)
    }


def pending(
    pages: Iterable[Page], store: "Store", sources: Sources, *, recorded: bool = False
) -> list[Session]:
    """Las sesiones a las que les falta alguna salida: hay que ejecutarlas enteras.

    Las grabadas no lo están nunca, salvo al grabar, que es cuando se ejecutan solo ellas.
    """
    return [
        session
        for page in pages
        for session in sessions(page, sources)
        if session.recorded == recorded and any(store.get(key) is None for key in session.keys)
    ]


def _base(sources: Sources) -> str:
    return _digest([FORMAT, list(sys.version_info[:2]), list(sources.pins)])


def _digest(content) -> str:
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class Store:
    """Las salidas de un proyecto: su carpeta `.celdas/`, u otra."""

    def __init__(self, root: Path, folder: Path | None = None):
        self.root = root.resolve()
        self.folder = folder or self.root / ".celdas"

    def get(self, key: str) -> Output | None:
        """La salida guardada; None si no está o si el fichero está dañado."""
        try:
            entry = json.loads((self.folder / f"{key}.json").read_bytes())
            output = Output(**entry["output"])
        except (OSError, ValueError, TypeError, KeyError):
            return None
        return output if entry.get("sum") == _digest(asdict(output)) else None

    def put(self, key: str, output: Output) -> None:
        """Guarda una salida."""
        content = asdict(output)
        entry = json.dumps({"output": content, "sum": _digest(content)}, ensure_ascii=False)
        write_whole(self.folder / f"{key}.json", entry)

    def prune(self, used: Iterable[str], now: float | None = None) -> int:
        """Borra lo que el sitio ya no usa y lleva un mes guardado. Devuelve cuántos ficheros."""
        oldest = (time.time() if now is None else now) - KEPT_DAYS * 24 * 3600
        kept = {f"{key}.json" for key in used}
        stale = [
            file
            for file in self.folder.glob("*")
            if file.name not in kept and file.stat().st_mtime < oldest
        ]
        for file in stale:
            file.unlink(missing_ok=True)
        return len(stale)


def write_whole(path: Path, text: str) -> None:
    """Escribe de golpe: quien lea verá el fichero entero o el de antes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, suffix=".parcial")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
