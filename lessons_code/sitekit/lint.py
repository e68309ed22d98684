"""El linter de las páginas: lo que un revisor atento señalaría, con su línea y su arreglo.

Una regla es una función que recibe una página y el sitio y da pares (posición, mensaje). Para
añadir otra se escribe la función y se apunta en `RULES`. Ninguna convierte Markdown: el linter
corre en cada reconstrucción de `servir` y debe pasar inadvertido.
"""

import builtins
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lessons_code.sitekit import cards
from lessons_code.sitekit.collect import page_files
from lessons_code.sitekit.findings import Finding
from lessons_code.sitekit.names import CodeNames, code_names
from lessons_code.sitekit.prose import Source, read
from lessons_code.sitekit.sources import SourceError, find_definition, module_files
from lessons_code.sitekit.words import WORDS

Findings = Iterator[tuple[int, str]]


@dataclass(frozen=True)
class Site:
    """Dónde está lo que las páginas nombran: los documentos y el código."""

    docs: Path
    root: Path

    @cached_property
    def code(self) -> CodeNames:
        return code_names(self.root / "lessons_code")


def check_site(docs: Path, root: Path) -> list[Finding]:
    """Todos los hallazgos de `docs`, por página y por línea."""
    site = Site(docs, root)
    findings: list[Finding] = []
    for path in page_files(docs):
        if path.relative_to(docs).parts[0] not in UNLINTED:
            findings += check_page(read(path), site)
    return findings


def check_page(page: Source, site: Site) -> list[Finding]:
    """Los hallazgos de una página, por línea."""
    rules = RULES + CARD_RULES if cards.is_card(page.path) else RULES
    path = page.path.relative_to(site.root)
    findings = [
        Finding(path, page.line(offset), name, message)
        for name, rule in rules
        for offset, message in rule(page, site)
    ]
    return sorted(findings, key=lambda finding: finding.line)


# --- Números que nadie ha calculado ---------------------------------------------------------

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:[ \u00a0\u202f]?%)?")
_NOT_A_QUANTITY = re.compile(r"\d{4}\.\d{4,5}|10\.\d{4,}|\d+(?:[.,]\d+){2,}")  # arXiv, DOI, fechas
_PART_OF_A_NAME = re.compile(r"[\w./_#:]$")  # A.2.2, WMT-14/2.0
_LABEL_BEFORE = re.compile(
    r"(?:^\#+|§|\b(?:secci(?:ón|ones)|apartados?|apéndices?|capítulos?|lecci(?:ón|ones)|tablas?"
    r"|fig(?:s?\.|uras?)|ec(?:s?\.|uaci(?:ón|ones))|versi(?:ón|ones)|python|numpy|pytorch"
    r"|tensorflow|matplotlib|mkdocs|material|pyodide|debian|ubuntu|macos|wcag|unicode"
    r"|cc by(?:-\w+)*|apache|node(?:\.js)?|scorm|qti|moodle))[ \u00a0]*(?:≥|>=|=)?[ \u00a0]*\(?$",
    re.IGNORECASE,
)
_LIST_OF_LABELS = re.compile(r"[ \u00a0+]*(?:,|y|o|a|–|/)[ \u00a0]*")

_SOURCE = re.compile(
    r"arXiv:\s?\d|\]\(https?://|<https?://|\]\([^)\s]*#fuentes\)|\[\^[\w-]+\](?!:)"
)
_LOCATOR = re.compile(
    r"\b[Tt]ablas? [A-Z]?\.?\d|§ ?[A-Z]?\.?\d|\b[Ff]ig(?:s?\.|uras?) ?\d"
    r"|\b[Ee]c(?:s?\.|uaci(?:ón|ones)) ?\(?\d|\b[Aa]péndices? [A-Z]\b"
)
_PAPER = re.compile(r"et al\.|\b\d{4}[a-z]?\)|\bartículo\b|[^\W\d_a-z]\w+ y [^\W\d_a-z]\w+")


