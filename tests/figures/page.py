"""Lo que estas pruebas leen de una figura: su HTML como árbol y la hoja de estilo como colores."""

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
STYLESHEET = ROOT / "docs/assets/css/figuras.css"
SVG = "{http://www.w3.org/2000/svg}"


def tree(figure) -> ElementTree.Element:
    """El HTML de la figura, que salvo el atributo sin valor es también XML bien formado."""
    html = figure._repr_html_().replace("data-search-exclude", 'data-search-exclude=""', 1)
    return ElementTree.fromstring(html)


def alternative(figure) -> str:
    """Título y descripción del SVG, que es todo lo que oye quien no lo ve."""
    svg = tree(figure).find(f".//{SVG}svg")
    assert svg.get("role") == "img"
    return f"{svg.find(f'{SVG}title').text} {svg.find(f'{SVG}desc').text}"


def texts(figure) -> list[str]:
    """Los rótulos y cifras dibujados."""
    return [element.text for element in tree(figure).iter(f"{SVG}text")]


def data_rows(figure) -> list[list[str]]:
    """Las filas de la tabla de datos, sin su cabecera."""
    return [[cell.text for cell in row] for row in tree(figure).findall(".//tbody/tr")]


def palettes() -> dict[str, dict[str, str]]:
    """Los colores de cada paleta: nombre sin prefijo → #rrggbb."""
    blocks = re.findall(
        r'^ *(:root|\[data-md-color-scheme="slate"\]) \{(.*?)\}',
        STYLESHEET.read_text("utf-8"),
        re.DOTALL | re.MULTILINE,
    )
    colors = [
        dict(re.findall(r"--figura-([a-z0-9-]+): (#[0-9a-f]{6});", body)) for _, body in blocks
    ]
    light, dark = [found for found in colors if found]
    return {"clara": light, "oscura": dark}


def mix(below: str, above: str, opacity: float) -> list[float]:
    """Lo que pinta el navegador al poner un color sobre otro con esa opacidad."""
    pairs = zip(channels(below), channels(above), strict=True)
    return [a + (b - a) * opacity for a, b in pairs]


def contrast(one: list[float], other: list[float]) -> float:
    """Razón de contraste de WCAG 2, entre 1 y 21."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def channels(color: str) -> list[float]:
    """Los tres canales de #rrggbb, entre 0 y 1."""
    return [int(color[start : start + 2], 16) / 255 for start in (1, 3, 5)]


def _luminance(channels: list[float]) -> float:
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in channels
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def outputs_of_two_processes(program):
    """Los bytes que escribe `program` con dos semillas de hash: uno solo si es estable."""
    return {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("2", "3")
    }
