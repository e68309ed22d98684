"""Hallazgos: qué está mal, en qué fichero y línea, y cómo se arregla."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, order=True)
class Finding:
    """Un error del autor. Se ordena y se imprime por fichero y línea."""

    path: Path  # relativo a la raíz del proyecto
    line: int
    rule: str
    message: str

    def __str__(self):
        message = " ".join(self.message.split())
        return f"{self.path.as_posix()}:{self.line}: [{self.rule}] {message}"


class SiteError(Exception):
    """El sitio no se puede construir: `findings` dice por qué."""

    def __init__(self, findings):
        self.findings = tuple(sorted(findings))
        super().__init__("\n".join(map(str, self.findings)))
