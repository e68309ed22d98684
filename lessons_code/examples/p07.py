"""Las celdas de la ficha P07, en el orden en que se leen. Se ejecuta sola, de arriba abajo."""

# --8<-- [start:pesos_cat]
import numpy as np

from lessons_code.numerics.attention import dot_attention

words = ["cat", "sat", "mat"]
encoder_states = np.array([[1.0, 0.0, 0.2], [0.5, 0.5, 0.1], [0.1, 0.9, 0.3]])
near_cat = np.array([0.9, 0.1, 0.2])

context, weights = dot_attention(near_cat, encoder_states)
print("pesos:   ", weights.round(3))
print("contexto:", context.round(3))
print("gana:    ", words[weights.argmax()])
# --8<-- [end:pesos_cat]

# --8<-- [start:pesos_mat]
moved_context, moved_weights = dot_attention(encoder_states[2], encoder_states)
print("pesos:   ", moved_weights.round(3))
print("contexto:", moved_context.round(3))
print("gana:    ", words[moved_weights.argmax()])
# --8<-- [end:pesos_mat]

# --8<-- [start:pesos_sat]
_, surprising_weights = dot_attention(encoder_states[1], encoder_states)
print("puntuaciones:", (encoder_states @ encoder_states[1]).round(2))
print("longitudes:  ", np.linalg.norm(encoder_states, axis=1).round(2))
print("gana:        ", words[surprising_weights.argmax()])
# --8<-- [end:pesos_sat]

# --8<-- [start:inicio_uniforme]
from lessons_code.numerics.attention import additive_attention

rng = np.random.default_rng(7)
W_a, U_a = 0.001 * rng.normal(size=(2, 5, 3))
v_a = np.zeros(5)

context, weights = additive_attention(near_cat, encoder_states, W_a, U_a, v_a)
print("pesos:   ", weights.round(3))
print("contexto:", context.round(3))
print("media:   ", encoder_states.mean(axis=0).round(3))
# --8<-- [end:inicio_uniforme]

# --8<-- [start:miniatura]
import math

from lessons_code.experiments.supervised_alignment import Config, run

result = run(Config(seed=7))
print("origen: ", *result.source)
print("destino:", *result.target)
print(f"aciertos: {result.correct}/4 con {result.parameters} parámetros")
print("la suma de cada fila:", result.row_sums.round(12))
print("entropías (nats):    ", result.row_entropies.round(4))
# --8<-- [end:miniatura]

# --8<-- [start:mapa_a_medias]
from lessons_code.figures.heatmap import heatmap

halfway = run(Config(seed=7, steps=60))
heatmap(
    halfway.weights,
    rows=halfway.target,
    columns=halfway.source,
    title="La alineación tras 60 pasos",
    description="El anillo marca la palabra que más pesa en cada fila.",
    row_title="destino (i)",
    column_title="origen (j)",
)
# --8<-- [end:mapa_a_medias]

# --8<-- [start:mapa_alineacion]
heatmap(
    result.weights,
    rows=result.target,
    columns=result.source,
    title="La alineación que aprende la miniatura",
    description="Cada fila reparte un peso total de 1 entre el origen.",
    row_title="destino (i)",
    column_title="origen (j)",
)
# --8<-- [end:mapa_alineacion]

# --8<-- [start:curva_perdida]
from lessons_code.figures.curves import curves

steps = np.arange(len(result.losses))
curves(
    {"pérdida": (steps, result.losses)},
    title="La pérdida, paso a paso",
    description="Entropía cruzada media tras cada paso de descenso.",
    x_title="paso",
    y_title="pérdida (nats)",
    log_y=True,
)
# --8<-- [end:curva_perdida]

# --8<-- [start:otras_semillas]
for seed in (0, 1, 2, 3, 4):
    other = run(Config(seed=seed))
    worst = max(other.row_entropies)
    words_in_order = *other.source, "→", *other.target
    print(f"{seed}: {other.correct}/4, {worst:.4f} nats ·", *words_in_order)
# --8<-- [end:otras_semillas]

# --8<-- [start:estado_que_pregunta]
rng = np.random.default_rng(9)
W_a, U_a = rng.normal(size=(2, 5, 3))
v_a = 3 * rng.normal(size=5)

states = {"el anterior": near_cat, "el actual": encoder_states[2]}
for name, state in states.items():
    _, weights = additive_attention(state, encoder_states, W_a, U_a, v_a)
    print(f"pregunta {name}:", weights.round(3), "gana", words[weights.argmax()])
# --8<-- [end:estado_que_pregunta]

# --8<-- [start:mascara_a_tiempo]
from lessons_code.numerics.functional import masked_softmax, softmax
from lessons_code.numerics.masks import padding_mask

scores = np.array([[1.0, 0.5, 0.2, 0.0, 0.0]])
visible = padding_mask([3], 5)
late, on_time = softmax(scores) * visible, masked_softmax(scores, visible)
print("a destiempo:", late[0].round(3), "suma", late.sum().round(3))
print("en su sitio:", on_time[0].round(3), "suma", on_time.sum().round(3))
# --8<-- [end:mascara_a_tiempo]

# --8<-- [start:forma_equivocada]
from lessons_code.numerics.shapes import ShapeError

try:
    additive_attention(near_cat, encoder_states, W_a.T, U_a, v_a)
except ShapeError as error:
    print(str(error).replace(". ", ".\n"))
# --8<-- [end:forma_equivocada]
