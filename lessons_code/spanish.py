"""Los números, como los escribe la prosa española. Los usan las páginas y las figuras.

Coma decimal, signo menos tipográfico, millares separados desde cinco cifras, espacio ante % y
potencias de diez. El código conserva el punto.
"""

import re

MINUS = "−"
THIN_SPACE = "\u202f"  # no se parte
SPACE = "\u00a0"  # no se parte
SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")

_NUMBER = re.compile(r"([+-]?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?(%?)")


def to_spanish(text: str) -> str:
    """Reescribe un número formateado por Python: «12345.50» → «12 345,50», «1.2e-06» → «1,2·10⁻⁶».

    Un cero no lleva signo, aunque venga de redondear un negativo.
    """
    sign, whole, fraction, exponent, percent = _NUMBER.fullmatch(text).groups()
    nonzero = (whole + (fraction or "")).strip("0")
    sign = {"-": MINUS, "+": "+", "": ""}[sign] if nonzero else ""
    if len(whole) >= 5:
        whole = f"{int(whole):,}".replace(",", THIN_SPACE)
    decimals = f",{fraction}" if fraction else ""
    power = f"·10{str(int(exponent)).translate(SUPERSCRIPTS)}" if exponent else ""
    return sign + whole + decimals + power + (f"{SPACE}%" if percent else "")
