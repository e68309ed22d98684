"""P07 · Lo que ejecuta `ai-evolution paper-lab P07`: la miniatura, y lo que no es.

Entrena `experiments.supervised_alignment` con la semilla pedida y lo cuenta en texto o en JSON.
Ni tiempos ni fechas: dos ejecuciones con una semilla dan los mismos bytes.
"""

import math
import textwrap

from lessons_code.experiments import supervised_alignment

TITLE = "P07 · Atención (Bahdanau): una alineación aprendida con 18 parámetros"
IMPLEMENTED = (
    "la puntuación aditiva del artículo, con W y U diagonales y un vector v",
    "el softmax, que convierte las puntuaciones de cada fila en pesos que suman 1",
    "el entrenamiento por descenso de gradiente, con el gradiente escrito a mano",
    "el sorteo de palabras, órdenes y valores iniciales que decide la semilla "
    "(las palabras no siempre forman una frase)",
)
NOT_IMPLEMENTED = (
    "traducción: no se genera ninguna palabra",
    "un codificador bidireccional entrenado: cada palabra es un vector fijo, con un solo 1",
    "una alineación que nadie etiqueta: aquí se supervisa; en el artículo emerge sola "
    "al entrenar la traducción",
)


def run_lab(seed):
    """Entrena la miniatura. Lanza ValueError si la semilla no es un entero ≥ 0."""
    return supervised_alignment.run(supervised_alignment.Config(seed=seed))


def to_json(result):
    """El resultado, con lo que implementa y lo que no, en tipos sencillos y en orden fijo."""
    return {
        "paper": "P07",
        "title": TITLE,
        **result.to_json(),
        "implemented": list(IMPLEMENTED),
        "not_implemented": list(NOT_IMPLEMENTED),
    }


def to_text(result):
    """El resultado para leerlo en una terminal."""
    blind, worst = math.log(len(result.source)), result.row_entropies.max()
    first_loss, last_loss = result.losses[[0, -1]]
    return "\n".join(
        [
            TITLE,
            f"Semilla: {result.config.seed}",
            "",
            f"Origen:  {' '.join(result.source)}",
            f"Destino: {' '.join(result.target)}",
            "",
            "Pesos de atención (cada fila, una palabra de destino; cada columna, una de origen)",
            "",
            *_weights_table(result),
            "",
            f"Aciertos:      {result.correct}/{len(result.target)}",
            f"Peor entropía: {_number(worst, 4)} nat (a ciegas, {_number(blind, 4)})",
            f"Pérdida:       de {_number(first_loss, 4)} a {_number(last_loss, 4)} nat"
            f" en {result.config.steps} pasos",
            f"Parámetros:    {result.parameters}; el gradiente mueve {result.trained_parameters}, "
            "los de las palabras que aparecen",
            "",
            "Implementa:",
            *map(_bullet, IMPLEMENTED),
            "",
            "NO implementa:",
            *map(_bullet, NOT_IMPLEMENTED),
        ]
    )


def _weights_table(result):
    headers = ["", *result.source, "suma", "entropía", "correcta"]
    rows = [
        [
            target,
            *(_number(weight, 3) for weight in weights),
            _number(total, 3),
            _number(entropy, 4),
            result.source[position],
        ]
        for target, weights, total, entropy, position in zip(
            result.target,
            result.weights,
            result.row_sums,
            result.row_entropies,
            result.alignment,
            strict=True,
        )
    ]
    widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
        for row in (headers, *rows)
    ]


def _bullet(text):
    return textwrap.fill(text, 80, initial_indent="• ", subsequent_indent="  ")


def _number(value, decimals):
    return f"{value:.{decimals}f}".replace(".", ",")
