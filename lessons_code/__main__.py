"""La primera orden tras clonar: prepara `.venv`, y después sirve el curso o pasa las pruebas.

Se ejecuta cuando todavía no hay nada instalado, así que solo usa la biblioteca estándar.
De arriba abajo: las órdenes, el entorno y el navegador de las pruebas.
"""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

# Hasta aquí, y en la sintaxis de todo el archivo, también llega un Python antiguo.
if sys.version_info < (3, 11):  # noqa: UP036 - se ejecuta antes de que pip mire requires-python
    raise SystemExit(
        f"El curso necesita Python 3.11 o posterior; {sys.executable} es el "
        f"{sys.version_info[0]}.{sys.version_info[1]}.\n"
        "Instala uno más reciente y llámalo por su nombre: python3.13 -m lessons_code servir"
    )

ROOT = Path(__file__).resolve().parents[1]

HELP = """\
Uso, desde la carpeta del repositorio:

  python3 -m lessons_code servir      sirve el curso, con todo ejecutado
  python3 -m lessons_code probar      pasa todas las pruebas
  python3 -m lessons_code construir   deja en site/ el curso listo para publicar
  python3 -m lessons_code preparar    no hace más que instalar lo necesario

Todas preparan antes el entorno, en .venv. Lo que se añada detrás de «probar» llega a pytest.
En Windows, escribe «py» en lugar de «python3»."""


def main(arguments: list[str]) -> None:
    """Atiende una orden y termina con el código de salida de lo que ejecuta."""
    order, *rest = arguments or ["ayuda"]
    if order in ("servir", "construir"):
        python = prepare(ROOT, "requirements.txt")
        gather_runtime(python, required=order == "construir")
        delegate(python, "lessons_code.sitekit", order, *rest)
    elif order == "probar":
        python = prepare(ROOT, "tests/requirements.txt")
        os.environ["CHROMIUM"] = find_chromium() or install_chromium(python)
        delegate(python, "pytest", *rest)
    elif order == "preparar" and not rest:
        prepare(ROOT, "tests/requirements.txt")
    else:
        raise SystemExit(HELP)


def gather_runtime(python: Path, *, required: bool) -> None:
    """Reúne el Python con que las páginas ejecutan sus celdas; servir puede seguir sin él."""
    from lessons_code.sitekit import bundle

    try:
        bundle.gather(ROOT, lambda line: print(line, flush=True), python)
    except bundle.RuntimeMissingError as error:
        if required:
            raise SystemExit(str(error)) from None
        print(f"{error}\nLas páginas saldrán sin botones «Ejecutar».", flush=True)


def delegate(python: Path, module: str, *arguments: str) -> None:
    """Cede el proceso a un módulo del entorno, con la carpeta del repositorio como actual."""
    os.chdir(ROOT)
    os.environ["PYTHONUTF8"] = "1"  # en Windows, una salida redirigida no admitiría «→»
    command = [str(python), "-m", module, *arguments]
    sys.stdout.flush()
    if os.name == "posix":
        os.execv(python, command)
    try:  # En Windows exec suelta la consola: se espera, y Ctrl+C llega a los dos.
        raise SystemExit(subprocess.run(command).returncode)
    except KeyboardInterrupt:
        raise SystemExit(130) from None


# --- El entorno --------------------------------------------------------------------------------


def prepare(root: Path, requirements: str) -> Path:
    """Deja en `.venv` el curso y lo que fija el archivo de requisitos; devuelve su intérprete.

    No hace nada si ya se instaló eso mismo. Un entorno a medias, o de otro Python, se rehace;
    uno hecho a mano se respeta y se completa.
    """
    folder = root / ".venv"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    unfinished, done = folder / "a-medias", folder / "instalado.txt"
    wanted = fingerprints(root, requirements)

    if folder.exists() and (unfinished.exists() or not made_by_this_python(folder, python)):
        shutil.rmtree(folder)
    if done.exists() and wanted <= set(done.read_text("utf-8").split()):
        return python

    folder.mkdir(exist_ok=True)
    unfinished.touch()
    print(f"Preparando {folder} (solo la primera vez; necesita red)", flush=True)
    if not python.exists():
        has_ensurepip = importlib.util.find_spec("ensurepip") is not None
        venv.create(folder, symlinks=os.name == "posix", with_pip=has_ensurepip)
    from lessons_code.sitekit import pip  # aquí: un Python antiguo no llega a leerlo

    install(pip.find_pip(python), root, requirements)
    done.write_text("\n".join(sorted(wanted)), "utf-8")
    unfinished.unlink()
    return python


