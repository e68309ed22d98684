"""Números como los escribe la prosa del curso: coma decimal y signo menos tipográfico.

Los usan las etiquetas y las tablas de las figuras; el código conserva el punto.
"""

import math

MINUS = "−"
THIN_SPACE = "\u202f"  # espacio fino que no se parte: separa millares desde cinco cifras
SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def fixed(value: float, decimals: int) -> str:
    """Escribe `value` con ese número exacto de decimales: 1234.5 → «1234,50»."""
    text = f"{abs(value):.{decimals}f}"
    whole, _, fraction = text.partition(".")
    if len(whole) >= 5:
        whole = f"{int(whole):,}".replace(",", THIN_SPACE)
    sign = MINUS if value < 0 and float(text) else ""
    return sign + whole + ("," + fraction if fraction else "")


def scientific(value: float) -> str:
    """Escribe `value` con dos cifras y potencia de diez: 2.2e-16 → «2,2·10⁻¹⁶»."""
    mantissa, _, exponent = f"{value:.1e}".partition("e")
    return f"{fixed(float(mantissa), 1)}·10{str(int(exponent)).translate(SUPERSCRIPTS)}"


def number(value: float, decimals: int = 3) -> str:
    """Escribe un entero sin decimales y un real con `decimals`, o con potencia de diez
    cuando esos decimales lo dejarían en un cero que no es.

    Lanza ValueError con NaN o infinito, que en una figura siempre son un error.
    """
    if not math.isfinite(value):
        raise ValueError(f"{value} no se puede escribir en una figura: revisa de dónde sale")
    if value == int(value) and not isinstance(value, float):
        return fixed(value, 0)
    if value and abs(value) < 0.5 * 10**-decimals:
        return scientific(value)
    return fixed(value, decimals)
