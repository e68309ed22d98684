"""La orden del sitio: `python -m lessons_code.sitekit ejecutar | revisar | grabar | reunir |
construir | servir`.

Escribe el progreso y los hallazgos (`fichero:línea: [regla] mensaje`) en la salida de errores, y
termina con 1 si hay alguno. No necesita MkDocs para ejecutar ni para revisar.
"""

import errno
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import click

from lessons_code.sitekit import bundle, recorded
from lessons_code.sitekit.cache import Session, Store, keys, pending
from lessons_code.sitekit.collect import Cell, collect_site
from lessons_code.sitekit.findings import Finding
from lessons_code.sitekit.sources import Sources
from lessons_code.sitekit.spanish import format_value


@dataclass(frozen=True)
class Site:
    """Dónde está el sitio."""

    root: Path
    docs: Path


@click.group(help="Ejecuta, revisa, construye y sirve el sitio del curso.")
@click.option(
    "--raiz",
    "root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    show_default="esta carpeta",
    help="Carpeta del proyecto: la de mkdocs.yml y el paquete.",
)
@click.option(
    "--docs",
    type=click.Path(path_type=Path),
    default="docs",
    show_default=True,
    help="Carpeta de las páginas, desde la raíz.",
)
@click.pass_context
def main(context: click.Context, root: Path, docs: Path) -> None:
    root = root.resolve()
    docs = root / docs
    if not docs.is_dir():
        raise click.UsageError(f"no hay páginas en {docs}: usa --raiz y --docs")
    context.obj = Site(root, docs)


@main.command("ejecutar", help="Ejecuta las celdas cuya salida falta o ha cambiado.")
@click.option(
    "--procesos",
    "jobs",
    type=click.IntRange(min=1),
    default=os.cpu_count() or 1,
    show_default="los núcleos que haya",
    help="Páginas que se ejecutan a la vez.",
)
@click.pass_obj
def run(site: Site, jobs: int) -> None:
    _stop_if(_execute(site, jobs))


@main.command("revisar", help="Revisa los textos sin ejecutar nada.")
@click.pass_obj
def check(site: Site) -> None:
    _stop_if(_check(site))


@main.command("grabar", help="Ejecuta las celdas que usan PyTorch y guarda su salida.")
@click.pass_obj
def record(site: Site) -> None:
    pages = collect_site(site.docs, root=site.root)
    findings = [finding for page in pages for finding in page.findings]
    try:
        findings += recorded.record(pages, site.docs, site.root, _progress)
    except PackageNotFoundError:
        raise click.UsageError(
            "grabar necesita PyTorch, y en este entorno no está: instálalo como dice "
            "CONTRIBUTING.md, «Cuando cambian los datos grabados»"
        ) from None
    _stop_if(findings or recorded.check(pages, site.docs, Sources(site.root)))


@main.command("reunir", help="Trae el Python con que las páginas ejecutan sus celdas.")
@click.pass_obj
def gather(site: Site) -> None:
    try:
        bundle.gather(site.root, lambda line: click.echo(line, err=True))
    except bundle.RuntimeMissingError as error:
        raise click.ClickException(str(error)) from None


@main.command(
    "construir",
    help="Ejecuta, revisa y construye el sitio. Las opciones de `mkdocs build` se le pasan.",
    context_settings={"ignore_unknown_options": True},
)
@click.argument("options", nargs=-1, type=click.UNPROCESSED, metavar="[OPCIONES DE MKDOCS]")
@click.pass_obj
def build(site: Site, options: tuple[str, ...]) -> None:
    _stop_if({*_execute(site), *_check(site)})
    sys.exit(_mkdocs(site, "build", "--strict", *options))


@main.command(
    "servir",
    help="Ejecuta y sirve el sitio; cada cambio se ve al guardar. Admite las de `mkdocs serve`.",
    context_settings={"ignore_unknown_options": True},
)
@click.option(
    "-a",
    "--dev-addr",
    "address",
    default="127.0.0.1:8000",
    show_default=True,
    help="Dónde se sirve.",
)
@click.argument("options", nargs=-1, type=click.UNPROCESSED, metavar="[OPCIONES DE MKDOCS]")
@click.pass_obj
def serve(site: Site, address: str, options: tuple[str, ...]) -> None:
    _require_free(address)
    _stop_if(_execute(site))
    sys.exit(_mkdocs(site, "serve", "--dev-addr", address, *options))


def _require_free(address: str) -> None:
    """Lo dice antes de ejecutar nada si ahí ya escucha otro programa."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise click.UsageError(f"«{address}» no es una dirección: escribe, p. ej., 127.0.0.1:8001")
    try:
        socket.create_server((host, int(port))).close()
    except OSError as error:
        busy = error.errno == errno.EADDRINUSE
        why = "lo ocupa otro programa" if busy else error.strerror
        raise click.ClickException(
            f"no se puede servir en {address}: {why}. Prueba con «-a {host}:{int(port) + 1}»"
        ) from None


def _execute(site: Site, jobs: int = os.cpu_count() or 1) -> list[Finding]:
    """Ejecuta lo que falta, contando el progreso."""
    started = time.monotonic()
    pages = collect_site(site.docs, root=site.root)
    store, sources = Store(site.root), Sources(site.root)
    findings = recorded.check(pages, site.docs, sources)
    findings += [finding for page in pages for finding in page.findings]
    if pending((page for page in pages if not page.findings), store, sources):
        # Aquí y no arriba: cuando no hay nada que ejecutar, sobra cargar el motor.
        from lessons_code.sitekit.engine import execute

        findings += execute(pages, store, jobs=jobs, on_progress=_progress)
        store.prune(key for page in pages for key in keys(page, sources).values())
    cells = sum(isinstance(item, Cell) for page in pages for item in page.items)
    elapsed = _seconds(time.monotonic() - started)
    click.echo(f"{len(pages)} páginas, {cells} celdas · {elapsed}", err=True)
    return findings


def _progress(session: Session, seconds: float) -> None:
    cells = sum(isinstance(item, Cell) for item in session.items)
    click.echo(f"{session.page.path.as_posix()} · {cells} celdas · {_seconds(seconds)}", err=True)


def _seconds(seconds: float) -> str:
    return f"{format_value(seconds, '.1f')} s"


def _check(site: Site) -> list[Finding]:
    """Lo que estropearía una página y, si no hay nada de eso, lo que dice el linter."""
    from lessons_code.sitekit.extension import check_pages
    from lessons_code.sitekit.lint.check import check_site

    pages = collect_site(site.docs, root=site.root)
    findings = check_pages(pages, site.docs, root=site.root, sources=Sources(site.root))
    return findings or check_site(site.docs, site.root)


def _stop_if(findings: Iterable[Finding]) -> None:
    """Imprime los hallazgos, uno por línea y en orden, y termina con 1 si hay alguno."""
    for finding in sorted(findings):
        click.echo(str(finding), err=True)
    if findings:
        sys.exit(1)


def _mkdocs(site: Site, *arguments: str) -> int:
    command = [sys.executable, "-m", "mkdocs", *arguments]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    try:
        return subprocess.call(command, cwd=site.root, env=environment)
    except KeyboardInterrupt:
        return 0  # Ctrl-C es como se deja de servir


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    main(prog_name="python -m lessons_code.sitekit")
