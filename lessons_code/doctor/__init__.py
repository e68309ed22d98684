"""Piso 1 · El médico de formas: qué tensor está mal en una llamada y cómo se arregla."""
