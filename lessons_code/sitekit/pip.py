"""Qué pip instala en un entorno, también donde Python viene sin él. Solo biblioteca estándar.

Lo usan la primera orden tras clonar y quien trae el Python del navegador.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path


def find_pip(python: Path) -> list[str]:
    """La orden que instala en el entorno: su pip, el de este Python o el que reparte Debian."""
    if subprocess.run([python, "-m", "pip", "--version"], capture_output=True).returncode == 0:
        return [str(python), "-m", "pip"]
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "--python", str(python)]
    if shutil.which("apt-get"):
        return [str(python), debian_pip(python.parents[1])]
    raise SystemExit(
        f"{sys.executable} no trae pip ni ensurepip. Instala el paquete que los contiene\n"
        "(suele llamarse python3-pip) o el Python de python.org, y repite la misma orden."
    )


def debian_pip(folder: Path) -> str:
    """Debian y Ubuntu reparten pip aparte; apt lo descarga, con su firma, sin instalar nada.

    Por eso basta un usuario corriente: la rueda queda dentro del entorno y se ejecuta desde ahí.
    """
    wheels = "usr/share/python-wheels/pip-*.whl"
    for kept in folder.glob(wheels):
        return str(kept / "pip")
    if os.geteuid() == 0:  # una máquina recién hecha no tiene listas de paquetes
        subprocess.run(["apt-get", "update", "-qq"])
    try:
        subprocess.run(["apt-get", "download", "-qq", "python3-pip-whl"], cwd=folder, check=True)
    except subprocess.CalledProcessError:
        raise SystemExit(
            "A este Python le falta pip, y apt no pudo descargarlo. Instálalo y repite la orden:\n"
            "  sudo apt update && sudo apt install python3-venv"
        ) from None
    package = next(folder.glob("python3-pip-whl*.deb"))
    subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    return str(next(folder.glob(wheels)) / "pip")
