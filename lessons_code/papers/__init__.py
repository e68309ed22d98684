"""Piso 2 · Los artículos del curso: su ficha como texto y su miniatura ejecutable."""
