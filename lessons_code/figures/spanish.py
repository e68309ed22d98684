"""Los números de las etiquetas y las tablas de las figuras."""

import math

from lessons_code.spanish import to_spanish


def fixed(value: float, decimals: int) -> str:
    """Escribe `value` con ese número exacto de decimales: 1234.5 → «1234,50»."""
    return to_spanish(f"{value:.{decimals}f}")


def scientific(value: float) -> str:
    """Escribe `value` con dos cifras y potencia de diez: 2.2e-16 → «2,2·10⁻¹⁶»."""
    return to_spanish(f"{value:.1e}")


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
