"""El sitio se construye una vez por sesión para todas las pruebas que lo miran."""

import pytest

from lessons_code.sitekit import bundle
from tests.built_site import PUBLISHED, ROOT, build


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Carpeta con el sitio construido como se publica."""
    bundle.gather(ROOT, print)
    return build(tmp_path_factory.mktemp("sitio"), **PUBLISHED)
