"""A dos importaciones de distancia: usa `numbers` y lo usan las páginas."""

import json
from html import escape
from pathlib import Path

from .numbers import scale

ROOT = Path(__file__).parents[1]


class ShapeError(ValueError):
    """Un error propio, para las celdas que lo anuncian."""


class Bar:
    """Una barra que se dibuja sola."""

    def __init__(self, label, length):
        if length < 0:
            raise ShapeError(f"length: esperaba 0 o más, llegó {length}")
        self.label = label
        self.length = scale(length)

    def _repr_html_(self):
        bar = f'<b style="width:{self.length}em">{escape(self.label)}</b>'
        return f'<figure class="figura" data-search-exclude>{bar}</figure>'


def stored_lengths():
    """Las longitudes guardadas con el sitio."""
    return json.loads((ROOT / "docs/datos/lengths.json").read_text(encoding="utf-8"))
