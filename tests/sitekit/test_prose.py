"""La prosa de una página: todo lo demás en blanco, y cada cosa en su sitio."""

from pathlib import Path

import pytest

from lessons_code.sitekit.prose import Source, read

TEXT = """---
title: "Una página"
tags: [a, b]
---

# Título {#titulo .clase}

Prosa con `código`, $x_1$ y [un enlace](otra.md "con título").
<!-- comentario
largo -->
!!! note "Aviso"

    ~~~text
    ## no es un título
    ~~~

    ## Sí lo es {: #si data-formas="a, b" }

Fin.
"""


def source(text: str) -> Source:
    return Source(Path("docs/x.md"), text)


def test_views_keep_every_position():
    page = source(TEXT)
    assert len(page.body) == len(page.prose) == len(page.text)
    assert page.text.count("\n") == page.prose.count("\n")
    for view in (page.body, page.prose):
        assert all(seen in {true, " "} for seen, true in zip(view, page.text, strict=True))


def test_only_prose_is_left():
    words = source(TEXT).prose.split()
    assert words == [
        *("#", "Título", "Prosa", "con", ",", "y", "[un", "enlace", "."),
        *("!!!", "note", '"Aviso"', "##", "Sí", "lo", "es", "Fin."),
    ]


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("vale ``a ` b`` euros", "vale euros"),
        ("un precio de 5$ y otro de 6$ fin", "un precio de 5$ y otro de 6$ fin"),
        ("escapado \\` sigue `código` fin", "escapado sigue fin"),
        ("abre `pero no cierra\n\notro párrafo`", "abre `pero no cierra otro párrafo`"),
        ("antes $$\na\n\nb\n$$ después", "antes después"),
        ("un \\(x\\) y un \\[y\\] aquí", "un y un aquí"),
        ("3 < 4 y <b>negrita</b>", "3 < 4 y negrita"),
        ("ver [uno](a_(b).md) y [dos][ref]", "ver [uno y [dos"),
        ("<https://x.org> y https://y.org/a.b", "y"),
    ],
)
def test_what_is_hidden_in_a_line(text, prose):
    assert source(text).prose.split() == prose.split()


def test_lines_count_from_the_top_of_the_file():
    page = source(TEXT)
    assert page.meta == {"title": "Una página", "tags": "[a, b]"}
    assert [(h.level, h.title, h.id, page.line(h.start)) for h in page.headings] == [
        (1, "Título", "titulo", 6)
    ]
    assert page.offset(6) == page.text.index("# Título")
    assert page.line(page.text.index("Fin.")) == TEXT.split("\n").index("Fin.") + 1


def test_code_words_come_from_fences_only():
    assert source(TEXT).code_words == {"no", "es", "un", "título"}


def test_a_changed_file_is_read_again(tmp_path):
    path = tmp_path / "x.md"
    path.write_text("uno", encoding="utf-8")
    first = read(path)
    assert read(path) is first
    path.write_text("otro", encoding="utf-8")
    assert read(path).text == "otro"
