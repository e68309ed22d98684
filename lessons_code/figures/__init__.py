"""Piso 2 · De números a figuras accesibles. Aquí no se entrena nada."""
