"""Las páginas que se ejecutan: del Markdown a las salidas, sin saber qué lecciones muestra."""
