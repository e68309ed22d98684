"""Piso 0 · Solo NumPy: cada mecanismo del curso, hacia delante y hacia atrás."""
