"""El adaptador de MkDocs: cuándo se revisa y se ejecuta, y qué página se está convirtiendo.

Lo que estropearía una página detiene la construcción antes de que MkDocs vacíe la carpeta del
sitio; lo que dice el linter son avisos, que solo una construcción estricta convierte en errores.
Al servir, una edición con errores los dice en el terminal y deja en pantalla la página anterior.
"""

import logging
import subprocess
import sys
from pathlib import Path

from mkdocs.exceptions import Abort, PluginError
from pymdownx.snippets import SnippetMissingError
from pymdownx.superfences import SuperFencesException

from lessons_code.sitekit.cache import Store, pending
from lessons_code.sitekit.collect import collect_site
from lessons_code.sitekit.extension import check_pages
from lessons_code.sitekit.findings import SiteError
from lessons_code.sitekit.lint.check import check_site
from lessons_code.sitekit.mathml import FormulaError
from lessons_code.sitekit.sources import Sources

EXTENSION = "lessons_code.sitekit.extension"

log = logging.getLogger("mkdocs.plugins.curso")


def on_pre_build(config):
    """Revisa las páginas, ejecuta lo que falte y deja dicho dónde está cada cosa."""
    root, docs = Path(config.config_file_path).parent, Path(config.docs_dir)
    pages, sources = collect_site(docs, root=root), Sources(root)
    if findings := check_pages(pages, docs, root=root, sources=sources):
        raise PluginError(str(SiteError(findings)))
    for finding in check_site(docs, root):
        log.warning(str(finding))
    if pending(pages, Store(root), sources):
        _execute(root, docs)
    config.mdx_configs[EXTENSION] = {"docs": str(docs), "root": str(root), "sources": sources}


def _execute(root, docs):
    command = [sys.executable, "-m", "lessons_code.sitekit"]
    options = ["--raiz", str(root), "--docs", str(docs), "ejecutar"]
    if subprocess.call([*command, *options]):
        raise PluginError("Hay celdas que no se han podido ejecutar: arriba está por qué.")


def on_page_markdown(markdown, page, config, files):
    """Dice a la extensión qué página viene: MkDocs crea un conversor para cada una."""
    config.mdx_configs[EXTENSION]["page"] = page.file.src_uri


def on_build_error(error):
    """Deja en el terminal el hallazgo, sin la traza de cómo se llegó a él."""
    if isinstance(error, SiteError | FormulaError | SnippetMissingError | SuperFencesException):
        raise PluginError(str(error)) from None


def on_serve(server, config, builder):
    """Una reconstrucción que falla dice por qué, y se sigue sirviendo lo anterior."""

    def rebuild():
        try:
            builder()
        except Abort:
            pass  # MkDocs ya ha escrito el error
        except PluginError as error:
            log.error(str(error))

    server.builder = rebuild
