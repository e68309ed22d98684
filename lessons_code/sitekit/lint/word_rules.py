"""Regla «palabras»: una por concepto, y las que se escriben en su lugar por descuido.

Quien aprende no sabe que «score», «puntaje» y «puntuación» son lo mismo. El inglés aparece una
vez, entre paréntesis; el glosario define cada palabra de la izquierda.
"""

import re

from lessons_code.sitekit import cards
from lessons_code.sitekit.names import Site
from lessons_code.sitekit.prose import Findings, Source, block_around

# Palabra del curso → variantes que no se usan, en minúscula y en singular.
WORDS = {
    "alineación": ("alineamiento", "alignment"),
    "puntuación": ("score", "puntaje", "scoring"),
    "peso de atención": ("attention weight", "peso atencional"),
    "vector de contexto": ("context vector", "vector contextual"),
    "consulta": ("query", "queries"),
    "clave": ("key",),
    "valor": ("value",),
    "codificador": ("encoder",),
    "decodificador": ("decoder", "descodificador"),
    "estado oculto": ("hidden state", "estado escondido"),
    "anotación": ("annotation",),
    "cabeza": ("head", "cabezal"),
    "varias cabezas": ("multi head", "multicabeza", "multi cabeza"),
    "forma": ("shape",),
    "lote": ("batch", "minibatch", "mini batch"),
    "relleno": ("padding",),
    "máscara": ("mask",),
    "enmascarar": ("masking",),
    "embedding": ("incrustación", "incrustacion", "incrustaciones"),
    "atención": ("attention",),
    "autoatención": ("auto atención", "self attention", "auto atencion"),
    "atención cruzada": ("cross attention",),
    "codificación posicional": ("positional encoding", "codificación de posición"),
    "conexión residual": ("residual connection", "skip connection", "conexión de salto"),
    "normalización de capa": ("layer norm", "layer normalization", "normalización por capa"),
    "forzado del profesor": ("teacher forcing", "forzado docente", "forzado del maestro"),
    "sesgo de exposición": ("exposure bias",),
    "búsqueda en haz": ("beam search", "búsqueda por haz", "búsqueda de haz", "búsqueda con haz"),
    "cuello de botella": ("bottleneck",),
    "semilla": ("seed",),
    "de atención": ("atencional",),
}


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
                written = " ".join(page.text[start:end].split())
                yield (
                    start,
                    f"«{written}»: el curso dice «{word}»; el inglés, solo en cursiva o entre "
                    "paréntesis junto a la palabra española",
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
    first, last = block_around(page.lines, page.line(offset) - 1)
    start = page.offset(first + 1)
    paragraph = "\n".join(page.lines[first : last + 1])
    return any(
        found.start() <= offset - start < found.end() for found in _FOREIGN.finditer(paragraph)
    )
