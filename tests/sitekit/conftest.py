"""Un conversor de Markdown con la extensión del curso, sin construir ningún sitio."""

from pathlib import Path

import markdown
import pytest

from lessons_code.sitekit import extension, fence
from lessons_code.sitekit.cache import Store, keys
from lessons_code.sitekit.collect import collect_page
from lessons_code.sitekit.sources import Sources

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def root(tmp_path):
    """La raíz de un proyecto con una página y el paquete del curso."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "requirements.txt").write_text("numpy==2\n", encoding="utf-8")
    (tmp_path / "lessons_code").symlink_to(REPOSITORY / "lessons_code")
    return tmp_path


@pytest.fixture
def md(root):
    """Convierte el texto de `docs/pagina.md`; `outputs` son las salidas de lo que ejecuta."""
    return Converter(root)


class Converter:
    """`markdown.Markdown` como lo prepara mkdocs.yml, con un almacén que se llena a mano."""

    def __init__(self, root):
        self.root = root
        self.page = root / "docs" / "pagina.md"
        self.outputs = []
        self.markdown = markdown.Markdown(
            extensions=[
                "admonition",
                "attr_list",
                "md_in_html",
                "tables",
                "toc",
                "pymdownx.highlight",
                "pymdownx.snippets",
                "pymdownx.superfences",
                extension.SiteExtension(page="pagina.md", root=str(root)),
            ],
            extension_configs={
                "pymdownx.snippets": {"base_path": str(root), "check_paths": True},
                "pymdownx.superfences": {
                    "custom_fences": [
                        {
                            "name": "python",
                            "class": "python",
                            "validator": fence.validate,
                            "format": fence.render,
                        }
                    ]
                },
            },
        )

    def convert(self, text, *, front_matter=""):
        """El HTML de la página. Como MkDocs, quita los metadatos antes de convertir."""
        self.page.write_text(front_matter + text, encoding="utf-8")
        page = collect_page(self.page, front_matter + text, root=self.root)
        store = Store(self.root)
        found = keys(page, Sources(self.root)).values()
        for key, output in zip(found, self.outputs, strict=False):
            store.put(key, output)
        self.markdown.reset()
        return self.markdown.convert(text)