def numbers(page: Source, site: Site) -> Findings:
    """Decimales y porcentajes escritos a mano en un párrafo que no cita de dónde salen."""
    labelled_until = -1
    for match in _NUMBER.finditer(page.prose):
        start, end, number = match.start(), match.end(), match[0]
        if number.isdigit() or _NOT_A_QUANTITY.fullmatch(number):
            continue
        before = page.prose[max(0, start - 24) : start].rpartition("\n")[2]
        follows_label = labelled_until >= 0 and _LIST_OF_LABELS.fullmatch(
            page.prose, labelled_until, start
        )
        if follows_label or _LABEL_BEFORE.search(before):
            labelled_until = end
        elif not _PART_OF_A_NAME.search(before) and not _cites_source(page, start):
            yield (
                start,
                f"«{number}» está escrito a mano; calcúlelo con un valor en línea "
                "(`{python} expresión:.2f`) o cite en el mismo párrafo de dónde sale "
                "(arXiv, enlace, «Tabla N» o «§N» de un artículo)",
            )


def _cites_source(page: Source, offset: int) -> bool:
    """Si el párrafo, elemento de lista o tabla de esa posición cita su fuente.

    También vale que la cite lo que lo presenta (acaba en «:» o titula un aviso) y, en una
    tabla, su cabecera o su pie. En una ficha, «Tabla 1» a secas es la de su artículo.
    """
    text = _citing_context(page, offset)
    if _SOURCE.search(text):
        return True
    return bool(_LOCATOR.search(text)) and (cards.is_card(page.path) or bool(_PAPER.search(text)))


_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]")
_INTRODUCES = re.compile(r":[*_ ]*$|^[ \t]*(?:!!!|\?\?\?)|^[ \t>]*[*_]*(?:Tabla|Fuente)\b")
_CAPTION = re.compile(r"[ \t>]*(?:///|[*_]*(?:Tabla|Fuente)\b)|.*\bFuentes?:")


def _citing_context(page: Source, offset: int) -> str:
    lines = page.lines
    here = page.line(offset) - 1
    first, last = _block(lines, here)
    if lines[here].lstrip(" \t>").startswith("|"):
        caption_first, caption_last = _next_block(lines, last)
        caption = "\n".join(lines[caption_first : caption_last + 1])
        context = [lines[first], lines[here], caption if _CAPTION.match(caption) else ""]
    else:
        while here > first and not _LIST_ITEM.match(lines[here]):
            here -= 1
        end = here + 1
        while end <= last and not _LIST_ITEM.match(lines[end]):
            end += 1
        context = lines[here:end]
    before = _previous_block(lines, first)
    while before and _LIST_ITEM.match(lines[before[0]]) and _LIST_ITEM.match(lines[first]):
        first = before[0]
        before = _previous_block(lines, first)
    if before:
        introduction = "\n".join(lines[before[0] : before[1] + 1]).rstrip()
        if _INTRODUCES.search(introduction):
            context = [*context, introduction]
    return "\n".join(context)


def _block(lines: list[str], here: int) -> tuple[int, int]:
    """La primera y la última línea de las seguidas, sin huecos, que rodean a esa."""
    first = last = here
    while first > 0 and lines[first - 1].strip():
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].strip():
        last += 1
    return first, last


def _previous_block(lines: list[str], first: int) -> tuple[int, int] | None:
    here = first - 1
    while here >= 0 and not lines[here].strip():
        here -= 1
    return _block(lines, here) if here >= 0 else None


def _next_block(lines: list[str], last: int) -> tuple[int, int]:
    here = last + 1
    while here < len(lines) and not lines[here].strip():
        here += 1
    return _block(lines, here) if here < len(lines) else (here, here)


# --- Palabras -------------------------------------------------------------------------------


def _variant_pattern(variant: str) -> re.Pattern[str]:
    """La variante, en singular o plural, con espacio o guion entre sus palabras."""
    separator = r"[\s\-‑–]+"
    return re.compile(
        separator.join(re.escape(word) + "(?:e?s)?" for word in variant.split()) + r"(?!\w)"
    )


# Las más largas primero: «attention weight» antes que «attention».
_VARIANTS = sorted(
    (
        (variant.split()[0], _variant_pattern(variant), word)
        for word, variants in WORDS.items()
        for variant in variants
    ),
    key=lambda variant: -len(variant[1].pattern),
)
# Donde el inglés está en su sitio: cursivas, citas y el texto de un enlace a una fuente.
_FOREIGN = re.compile(
    r"(?<![*\w])\*(?![*\s])[^*]+\*(?!\*)"
    r"|(?<![_\w])_(?![_\s])[^_]+_(?![_\w])"
    r"|«[^»]*»|“[^”]*”|\"[^\"]*\""
    r"|\[[^\[\]]+\](?=\(https?://)"
)
_IN_ENGLISH = re.compile(r"\((?:(?:en|del) inglés,?\s+)?")


