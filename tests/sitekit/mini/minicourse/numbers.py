"""Lo más hondo: aquí no se importa nada propio."""

FACTOR = 3


def scale(value):
    """Multiplica por el factor."""
    return FACTOR * value
