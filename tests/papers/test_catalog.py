"""Del Markdown de docs/fichas al catálogo y al texto de cada ficha."""

import pytest

from lessons_code.papers.catalog import CardError, card_to_text, read_cards
from tests.papers.cards import BODY, HEADER, write_card


def text_of(root, **changes):
    write_card(root, **changes)
    return card_to_text(read_cards(root)["P03"], width=80, url="/u/")


def test_cards_come_by_code_and_other_pages_are_skipped(tmp_path):
    write_card(tmp_path, "P05")
    path = write_card(tmp_path, "P03")
    (path.parent / "index.md").write_text("---\ntitle: Índice\n---\n# Fichas\n", encoding="utf-8")
    (path.parent / "nota.md").write_text("# Sin encabezado\n", encoding="utf-8")
    cards = read_cards(tmp_path)
    assert list(cards) == ["P03", "P05"]
    assert (cards["P03"].name, cards["P03"].level) == ("Una ficha", "L3")


def test_url_with_and_without_site(tmp_path):
    write_card(tmp_path)
    card = read_cards(tmp_path)["P03"]
    assert card.url() == "/fichas/p03-prueba/"
    assert card.url("https://x.org/ruta/") == "https://x.org/ruta/fichas/p03-prueba/"


def test_text_holds_what_the_command_promises_and_nothing_else(tmp_path):
    assert text_of(tmp_path) == (
        "P03 · Una ficha\n\n"
        "Nivel L3 · motor de_prueba · notebook P03_prueba\n\n"
        "1. Identificación\n─────────────────\n\n"
        "Autores  Alguien\n\n"
        "2. Problema anterior\n────────────────────\n\n"
        "Un problema con fuente (https://example.org/a).\n\n"
        "3. Propuesta\n────────────\n\n"
        "• Una idea sobre c_i.\n\n"
        "5. Matemática mínima\n────────────────────\n\n"
        "La primera.\n\n"
        "    c_i = Σ_j α_ij h_j\n\n"
        "Ficha completa: /u/"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Un **problema**", "Vale `{python} x`"),
        ("La primera.", "Vale `{python} x`"),
        ("c_i = ", r"\inventada = "),
        ("| Alguien |", "| Alguien | Otro |"),
    ],
)
def test_errors_name_file_and_line(tmp_path, old, new):
    body = BODY.replace(old, new)
    lines = (HEADER + body).splitlines()
    start = {"c_i = ": "$$", "| Alguien |": "| Campo"}.get(old, new)  # donde empieza el bloque
    line = next(number for number, text in enumerate(lines, 1) if text.startswith(start))
    with pytest.raises(CardError, match=rf"^docs/fichas/p03-prueba\.md:{line}: "):
        text_of(tmp_path, body=body)


def test_missing_section_key_and_cards(tmp_path):
    with pytest.raises(CardError, match="no hay fichas"):
        read_cards(tmp_path)
    with pytest.raises(CardError, match=r"prueba\.md:1: falta la sección .*#propuesta"):
        text_of(tmp_path, body=BODY.replace("{#propuesta}", "{#otra}"))
    with pytest.raises(CardError, match=r"prueba\.md:1: faltan en el encabezado: nivel$"):
        text_of(tmp_path, header=HEADER.replace("nivel: L3\n", ""))
    with pytest.raises(CardError, match=r"prueba\.md:4: .*YAML"):
        text_of(tmp_path, header=HEADER.replace("nivel: L3", "nivel: L3: L4"))


def test_the_card_of_p07_reads_well():
    card = read_cards()["P07"]
    text = card_to_text(card, width=80, url=card.url())
    assert "e_ij = v_aᵀ tanh(W_a s_{i−1} + U_a h_j)" in text
    assert "c_i = Σ_{j=1}^{T_x} α_ij h_j" in text
    assert "Bahdanau" in text
    assert text.endswith("/fichas/p07-atencion/")
    assert max(map(len, text.splitlines())) <= 80
    for mark in ("**", "](", "$", "\\", "{#", "{python}", "`"):
        assert mark not in text
