"""El linter: calla ante una ficha buena y señala cada falta en su línea."""

import shutil
import time
from pathlib import Path

import pytest

from lessons_code.sitekit import cards
from lessons_code.sitekit.lint.check import CARD_RULES, RULES, check_page, check_site
from lessons_code.sitekit.names import Site
from lessons_code.sitekit.prose import Source

MINI = Path(__file__).parent / "lint"  # una ficha correcta y el código que nombra
CARD = MINI / "docs" / "fichas" / "p07-atencion.md"
SITE = Site(MINI / "docs", MINI)


def check_text(text: str, name: str = "pagina.md") -> list[tuple[int, str]]:
    """Los pares (línea, regla) de una página suelta, que no es una ficha."""
    page = Source(MINI / "docs" / name, text)
    return [(finding.line, finding.rule) for finding in check_page(page, SITE)]


def check_card(text: str) -> list[tuple[int, str]]:
    page = Source(CARD, text)
    return [(finding.line, finding.rule) for finding in check_page(page, SITE)]


def test_a_good_card_has_no_findings():
    assert check_site(MINI / "docs", MINI) == []


# --- Números ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "El peso vale 0,464.",
        "Gana con el 46 % de la mezcla.",
        "Gana con el 46,4 % de la mezcla.",
        "El peso vale 0.464 y la pérdida, −1,5.",
        "Da 0,464 (§3 de este curso).",  # el lugar, sin artículo
        "Bahdanau et al. (2014) obtienen 26,75.",  # el artículo, sin lugar
        "Véase la Tabla 1 de Bahdanau et al. (2014).\n\nSube a 26,75.",  # lo cita otro párrafo
        "- Cita: arXiv:1409.0473.\n- Sube a 26,75.",  # lo cita otro elemento
        "| a | b |\n|---|---|\n| 1 | 26,75 |\n\nLo vimos en la Tabla 1 de Cho et al. (2014).",
        "<p>Vale 0,464</p>",
        "Versión 1.2.3 y peso 0,5.",
    ],
)
def test_typed_numbers_are_reported(text):
    rules = {rule for _, rule in check_text(text)}
    assert rules == {"números"}


@pytest.mark.parametrize(
    "text",
    [
        "El peso vale `{python} weights[0]:.3f`.",
        "En el código, `0.464`; en la fórmula, $0.464$ y $$0{,}464$$ y \\(0.464\\).",
        "Python ≥ 3.11, NumPy 2.4 y MkDocs 1.6.",
        "CC BY 4.0, CC BY-SA 4.0 y WCAG 2.2.",
        "Consultado el 2026-11-30 o el 30.11.2026; versión 1.2.3.",
        "Véase la sección 3.4 y el §5.2.1; la figura 2.1 y la ec. (3.1).",
        "### 3.1 Un título con número {#titulo}",
        "Está en arXiv:1409.0473, y sube a 26,75.",
        "Sube a 26,75 ([Bahdanau et al.](https://arxiv.org/abs/1409.0473)).",
        "Bahdanau et al. (2014), Tabla 1: sube a 26,75.",
        "En la Tabla 2 del artículo tarda 2,88·10⁵ pasos.",
        "Según Jain y Wallace, fig. 3, cae un 10 %.",
        "Sube a 26,75.[^1]\n\n[^1]: arXiv:1409.0473.",
        "Luong et al. (2015), Tabla 4:\n\n- general: 17,3\n- dot: 18,6",
        "Luong et al. (2015), Tabla 4:\n\n- general: 17,3\n\n- dot: 18,6",
        "| a | b |\n|---|---|\n| x | 26,75 |\n\nFuente: Cho et al. (2014), Tabla 1.",
        "| a | BLEU (Cho et al., 2014, Tabla 1) |\n|---|---|\n| x | 26,75 |\n| y | 1,5 |",
        "| a | b |\n|---|---|\n| arXiv:1409.0473 | 26,75 |",
        '!!! quote "Cho et al. (2014), Tabla 1"\n\n    Baja a 13,93.',
        "<!-- 0,464 -->\n\n18 parámetros, 4/4 y 8000 números.",
        "[enlace](pagina-1.5.html) y <img width='0.5'> y https://x.org/1.5",
        "No confundas A.2.2 con news-test-2014.",
    ],
)
def test_computed_cited_and_other_numbers_are_not(text):
    assert check_text(text) == []