def words(page: Source, site: Site) -> Findings:
    """Variantes de una palabra que el curso dice siempre de la misma manera."""
    text = page.lowered
    taken: set[int] = set()
    for first_word, pattern, word in _VARIANTS:
        if page.words.isdisjoint({first_word, f"{first_word}s", f"{first_word}es"}):
            continue
        for match in pattern.finditer(text):
            start, end = match.span()
            if re.match(r"\w", text[start - 1 : start]) or not taken.isdisjoint({start, end - 1}):
                continue
            taken.update(range(start, end))
            if not _english_belongs(page, text, start):
                yield (
                    start,
                    f"«{' '.join(page.text[start:end].split())}»: el curso dice «{word}»; el "
                    "inglés va una vez, en cursiva o entre paréntesis, junto a la palabra española",
                )


def _english_belongs(page: Source, text: str, offset: int) -> bool:
    """Si ahí va el inglés: una cita, una cursiva, un título o el paréntesis que traduce."""
    opening = text.rfind("(", max(0, offset - 80), offset)
    if opening >= 0 and ")" not in text[opening:offset]:
        first = _IN_ENGLISH.match(text, opening).end()
        if any(pattern.match(text, first) for _, pattern, _ in _VARIANTS):
            return True
    sources = cards.section(page, "fuentes")
    if sources and sources.start <= offset < sources.end:
        return True
    first, last = _block(page.lines, page.line(offset) - 1)
    start = page.offset(first + 1)
    paragraph = "\n".join(page.lines[first : last + 1])
    return any(
        found.start() <= offset - start < found.end() for found in _FOREIGN.finditer(paragraph)
    )


# --- Restos de borrador ---------------------------------------------------------------------

_DRAFT = re.compile(
    r"(?:próximamente|proximamente|Próximamente|TODO|FIXME|TBD|lorem|Lorem|por escribir"
    r"|en construcción|En construcción)(?!\w)"
)


def drafts(page: Source, site: Site) -> Findings:
    """Promesas y textos de relleno: una página se publica cuando dice algo."""
    for match in _DRAFT.finditer(page.prose):
        if not page.prose[match.start() - 1 : match.start()].isalpha():
            yield match.start(), f"«{match[0]}»: escriba el contenido o quite la frase"


# --- Tablas ---------------------------------------------------------------------------------

_CODE_SPAN = re.compile(r"``.+?``|`[^`]+`")


def tables(page: Source, site: Site) -> Findings:
    """Filas con más o menos celdas que su cabecera: suele ser una barra dentro de una fórmula."""
    lines = page.lines
    for here, line in enumerate(lines):
        if here == 0 or "|" not in line or "-" not in line or set(line) - set("|:- \t>"):
            continue
        expected = _cells(lines[here - 1])
        _, last = _block(lines, here)
        for row in range(here, last + 1):
            if lines[row].lstrip().startswith("{") or _cells(lines[row]) == expected:
                continue
            advice = (
                r"; la barra de una fórmula se escribe `\vert` o `\mid`"
                if "$" in lines[row]
                else r"; una barra que sea texto se escribe `\|`"
            )
            yield (
                page.offset(row + 1),
                f"la fila tiene {_cells(lines[row])} celdas y su cabecera, {expected}{advice}",
            )


def _cells(row: str) -> int:
    """Las celdas que verá Python-Markdown: no parte por barras escapadas ni dentro de código."""
    content = _CODE_SPAN.sub("", row).replace(r"\|", "").strip(" \t>")
    return content.removeprefix("|").removesuffix("|").count("|") + 1


# --- Nombres del código ---------------------------------------------------------------------

_SPAN = re.compile(r"`([^`\n]+)`")
_DOTTED = re.compile(r"lessons_code(?:\.\w+)+")
_CALL = re.compile(r"(\w+)\(([^()]*)\)(?: *->.*)?")
_SNAKE_CASE = re.compile(r"[a-z]{3,}(?:_[a-z]{2,}\d*)+")
_TEACHING = ("fichas", "lecciones", "anexos")


