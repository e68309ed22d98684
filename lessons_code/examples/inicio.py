"""La celda de la portada. Se ejecuta sola, de arriba abajo."""

# --8<-- [start:alineacion]
from lessons_code.experiments.supervised_alignment import Config, run
from lessons_code.figures.heatmap import heatmap

result = run(Config(seed=7))
heatmap(
    result.weights,
    rows=result.target,
    columns=result.source,
    title="Qué palabra mira cada palabra",
    description="Filas, la traducción; columnas, el original.",
)
# --8<-- [end:alineacion]
