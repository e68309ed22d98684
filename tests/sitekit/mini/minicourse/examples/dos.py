"""Las celdas de la página «dos»."""

# --8<-- [start:medir]
from minicourse.drawing import Bar, stored_lengths

lengths = stored_lengths()
for name, length in lengths.items():
    print(f"{name}: {length}")
# --8<-- [end:medir]

# --8<-- [start:dibujar]
Bar("larga", lengths["larga"])
# --8<-- [end:dibujar]

# --8<-- [start:equivocarse]
print("antes del error")
Bar("imposible", -1)
# --8<-- [end:equivocarse]
