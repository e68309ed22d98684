"""El motor: ejecuta las sesiones a las que les falta alguna salida, varias a la vez.

Cada sesión nace ya con NumPy cargado, copiada de un servidor que no ha visto nunca el código del
curso (método forkserver; spawn donde no existe): por eso arranca en milisegundos y ve siempre la
última edición. Una sesión que falla, se cuelga o muere es un hallazgo con su línea, y no guarda
nada. Si quien encarga muere, sus sesiones mueren con él (véase session.py).

Conviene llamarlo desde `python -m lessons_code.sitekit`: forkserver volvería a importar en cada
proceso cualquier otro guion principal.
"""

import hashlib
import multiprocessing
import os
import re
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from pathlib import Path

from lessons_code.sitekit import session as inside
from lessons_code.sitekit.cache import Output, Session, Store, pending
from lessons_code.sitekit.collect import Cell, Page
from lessons_code.sitekit.findings import Finding
from lessons_code.sitekit.sandbox import Limits
from lessons_code.sitekit.session import Job, Step
from lessons_code.sitekit.sources import Sources

__all__ = ["Limits", "execute"]

# Lo que carga el servidor si alguna sesión lo importa.
_PRELOAD = {
    "numpy": ("numpy",),
    "matplotlib": ("matplotlib.figure", "matplotlib.backends.backend_svg"),
}
_KEPT = (
    *("PATH", "HOME", "LD_LIBRARY_PATH", "TMPDIR", "XDG_CACHE_HOME", "MPLCONFIGDIR"),
    *("SYSTEMROOT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA"),
)
_FIXED = {
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MPLBACKEND": "agg",
    "MATPLOTLIBRC": os.devnull,
}
_LIMITS = Limits()
_GRACE = 5.0  # segundos que se dan a una sesión para morir por sí misma al vencer su tiempo


def execute(
    pages: Iterable[Page],
    store: Store,
    *,
    recorded: bool = False,
    jobs: int = 2,
    on_progress: Callable[[Session, float], None] | None = None,
    limits: Limits = _LIMITS,
) -> list[Finding]:
    """Ejecuta lo que falta en el almacén y devuelve los hallazgos, en orden.

    Las sesiones grabadas se ejecutan con `recorded`, y entonces solo ellas. Las páginas con
    hallazgos propios no se ejecutan. `on_progress(sesión, segundos)` se llama al terminar cada una.
    Una sesión guarda sus salidas solo si acaba entera y sin hallazgos.
    """
    sound = [page for page in pages if not page.findings]
    waiting = pending(sound, store, Sources(store.root), recorded=recorded)
    if not waiting:
        return []
    findings: list[Finding] = []
    running: list[_Run] = []
    context = _context(waiting)
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                running.append(_Run(waiting.pop(0), store, limits, context))
            deadline = min(run.deadline for run in running)
            handles = [handle for run in running for handle in run.handles]
            wait(handles, timeout=max(0.0, deadline - time.monotonic()))
            for run in [run for run in running if run.finished()]:
                running.remove(run)
                findings += run.close()
                if on_progress:
                    on_progress(run.session, run.seconds)
    finally:
        for run in running:
            run.kill()
    return sorted(findings)


def _context(waiting: list[Session]) -> multiprocessing.context.BaseContext:
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    external = {name for session in waiting for name in session.reaches[-1].external}
    libraries = [module for name in _PRELOAD if name in external for module in _PRELOAD[name]]
    context.set_forkserver_preload([*libraries, inside.__name__])
    return context


@contextmanager
def _fixed_environment() -> Iterator[None]:
    """El entorno con que nacen las sesiones: el mismo en cualquier máquina."""
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update({name: before[name] for name in _KEPT if name in before} | _FIXED)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


