"""Las celdas de la página de notación. Se ejecuta sola, de arriba abajo."""

# --8<-- [start:clave_de_letras]
from lessons_code.figures.tables import table
from lessons_code.numerics.shapes import DIMENSIONS

letters = list(DIMENSIONS.items())
table(("Letra", "Qué cuenta"), letters, caption="La clave de letras del curso")
# --8<-- [end:clave_de_letras]

# --8<-- [start:producto_escalar]
import numpy as np

query = np.array([0.9, 0.1, 0.2])
key = np.array([0.5, 0.5, 0.1])
print(0.9 * 0.5 + 0.1 * 0.5 + 0.2 * 0.1)
print(query @ key)
# --8<-- [end:producto_escalar]

# --8<-- [start:softmax]
from lessons_code.numerics.functional import softmax

scores = np.array([2.0, 1.0, 0.0])
weights = softmax(scores)
print("a mano:     ", (np.exp(scores) / np.exp(scores).sum()).round(3))
print("softmax:    ", weights.round(3), "suma", weights.sum().round(12))
print("scores + 50:", softmax(scores + 50).round(3))
print("scores × 5: ", softmax(scores * 5).round(3))
# --8<-- [end:softmax]

# --8<-- [start:suma_ponderada]
values = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
context = weights @ values
print("contexto:", context.round(3))
print("entre el mínimo y el máximo de cada columna:")
print(values.min(axis=0), "≤", context.round(3), "≤", values.max(axis=0))
# --8<-- [end:suma_ponderada]

# --8<-- [start:entropia]
from lessons_code.numerics.functional import entropy

for name, row in (
    ("todo en una", np.array([1.0, 0.0, 0.0])),
    ("el softmax ", weights),
    ("por igual  ", np.full(3, 1 / 3)),
):
    print(name, row.round(3), f"{entropy(row):.4f} nats")
# --8<-- [end:entropia]
