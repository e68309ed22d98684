"""La orden `ai-evolution`: el catálogo, sus fichas y miniaturas, y el médico de formas."""

import importlib
import json
import os
import re
import shutil
import sys
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import click

LABS = ("P07",)  # cada una, un módulo de lessons_code.papers con run_lab, to_text y to_json

# ─── click, en español ────────────────────────────────────────────────────────────────────────

SECTION_TITLES = {
    "Options": "Opciones",
    "Positional arguments": "Argumentos",
    "Commands": "Órdenes",
}


class SpanishFormatter(click.HelpFormatter):
    def write_usage(self, prog, args="", prefix=None):
        super().write_usage(prog, args, prefix="Uso: ")

    def section(self, name):
        return super().section(SECTION_TITLES[name])


class SpanishContext(click.Context):
    formatter_class = SpanishFormatter


class SpanishCommand(click.Command):
    context_class = SpanishContext

    def __init__(self, *args, options_metavar="[OPCIONES]", **kwargs):
        super().__init__(*args, options_metavar=options_metavar, **kwargs)

    def parse_args(self, ctx, args):
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx  # a veces click no dice en qué orden fue
            raise

    def get_help_option(self, ctx):
        option = super().get_help_option(ctx)
        option.help = "Muestra esta ayuda y termina."
        return option


class SpanishGroup(SpanishCommand, click.Group):
    command_class = SpanishCommand

    def main(self, *args, **kwargs):
        """Como el de click, con la salida en UTF-8 y los errores en español."""
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        try:
            code = super().main(*args, **(kwargs | {"standalone_mode": False}))
        except click.ClickException as error:
            if isinstance(error, click.UsageError):
                click.echo(error.ctx.get_usage(), err=True)
            click.echo(f"Error: {error_in_spanish(error)}", err=True)
            code = error.exit_code
        except click.Abort:
            code = 130  # Ctrl+C
        sys.exit(code)


def error_in_spanish(error):
    """El mensaje de un error de click, con lo que sí se podía escribir."""
    match error:
        case click.NoSuchCommand():
            available = ", ".join(error.ctx.command.list_commands(error.ctx))
            return f"no existe la orden «{error.command_name}». Hay: {available}."
        case click.NoSuchOption():
            available = ", ".join(_options(error.ctx))
            return f"no existe la opción «{error.option_name}». Hay: {available}."
        case click.BadOptionUsage():
            is_flag = _options(error.ctx)[error.option_name].is_flag
            needs = "no lleva valor" if is_flag else "necesita un valor"
            return f"la opción «{error.option_name}» {needs}."
        case click.MissingParameter():
            return f"falta {error.param.metavar}."
        case click.UsageError() if type(error) is click.UsageError:
            return "sobran argumentos."
        case _:  # los que lanza este módulo
            return error.message


def _options(ctx):
    """Las opciones de una orden, por nombre."""
    params = ctx.command.get_params(ctx)
    return {param.opts[0]: param for param in params if isinstance(param, click.Option)}


# ─── Las órdenes ──────────────────────────────────────────────────────────────────────────────
# Cada una importa lo suyo al ejecutarse: la ayuda no espera a NumPy ni a pylatexenc.


class Seed(click.ParamType):
    """Un entero que no es negativo, de un tamaño que JSON y Python escriben sin problemas."""

    name = "semilla"

    def convert(self, value, param, ctx):
        if not re.fullmatch("[0-9]{1,15}", str(value)):
            wanted = "un entero de 0 a 999999999999999, p. ej. 7"
            self.fail(f"la semilla debe ser {wanted}; llegó «{value}».", param, ctx)
        return int(value)


