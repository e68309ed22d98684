"""Valores de Python escritos para la prosa española, con el formato que pide el valor en línea:

12345.5:.1f → 12 345,5     -0.5:.1f → −0,5     1.2e-6:.1e → 1,2·10⁻⁶     0.464:.1% → 46,4 %
"""

import math
import numbers
import re

from lessons_code.spanish import to_spanish

_SPEC = re.compile(r"\+?(?:\.\d+)?[defg%]?")


def format_value(value: object, spec: str = "") -> str:
    """El texto de un valor en línea. Un texto se deja como está; un real necesita formato.

    Lanza ValueError, en español y con el arreglo, si el valor o el formato no sirven en la prosa.
    """
    if isinstance(value, str):
        if spec:
            raise ValueError(f"un texto no lleva formato: quita «:{spec}»")
        return value
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        kind = type(value).__name__
        raise ValueError(
            f"un valor de tipo {kind} no se puede escribir: conviértelo en número o texto"
        )
    if not math.isfinite(value):
        raise ValueError(f"el valor es {value}: revisa de dónde sale")
    if not spec and not isinstance(value, numbers.Integral):
        raise ValueError(f"a {value} le falta el formato: añade, p. ej., «:.3f»")
    if not _SPEC.fullmatch(spec):
        raise ValueError(f"el formato «:{spec}» no es de prosa: usa «:.3f», «:.1%», «:d», «:.2e»…")
    try:
        return to_spanish(format(value, spec))
    except ValueError:
        raise ValueError(f"el formato «:{spec}» no vale para un {type(value).__name__}") from None
