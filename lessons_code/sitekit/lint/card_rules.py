"""Las reglas de una ficha: que tenga todas las partes de `cards`, en su orden."""

import re

from lessons_code.sitekit import cards
from lessons_code.sitekit.names import Site
from lessons_code.sitekit.prose import Findings, Source


def front_matter(page: Source, site: Site) -> Findings:
    """Los metadatos que leen la cabecera, el índice y la orden `ai-evolution`."""
    for key in cards.FRONT_MATTER:
        if key not in page.meta:
            yield 0, f"falta «{key}:» en los metadatos de la ficha"
    level = page.meta.get("nivel")
    if level is not None and level not in cards.LEVELS:
        known = ", ".join(f"{name} ({meaning})" for name, meaning in cards.LEVELS.items())
        yield 0, f"el nivel «{level}» no existe; los niveles son {known}"


def sections(page: Source, site: Site) -> Findings:
    """Las dieciocho secciones, con sus ids y en su orden."""
    found = cards.sections(page)
    expected = list(cards.SECTIONS)
    present = [section.id for section in found]
    for section in found:
        if section.id not in cards.SECTIONS:
            shown = f"#{section.id}" if section.id else "sin id"
            yield (
                section.start,
                f"«{section.title}» ({shown}) no es una sección de la ficha; usa un título de "
                "nivel 3 o el id que le corresponda",
            )
    for number, section_id in enumerate(expected, 1):
        if section_id not in present:
            heading = f"## {number}. {cards.SECTIONS[section_id]} {{#{section_id}}}"
            yield len(page.text.rstrip()), f"falta la sección {number}: escribe «{heading}»"
    known = [section for section in found if section.id in cards.SECTIONS]
    in_order = sorted(known, key=lambda section: expected.index(section.id))
    for section, wanted in zip(known, in_order, strict=True):
        if section.id != wanted.id:
            yield (
                section.start,
                f"la sección #{section.id} está fuera de su sitio; aquí va #{wanted.id}",
            )
            break
    for section in known:
        number = expected.index(section.id) + 1
        if not section.title.startswith(f"{number}. "):
            yield section.start, f"el título de #{section.id} empieza por «{number}. »"


def opening(page: Source, site: Site) -> Findings:
    """La línea de nivel, motor, notebook y anexo, antes de la primera sección."""
    before = page.body[: next((h.start for h in page.headings if h.level == 2), None)]
    pattern = r"[^\n]*".join(rf"\b{label}\b:?\**:?" for label in cards.OPENING_LABELS)
    line = re.search(rf"^[^\n]*{pattern}[^\n]*$", before, re.MULTILINE)
    if not line:
        yield (
            len(before.rstrip()),
            "falta la línea de apertura: «**Nivel:** L… · **Motor:** … · **Notebook:** … · "
            "**Anexo:** …», antes de la primera sección",
        )
        return
    for key in ("nivel", "motor", "notebook", "anexo"):
        value = page.meta.get(key, "")
        if value and value not in line[0]:
            yield line.start(), f"los metadatos dicen {key} «{value}» y la línea de apertura, no"


def identification(page: Source, site: Site) -> Findings:
    """La tabla de §1, con sus siete filas y en su orden."""
    section = cards.section(page, "identificacion")
    if section is None:
        return
    rows = re.findall(r"^\|[ *]*([^|]*?)[ *]*\|", page.body[section.start : section.end], re.M)
    present = [row for row in rows if row in cards.IDENTIFICATION_ROWS]
    missing = [row for row in cards.IDENTIFICATION_ROWS if row not in present]
    for row in missing:
        yield section.start, f"falta la fila «{row}» en la tabla de identificación"
    if not missing and present != list(cards.IDENTIFICATION_ROWS):
        yield section.start, "las filas van en este orden: " + ", ".join(cards.IDENTIFICATION_ROWS)