def fingerprints(root: Path, requirements: str) -> set[str]:
    """La huella de un archivo de requisitos y las de los que incluye con `-r`."""
    path = root / requirements
    text = path.read_text("utf-8")
    found = {hashlib.sha256(text.encode()).hexdigest()}
    for included in re.findall(r"^-r (.+)$", text, re.MULTILINE):
        found |= fingerprints(path.parent, included)
    return found


def made_by_this_python(folder: Path, python: Path) -> bool:
    """Si el entorno tiene intérprete y es de la misma versión (3.11, 3.12…) que este."""
    config = folder / "pyvenv.cfg"
    version = rf"^version(_info)? *= *{sys.version_info[0]}\.{sys.version_info[1]}\b"
    return (
        python.exists()
        and config.exists()
        and re.search(version, config.read_text("utf-8"), re.MULTILINE) is not None
    )


def install(pip: list[str], root: Path, requirements: str) -> None:
    """Instala los requisitos y el propio paquete, que así trae la orden `ai-evolution`."""
    command = [*pip, "install", "--disable-pip-version-check", "-r", requirements, "-e", "."]
    output = []
    with subprocess.Popen(
        command,
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    ) as process:
        for line in process.stdout:
            output.append(line)
            if line.startswith("Collecting "):
                print("  + " + line.split()[1], flush=True)
    if process.returncode:
        raise SystemExit(explain("".join(output)))


def explain(output: str) -> str:
    """Lo que se le dice a quien ve fallar a pip: si fue la red, y si no, sus últimas líneas."""
    if re.search(r"Retrying \(Retry|ConnectionError|ProxyError|Timeout|name resolution", output):
        return (
            "No se pudo llegar al índice de paquetes. Comprueba la conexión; si sales por un\n"
            "proxy, define HTTPS_PROXY, y si usas un espejo, PIP_INDEX_URL. Y repite la orden."
        )
    last = "\n".join("  " + line for line in output.splitlines()[-15:])
    return f"pip no pudo instalar los paquetes. Sus últimas líneas:\n\n{last}"


# --- El navegador de las pruebas ---------------------------------------------------------------

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "msedge")
APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)


def find_chromium() -> str | None:
    """El navegador que diga `CHROMIUM` o, si no, el primero que ya esté en la máquina."""
    chosen = os.environ.get("CHROMIUM")
    if chosen and not shutil.which(chosen):
        raise SystemExit(f"CHROMIUM={chosen} no es un programa que se pueda ejecutar.")
    candidates = [chosen] if chosen else [*BROWSERS, *APPLICATIONS]
    return next(filter(None, map(shutil.which, candidates)), None)


def install_chromium(python: Path) -> str:
    """El de Playwright, que no pide permisos; donde no arranca, el paquete del sistema."""
    print("Buscando un Chromium para las pruebas del sitio", flush=True)
    subprocess.run([python, "-m", "playwright", "install", "chromium"], capture_output=True)
    where = (
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as tools: print(tools.chromium.executable_path)"
    )
    asked = subprocess.run([python, "-c", where], capture_output=True, encoding="utf-8")
    browser = asked.stdout.strip()
    if shutil.which(browser) and subprocess.run([browser, "--version"]).returncode == 0:
        return browser

    if shutil.which("apt-get") and (os.geteuid() == 0 or shutil.which("sudo")):
        permission = [] if os.geteuid() == 0 else ["sudo", "-n"]
        packages = ["chromium", "libatomic1"]  # la biblioteca la pide el propio Playwright
        subprocess.run([*permission, "apt-get", "update", "-qq"])
        subprocess.run([*permission, "apt-get", "install", "-qq", "-y", *packages])
    installed = find_chromium()
    if installed is None:
        raise SystemExit(
            "Las pruebas del sitio necesitan Chromium, Chrome o Edge, y no se pudo instalar.\n"
            "Instálalo (en Debian: sudo apt install chromium libatomic1), o di dónde está\n"
            "el tuyo con la variable CHROMIUM=/ruta/al/navegador."
        )
    return installed


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        raise SystemExit(130) from None
