"""El paquete del sitio en miniatura."""