def test_a_bare_table_number_in_a_card_is_that_of_its_paper():
    text = "Llega a 26,75 (Tabla 1)."
    assert [rule for _, rule in check_text(text)] == ["números"]
    assert "números" not in [rule for _, rule in check_card(text)]


# --- Palabras --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("El hidden state pasa.", "estado oculto"),
        ("Los hidden-states pasan.", "estado oculto"),
        ("El Encoder lee.", "codificador"),
        ("Encoder-decoder con atención.", "codificador"),
        ("Con padding al final.", "relleno"),
        ("Un batch y dos minibatches.", "lote"),
        ("Los scores suben.", "puntuación"),
        ("El puntaje sube.", "puntuación"),
        ("La auto-atención mira.", "autoatención"),
        ("La self-attention mira.", "autoatención"),
        ("Con beam\nsearch de ancho 4.", "búsqueda en haz"),
        ("La búsqueda por haz.", "búsqueda en haz"),
        ("Los shapes no casan.", "forma"),
        ("El alineamiento.", "alineación"),
        ("Pesos atencionales.", "peso de atención"),
        ("Un modelo atencional.", "de atención"),
        ("**El encoder**, en negrita, no es cursiva.", "codificador"),
        ("Lo lee (el encoder va primero).", "codificador"),
        ("[El encoder](otra.md) lee.", "codificador"),
        ("Las queries y las keys.", "consulta"),
    ],
)
def test_variants_are_reported_with_the_word_to_use(text, word):
    page = Source(MINI / "docs" / "pagina.md", text)
    findings = check_page(page, SITE)
    assert findings
    assert {finding.rule for finding in findings} == {"palabras"}
    assert f"«{word}»" in "".join(finding.message for finding in findings)


@pytest.mark.parametrize(
    "text",
    [
        "El estado oculto (hidden state) y la puntuación (*score*).",
        "Consulta, clave y valor (query, key, value).",
        "Búsqueda en haz (en inglés, beam search).",
        "Los *hidden states* y la _beam search_.",
        "El título es «Encoder–Decoder Approaches».",
        "[The Encoder](https://example.org/encoder) lo cuenta.",
        "En el código, `encoder_states` y `padding_mask`; en `batch`, B.",
        "```text\nencoder padding batch\n```",
        "La clave del maskarade, headless y keynes, scoreboard.",  # dentro de otras palabras
        "RNNencdec y RNNsearch son nombres.",
        "La orden es $encoder = 2$ y <span title='encoder'>otra</span>.",
    ],
)
def test_english_in_its_place_is_not(text):
    assert check_text(text) == []


def test_a_long_variant_is_reported_once():
    assert check_text("Los attention weights suman 1.") == [(1, "palabras")]


# --- Borrador, tablas y nombres --------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["Próximamente.", "TODO: contarlo.", "Lorem ipsum.", "Página en construcción."]
)
def test_drafts_are_reported(text):
    assert check_text(text) == [(1, "borrador")]


@pytest.mark.parametrize(
    "text", ["Todo el MÉTODO.", "`TODO` en código.", "El aprendizaje próximo."]
)
def test_ordinary_words_are_not_drafts(text):
    assert check_text(text) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("## Uno {#uno}\n\n### Otro {#uno}", 3),
        ("## Uno {#celda-suma}", 1),
    ],
)
def test_ids_of_two_titles_or_of_a_cell_are_reported(text, line):
    assert check_text(text) == [(line, "ids")]


@pytest.mark.parametrize("text", ["![](mapa.svg)", "Mira ![ ][mapa] aquí."])
def test_images_without_words_are_reported(text):
    assert check_text(text) == [(1, "imágenes")]


@pytest.mark.parametrize("text", ["![Un mapa de calor](mapa.svg)", "`![](mapa.svg)`"])
def test_images_with_words_or_shown_as_code_are_not(text):
    assert check_text(text) == []