@click.group(cls=SpanishGroup, invoke_without_command=True, subcommand_metavar="[ORDEN] …")
@click.pass_context
def main(ctx):
    """La ruta de la atención: los artículos del curso y sus miniaturas."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@main.command()
@click.pass_obj
def papers(root):
    """Enumera los artículos que tienen ficha."""
    with _card_errors():
        cards = _read_cards(root).values()
    name_width = max(len(card.name) for card in cards)
    for card in cards:
        lab = "  (con paper-lab)" if card.code in LABS else ""
        click.echo(f"{card.code}  {card.level}  {card.name:{name_width}}  {_url(card)}{lab}")


@main.command()
@click.argument("code", metavar="FICHA")
@click.pass_context
def paper(ctx, code):
    """Muestra en texto la ficha de un artículo.

    Su identificación, el problema, la propuesta, las ecuaciones y la dirección de la página.
    FICHA es su código, p. ej. P07.
    """
    from lessons_code.papers.catalog import card_to_text

    with _card_errors():
        cards = _read_cards(ctx.obj)
        card = cards[_known_code(ctx, code, cards, "ficha")]
        text = card_to_text(card, width=_terminal_width(), url=_url(card))
    click.echo(text)


@main.command("paper-lab")
@click.argument("code", metavar="FICHA")
@click.option("--seed", type=Seed(), default=7, help="Semilla del sorteo; si falta, 7.")
@click.option("--json", "as_json", is_flag=True, help="Escribe el resultado en JSON.")
@click.pass_context
def paper_lab(ctx, code, seed, as_json):
    """Entrena la miniatura de un artículo y muestra qué aprende.

    FICHA es su código, p. ej. P07. La misma semilla da siempre la misma salida.
    """
    code = _known_code(ctx, code, LABS, "miniatura")
    lab = importlib.import_module(f"lessons_code.papers.{code.lower()}")

    result = lab.run_lab(seed)
    if as_json:
        click.echo(json.dumps(lab.to_json(result), ensure_ascii=False, indent=2))
    else:
        click.echo(lab.to_text(result))


@main.command()
@click.argument("path", metavar="FICHERO")
@click.option("--funcion", "function", metavar="NOMBRE", help="Cuál; p. ej. additive_attention.")
@click.option("--json", "as_json", is_flag=True, help="Escribe el resultado en JSON.")
@click.pass_context
def shapes(ctx, path, function, as_json):
    """Dice qué tensor de una atención no encaja y su arreglo.

    FICHERO es un .npz con los tensores por su nombre, el que les da la función:
    np.savez("paso.npz", decoder_state=…, encoder_states=…). También puede llevar
    los weights que obtuviste, y previous_state y current_state.

    Termina con 0 si todo encaja, con 1 si hay algo que arreglar y con 2 si no se
    puede leer.
    """
    from lessons_code.doctor.diagnosis import diagnose, shape_table
    from lessons_code.doctor.signatures import SIGNATURES

    if function is None:
        known = ", ".join(SIGNATURES)
        raise click.BadParameter(f"falta la opción «--funcion». Conozco: {known}.", ctx)
    tensors = _read_tensors(ctx, path)
    try:
        findings = diagnose(function, **tensors)
    except (TypeError, ValueError) as error:
        raise click.BadParameter(f"{path}: {error}", ctx) from None
    table = {} if findings else shape_table(function, **tensors)
    if as_json:
        found = [asdict(finding) for finding in findings]
        report = {"function": function, "findings": found, "shapes": table}
        click.echo(json.dumps(report, ensure_ascii=False, indent=2))
    elif findings:
        click.echo("\n\n".join(map(str, findings)))
    else:
        width = max(map(len, table))
        click.echo(f"Todo encaja en {function}.\n")
        for name, form in table.items():
            click.echo(f"  {name:{width}}  {form}")
        click.echo(f"\n{BLIND_SPOTS}")
    ctx.exit(1 if findings else 0)


BLIND_SPOTS = """\
Lo que las formas no ven: una matriz cuadrada traspuesta (guarda también weights) y
qué estado preguntó (guarda también previous_state y current_state)."""


def _read_tensors(ctx, path):
    """Los tensores de un .npz, por su nombre. Sin pickle: leer tensores no ejecuta nada."""
    import numpy as np

    if not zipfile.is_zipfile(path):
        problem = "no es un .npz" if Path(path).exists() else "no existe el fichero"
        raise click.BadParameter(f"{problem}: {path}. Se guarda con np.savez.", ctx)
    tensors, reading = {}, "el fichero"
    try:
        with np.load(path, allow_pickle=False) as file:
            for name in file.files:
                reading = f"«{name}»"
                array = np.asarray(file[name])
                tensors[name] = array if array.ndim else array.item()
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error):
        problem = f"no se puede leer {reading}: guarda arrays de números, con np.savez"
        raise click.BadParameter(f"{path}: {problem}.", ctx) from None
    return tensors


def _read_cards(root):
    from lessons_code.papers.catalog import ROOT, read_cards

    return read_cards(root or ROOT)


@contextmanager
def _card_errors():
    from lessons_code.papers.catalog import CardError

    try:
        yield
    except CardError as error:
        raise click.ClickException(str(error)) from None


def _known_code(ctx, code, available, kind):
    """El código en mayúsculas. Lanza BadParameter si no hay `kind` con ese código."""
    if code.upper() not in available:
        raise click.BadParameter(f"no hay {kind} «{code}». Hay: {', '.join(available)}.", ctx)
    return code.upper()


def _url(card):
    return card.url(os.environ.get("SITE_URL", ""))


def _terminal_width():
    return min(shutil.get_terminal_size().columns, 100) if sys.stdout.isatty() else 80


if __name__ == "__main__":
    main()