def identifiers(page: Source, site: Site) -> Findings:
    """Nombres entre comillas inversas que el código no tiene, o argumentos que no acepta."""
    for match in _SPAN.finditer(page.body):
        name = match[1].strip()
        start = match.start(1)
        if _DOTTED.fullmatch(name):
            if problem := _dotted_problem(name, site.root):
                yield start, problem
        elif call := _CALL.fullmatch(name):
            if problem := _call_problem(call[1], call[2], page, site.code):
                yield start, problem
        elif (
            _SNAKE_CASE.fullmatch(name)
            and page.path.parent.name in _TEACHING
            and name not in site.code.words
            and name not in page.code_words
        ):
            yield start, f"`{name}` no aparece en lessons_code; nombre lo que el código llama así"


def _dotted_problem(name: str, root: Path) -> str | None:
    modules = module_files(name, root)
    if modules and modules[-1][0] == name:
        return None
    try:
        find_definition(name, root)
    except SourceError as error:
        return f"`{name}` no existe: {error}"
    return None


def _call_problem(name: str, arguments: str, page: Source, code: CodeNames) -> str | None:
    signatures = code.functions.get(name)
    if signatures is None:
        known = hasattr(builtins, name) or name in code.words or name in page.code_words
        looks_ours = not arguments.strip() or "_" in name
        if looks_ours and not known:
            return f"`{name}()` no existe en lessons_code; nombre una función que se pueda leer"
        return None
    if "…" in arguments or "..." in arguments:
        return None
    given = [argument.strip() for argument in arguments.split(",") if argument.strip()]
    keywords = [argument.partition("=")[0].strip() for argument in given if "=" in argument]
    for signature in signatures:
        if signature.accepts(len(given) - len(keywords), keywords):
            return None
    expected = " o ".join(f"`{name}({', '.join(one.parameters)})`" for one in signatures)
    return f"`{name}({arguments})` no casa con la función, que es {expected}"


# --- La ficha -------------------------------------------------------------------------------


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
                f"«{section.title}» ({shown}) no es una sección de la ficha; use un título de "
                "nivel 3 o el id que le corresponda",
            )
        elif present.index(section.id) != found.index(section):
            yield section.start, f"la sección #{section.id} está repetida"
    for number, section_id in enumerate(expected, 1):
        if section_id not in present:
            heading = f"## {number}. {cards.SECTIONS[section_id]} {{#{section_id}}}"
            yield len(page.text), f"falta la sección {number}: escriba «{heading}»"
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
    for row in cards.IDENTIFICATION_ROWS:
        if row not in present:
            yield section.start, f"falta la fila «{row}» en la tabla de identificación"
    if sorted(present) == sorted(cards.IDENTIFICATION_ROWS) != present and present != list(
        cards.IDENTIFICATION_ROWS
    ):
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
        yield offset, f'la respuesta {number} está a la vista; escóndala con «??? success "…"»'
    for match in re.finditer(r"^\?\?\?\+", page.body[answered_in.start : answered_in.end], re.M):
        yield answered_in.start + match.start(), "la respuesta nace abierta: use «???», sin «+»"
    numbers_asked = [number for number, _ in asked]
    numbers_answered = [number for number, _ in answers]
    if not asked:
        yield asked_in.start, "no hay preguntas: escríbalas como lista numerada («1. ¿…?»)"
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
            yield start, f"«{label}» ya tiene página: enlácela con {shown.as_posix()}"


# --- La lista -------------------------------------------------------------------------------

Rule = Callable[[Source, Site], Findings]

UNLINTED = ("outputs",)  # el entregable está en inglés

RULES: tuple[tuple[str, Rule], ...] = (
    ("números", numbers),
    ("palabras", words),
    ("borrador", drafts),
    ("tablas", tables),
    ("nombres", identifiers),
)

CARD_RULES: tuple[tuple[str, Rule], ...] = (
    ("metadatos", front_matter),
    ("secciones", sections),
    ("apertura", opening),
    ("identificación", identification),
    ("puente", bridge),
    ("preguntas", questions),
    ("pie", foot),
)
