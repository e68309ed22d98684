"""La orden que vuelve a grabar lo que PyTorch calcula: `pytest tests/parity --regrabar`."""


def pytest_addoption(parser):
    parser.addoption(
        "--regrabar", action="store_true", help="graba de nuevo las salidas de PyTorch (con torch)"
    )
