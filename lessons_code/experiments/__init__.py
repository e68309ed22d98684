"""Piso 2 · Experimentos: una configuración congelada entra, un resultado con tipos sale."""
