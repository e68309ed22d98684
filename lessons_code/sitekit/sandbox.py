"""Lo que rodea a una sesión: su proceso, sus límites, lo que importa y lo que escribe.

Los límites protegen de descuidos, no de malicia: el código de las páginas es del curso. Se carga
en cada proceso: solo usa la biblioteca estándar.
"""

import ctypes
import faulthandler
import hashlib
import importlib.machinery
import multiprocessing
import os
import shutil
import signal
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

try:
    import resource
except ImportError:  # Windows: sin límites de memoria ni de disco
    resource = None

MIB = 2**20
FILE_SIZE = 16 * MIB  # lo más que puede crecer un fichero: detiene a quien imprime sin fin


@dataclass(frozen=True)
class Limits:
    """Lo que puede gastar una sesión."""

    seconds: float = 60.0
    memory: int = 2048 * MIB
    output: int = MIB // 4  # por celda


def own(path: str, root: str) -> bool:
    """¿Es un fichero del proyecto? El entorno virtual suele estar dentro, y no cuenta."""
    return path.startswith(root + os.sep) and not path.startswith(sys.prefix + os.sep)


# --- El proceso -----------------------------------------------------------------------------------


def stand_alone(folder: Path, limits: Limits) -> None:
    """Grupo propio, carpeta propia, errores a un fichero, límites, y morir con quien encargó."""
    if hasattr(os, "setsid"):
        os.setsid()
    work = folder / "trabajo"
    work.mkdir()
    os.chdir(work)
    os.environ["TMPDIR"] = str(work)
    os.dup2(os.open(folder / "stderr", os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
    sys.stderr = sys.__stderr__ = _writer(2)
    faulthandler.enable(sys.stderr)
    # Un hilo de C: vence aunque el código no suelte nunca el intérprete.
    faulthandler.dump_traceback_later(limits.seconds, exit=True)
    threading.Thread(target=_follow, args=(folder,), daemon=True).start()
    if resource:
        for kind, amount in (
            (resource.RLIMIT_AS, limits.memory),
            (resource.RLIMIT_FSIZE, FILE_SIZE),
            (resource.RLIMIT_CORE, 0),
        ):
            with suppress(ValueError, OSError):  # hay sistemas que no admiten alguno
                resource.setrlimit(kind, (amount, amount))


def _follow(folder: Path) -> None:
    multiprocessing.parent_process().join()
    shutil.rmtree(folder, ignore_errors=True)
    end_group()


def end_group() -> None:
    """Termina este proceso y los que haya dejado en marcha."""
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def child_running() -> bool:
    """¿Hay algún proceso hijo en marcha?"""
    if not hasattr(os, "WNOHANG"):
        return False
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


# --- Lo que la sesión importa y abre --------------------------------------------------------------


class Watch:
    """Anota los ficheros del proyecto que se importan o se abren.

    Los módulos propios se compilan siempre desde su fuente: un .pyc se reconoce por segundos y
    tamaño, y podría ser el de antes de la última edición.
    """

    def __init__(self, root: str):
        self.root = root
        self._used: dict[str, str | None] = {}
        self._imported: set[str] = set()
        package = __name__.partition(".")[0]
        for name in [name for name in sys.modules if name.partition(".")[0] == package]:
            del sys.modules[name]  # las celdas importan el suyo, recién leído
        home = str(Path(__file__).parents[2])
        sys.path[:] = [root, *(path for path in sys.path if path not in ("", root, home))]
        sys.path_hooks.insert(0, self._finder)
        sys.path_importer_cache.clear()
        sys.addaudithook(self._audit)

    def used(self) -> dict[str, str | None]:
        """Lo anotado desde la última vez: rutas desde la raíz, con su SHA-256 si se importó."""
        used, self._used = self._used, {}
        return {Path(path).relative_to(self.root).as_posix(): how for path, how in used.items()}

    def _finder(self, path: str):
        if path != self.root and not own(path, self.root):
            raise ImportError(path)
        watch = self

        class Loader(importlib.machinery.SourceFileLoader):
            def get_code(self, fullname):
                watch._imported.add(self.path)
                source = self.get_data(self.path)
                watch._used[self.path] = hashlib.sha256(source).hexdigest()
                return self.source_to_code(source, self.path)

        return importlib.machinery.FileFinder(
            path,
            (importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES),
            (Loader, importlib.machinery.SOURCE_SUFFIXES),
        )

    def _audit(self, event: str, arguments: tuple) -> None:
        if event == "open" and not isinstance(arguments[0], int):
            path = str(Path(os.fsdecode(arguments[0])).resolve())
            if own(path, self.root) and path not in self._imported and not _quoting():
                self._used.setdefault(path, None)


def _quoting() -> bool:
    """¿Se abre solo para citar sus líneas en una traza? PyTorch guarda una al importarse."""
    frame = sys._getframe(2)  # quien abre el fichero
    return frame.f_globals.get("__name__") == "tokenize"


# --- Lo que la sesión escribe ---------------------------------------------------------------------


class Capture:
    """El descriptor 1, en un fichero que se vacía tras cada paso."""

    def __init__(self, path: Path):
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        os.dup2(self._file, 1)
        sys.stdout = sys.__stdout__ = _writer(1)
        self._flush_c = ctypes.CDLL(None).fflush if os.name == "posix" else lambda _: None

    def take(self, limit: int) -> str:
        """Lo escrito desde la última vez. Lanza ValueError si pasa del límite o no es UTF-8."""
        sys.stdout.flush()
        self._flush_c(None)
        size = os.fstat(self._file).st_size
        if size > limit:
            raise ValueError(f"la salida pasa de {limit // 1024} KiB: imprime menos")
        os.lseek(self._file, 0, os.SEEK_SET)
        content = os.read(self._file, size)
        os.ftruncate(self._file, 0)
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            raise ValueError("la salida no es texto UTF-8") from None


def _writer(descriptor: int) -> TextIO:
    """Un fichero de texto que sale línea a línea, en orden con lo que escriban otros."""
    return open(descriptor, "w", buffering=1, encoding="utf-8", newline="\n", closefd=False)
