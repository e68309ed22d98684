"""Lo que el sitio construido necesita y MkDocs no hace: buscar desde disco y no llevar fechas.

Es un hook de MkDocs. El índice de búsqueda se escribe como un guion que una página abierta con
file:// puede cargar, donde el navegador no deja leer JSON; sirve igual por http.
"""

import os
from pathlib import Path


def on_config(config):
    """Fija la fecha de los archivos comprimidos: dos construcciones dan los mismos bytes."""
    os.environ.setdefault("SOURCE_DATE_EPOCH", "0")
    return config


def on_post_build(config):
    """Convierte el índice JSON en `search/search_index.js`, que es el que carga la búsqueda."""
    index = Path(config.site_dir, "search", "search_index.json")
    index.with_suffix(".js").write_text(
        f"var __index = {index.read_text(encoding='utf-8')}\n", encoding="utf-8"
    )
    index.unlink()
