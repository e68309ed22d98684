"""El marco común de las figuras: colores de la página, descripción y datos a mano."""

from dataclasses import dataclass
from html import escape

from lessons_code.figures.tables import Table

# Valores de reserva para cuando no hay hoja de estilo (un cuaderno, un correo): los de la paleta
# clara. Con docs/assets/css/figuras.css mandan las variables, y la oscura tiene los suyos.
PALETTE = {
    "fondo": "#ffffff",
    "acento": "#1a237e",
    "senal": "#c2410c",
    "tinta-baja": "#000000",
    "tinta-alta": "#ffffff",
    "serie-1": "#1a237e",
    "serie-2": "#c2410c",
    "serie-3": "#00695c",
    "serie-4": "#8e2471",
    "serie-5": "#5d4a00",
}
NARROW = 480  # px: hasta aquí encoge en un móvil y se lee; más ancha, se desplaza


def color(name: str) -> str:
    """Valor de `fill` o `stroke` que sigue a la página: `var(--figura-NAME, reserva)`."""
    return f"var(--figura-{name},{PALETTE[name]})"


@dataclass(frozen=True)
class Figure:
    """Dibujo SVG con su título, lo que hay que ver en él y sus datos en una tabla.

    `drawing` es el contenido del SVG; `summary`, lo que dicen los datos, para quien no ve el
    dibujo; `description`, lo que dice quien escribe la página, visible en el pie.
    """

    title: str
    description: str
    summary: str
    width: int
    height: int
    drawing: str
    data: Table

    def _repr_html_(self) -> str:
        canvas = '<div class="figura-lienzo">'
        if self.width > NARROW:  # en un móvil se desplaza: también con el teclado
            canvas = (
                '<div class="figura-lienzo figura-ancha" role="group" tabindex="0" '
                f'aria-label="{escape(self.title)}">'
            )
        return (
            '<figure class="figura" data-search-exclude>'
            f"{canvas}{self.svg()}</div>"
            f"<figcaption><strong>{escape(self.title, quote=False)}</strong> "
            f"{escape(self.description, quote=False)}</figcaption>"
            f"<details><summary>Ver los datos</summary>{self.data._repr_html_()}</details></figure>"
        )

    def svg(self) -> str:
        """El SVG solo, con su texto alternativo."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{self.width}" '
            f'height="{self.height}" viewBox="0 0 {self.width} {self.height}" fill="currentColor">'
            f"<title>{escape(self.title, quote=False)}</title>"
            f"<desc>{escape(self.summary, quote=False)}</desc>{self.drawing}</svg>"
        )
