"""¿Está bien derivado este gradiente? Se mueve cada número un poco y se mira qué hace la función.

La derivada es un límite; con un paso pequeño y a los dos lados basta para comprobarla:

    ∂f/∂x ≈ (f(x + h) − f(x − h)) / 2h        con un error del orden de h²

Es lentísima, dos evaluaciones por número, y por eso no entrena nada: comprueba. Necesita float64;
en float32 el redondeo se come la diferencia. La usan todas las pruebas de gradientes.
"""

import numpy as np


def numerical_gradient(function, x, step=1e-5):
    """Diferencias centrales: la derivada de `function(x)`, un número, respecto a cada elemento.

    Devuelve un array float64 con la forma de `x`, que no se modifica.
    """
    x = np.asarray(x, dtype=np.float64)
    grad = np.empty_like(x)
    for index in np.ndindex(x.shape):
        nudge = np.zeros_like(x)
        nudge[index] = step
        grad[index] = (function(x + nudge) - function(x - nudge)) / (2 * step)
    return grad


def relative_error(grad, expected, floor=1e-3):
    """El mayor |a − b| / (|a| + |b|) entre dos gradientes.

    El denominador no baja de `floor`: dos gradientes casi nulos se comparan en absoluto, que ahí
    las diferencias centrales ya solo ven redondeo.
    """
    scale = np.maximum(np.abs(grad) + np.abs(expected), floor)
    return float(np.max(np.abs(grad - expected) / scale))