def bridge(page: Source, site: Site) -> Findings:
    """El «Puente matemático»: cierra §5 y enlaza lo que la sección da por sabido."""
    section = cards.section(page, "matematica-minima")
    if section is None:
        return
    text = page.body[section.start : section.end]
    box = re.search(
        rf'^!!! \w+ "{cards.BRIDGE_TITLE}"((?:\n {{4}}[^\n]*|\n[ \t]*(?=\n|\Z))*)', text, re.M
    )
    if not box:
        yield section.start, f'§5 termina con un aviso: «!!! tip "{cards.BRIDGE_TITLE}"»'
        return
    if text[box.end() :].strip():
        yield section.start + box.start(), f"«{cards.BRIDGE_TITLE}» va al final de §5"
    if "](" not in box[1]:
        yield (
            section.start + box.start(),
            f"«{cards.BRIDGE_TITLE}» enlaza la página que explica cada cosa que da por sabida",
        )


def questions(page: Source, site: Site) -> Findings:
    """Cada pregunta tiene su respuesta, con el mismo número y oculta hasta que se pide."""
    asked_in = cards.section(page, "autoevaluacion")
    answered_in = cards.section(page, "respuestas")
    if asked_in is None or answered_in is None:
        return
    asked = _numbered(page, asked_in, r"^(?:#{3,6} )?\**(\d+)[.)]")
    answers = _numbered(page, answered_in, r'^\?\?\?\+?[^"\n]*"\D*(\d+)|^ {4}(\d+)[.)] ')
    for number, offset in _numbered(page, answered_in, r"^(?:#{3,6} )?\**(\d+)[.)]"):
        yield offset, f'la respuesta {number} está a la vista; escóndela con «??? success "…"»'
    for match in re.finditer(r"^\?\?\?\+", page.body[answered_in.start : answered_in.end], re.M):
        yield answered_in.start + match.start(), "la respuesta nace abierta: usa «???», sin «+»"
    numbers_asked = [number for number, _ in asked]
    numbers_answered = [number for number, _ in answers]
    if not asked:
        yield asked_in.start, "no hay preguntas: escríbelas como lista numerada («1. ¿…?»)"
    elif numbers_asked != list(range(1, len(asked) + 1)):
        yield asked_in.start, f"las preguntas se numeran seguidas desde 1; están {numbers_asked}"
    for number, offset in asked:
        if number not in numbers_answered:
            yield offset, f'la pregunta {number} no tiene respuesta: «??? success "{number}. …"»'
    for number, offset in answers:
        if number not in numbers_asked:
            yield offset, f"la respuesta {number} no tiene pregunta"
    for number, offset in answers:
        if numbers_answered.count(number) > 1:
            yield offset, f"la respuesta {number} está repetida"


def _numbered(page: Source, section: cards.Section, pattern: str) -> list[tuple[int, int]]:
    """Los números que ese patrón encuentra en la sección, cada uno con su posición."""
    title_end = page.body.find("\n", section.start)
    region = page.body[: section.end]
    return [
        (int(next(filter(None, match.groups()))), match.start())
        for match in re.compile(pattern, re.MULTILINE).finditer(region, max(title_end, 0))
    ]


def foot(page: Source, site: Site) -> Findings:
    """El pie: cinco etiquetas en su orden, y enlace en las que ya tienen adónde ir."""
    start, pieces = cards.foot(page)
    for label, piece in zip(cards.FOOT_LABELS, [*pieces, *[""] * 5], strict=False):
        if label not in piece:
            yield start, "la ficha acaba con su pie: " + " · ".join(cards.FOOT_LABELS)
            return
    targets = cards.foot_targets(page, site.docs)
    for label, piece in zip(cards.FOOT_LABELS, pieces, strict=False):
        target = targets.get(label)
        if target and target.exists() and "](" not in piece:
            shown = target.relative_to(site.docs)
            yield start, f"«{label}» ya tiene página: enlázala con {shown.as_posix()}"
