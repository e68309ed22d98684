"""Una palabra por concepto: las que usa el curso y las que se escriben en su lugar por descuido.

Quien aprende no sabe que «score», «puntaje» y «puntuación» son lo mismo. El inglés aparece una
vez, entre paréntesis; el glosario define cada palabra de la izquierda.
"""

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
