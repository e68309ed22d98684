"""El SVG de matplotlib, vestido como la página.

Trae tinta fija, estilos en línea, ids y seis decimales. Se reescribe plano, con las variables de
color y la letra de la página; sin ids, varias figuras caben en una página.
"""

import re
from html import escape
from xml.etree import ElementTree

from lessons_code.figures.figure import PALETTE, color

SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"

INKS = {PALETTE[name]: color(name) for name in PALETTE if name.startswith("serie-")}
INKS["#000000"] = "currentColor"
# Lo que se conserva del estilo de cada trazo; la letra y los remates los pone la figura.
KEPT = {"fill", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "text-anchor"}


def restyled(source: str) -> str:
    """Los trazos y textos de un SVG de matplotlib, en orden, con la tinta de la página.

    Los colores que se reconocen son el negro y los de las series de la paleta clara. Las marcas,
    que matplotlib define una vez y cita por su id, se copian donde se usan.
    """
    root = ElementTree.fromstring(source)
    shapes = {shape.get("id"): shape for shape in root.iterfind(f".//{SVG}defs/{SVG}path")}
    drawn = []
    for element in root.iter():
        style = _attributes(element.get("style", ""))
        x, y = _short(element.get("x", "")), _short(element.get("y", ""))
        if element.tag == f"{SVG}text":
            text = escape(element.text or "", quote=False)
            drawn.append(f'<text x="{x}" y="{y}"{style}>{text}</text>')
        elif element.tag == f"{SVG}use":
            shape = _short(shapes[element.get(HREF).removeprefix("#")].get("d"))
            drawn.append(f'<path transform="translate({x} {y})" d="{shape}"{style}/>')
        elif element.tag == f"{SVG}path" and element.get("id") not in shapes:
            drawn.append(f'<path d="{_short(element.get("d"))}"{style}/>')
    return "".join(drawn)


def _attributes(style: str) -> str:
    """El estilo en línea como atributos: una política de contenidos estricta los admite."""
    pairs = (declaration.split(":") for declaration in style.split(";") if declaration)
    kept = ((name.strip(), value.strip()) for name, value in pairs if name.strip() in KEPT)
    return "".join(f' {name}="{INKS.get(value, value)}"' for name, value in kept)


def _short(geometry: str) -> str:
    """Coordenadas con un decimal: una décima de píxel no se ve y pesa."""
    rounded = re.sub(r"-?\d+\.\d+", lambda match: f"{float(match[0]):.1f}", geometry)
    return re.sub(r"\s*([A-Za-z])\s*", r"\1", rounded.replace(".0 ", " ")).strip()