@pytest.mark.parametrize(
    ("row", "advice"),
    [("| $|x|$ | 2 |", "vert"), ("| a | b | c |", r"\|"), ("| solo una |", r"\|")],
)
def test_rows_with_other_cells_than_the_header(row, advice):
    text = f"Antes.\n\n| a | b |\n|---|:--:|\n| 1 | 2 |\n{row}\n"
    page = Source(MINI / "docs" / "pagina.md", text)
    (finding,) = check_page(page, SITE)
    assert (finding.line, finding.rule) == (6, "tablas")
    assert advice in finding.message


@pytest.mark.parametrize(
    "row", ["| `a|b` | 2 |", r"| a \| b | 2 |", "| $x \\mid y$ | 2 |", "1 | 2", "| 1 | 2"]
)
def test_rows_python_markdown_reads_well(row):
    assert check_text(f"| a | b |\n|---|---|\n{row}\n") == []


@pytest.mark.parametrize(
    "name",
    [
        "lessons_code.numerics.atention",
        "lessons_code.numerics.attention.dot_atention",
        "dot_atention()",
        "masked_softmax(scores, mask=visible)",
        "dot_attention(a, b, c)",
        "multi_head_attention(x)",
    ],
)
def test_names_the_code_does_not_have(name):
    assert check_text(f"Se llama `{name}`.") == [(1, "nombres")]


@pytest.mark.parametrize(
    "name",
    [
        "lessons_code.numerics",
        "lessons_code.numerics.attention",
        "lessons_code.numerics.attention.dot_attention",
        "dot_attention()",
        "dot_attention(decoder_state, encoder_states)",
        "dot_attention(...)",
        "masked_softmax(scores, visible, axis=-1)",
        "several(a, b, c, d=1)",
        "print()",
        "f(x)",
        "nn.MultiheadAttention(embed_dim=128)",
        "np.exp()",
        "(d_h,)",
        "{python} dot_atention()",
    ],
)
def test_names_that_exist_or_are_not_ours(name):
    assert check_text(f"Se llama `{name}`.") == []


def test_an_argument_the_code_lacks_is_reported_where_the_course_teaches():
    text = "El argumento `encoder_memory` guarda los estados; `decoder_state`, el anterior."
    assert check_text(text, "lecciones/atencion.md") == [(1, "nombres")]
    assert check_text(text, "contribuir.md") == []


# --- La ficha --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "rule", "at"),
    [
        ("L3", "L5", "metadatos", "---"),
        ("motor: bahdanau\n", "", "metadatos", "---"),
        ("## 9. Impacto {#impacto}", "### Impacto {#impacto}", "secciones", None),
        ("{#impacto}", "{#el-impacto}", "secciones", "## 9. "),
        ("## 9. Impacto {#impacto}", "## 9. Impacto", "secciones", "## 9. "),
        ("## 9. Impacto", "## 8. Impacto", "secciones", "## 8. Impacto"),
        ("## 10. ", "## 19. Otra {#otra}\n\nTexto.\n\n## 10. ", "secciones", "## 19. "),
        ("**Motor:** `bahdanau` · ", "", "apertura", None),
        ("P07_attention_bahdanau.ipynb", "P08_transformer.ipynb", "apertura", "**Nivel:**"),
        ("| Acceso | abierto |\n", "", "identificación", "## 1. "),
        ("| Año | 2014 |\n| Publicación", "| Publicación", "identificación", "## 1. "),
        (
            "| Año | 2014 |\n| Publicación | ICLR 2015 |",
            "| Publicación | ICLR 2015 |\n| Año | 2014 |",
            "identificación",
            "## 1. ",
        ),
        ("Puente matemático", "Puente", "puente", "## 5. "),
        ("[producto escalar](../notacion.md#producto-escalar)", "producto", "puente", "!!! tip"),
        ("    Y nada más.", "Y nada más.", "puente", "!!! tip"),
        ("3. ¿Qué se aprende?\n", "", "preguntas", '??? success "3.'),
        ("3. ¿Qué se aprende?", "4. ¿Qué se aprende?", "preguntas", "## 16. "),
        ('"3. Los parámetros"', '"2. Los parámetros"', "preguntas", "3. ¿Qué"),
        ('??? success "3.', '???+ success "3.', "preguntas", '???+ success "3.'),
        ('??? success "3. Los parámetros"', "3. Los parámetros", "preguntas", "3. Los"),
        (" · **Clase:** 055", "", "pie", "**Anterior:**"),
        ("[Índice](index.md)", "Índice", "pie", "**Anterior:**"),
    ],
)
def test_each_fault_of_a_card_is_reported_on_its_line(old, new, rule, at):
    good = CARD.read_text(encoding="utf-8")
    assert old in good
    bad = good.replace(old, new)
    findings = check_card(bad)
    assert findings
    assert {found for _, found in findings} == {rule}
    if at is not None:
        first = next(n for n, line in enumerate(bad.split("\n"), 1) if line.startswith(at))
        assert first in {line for line, _ in findings}


