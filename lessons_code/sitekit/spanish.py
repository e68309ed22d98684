"""Valores de Python escritos para la prosa española.

Coma decimal, signo menos tipográfico, millares separados desde cinco cifras, espacio ante % y
potencias de diez:

    12345.5:.1f → 12 345,5     -0.5:.1f → −0,5     1.2e-6:.1e → 1,2·10⁻⁶     0.464:.1% → 46,4 %

El código conserva el punto.
"""

import math
import numbers
import re

MINUS = "−"
THIN_SPACE = "\u202f"  # no se parte
SPACE = "\u00a0"  # no se parte
SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")

_SPEC = re.compile(r"\+?(?:\.\d+)?[defg%]?")
_NUMBER = re.compile(r"([+-]?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?(%?)")


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
        return _spanish(format(value, spec))
    except ValueError:
        raise ValueError(f"el formato «:{spec}» no vale para un {type(value).__name__}") from None


def _spanish(text: str) -> str:
    sign, whole, fraction, exponent, percent = _NUMBER.fullmatch(text).groups()
    nonzero = (whole + (fraction or "")).strip("0")
    sign = {"-": MINUS, "+": "+", "": ""}[sign] if nonzero else ""
    if len(whole) >= 5:
        whole = f"{int(whole):,}".replace(",", THIN_SPACE)
    decimals = f",{fraction}" if fraction else ""
    power = f"·10{str(int(exponent)).translate(SUPERSCRIPTS)}" if exponent else ""
    return sign + whole + decimals + power + (f"{SPACE}%" if percent else "")
