"""El glosario del curso: las palabras que son, cada una una vez, y dichas en poco."""

import re

import pytest

from lessons_code.sitekit.cards import section
from lessons_code.sitekit.glossary import Term, matcher, terms
from lessons_code.sitekit.lint.word_rules import WORDS
from lessons_code.sitekit.prose import read
from tests.built_site import DOCS, Html

GLOSSARY = DOCS / "glosario.md"
TERMS = terms(GLOSSARY)

# Una palabra por concepto: las que el curso usa siempre.
COURSE_WORDS = {
    "alineación",
    "anotación",
    "atención cruzada",
    "autoatención",
    "búsqueda en haz",
    "cabeza",
    "clave",
    "codificación posicional",
    "codificador",
    "conexión residual",
    "consulta",
    "cuello de botella",
    "decodificador",
    "embedding",
    "estado oculto",
    "forma",
    "forzado del profesor",
    "lote",
    "máscara",
    "normalización de capa",
    "peso de atención",
    "puntuación",
    "relleno",
    "semilla",
    "sesgo de exposición",
    "valor",
    "vector de contexto",
}
# Y las que no compiten con ninguna otra, pero hay que saber.
ALSO_DEFINED = {
    "aer",
    "atención",
    "bleu",
    "codificador bidireccional",
    "entropía",
    "gru",
    "softmax",
}

# De la lista del linter, las que son otra cara de un término: «varias cabezas» es de «cabeza».
OTHER_FACES = {"de atención", "enmascarar", "varias cabezas"}


def test_the_glossary_defines_the_words_of_the_course_and_no_others():
    assert {term.name.lower() for term in TERMS} == COURSE_WORDS | ALSO_DEFINED


def test_the_linter_asks_for_words_that_the_glossary_defines():
    assert set(WORDS) - OTHER_FACES <= COURSE_WORDS | ALSO_DEFINED


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.id)
def test_each_term_is_said_in_little_and_with_an_ascii_id(term: Term):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", term.id)
    assert 40 <= len(term.definition) <= 320
    assert term.definition.endswith(".")
    assert term.definition.count(". ") + term.definition.count(": ") <= 3


def test_no_term_is_defined_twice():
    forms = [form.lower() for term in TERMS for form in (term.name, *term.forms)]
    assert len(forms) == len(set(forms))
    assert len({term.id for term in TERMS}) == len(TERMS)


def test_the_english_is_given_once_for_each_term():
    known = [term.english for term in TERMS if term.english]
    assert len(known) == len(set(known))
    assert {term.id for term in TERMS if not term.english} == {"embedding", "softmax"}


def test_where_a_term_appears_is_true():
    """Cada «Aparece en» lleva a una sección que usa la palabra."""
    page = read(GLOSSARY)
    named = re.compile(r"\]\(([\w/-]+\.md)#([\w-]+)\)")
    headings = [heading for heading in page.headings if heading.level == 3]
    ends = [heading.start for heading in headings[1:]] + [len(page.text)]
    checked = 0
    for heading, end, term in zip(headings, ends, TERMS, strict=True):
        names = [term.name, *term.forms, term.name + "s", term.name + "es"]
        for target, anchor in named.findall(page.body[heading.end : end]):
            card = read(DOCS / target)
            found = section(card, anchor)
            text = " ".join(card.lowered[found.start : found.end].split())
            assert any(name.lower() in text for name in names), f"{term.name}: {target}#{anchor}"
            checked += 1
    assert checked > len(TERMS) / 2


def test_cards_link_each_term_to_its_definition(site, cards):
    pattern = matcher(TERMS)
    for card in cards:
        page = Html(site / "fichas" / card.stem / "index.html")
        links = [
            attributes
            for tag, attributes in page.elements
            if tag == "a" and attributes.get("class") == "termino"
        ]
        ids = [attributes["href"].removeprefix("../../glosario/#") for attributes in links]
        assert len(ids) == len(set(ids)) > 5
        definitions = {term.id: term.definition for term in TERMS}
        for anchor, attributes in zip(ids, links, strict=True):
            assert attributes["data-definicion"] == definitions[anchor]
        assert pattern.pattern.search(page.text)


def test_the_glossary_does_not_link_to_itself(site):
    page = Html(site / "glosario" / "index.html")
    assert not [1 for _, attributes in page.elements if attributes.get("class") == "termino"]
    assert {term.id for term in TERMS} <= set(page.ids())