class _Run:
    """Una sesión en marcha, vista desde fuera."""

    def __init__(self, session: Session, store: Store, limits: Limits, context):
        self.session = session
        self.store = store
        self.limits = limits
        self.folder = Path(tempfile.mkdtemp(prefix="celdas-")).resolve()
        self.outputs: list[Output] = []
        self.findings: list[Finding] = []
        self.current = 0
        self.complete = False
        self.started = time.monotonic()
        self.deadline = self.started + limits.seconds + _GRACE
        self.seconds = 0.0
        self.connection, theirs = context.Pipe(duplex=False)
        job = Job(str(store.root), str(self.folder), _steps(session), limits)
        self.process = context.Process(target=inside.run, args=(theirs, job), daemon=True)
        try:
            with _fixed_environment():
                self.process.start()
        except BaseException:
            shutil.rmtree(self.folder)
            raise
        finally:
            theirs.close()

    @property
    def handles(self) -> tuple:
        return self.connection, self.process.sentinel

    def finished(self) -> bool:
        """Atiende lo que la sesión haya dicho; verdadero si ya no dirá más."""
        dead = not self.process.is_alive()
        try:
            while self.connection.poll():
                self._hear(*self.connection.recv())
        except (EOFError, OSError):
            dead = True
        return dead or self.complete or bool(self.findings) or time.monotonic() > self.deadline

    def _hear(self, kind: str, *details) -> None:
        match kind, details:
            case "empieza", (index,):
                self.current = index
            case "sale", (index, text, html, error, used):
                self.outputs.append(Output(text, html, error))
                self._check_used(index, used)
            case "falla", (index, rule, line, message):
                self._find(index, rule, line, message)
            case "termina", ():
                self.complete = True

    def close(self) -> list[Finding]:
        """Recoge la sesión: guarda sus salidas o explica por qué no."""
        self.seconds = time.monotonic() - self.started
        died = not self.complete and not self.findings
        self.kill(remove=False)
        if died:
            self._explain_death()
        self._compare()
        if not self.findings:
            for key, output in zip(self.session.keys, self.outputs, strict=True):
                if self.store.get(key) is None:
                    self.store.put(key, output)
        shutil.rmtree(self.folder, ignore_errors=True)
        return self.findings

    def kill(self, *, remove: bool = True) -> None:
        """Termina la sesión y todo lo que haya puesto en marcha."""
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.connection.close()
        if remove:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _compare(self) -> None:
        """Lo que ya estaba guardado debe salir igual: si no, la celda no es reproducible."""
        for index, output in enumerate(self.outputs):
            stored = self.store.get(self.session.keys[index])
            if stored not in (None, output):
                message = (
                    "al repetirla sale otra cosa: fija su semilla y no uses la hora ni el entorno "
                    "(si has cambiado de Python o de dependencias, borra .celdas/)"
                )
                self._find(index, "reproducible", None, message)

    def _check_used(self, index: int, used: dict[str, str | None]) -> None:
        """Todo lo que se importó o leyó tiene que estar en la clave, y no haber cambiado."""
        known = dict(self.session.reaches[index].files)
        for path, fingerprint in sorted(used.items()):
            if fingerprint is None:
                fingerprint = _fingerprint(self.store.root / path)
                advice = f'escribe su ruta entera desde la raíz, "{path}", donde se abre'
            else:
                advice = "impórtalo con una sentencia import"
            if path not in known:
                self._find(index, "dependencia", None, f"usa {path} sin que se vea: {advice}")
            elif known[path] != fingerprint:
                message = f"{path} cambió mientras se ejecutaba: vuelve a ejecutar"
                self._find(index, "dependencia", None, message)

    def _explain_death(self) -> None:
        errors = _read(self.folder / "stderr")
        code = self.process.exitcode
        if self.seconds >= self.limits.seconds:
            rule, what = "límite", f"pasa de {self.limits.seconds:g} segundos"
        elif code < 0:
            rule, what = "celda", f"el proceso murió ({signal.Signals(-code).name})"
        else:
            rule, what = "celda", f"el proceso terminó de golpe (código {code})"
        # faulthandler deja la pila en los errores, de dentro afuera.
        path = re.escape(_steps(self.session)[self.current].path)
        lines = re.findall(rf'File "{path}", line (\d+)', errors)
        self._find(self.current, rule, int(lines[-1]) if lines else None, what)

    def _find(self, index: int, rule: str, line: int | None, message: str) -> None:
        """Un hallazgo en la página; si el código está en un guion, el mensaje dice su línea."""
        item, page = self.session.items[index], self.session.page
        if isinstance(item, Cell):
            line = line or item.code_line
            message = f"«{item.id}»: {message}"
            if item.code_path != page.path:
                message = f"{item.code_path.as_posix()}:{line}: {message}"
                line = item.line
        else:
            line = item.line
            message = f"`{{python}} {item.expression}`: {message}"
        self.findings.append(Finding(page.path, line, rule, message))


def _steps(session: Session) -> tuple[Step, ...]:
    page = session.page.path.as_posix()
    return tuple(
        Step(item.code, item.code_path.as_posix(), item.code_line, error=item.error)
        if isinstance(item, Cell)
        else Step(item.expression, page, item.line, format_spec=item.format_spec)
        for item in session.items
    )


def _fingerprint(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
