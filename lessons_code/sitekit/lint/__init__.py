"""El linter de los textos: una regla por función, y cada hallazgo con su línea y su arreglo."""