def test_identification_rows_out_of_order_are_reported():
    good = CARD.read_text(encoding="utf-8")
    year, venue = "| Año | 2014 |\n", "| Publicación | ICLR 2015 |\n"
    assert year + venue in good
    assert [rule for _, rule in check_card(good.replace(year + venue, venue + year))] == [
        "identificación"
    ]


def test_sections_out_of_order_are_reported():
    good = CARD.read_text(encoding="utf-8")
    start, middle, end = (good.index(f"## {number}. ") for number in (9, 10, 11))
    swapped = good[:start] + good[middle:end] + good[start:middle] + good[end:]
    line = swapped[:start].count("\n") + 1
    assert check_card(swapped) == [(line, "secciones")]


def test_a_label_becomes_a_link_when_its_page_exists(tmp_path):
    shutil.copytree(MINI, tmp_path, dirs_exist_ok=True)
    (tmp_path / "docs" / "fichas" / "p08-transformer.md").write_text("", encoding="utf-8")
    page = Source(tmp_path / "docs" / "fichas" / "p07-atencion.md", CARD.read_text("utf-8"))
    (finding,) = check_page(page, Site(tmp_path / "docs", tmp_path))
    assert finding.rule == "pie"
    assert "fichas/p08-transformer.md" in finding.message


# --- El sitio --------------------------------------------------------------------------------


def test_findings_name_the_file_from_the_root_and_the_true_line(tmp_path):
    docs = tmp_path / "docs"
    (docs / "apoyo").mkdir(parents=True)
    (docs / "apoyo" / "a.md").write_text("---\ntitle: A\n---\n\n# A\n\n0,5\n", encoding="utf-8")
    (docs / ".overrides").mkdir()
    (docs / ".overrides" / "b.md").write_text("0,5", encoding="utf-8")
    (docs / "outputs").mkdir()
    (docs / "outputs" / "prompt.md").write_text("The encoder, 0.5.", encoding="utf-8")
    (finding,) = check_site(docs, tmp_path)
    assert str(finding).startswith("docs/apoyo/a.md:7: [números] «0,5» está escrito a mano")


def test_every_rule_has_its_own_name():
    names = [name for name, _ in RULES + CARD_RULES]
    assert len(names) == len(set(names))


def test_fifteen_cards_pass_unnoticed_while_serving(tmp_path):
    docs = tmp_path / "docs"
    (docs / "fichas").mkdir(parents=True)
    shutil.copytree(MINI / "lessons_code", tmp_path / "lessons_code")
    for number in range(15):
        shutil.copy(CARD, docs / "fichas" / f"p{number:02}.md")
    shutil.copy(MINI / "docs" / "fichas" / "index.md", docs / "fichas" / "index.md")
    assert check_site(docs, tmp_path) == []
    durations = []
    for _ in range(7):
        start = time.process_time()
        check_site(docs, tmp_path)
        durations.append(time.process_time() - start)
    assert min(durations) < 0.03


def test_section_titles_match_their_ids_in_the_good_card():
    page = Source(CARD, CARD.read_text(encoding="utf-8"))
    found = {section.id: section.title for section in cards.sections(page)}
    assert found == {
        section_id: f"{number}. {title}"
        for number, (section_id, title) in enumerate(cards.SECTIONS.items(), 1)
    }
