"""Las celdas de la lección 05·10, en el orden en que se leen. Se ejecuta sola, de arriba abajo."""

# --8<-- [start:formas_aditiva]
from lessons_code.figures.tables import table
from lessons_code.numerics.attention import ADDITIVE_SHAPES

shapes = ADDITIVE_SHAPES.items()
rows = [(name, axes.replace(" ", " × ")) for name, axes in shapes]
table(("Tensor", "Forma"), rows, caption="Atención aditiva: quién mide qué")
# --8<-- [end:formas_aditiva]

# --8<-- [start:tensores]
import numpy as np

T_enc, d_s, d_h, d_attn = 7, 3, 5, 11
rng = np.random.default_rng(0)
decoder_state = rng.normal(size=d_s)
encoder_states = rng.normal(size=(T_enc, d_h))
W_a, U_a = rng.normal(size=(d_attn, d_s)), rng.normal(size=(d_attn, d_h))
v_a = rng.normal(size=d_attn)
# --8<-- [end:tensores]

# --8<-- [start:formas_paso_a_paso]
print("W_a @ decoder_state:    ", (W_a @ decoder_state).shape)
print("encoder_states @ U_a.T: ", (encoder_states @ U_a.T).shape)
hidden = np.tanh(W_a @ decoder_state + encoder_states @ U_a.T)
print("tanh de la suma:        ", hidden.shape)
print("hidden @ v_a:           ", (hidden @ v_a).shape)
# --8<-- [end:formas_paso_a_paso]

# --8<-- [start:paso_1]
from lessons_code.numerics.attention import additive_attention

context, weights = additive_attention(decoder_state, encoder_states, W_a, U_a, v_a)
print("pesos:   ", weights.shape, weights.round(3))
print("suma:    ", weights.sum().round(12))
print("contexto:", context.shape)
# --8<-- [end:paso_1]

# --8<-- [start:paso_2]
from lessons_code.numerics.attention import concat_attention, general_attention

W = rng.normal(size=(d_s, d_h))
_, general = general_attention(decoder_state, encoder_states, W)
_, concat = concat_attention(decoder_state, encoder_states, np.hstack([W_a, U_a]), v_a)
print("general:", general.round(3))
print("concat: ", concat.round(3))
print("¿concat = aditiva con W = [W_a U_a]?", np.allclose(concat, weights))
# --8<-- [end:paso_2]

# --8<-- [start:dot_no_encaja]
from textwrap import fill

from lessons_code.numerics.attention import dot_attention
from lessons_code.numerics.shapes import ShapeError

try:
    dot_attention(decoder_state, encoder_states)
except ShapeError as error:
    print(fill(str(error), 72))
# --8<-- [end:dot_no_encaja]

# --8<-- [start:paso_3]
words = ["cat", "sat", "mat"]
H = np.array([[1.0, 0.0, 0.2], [0.5, 0.5, 0.1], [0.1, 0.9, 0.3]])
near_cat = np.array([0.9, 0.1, 0.2])

context, weights = dot_attention(near_cat, H)
print("pesos:", weights.round(3), "→ gana", words[weights.argmax()])
# --8<-- [end:paso_3]

# --8<-- [start:paso_3_vuelta]
near_mat = H[2]
moved_context, moved_weights = dot_attention(near_mat, H)
winner = words[moved_weights.argmax()]
print("pesos:", moved_weights.round(3), "→ gana", winner)
print("contexto antes:  ", context.round(3))
print("contexto después:", moved_context.round(3))
# --8<-- [end:paso_3_vuelta]

# --8<-- [start:paso_3_mapa]
from lessons_code.figures.heatmap import heatmap

heatmap(
    np.stack([weights, moved_weights]),
    rows=["cerca de cat", "igual que mat"],
    columns=words,
    title="La misma memoria, dos preguntas",
    description="Cada fila es una consulta; cada columna, un estado.",
    row_title="consulta",
    column_title="estado",
    decimals=3,
)
# --8<-- [end:paso_3_mapa]

# --8<-- [start:paso_4_igualdad]
from lessons_code.numerics.attention import scaled_dot_attention

query, key, value = near_cat[None, None], H[None], H[None]
visible = np.ones((1, 1, 3), dtype=bool)

_, scaled = scaled_dot_attention(query, key, value, visible)
_, undone = scaled_dot_attention(query * np.sqrt(3), key, value, visible)
print("dot de Luong:            ", weights.round(3))
print("escalada, consulta × √d: ", undone[0, 0].round(3))
print("escalada:                ", scaled[0, 0].round(3))
# --8<-- [end:paso_4_igualdad]

# --8<-- [start:paso_4_separadas]
W_K, W_V = rng.normal(size=(3, 3)), rng.normal(size=(3, 2))
context, weights = scaled_dot_attention(query, key @ W_K, value @ W_V, visible)
print("pesos:   ", weights[0, 0].round(3))
print("contexto:", context[0, 0].round(3), "· ya no mide lo que mide una clave")
# --8<-- [end:paso_4_separadas]

# --8<-- [start:doctor]
from lessons_code.doctor.diagnosis import diagnose

tensors = {"decoder_state": decoder_state, "encoder_states": encoder_states}
healthy = tensors | {"W_a": W_a, "U_a": U_a, "v_a": v_a}
context, weights = additive_attention(**healthy)

broken = healthy | {"W_a": W_a.T}
(finding,) = diagnose(additive_attention, **broken)
print(f"culpable: {finding.tensor}, que llegó {finding.shape}")
print("le toca: ", finding.expected)
print("arreglo: ", finding.fix)
print(finding.test)
# --8<-- [end:doctor]

# --8<-- [start:ejercicio_1]
from lessons_code.numerics.functional import softmax
from lessons_code.numerics.masks import padding_mask

scores = np.array([[2.0, 1.0, 0.5, 9.0], [-2e9, -2e9 + 1, 7.0, 8.0]])
visible = padding_mask([3, 2], 4)
mine = softmax(scores)  # cámbialo tú
print(mine.round(3))
print("¿el relleno pesa cero?", (mine[~visible] == 0).all())
print("¿suma 1 lo visible?   ", np.allclose((mine * visible).sum(axis=-1), 1))
# --8<-- [end:ejercicio_1]

# --8<-- [start:solucion_1]
from lessons_code.numerics.functional import masked_softmax

mine = masked_softmax(scores, visible)
print(mine.round(3))
print("¿el relleno pesa cero?", (mine[~visible] == 0).all())
print("¿suma 1 lo visible?   ", np.allclose((mine * visible).sum(axis=-1), 1))
# --8<-- [end:solucion_1]

# --8<-- [start:solucion_2]
from lessons_code.numerics.multi_head import multi_head_general_attention

encoder_states, W = rng.normal(size=(7, 6)), rng.normal(size=(d_s, 6))
tensors = decoder_state, encoder_states, W
same_context, same_weights = general_attention(*tensors)
context, weights = multi_head_general_attention(*tensors, n_heads=1)
print("¿el mismo contexto?", (context == same_context).all())
print("¿los mismos pesos? ", (weights[0] == same_weights).all())

context, weights = multi_head_general_attention(*tensors, n_heads=3)
print("tres cabezas:", weights.shape, "suman", weights.sum(axis=-1).round(12))
print("dónde pesa más cada una:", weights.argmax(axis=-1))
# --8<-- [end:solucion_2]
