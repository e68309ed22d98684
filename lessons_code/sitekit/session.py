"""Lo que ocurre dentro del proceso de una sesión: sus celdas, de arriba abajo, bajo vigilancia.

Un proceso nuevo por sesión, con su grupo de procesos, una carpeta temporal por directorio de
trabajo y límites de tiempo, memoria y salida. Los límites protegen de descuidos, no de malicia: el
código de las páginas es del curso. Se captura el descriptor 1, así que cuenta también lo que
escriben C y los subprocesos.

Este módulo se carga en cada proceso: solo usa la biblioteca estándar.
"""

import ast
import ctypes
import errno
import faulthandler
import hashlib
import importlib.machinery
import multiprocessing
import os
import re
import shutil
import signal
import sys
import threading
import types
import warnings
from dataclasses import dataclass
from pathlib import Path

from lessons_code.sitekit.spanish import format_value

try:
    import resource
except ImportError:  # Windows: sin límites de memoria ni de disco
    resource = None

MIB = 2**20
_DISK = 16 * MIB  # lo más que puede crecer un fichero: detiene a quien imprime sin fin
_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+")


@dataclass(frozen=True)
class Limits:
    """Lo que puede gastar una sesión."""

    seconds: float = 60.0
    memory: int = 2048 * MIB
    output: int = MIB // 4  # por celda


@dataclass(frozen=True)
class Step:
    """Una celda (`format_spec` None) o un valor en línea, con su sitio para los mensajes."""

    code: str
    path: str
    line: int
    error: str = ""
    format_spec: str | None = None


@dataclass(frozen=True)
class Job:
    """Una sesión por ejecutar. `folder` la crea y la borra quien la encarga."""

    root: str
    folder: str
    steps: tuple[Step, ...]
    limits: Limits


class StepError(Exception):
    """Un paso que falla: regla del hallazgo, línea del código y mensaje."""

    def __init__(self, rule: str, line: int, message: str):
        super().__init__(rule, line, message)


def run(connection, job: Job) -> None:
    """Ejecuta los pasos y los cuenta por `connection`; termina con su grupo de procesos.

    Mensajes: ("empieza", i) · ("sale", i, texto, html, error, usado) · ("falla", i, regla, línea,
    mensaje) · ("termina",). `usado` son los ficheros propios importados (con su SHA-256) o abiertos
    (con None) durante el paso.
    """
    folder = Path(job.folder)
    _stand_alone(folder)
    faulthandler.dump_traceback_later(job.limits.seconds, exit=True)
    _limit(job.limits)
    watch = _Watch(job.root)
    session = _Session(job, _Capture(folder / "stdout"))
    for index, step in enumerate(job.steps):
        connection.send(("empieza", index))
        try:
            result = session.run(step)
        except StepError as failure:
            connection.send(("falla", index, *failure.args))
            break
        connection.send(("sale", index, *result, watch.used()))
    else:
        connection.send(("termina",))
    connection.close()
    _end_group()


# --- El proceso -----------------------------------------------------------------------------------


