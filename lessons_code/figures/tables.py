"""Tablas HTML accesibles: título, cabeceras con ámbito y números a la española."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from numbers import Integral, Real

from lessons_code.figures.spanish import number


@dataclass(frozen=True)
class Table:
    """Tabla lista para la página: las celdas de texto se respetan y los números se formatean."""

    headers: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    caption: str
    decimals: int

    def _repr_html_(self) -> str:
        label = escape(self.caption)
        head = "".join(map(self._header, range(len(self.headers))))
        body = "".join(f"<tr>{self._row(row)}</tr>" for row in self.rows)
        return (
            f'<div class="figura-datos" role="group" tabindex="0" aria-label="{label}">'
            f'<table class="tabla"><caption>{_text(self.caption)}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )

    def _header(self, column: int) -> str:
        textual = bool(self.rows) and isinstance(self.rows[0][column], str)
        opening = '<th scope="col" class="texto">' if textual else '<th scope="col">'
        return f"{opening}{_text(self.headers[column])}</th>"

    def _row(self, row: tuple[object, ...]) -> str:
        first, *rest = row
        if isinstance(first, str):
            return f'<th scope="row">{_text(first)}</th>' + "".join(map(self._cell, rest))
        return "".join(map(self._cell, row))

    def _cell(self, cell: object) -> str:
        if isinstance(cell, str):
            return f'<td class="texto">{_text(cell)}</td>'
        if isinstance(cell, Integral):
            return f"<td>{number(int(cell))}</td>"
        return f"<td>{number(float(cell), self.decimals)}</td>"


def _text(content: str) -> str:
    return escape(content, quote=False)


def table(
    headers: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    caption: str,
    decimals: int = 3,
) -> Table:
    """Tabla con una cabecera por columna; `decimals` fija los decimales de los números reales.

    La primera celda de cada fila, si es texto, es su cabecera. Los números quedan a la derecha.
    Lanza ValueError si una fila no tiene tantas celdas como cabeceras hay o si un número no es
    finito, y TypeError si una celda no es texto ni número.
    """
    if not headers:
        raise ValueError("headers: hace falta al menos una columna")
    for index, row in enumerate(rows):
        if len(row) != len(headers):
            raise ValueError(
                f"rows[{index}]: esperaba {len(headers)} celdas, una por cabecera, "
                f"llegaron {len(row)}"
            )
        for header, cell in zip(headers, row, strict=True):
            if isinstance(cell, bool) or not isinstance(cell, str | Real):
                raise TypeError(
                    f"rows[{index}], columna «{header}»: esperaba texto o número, llegó "
                    f"{type(cell).__name__}; conviértelo antes"
                )
    result = Table(tuple(headers), tuple(map(tuple, rows)), caption, decimals)
    result._repr_html_()  # un número que no es finito se delata aquí, no al pintar la página
    return result
