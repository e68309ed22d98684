"""Un proyecto de usar y tirar, con sus páginas y su paquete, para las pruebas del núcleo."""

import shutil
import sys
from pathlib import Path
from unittest import mock

from lessons_code.sitekit.cache import Store, keys
from lessons_code.sitekit.collect import Cell, collect_page, collect_site
from lessons_code.sitekit.engine import execute
from lessons_code.sitekit.sources import Sources

MINI = Path(__file__).parent / "mini"


class Project:
    """Una raíz vacía, o una copia del sitio en miniatura."""

    def __init__(self, folder, *, mini=False):
        self.root = folder / "proyecto"
        if mini:
            shutil.copytree(MINI, self.root, ignore=shutil.ignore_patterns(".celdas", "site"))
        else:
            (self.root / "docs").mkdir(parents=True)
        self.store = Store(self.root)

    def write(self, path, text):
        """Escribe un fichero; da su ruta."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def edit(self, path, old, new):
        """Cambia un trozo de un fichero, que debe estar."""
        text = (self.root / path).read_text(encoding="utf-8")
        assert old in text
        self.write(path, text.replace(old, new))

    def cells(self, path, *codes, **options):
        """Una página con esas celdas, «c1», «c2»…, sin prosa."""
        more = "".join(f' {name}="{value}"' for name, value in options.items())
        fences = [
            f'```python exec="on" id="c{number}"{more}\n{code}\n```\n'
            for number, code in enumerate(codes, 1)
        ]
        return self.write(f"docs/{path}", "\n".join(fences))

    def collect(self, text, path="docs/pagina.md"):
        """Recoge una página sin escribirla."""
        return collect_page(self.root / path, text, root=self.root)

    def findings(self, text):
        """Los hallazgos de una página, como se imprimen."""
        return [str(finding) for finding in self.collect(text).findings]

    def pages(self):
        return collect_site(self.root / "docs", root=self.root)

    def item_keys(self):
        """La clave de cada elemento, por su nombre: «pagina/id» o «pagina/expresión»."""
        return {
            name(page, item): key
            for page in self.pages()
            for item, key in keys(page, Sources(self.root)).items()
        }

    def outputs(self):
        """Lo guardado de cada elemento; None si falta."""
        return {name: self.store.get(key) for name, key in self.item_keys().items()}

    def run(self, **options):
        """Ejecuta lo que falta; da los hallazgos como se imprimen."""
        with without_main_file():
            return [str(found) for found in execute(self.pages(), self.store, **options)]


def without_main_file():
    """Sin fichero principal, los procesos del motor no vuelven a importar pytest."""
    return mock.patch.object(sys.modules["__main__"], "__file__", None, create=True)


def name(page, item):
    return f"{page.path.stem}/{item.id if isinstance(item, Cell) else item.expression}"
