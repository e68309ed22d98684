"""Las celdas en la página: quien lee las cambia y las vuelve a ejecutar en su navegador.

Cada celda parte siempre de lo que dejaron las de encima, aunque ella ya se ejecutara antes: ni el
orden de los clics ni las veces que se pulsa cambian el resultado. Para eso se guarda una copia de
las variables antes de cada celda.

Corre dentro de Pyodide, que lo recibe con las fuentes del curso (véase bundle.py).
"""

import copy
import io
import json
from contextlib import redirect_stderr, redirect_stdout
from html import escape

from lessons_code.sitekit import cell

PATH = "celda"
DRAWING = "matplotlib"  # se descarga aparte, cuando alguien quiere el dibujo
LIMIT = 2**18  # caracteres por celda

_sessions: dict[str, "_Session"] = {}


def run(name: str, codes: list[str]) -> str:
    """Ejecuta la última de `codes`, y antes las de encima que falten o hayan cambiado.

    Devuelve en JSON lo que dio cada una de las que ha ejecutado: `index`, `html`, `error` (si lo
    hubo), la `line` en que ocurrió y si le falta (`missing`) la biblioteca de dibujo. Una celda de
    encima a la que solo le falta dibujar no detiene a las demás.
    """
    session = _sessions.setdefault(name, _Session())
    outcomes = []
    for index in range(session.rewind(codes), len(codes)):
        outcomes.append({"index": index, **session.step(index, codes[index])})
        if outcomes[-1]["error"] and not outcomes[-1]["missing"]:
            session.forget(index)
            break
    return json.dumps(outcomes)


class _Session:
    """Un espacio de nombres, y el que había antes de cada celda."""

    def __init__(self):
        self.names: dict[str, object] = {"__name__": "__main__"}
        self.done: list[tuple[str | None, dict[str, object]]] = []  # código, variables de antes
        cell.strict_warnings()

    def rewind(self, codes: list[str]) -> int:
        """Vuelve a antes de la primera celda por ejecutar; devuelve cuál es."""
        start = 0
        while start < min(len(self.done), len(codes) - 1) and self.done[start][0] == codes[start]:
            start += 1
        if start < len(self.done):
            before = self.done[start][1]
            self.names.clear()  # el mismo diccionario: es el global de las funciones ya definidas
            self.names.update(_copied(before))
        return start

    def step(self, index: int, code: str) -> dict[str, object]:
        """Ejecuta una celda y da su salida con el HTML que tendría al construir la página."""
        before = self.done[index][1] if index < len(self.done) else _copied(self.names)
        self.done[index:] = [(code, before)]
        html = error = ""
        line, missing = 0, False
        paper = _Paper()
        try:
            with redirect_stdout(paper), redirect_stderr(io.StringIO()):
                html = cell.run(code, self.names, path=PATH)
        except BaseException as raised:
            error, line = f"{type(raised).__name__}: {_message(raised)}", _line(raised)
            missing = isinstance(raised, ModuleNotFoundError) and raised.name == DRAWING
        text = paper.getvalue()
        if error and not missing:
            text += "\n" * (bool(text) and not text.endswith("\n")) + error
        text = text.rstrip("\n")
        classes = ["salida-error"] if error and not missing else []
        shown = cell.printed(escape(text), *classes) if text else ""
        return {"html": shown + html, "error": error, "line": line, "missing": missing}

    def forget(self, index: int) -> None:
        """Una celda que falla se vuelve a ejecutar la próxima vez que haga falta."""
        self.done[index] = (None, self.done[index][1])


class _Paper(io.StringIO):
    """Lo impreso, con un tope: quien imprime sin fin se entera."""

    def write(self, text: str) -> int:
        if self.tell() + len(text) > LIMIT:
            raise ValueError(f"la salida pasa de {LIMIT // 1024} KiB: imprime menos")
        return super().write(text)


def _copied(names: dict[str, object]) -> dict[str, object]:
    """Copia de las variables que se pueden copiar; lo demás (módulos, ficheros) se comparte."""
    memo: dict[int, object] = {}
    copies = {}
    for name, value in names.items():
        try:
            copies[name] = copy.deepcopy(value, memo)
        except Exception:
            copies[name] = value
    return copies


def _message(error: BaseException) -> str:
    return error.msg if isinstance(error, SyntaxError) else str(error)


def _line(error: BaseException) -> int:
    """La línea de la celda, aunque el error naciera más abajo."""
    line = error.lineno or 0 if isinstance(error, SyntaxError) else 0
    traceback = error.__traceback__
    while traceback:
        if traceback.tb_frame.f_code.co_filename == PATH:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line
