"""Cuánto cuesta que las páginas se ejecuten. Se corre a mano, con el Python de `.venv`.

Hace un sitio de 15 páginas y 45 celdas con la configuración y el código de este repositorio (de
cada tres celdas una dibuja, más de lo que dibujan las páginas del curso) y mide, alternando:

1. las celdas en frío: nuestro motor frente a nbclient con un núcleo de Jupyter por página, los dos
   con dos páginas a la vez y las mismas celdas;
2. el sitio frente a su gemelo sin ejecución, que lleva el mismo código y lo que imprimió escritos
   en el Markdown, y las figuras como imágenes: `mkdocs build` en un proceso nuevo con el almacén
   lleno, y la reconstrucción tras cambiar una frase, que se mide dentro de un proceso que se queda
   abierto y hace lo que hace `mkdocs serve` (releer la configuración y construir).
"""

import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = 15
COLD_REPEATS, WARM_REPEATS = 3, 15

WEIGHTS = """\
import numpy as np
from lessons_code.numerics.attention import dot_attention

rng = np.random.default_rng({seed})
states, query = rng.normal(size=(7, 5)), rng.normal(size=5)
context, weights = dot_attention(query, states)
print("pesos:   ", weights.round(3))
print("contexto:", context.round(3))
"""
MASK = """\
from lessons_code.numerics.functional import masked_softmax
from lessons_code.numerics.masks import padding_mask

lengths = [3, 5, 7]
visible = padding_mask(lengths, 7)
print(masked_softmax(rng.normal(size=(3, 7)), visible).round(2))
"""
MAP = """\
from lessons_code.figures.heatmap import heatmap

words = ["uno", "dos", "tres", "cuatro", "cinco", "seis", "siete"]
several = np.stack([dot_attention(state, states)[1] for state in states])
heatmap(several, rows=words, columns=words, title="Pesos", description="Quién mira a quién.")
"""
CURVE = """\
from lessons_code.figures.curves import curves

losses = np.exp(-np.arange(50) / (3 + {seed}))
curves(
    {{"pérdida": (np.arange(50), losses)}},
    title="La pérdida", description="Baja.", x_title="paso", y_title="nats",
)
"""
PROSE = (
    "El decodificador pregunta y cada estado del codificador responde con una puntuación. "
    "Un softmax reparte entre todos un peso que suma uno, y la suma ponderada de los estados "
    "es el vector de contexto de ese paso. Cambiar la pregunta cambia el reparto, nunca su suma."
)


def page_cells(number):
    """Dos celdas que imprimen y una que dibuja: un mapa en las páginas pares; si no, una curva."""
    cells = {"pesos": WEIGHTS, "mascara": MASK, "figura": CURVE if number % 2 else MAP}
    return {name: code.format(seed=number) for name, code in cells.items()}


# --- El sitio y su gemelo sin ejecución --------------------------------------------------------