def _stand_alone(folder: Path) -> None:
    """Grupo propio, carpeta propia, errores a un fichero, y morir si muere quien encargó."""
    if hasattr(os, "setsid"):
        os.setsid()
    work = folder / "trabajo"
    work.mkdir()
    os.chdir(work)
    os.environ["TMPDIR"] = str(work)
    errors = os.open(folder / "stderr", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(errors, 2)
    sys.stderr = sys.__stderr__ = open(2, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
    faulthandler.enable(sys.stderr)
    threading.Thread(target=_follow, args=(folder,), daemon=True).start()


def _follow(folder: Path) -> None:
    multiprocessing.parent_process().join()
    shutil.rmtree(folder, ignore_errors=True)
    _end_group()


def _end_group() -> None:
    """Termina este proceso y los que haya dejado en marcha."""
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def _limit(limits: Limits) -> None:
    if resource:
        for kind, amount in (
            (resource.RLIMIT_AS, limits.memory),
            (resource.RLIMIT_FSIZE, _DISK),
            (resource.RLIMIT_CORE, 0),
        ):
            resource.setrlimit(kind, (amount, amount))


def _left_running() -> bool:
    """¿Ha dejado la celda algún proceso hijo en marcha?"""
    if not hasattr(os, "WNOHANG"):
        return False
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


# --- Lo que la sesión importa y abre --------------------------------------------------------------


class _Watch:
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
        """Lo anotado desde la última vez, con rutas desde la raíz."""
        used, self._used = self._used, {}
        return {Path(path).relative_to(self.root).as_posix(): how for path, how in used.items()}

    def _own(self, path: str) -> bool:
        inside = path == self.root or path.startswith(self.root + os.sep)
        return inside and not path.startswith(sys.prefix + os.sep)

    def _finder(self, path: str):
        if not self._own(path):
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
            path = os.path.abspath(os.fsdecode(arguments[0]))  # noqa: PTH100 (sin seguir enlaces)
            if self._own(path) and path not in self._imported:
                self._used.setdefault(path, None)


# --- Lo que la sesión escribe ---------------------------------------------------------------------


class _Capture:
    """El descriptor 1, en un fichero que se vacía tras cada paso."""

    def __init__(self, path: Path):
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        os.dup2(self._file, 1)
        sys.stdout = sys.__stdout__ = open(  # noqa: SIM115
            1, "w", encoding="utf-8", buffering=1, newline="\n", closefd=False
        )
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


# --- Los pasos ------------------------------------------------------------------------------------


class _Session:
    """El espacio de nombres de una sesión, como el de un guion que se ejecuta solo."""

    def __init__(self, job: Job, capture: _Capture):
        self.job = job
        self.capture = capture
        self.process = os.getpid()
        module = types.ModuleType("__main__")
        sys.modules["__main__"] = module
        self.names = module.__dict__
        # Un aviso de NumPy es un número dudoso: ninguna página lo esconde.
        warnings.resetwarnings()
        warnings.simplefilter("error")
        for category in (
            DeprecationWarning,
            PendingDeprecationWarning,
            ImportWarning,
            ResourceWarning,
        ):
            warnings.simplefilter("ignore", category)

    def run(self, step: Step) -> tuple[str, str, str]:
        """Texto, HTML y tipo de error de un paso. Lanza StepError."""
        html = error = message = ""
        value = None
        try:
            if step.format_spec is None:
                html = _html(self._cell(step), step)
            else:
                value = self._value(step)
        except StepError:
            raise
        except BaseException as raised:
            error = type(raised).__name__
            message = f"{error}: {raised}"
            if error != step.error:
                raise self._failure(step, raised) from None
        finally:
            if os.getpid() != self.process:
                os._exit(0)  # una copia nacida de os.fork() no habla por la sesión
        if step.error and not error:
            raise StepError("celda", step.line, f"anuncia error=«{step.error}» y no lo lanza")
        try:
            text = self.capture.take(self.job.limits.output)
        except (ValueError, OSError) as problem:
            raise StepError("límite", step.line, str(problem)) from None
        if _left_running():
            raise StepError("celda", step.line, "deja un proceso en marcha: espera a que termine")
        if value is not None:
            if text:
                raise StepError("valor", step.line, "un valor en línea no imprime nada")
            text = value
        self._check(step, text + html + message)
        if message and text and not text.endswith("\n"):
            text += "\n"
        return text + message, html, error

    def _cell(self, step: Step) -> object:
        """Ejecuta una celda; devuelve su última expresión."""
        tree = _parse(step, "exec")
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, step.path, "exec", dont_inherit=True), self.names)
        if last is None:
            return None
        expression = ast.Expression(last.value)
        return eval(compile(expression, step.path, "eval", dont_inherit=True), self.names)

    def _value(self, step: Step) -> str:
        code = compile(_parse(step, "eval"), step.path, "eval", dont_inherit=True)
        value = eval(code, self.names)
        try:
            return format_value(value, step.format_spec)
        except ValueError as error:
            raise StepError("valor", step.line, str(error)) from None

    def _failure(self, step: Step, error: BaseException) -> StepError:
        line, origin = step.line, ""
        traceback = error.__traceback__
        while traceback:
            path = traceback.tb_frame.f_code.co_filename
            if path == step.path:
                line, origin = traceback.tb_lineno, ""
            elif path.startswith(self.job.root + os.sep) and not path.startswith(
                sys.prefix + os.sep
            ):
                place = Path(path).relative_to(self.job.root).as_posix()
                origin = f" (en {place}:{traceback.tb_lineno})"
            traceback = traceback.tb_next
        rule = "valor" if step.format_spec is not None else "celda"
        match error:
            case MemoryError():
                limit = self.job.limits.memory // MIB
                return StepError(
                    "límite", line, f"necesita más memoria de la permitida: {limit} MiB"
                )
            case OSError(errno=errno.EFBIG):
                return StepError(
                    "límite", line, f"escribe más de {_DISK // MIB} MiB: imprime menos"
                )
            case SystemExit():
                return StepError(rule, line, f"intenta terminar el programa (SystemExit: {error})")
            case Warning():
                rule = "aviso"
        expected = f", y anunciaba error=«{step.error}»" if step.error else ""
        message = str(error).replace(self.job.root + os.sep, "")
        return StepError(rule, line, f"{type(error).__name__}: {message}{origin}{expected}")

    def _check(self, step: Step, output: str) -> None:
        """Lo que se publica no depende de la máquina ni del momento."""
        address = _ADDRESS.search(output)
        if address:
            message = (
                f"la salida contiene una dirección de memoria («{address[0]}»), que cambia siempre"
            )
            raise StepError("reproducible", step.line, message)
        for path in (self.job.folder, self.job.root):
            if path in output:
                message = f"la salida contiene una ruta de esta máquina («{path}»)"
                raise StepError("reproducible", step.line, message)


def _parse(step: Step, mode: str) -> ast.Module | ast.Expression:
    """El árbol, con las líneas verdaderas del fichero."""
    if mode == "eval":
        return ast.increment_lineno(ast.parse(step.code, step.path, "eval"), step.line - 1)
    return ast.parse("\n" * (step.line - 1) + step.code, step.path, "exec")


def _html(value: object, step: Step) -> str:
    """El HTML de la última expresión, con el convenio de Jupyter; los demás valores no se ven."""
    method = getattr(type(value), "_repr_html_", None)
    html = method(value) if method else None
    if not isinstance(html, str | None):
        kind = type(html).__name__
        raise StepError("celda", step.line, f"_repr_html_ debe devolver texto, y devolvió {kind}")
    return html or ""
