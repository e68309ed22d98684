"""El sitio construido como lo publica el despliegue: bajo una subruta y con repositorio."""

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
SUBPATH = "/ruta/"
PUBLISHED = {
    "SITE_URL": f"https://ejemplo.org{SUBPATH}",
    "REPO_URL": "https://github.com/ejemplo/ruta",
}

SOURCES = sorted(
    path.relative_to(DOCS)
    for path in DOCS.rglob("*.md")
    if not any(part.startswith(".") for part in path.relative_to(DOCS).parts)
)


def page_url(source: Path) -> str:
    """Dirección de una página dentro del sitio: `fichas/index.md` → `fichas/`."""
    parts = source.with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "index" else parts
    return "".join(f"{part}/" for part in parts)


PAGES = [page_url(source) for source in SOURCES]


def build(folder: Path, **variables: str) -> Path:
    """Construye el sitio en modo estricto dentro de `folder` y devuelve la carpeta."""
    inherited = {key: value for key, value in os.environ.items() if key not in PUBLISHED}
    result = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        env=inherited | {"NO_MKDOCS_2_WARNING": "1"} | variables,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


class Html(HTMLParser):
    """Lo que las pruebas preguntan de una página: elementos con sus atributos, y el texto."""

    def __init__(self, path: Path):
        super().__init__()
        self.path = path
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self._silent = 0
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        self._silent += tag in {"script", "style"}

    def handle_endtag(self, tag):
        self._silent -= tag in {"script", "style"}

    def handle_data(self, data):
        if not self._silent:
            self.text += data

    def ids(self) -> list[str]:
        return [attrs["id"] for _, attrs in self.elements if "id" in attrs]

    def links(self) -> list[tuple[str, str]]:
        """Etiqueta y destino de todo lo que la página enlaza o carga."""
        return [
            (tag, attrs[name])
            for tag, attrs in self.elements
            for name in ("href", "src")
            if name in attrs
        ]
