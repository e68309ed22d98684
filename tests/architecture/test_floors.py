"""Los pisos de la casa: quién puede importar a quién, y qué ocurre al importar."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = ROOT / "lessons_code"

# Lo único de fuera que cada parte puede importar, además de la biblioteca estándar.
ALLOWED = {
    "doctor": {"numpy"},
    "numerics": {"numpy"},
    "experiments": {"numpy"},
    "figures": {"numpy", "matplotlib"},
    "papers": {"numpy", "pylatexenc", "yaml"},
    "examples": {"numpy", "torch"},  # con torch, en guiones propios: sus celdas van grabadas
    "cli.py": {"click", "numpy"},
    "spanish.py": set(),
    "__main__.py": set(),
    "__init__.py": set(),
    "sitekit": {"click", "markdown", "material", "math_core", "pygments", "pymdownx", "yaml"},
}
# Los únicos archivos que conocen MkDocs: el resto vale para cualquier generador.
MKDOCS_ADAPTERS = {"sitekit/hooks.py", "sitekit/publish.py"}


def sources():
    return sorted(CODE.rglob("*.py"))


def name(path):
    return path.relative_to(CODE).as_posix()


def imports(path):
    """Los módulos que un archivo importa, en cualquier parte de su texto, con nombre completo."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name(path)}:{node.lineno}: importa con nombre completo"
            yield node.module


def test_import_contracts_hold():
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", sources(), ids=name)
def test_external_imports_are_the_allowed_ones(path):
    part = path.relative_to(CODE).parts[0]
    external = {module.split(".")[0] for module in imports(path)} - {"lessons_code"}
    allowed = ALLOWED[part] | ({"mkdocs"} if name(path) in MKDOCS_ADAPTERS else set())
    assert external - sys.stdlib_module_names <= allowed


def test_examples_use_only_the_floors():
    """Un guion de página no toca la maquinaria: por eso puede correr también en el navegador."""
    forbidden = ("lessons_code.sitekit", "lessons_code.cli", "lessons_code.examples")
    for path in (CODE / "examples").glob("*.py"):
        for module in imports(path):
            assert not module.startswith(forbidden), f"{name(path)} importa {module}"


def test_examples_are_scripts_and_nobody_imports_them():
    assert not (CODE / "examples/__init__.py").exists()
    for path in sources():
        assert not any("examples" in module.split(".") for module in imports(path)), name(path)


def test_importing_does_nothing():
    """Importar no imprime, no escribe archivos y no carga lo que tarda (dibujo, MkDocs)."""
    modules = [
        "lessons_code." + name(path).removesuffix(".py").replace("/", ".")
        for path in sources()
        if path.name not in {"__init__.py", "__main__.py"}
        and path.parent.name != "examples"
        and name(path) not in MKDOCS_ADAPTERS
    ]
    probe = (
        "import importlib, sys\n"
        "for module in sys.argv[1:]:\n"
        "    importlib.import_module(module)\n"
        "    slow = {'matplotlib', 'mkdocs', 'IPython', 'torch'} & set(sys.modules)\n"
        "    assert not slow, f'{module} carga {slow} al importarse'\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe, *modules], cwd=ROOT, capture_output=True, encoding="utf-8"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("path", sorted(CODE.rglob("__init__.py")), ids=name)
def test_packages_only_say_what_they_are(path):
    tree = ast.parse(path.read_text("utf-8"))
    assert ast.get_docstring(tree)
    assert len(tree.body) == 1, f"{name(path)} ejecuta algo al importarse"
