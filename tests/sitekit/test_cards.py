"""El esquema de la ficha: los ids que son contrato y la lectura de sus partes."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from lessons_code.sitekit import cards
from lessons_code.sitekit.prose import Source

CARD = Path(__file__).parent / "lint" / "docs" / "fichas" / "p07-atencion.md"

# Las direcciones publicadas: cambiar uno de estos ids rompe enlaces ajenos.
CONTRACT = [
    "identificacion",
    "problema-anterior",
    "propuesta",
    "intuicion",
    "matematica-minima",
    "arquitectura",
    "que-observar",
    "evidencia",
    "impacto",
    "limitaciones",
    "errores-comunes",
    "trabajos-anteriores",
    "trabajos-posteriores",
    "notebook",
    "actividades-bloom",
    "autoevaluacion",
    "respuestas",
    "fuentes",
]


@pytest.fixture
def card() -> Source:
    return Source(CARD, CARD.read_text(encoding="utf-8"))


def test_the_eighteen_ids_are_the_contract():
    assert list(cards.SECTIONS) == CONTRACT
    assert len(CONTRACT) == 18
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", section_id) for section_id in CONTRACT)


def test_sections_cover_the_card_from_the_first_to_the_end(card):
    found = cards.sections(card)
    assert [section.id for section in found] == CONTRACT
    assert found[-1].end == len(card.text)
    for before, after in pairwise(found):
        assert before.end == after.start
        assert card.text[after.start :].startswith(f"## {after.title}")


def test_a_page_without_sections_has_none():
    page = Source(CARD, "# Solo un título\n\nY un párrafo.")
    assert cards.sections(page) == []
    assert cards.section(page, "propuesta") is None


def test_the_index_of_cards_is_not_a_card():
    assert cards.is_card(CARD)
    assert not cards.is_card(CARD.with_name("index.md"))
    assert not cards.is_card(CARD.parent.parent / "glosario.md")


def test_the_foot_keeps_the_dot_inside_a_title(card):
    start, pieces = cards.foot(card)
    assert card.text[start:].startswith("**Anterior:**")
    assert [piece.split("\n")[0] for piece in pieces] == [
        "**Anterior:** P06 · Seq2Seq",
        "[Índice](index.md)",
        "**Evaluación:** P07",
        "**Clase:** 055",
        "**Siguiente:** P08 · Transformer",
    ]


def test_where_each_label_of_the_foot_leads(card):
    targets = cards.foot_targets(card, Path("docs"))
    assert {label: path.as_posix() for label, path in targets.items()} == {
        "Índice": "docs/fichas/index.md",
        "Evaluación": "docs/evaluacion/p07.md",
        "Anterior": "docs/fichas/p06-seq2seq.md",
        "Siguiente": "docs/fichas/p08-transformer.md",
    }


@pytest.mark.parametrize(
    ("name", "missing"), [("p06-seq2seq.md", "Anterior"), ("p08-transformer.md", "Siguiente")]
)
def test_the_ends_of_the_route(name, missing):
    page = Source(CARD.with_name(name), "")
    assert missing not in cards.foot_targets(page, Path("docs"))
