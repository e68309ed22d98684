"""Lo que ocurre dentro del proceso de una sesión: sus celdas, de arriba abajo.

Cada celda se ejecuta como un trozo de un guion, con las líneas verdaderas de su fichero. Su salida
es lo que escribe en el descriptor 1 (también desde C o desde un subproceso) y, si acaba en una
expresión que sabe dibujarse, su HTML.
"""

import ast
import errno
import os
import re
import sys
import types
from dataclasses import dataclass
from pathlib import Path

from lessons_code.sitekit import cell
from lessons_code.sitekit.sandbox import (
    FILE_SIZE,
    MIB,
    Capture,
    Limits,
    Watch,
    child_running,
    end_group,
    own,
    stand_alone,
)
from lessons_code.sitekit.spanish import format_value

_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+")


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
    stand_alone(folder, job.limits)
    watch = Watch(job.root)
    session = _Session(job, Capture(folder / "stdout"))
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
    end_group()


class _Session:
    """El espacio de nombres de una sesión, como el de un guion que se ejecuta solo."""

    def __init__(self, job: Job, capture: Capture):
        self.job = job
        self.capture = capture
        self.process = os.getpid()
        module = types.ModuleType("__main__")
        sys.modules["__main__"] = module
        self.names = module.__dict__
        cell.strict_warnings()

    def run(self, step: Step) -> tuple[str, str, str]:
        """Texto, HTML y tipo de error de un paso. Lanza StepError."""
        html = error = message = ""
        value = None
        try:
            if step.format_spec is None:
                html = cell.run(step.code, self.names, path=step.path, line=step.line)
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
        except ValueError as problem:
            raise StepError("límite", step.line, str(problem)) from None
        except OSError as raised:
            raise self._failure(step, raised) from None
        if child_running():
            raise StepError("celda", step.line, "deja un proceso en marcha: espera a que termine")
        if value is not None:
            if text:
                raise StepError("valor", step.line, "un valor en línea no imprime nada")
            text = value
        self._check(step, text + html + message)
        if message and text and not text.endswith("\n"):
            text += "\n"
        return text + message, html, error

    def _value(self, step: Step) -> str:
        tree = ast.increment_lineno(ast.parse(step.code, step.path, "eval"), step.line - 1)
        value = eval(compile(tree, step.path, "eval", dont_inherit=True), self.names)
        try:
            return format_value(value, step.format_spec)
        except ValueError as error:
            raise StepError("valor", step.line, str(error)) from None

    def _failure(self, step: Step, error: BaseException) -> StepError:
        line, origin = 0, ""
        traceback = error.__traceback__
        while traceback:
            path = traceback.tb_frame.f_code.co_filename
            if path == step.path:
                line = line or traceback.tb_lineno
            elif line and own(path, self.job.root):  # lo de antes es la maquinaria, no la celda
                place = Path(path).relative_to(self.job.root).as_posix()
                origin = f" (en {place}:{traceback.tb_lineno})"
            traceback = traceback.tb_next
        rule = "valor" if step.format_spec is not None else "celda"
        message = str(error).replace(self.job.root + os.sep, "")
        what = f"{type(error).__name__}: {message}{origin}"
        match error:
            case MemoryError():
                memory = self.job.limits.memory // MIB
                rule, what = "límite", f"necesita más memoria de la permitida: {memory} MiB"
            case OSError(errno=errno.EFBIG):
                rule, what = "límite", f"escribe más de {FILE_SIZE // MIB} MiB: imprime menos"
            case SystemExit():
                what = f"intenta terminar el programa (SystemExit: {message})"
            case Warning():
                rule = "aviso"
        expected = f", y anunciaba error=«{step.error}»" if step.error else ""
        return StepError(rule, line or step.line, what + expected)

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
