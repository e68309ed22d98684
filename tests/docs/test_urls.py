"""Las direcciones son un contrato: ninguna página ni ancla publicada desaparece sin aviso.

`ids.json` guarda, para cada página publicada, los ids de sus títulos. Al publicar algo nuevo se
apunta con:

    pytest tests/docs/test_urls.py --registrar-ids

La orden solo añade. Para retirar una dirección hay que poner antes una redirección y después
borrarla a mano de `ids.json`.
"""

import json
import re

import pytest

from lessons_code.sitekit.cards import SECTIONS
from tests.built_site import PAGES, ROOT, Html

RECORD = ROOT / "tests" / "docs" / "ids.json"

# Las páginas del curso completo. Las que faltan están en MISSING, y ninguna puede faltar cuando
# el curso se dé por terminado.
CONTRACT = {
    "",
    "fichas/",
    "fichas/p06-seq2seq/",
    "fichas/p07-atencion/",
    "fichas/p08-transformer/",
    "lecciones/05-09-seq2seq/",
    "lecciones/05-10-atencion/",
    "notebooks/P06_seq2seq/",
    "notebooks/P07_attention_bahdanau/",
    "notebooks/P08_transformer/",
    "evaluacion/p06/",
    "evaluacion/p07/",
    "evaluacion/p08/",
    "clases/054/",
    "clases/055/",
    "anexos/a02-probabilidad/",
    "anexos/a04-atencion-paso-a-paso/",
    "glosario/",
    "notacion/",
    "instructores/",
    "contribuir/",
    "accesibilidad/",
    "outputs/prompt-attention-shapes/",
}

MISSING = {
    "fichas/p06-seq2seq/",
    "fichas/p08-transformer/",
    "lecciones/05-09-seq2seq/",
    "notebooks/P06_seq2seq/",
    "notebooks/P07_attention_bahdanau/",
    "notebooks/P08_transformer/",
    "evaluacion/p06/",
    "evaluacion/p07/",
    "evaluacion/p08/",
    "clases/054/",
    "clases/055/",
    "anexos/a02-probabilidad/",
    "anexos/a04-atencion-paso-a-paso/",
    "instructores/",
    "contribuir/",
}


@pytest.fixture(scope="module")
def published(site) -> dict[str, list[str]]:
    """Los ids de los títulos de cada página construida."""
    return {url: _heading_ids(Html(site / url / "index.html")) for url in PAGES}


@pytest.fixture(scope="module")
def recorded(published, request) -> dict[str, list[str]]:
    """Los ids ya publicados; con `--registrar-ids`, también los de ahora."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    if request.config.getoption("--registrar-ids", default=False):
        for url, ids in published.items():
            record[url] = sorted({*record.get(url, ()), *ids})
        text = json.dumps(record, ensure_ascii=False, indent=1, sort_keys=True)
        RECORD.write_text(text + "\n", encoding="utf-8")
    return record


def _heading_ids(page: Html) -> list[str]:
    return sorted(
        attributes["id"]
        for tag, attributes in page.elements
        if re.fullmatch("h[1-6]", tag) and "id" in attributes
    )


def test_no_published_page_or_id_disappears(published, recorded):
    lost = [f"/{url}" for url in recorded if url not in published]
    lost += [
        f"/{url}#{anchor}"
        for url, ids in recorded.items()
        for anchor in set(ids) - set(published.get(url, ids))
    ]
    assert lost == [], "estas direcciones estaban publicadas: devuélvelas o redirígelas"


def test_every_published_page_and_id_is_recorded(published, recorded):
    new = {url: set(ids) - set(recorded.get(url, ())) for url, ids in published.items()}
    unrecorded = [f"/{url}#{anchor}" for url, ids in new.items() for anchor in ids]
    unrecorded += [f"/{url}" for url in published if url not in recorded]
    assert unrecorded == [], "apúntalas con: pytest tests/docs/test_urls.py --registrar-ids"


def test_recorded_ids_are_ascii_words(recorded):
    for url, ids in recorded.items():
        for anchor in ids:
            assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", anchor), f"/{url}#{anchor}"
            assert re.search(r"[a-z]{3}", anchor), f"/{url}#{anchor} no dice nada"


def test_every_card_publishes_the_eighteen_anchors(recorded, cards):
    for card in cards:
        assert set(SECTIONS) <= set(recorded[f"fichas/{card.stem}/"])


def test_the_pages_that_are_still_missing():
    assert CONTRACT - set(PAGES) == MISSING


def test_no_page_is_published_outside_the_contract():
    assert set(PAGES) <= CONTRACT