def make_site(folder, page_text):
    """Un proyecto con el código y la configuración de este y las páginas que dé `page_text`."""
    docs = folder / "docs"
    docs.mkdir(parents=True)
    for name in ("lessons_code", "docs/.overrides", "docs/assets"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    names = [f"pagina-{number:02}.md" for number in range(PAGES)]
    config = (ROOT / "mkdocs.yml").read_text("utf-8")
    before, _, rest = config.partition("nav:\n")
    after = rest.partition("\n\n")[2]
    nav = "nav:\n" + "".join(f"  - Página {name[7:9]}: {name}\n" for name in ["index.md", *names])
    (folder / "mkdocs.yml").write_text(before + nav + "\n" + after, "utf-8")
    (docs / "index.md").write_text("# Portada\n\n" + PROSE + "\n", "utf-8")
    for number, name in enumerate(names):
        (docs / name).write_text(page_text(number), "utf-8")


def page(number, cell_text):
    sections = [f"# Página {number}\n\n{PROSE}"]
    for name, code in page_cells(number).items():
        paragraphs = "\n\n".join([PROSE] * 5)
        sections.append(f"## Sección {name}\n\n{paragraphs}\n\n{cell_text(name, code)}")
    return "\n\n".join(sections) + "\n"


def executed(number):
    return page(number, lambda name, code: f'```python exec="on" id="{name}"\n{code}```')


def make_twin(folder, outputs):
    """El sitio que alguien escribiría a mano con esas salidas."""
    figures = {}

    def cell_text(number, name, code):
        text, html = outputs[number, name]
        shown = f"```text\n{text}```"
        if html:
            figures[f"{number:02}-{name}.svg"] = html[html.index("<svg") : html.index("</svg>") + 6]
            shown = f"![Figura]({number:02}-{name}.svg)"
        return f"```python\n{code}```\n\n{shown}"

    make_site(folder, lambda number: page(number, lambda *cell: cell_text(number, *cell)))
    for name, svg in figures.items():
        (folder / "docs" / name).write_text(svg, "utf-8")


def stored_outputs(folder):
    """Lo que dio cada celda, leído del almacén del sitio ejecutado."""
    from lessons_code.sitekit.cache import Store, keys
    from lessons_code.sitekit.collect import collect_page
    from lessons_code.sitekit.sources import Sources

    store, sources, outputs = Store(folder), Sources(folder), {}
    for number in range(PAGES):
        path = folder / f"docs/pagina-{number:02}.md"
        found = collect_page(path, path.read_text("utf-8"), root=folder)
        for cell, key in keys(found, sources).items():
            output = store.get(key)
            outputs[number, cell.id] = output.text, output.html
    return outputs


# --- Las mediciones ----------------------------------------------------------------------------


def run(folder, *command):
    """Corre una orden en el proyecto y devuelve lo que tardó."""
    environment = os.environ | {
        "PYTHONPATH": str(folder),
        "NO_MKDOCS_2_WARNING": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    elapsed = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(done.stdout)
    return elapsed


def engine_cold(folder):
    shutil.rmtree(folder / ".celdas", ignore_errors=True)
    return run(folder, "-m", "lessons_code.sitekit", "ejecutar")


def nbclient_cold(folder):
    return run(folder, str(Path(__file__)), "--cuadernos")


def execute_notebooks():
    """En un proceso propio: un núcleo de Jupyter por página, dos a la vez."""
    import nbformat
    from nbclient import NotebookClient

    def execute(number):
        cells = [nbformat.v4.new_code_cell(code) for code in page_cells(number).values()]
        done = NotebookClient(nbformat.v4.new_notebook(cells=cells)).execute()
        assert all(cell.outputs for cell in done.cells)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(execute, range(PAGES)))


def build_warm(folder):
    return run(folder, "-m", "mkdocs", "build", "--quiet")


class Server:
    """Un proceso que se queda abierto, como `mkdocs serve`, y reconstruye cuando se le pide."""

    def __init__(self, folder):
        self.page = folder / "docs/pagina-07.md"
        self.edits = 0
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__)), "--reconstruir"],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(folder), "NO_MKDOCS_2_WARNING": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        self.rebuild()

    def edit_prose(self):
        self.edits += 1
        text = self.page.read_text("utf-8")
        self.page.write_text(text + f"\nUna frase más, la {self.edits}.\n", "utf-8")
        return self.rebuild()

    def rebuild(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def rebuild_on_request():
    """El lado de dentro de `Server`: por cada línea que llega, una reconstrucción y su tiempo."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    first = True
    for _ in sys.stdin:
        start = time.perf_counter()
        config = load_config("mkdocs.yml")
        if first:
            config.plugins.on_startup(command="serve", dirty=False)
            first = False
        build(config)
        print(json.dumps(time.perf_counter() - start), flush=True)


def alternate(repeats, ours, theirs):
    """Las dos medianas, tras medir una y otra por turno para que el ruido caiga en ambas."""
    pairs = [(ours(), theirs()) for _ in range(repeats)]
    return tuple(statistics.median(times) for times in zip(*pairs, strict=True))


def report(title, names, times, ratio):
    print(title)
    for name, seconds in zip(names, times, strict=True):
        print(f"  {name:<46} {seconds:7.2f} s")
    print(f"  {ratio}\n", flush=True)


def main():
    packages = ("numpy", "mkdocs", "mkdocs-material", "nbclient", "ipykernel")
    print(f"{platform.platform()} · {os.cpu_count()} núcleos · Python {platform.python_version()}")
    print(" · ".join(f"{package} {version(package)}" for package in packages) + "\n", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        ours, twin = Path(folder, "ejecutado"), Path(folder, "escrito")
        make_site(ours, executed)
        engine, kernels = alternate(
            COLD_REPEATS, lambda: engine_cold(ours), lambda: nbclient_cold(ours)
        )
        report(
            f"{3 * PAGES} celdas en frío (mediana de {COLD_REPEATS})",
            ("nuestro motor", "nbclient, un núcleo por página"),
            (engine, kernels),
            f"nbclient tarda {kernels / engine:.1f} veces más (objetivo: al menos 5)",
        )

        outputs = stored_outputs(ours)
        make_twin(twin, outputs)
        names = "con ejecución", "sin ella"
        times = alternate(WARM_REPEATS, lambda: build_warm(ours), lambda: build_warm(twin))
        for folder, figure in ((ours, "<svg"), (twin, "07-figura.svg")):
            built = (folder / "site/pagina-07/index.html").read_text("utf-8")
            assert "contexto: [" in built, "la página no lleva sus salidas: no se mide nada"
            assert figure in built.partition("<article")[2]
        report(
            f"mkdocs build con el almacén lleno (mediana de {WARM_REPEATS})",
            names,
            times,
            f"razón: {times[0] / times[1]:.2f} (objetivo: no más de 1.25)",
        )
        servers = Server(ours), Server(twin)
        times = alternate(WARM_REPEATS, servers[0].edit_prose, servers[1].edit_prose)
        for server in servers:
            server.close()
        report(
            f"Reconstruir tras cambiar una frase (mediana de {WARM_REPEATS})",
            names,
            times,
            f"razón: {times[0] / times[1]:.2f} (objetivo: no más de 1.25)",
        )


if __name__ == "__main__":
    {"--cuadernos": execute_notebooks, "--reconstruir": rebuild_on_request}.get(
        "".join(sys.argv[1:]), main
    )()
