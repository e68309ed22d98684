"""El glosario: lee su página y enlaza cada término la primera vez, donde un enlace cabe."""

from pathlib import Path
from xml.etree import ElementTree

import markdown
import pytest

from lessons_code.sitekit import glossary

GLOSSARY = """# Glosario

## La atención {#la-atencion}

### Vector de contexto (*context vector*) {#vector-de-contexto data-formas="vectores de contexto"}

Suma de los *valores*, con su [peso](#peso). Hay "uno" por
paso.

Aparece en otra página.

### Contexto {#contexto}

Lo de alrededor.

### Forma (*shape*) {#forma .ambigua data-formas="forma de un tensor"}

Tamaños de los ejes.

### GRU (*gated recurrent unit*) {#gru}

Unidad recurrente.
"""


@pytest.fixture
def source(tmp_path) -> Path:
    path = tmp_path / "glosario.md"
    path.write_text(GLOSSARY, encoding="utf-8")
    return path


@pytest.fixture
def convert(source):
    def convert(text: str, page: str = "fichas/p07-atencion.md") -> str:
        md = markdown.Markdown(
            extensions=["admonition", "attr_list", "tables", "toc", "pymdownx.superfences"]
        )
        glossary.register(md, source, lambda: page)
        return md.convert(text)

    return convert


def links(html: str) -> list[tuple[str, str]]:
    """Los enlaces a términos: adónde van y qué palabra llevan."""
    root = ElementTree.fromstring(f"<div>{html}</div>")
    return [(a.get("href"), a.text) for a in root.iter("a") if a.get("class") == "termino"]


def test_terms_are_read_in_order(source):
    first, second, third, fourth = glossary.terms(source)
    assert first == glossary.Term(
        id="vector-de-contexto",
        name="Vector de contexto",
        english="context vector",
        definition='Suma de los valores, con su peso. Hay "uno" por paso.',
        forms=("vectores de contexto",),
        ambiguous=False,
    )
    assert (second.name, second.english, second.forms) == ("Contexto", "", ())
    assert third.ambiguous
    assert (fourth.id, fourth.name) == ("gru", "GRU")


def test_only_the_first_use_is_a_link(convert):
    html = convert("El vector de contexto cambia. Otro vector de contexto.\n\nVector de contexto.")
    assert links(html) == [("../glosario.md#vector-de-contexto", "vector de contexto")]
    assert html.index("<a ") < html.index("cambia")


def test_the_text_of_the_page_does_not_change(convert):
    text = "Un vector de **contexto** y *un contexto* más: GRU, y otra vez **GRU** y fin."
    root = ElementTree.fromstring(convert(text))
    assert "".join(root.itertext()) == text.replace("*", "")


def test_the_definition_travels_with_the_link(convert):
    (link,) = ElementTree.fromstring(convert("Un vector de contexto.")).iter("a")
    assert link.get("data-definicion") == 'Suma de los valores, con su peso. Hay "uno" por paso.'


@pytest.mark.parametrize(
    "written", ["Vectores de contexto", "vectores de\ncontexto", "VECTOR DE CONTEXTO", "gru"]
)
def test_plurals_capitals_and_line_breaks(convert, written):
    ((_, text),) = links(convert(f"Hay {written} aquí."))
    assert text == written


def test_the_longest_term_wins_and_the_short_one_waits(convert):
    assert links(convert("El vector de contexto resume su contexto.")) == [
        ("../glosario.md#vector-de-contexto", "vector de contexto"),
        ("../glosario.md#contexto", "contexto"),
    ]


@pytest.mark.parametrize("text", ["Fuera de contextos.", "El pre-contexto.", "contexto–mundo"])
def test_part_of_a_word_is_not_a_term(convert, text):
    assert links(convert(text)) == []


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("De esta forma se ve.", []),
        ("De forma (casi) igual.", []),
        ("La forma (*shape*) manda.", ["forma"]),
        ("La forma (shape) manda.", ["forma"]),
        ("De esta forma, la forma (*shape*).", ["forma"]),
        ("La forma de un tensor.", ["forma de un tensor"]),
    ],
)
def test_an_everyday_word_needs_its_english(convert, text, marked):
    assert [written for _, written in links(convert(text))] == marked


@pytest.mark.parametrize(
    "text",
    [
        "# GRU",
        "[la GRU](otra.md)",
        "`GRU`",
        "```text\nGRU\n```",
        "| GRU |\n|---|\n| GRU |",
        '!!! note "GRU"\n',
        "Antes · GRU\n{ .pie-ficha }",
        "<figure>GRU</figure>",
    ],
)
def test_places_that_are_not_running_prose(convert, text):
    assert 'class="termino"' not in convert(text)
    assert 'class="termino"' in convert(text + "\n\nLa GRU, en prosa.")


@pytest.mark.parametrize(
    ("page", "href"),
    [
        ("index.md", "glosario.md#gru"),
        ("notacion.md", "glosario.md#gru"),
        ("fichas/index.md", "../glosario.md#gru"),
        ("a/b/c.md", "../../glosario.md#gru"),
    ],
)
def test_the_link_is_relative_to_the_page(convert, page, href):
    assert links(convert("La GRU.", page)) == [(href, "GRU")]


@pytest.mark.parametrize("page", ["glosario.md", "", "outputs/encargo.md"])
def test_the_glossary_and_pages_unknown_or_in_english_have_no_links(convert, page):
    assert links(convert("La GRU.", page)) == []


def test_a_site_without_glossary_converts_as_usual(tmp_path):
    md = markdown.Markdown()
    glossary.register(md, tmp_path / "no-existe.md", lambda: "index.md")
    assert md.convert("La GRU.") == "<p>La GRU.</p>"


def test_an_edited_glossary_is_read_again(convert, source):
    assert links(convert("Una celda.")) == []
    source.write_text(GLOSSARY + "\n### Celda {#celda}\n\nUn bloque.\n", encoding="utf-8")
    assert links(convert("Una celda.")) == [("../glosario.md#celda", "celda")]
