"""Lo que el sitio construido necesita y MkDocs no hace: buscar desde disco, no llevar fechas, dar
los entregables tal cual y ejecutar en la página.

Es un hook de MkDocs. El índice de búsqueda se escribe como un guion que una página abierta con
file:// puede cargar, donde el navegador no deja leer JSON; sirve igual por http.
"""

import logging
import os
import shutil
from pathlib import Path

from lessons_code.sitekit import bundle

log = logging.getLogger("mkdocs.plugins.curso")


def on_config(config):
    """Fija la fecha de los archivos comprimidos: dos construcciones dan los mismos bytes.

    Si el Python del navegador no está en su almacén, las páginas salen sin botones «Ejecutar».
    """
    os.environ.setdefault("SOURCE_DATE_EPOCH", "0")
    config.extra["ejecutar"] = bundle.describe(Path(config.config_file_path).parent)
    if not config.extra["ejecutar"]:
        log.info("Sin botones «Ejecutar»: trae su Python `python -m lessons_code.sitekit reunir`")
    return config


def on_post_build(config):
    """Convierte el índice JSON en `search/search_index.js`, que es el que carga la búsqueda, y pone
    en el sitio los entregables, sin tocar un byte, y lo que se ejecuta en la página.
    """
    index = Path(config.site_dir, "search", "search_index.json")
    index.with_suffix(".js").write_text(
        f"var __index = {index.read_text(encoding='utf-8')}\n", encoding="utf-8"
    )
    index.unlink()
    for source in Path(config.docs_dir, "outputs").glob("*.md"):
        shutil.copyfile(source, Path(config.site_dir, "outputs", source.name))
    if about := config.extra["ejecutar"]:
        bundle.publish(Path(config.config_file_path).parent, Path(config.site_dir), about)
