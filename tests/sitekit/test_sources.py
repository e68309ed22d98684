"""Definiciones y dependencias, encontradas sin ejecutar nada."""

import pytest

from lessons_code.sitekit.sources import SourceError, Sources, essence, find_definition
from tests.sitekit.project import Project

BOMB = "raise SystemExit('se ha importado')\n"


@pytest.fixture
def project(tmp_path):
    project = Project(tmp_path)
    project.write("pack/__init__.py", BOMB)
    project.write("pack/deep/__init__.py", "from . import first\n")
    project.write("pack/deep/first.py", "def f():\n    from ..other import g\n    return g\n")
    project.write(
        "pack/other.py", "try:\n    import pack.last as last\nexcept ImportError:\n    pass\n"
    )
    project.write(
        "pack/last.py", BOMB + "PATH = 'docs/datos/x.json'\nclass LastError(Exception): ...\n"
    )
    project.write("pack/alone.py", "")
    project.write("loose/thing.py", "import numpy.linalg\n")
    project.write("docs/datos/x.json", "{}")
    return project


def reached(project, code):
    return {path for path, _ in Sources(project.root).reach(code).files}


def test_a_definition_is_its_exact_text(project):
    before, after = "import x\n\n\n", "\n\nN: int = 3\n"
    text = "@x.y\n@x.z(\n    1\n)\ndef f(a):\n    'Doc.'\n    return a  # final"
    project.write("pack/alone.py", before + text + after)
    code = find_definition("pack.alone.f", project.root)
    assert code.path.as_posix() == "pack/alone.py"
    assert (code.line, code.text) == (4, text)
    assert find_definition("pack.alone.N", project.root).text == "N: int = 3"


def test_a_method_loses_only_its_indentation(project):
    project.write(
        "pack/alone.py", "class A:\n    x = 1\n\n    async def f(self):\n        return 2\n"
    )
    code = find_definition("pack.alone.A.f", project.root)
    assert (code.line, code.text) == (4, "async def f(self):\n    return 2")


@pytest.mark.parametrize("name", ["pack.alone.f", "pack.nada.f", "pack", "nada.f", "pack.alone"])
def test_a_missing_definition_is_said(project, name):
    with pytest.raises(SourceError):
        find_definition(name, project.root)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import pack", {"pack/__init__.py"}),
        ("import pack.alone", {"pack/__init__.py", "pack/alone.py"}),
        ("from pack import alone", {"pack/__init__.py", "pack/alone.py"}),
        ("from pack.alone import x, y", {"pack/__init__.py", "pack/alone.py"}),
        ("if x:\n    import pack.alone", {"pack/__init__.py", "pack/alone.py"}),
        ("import loose.thing", {"loose/thing.py"}),
        ("import numpy\nimport loose", set()),
        ("from . import pack", set()),
        ("f = open('docs/datos/x.json')", {"docs/datos/x.json"}),
        ("f = open('docs/datos/y.json'), 'docs/datos', '../docs/datos/x.json'", set()),
        (
            "import pack.deep",
            {
                "pack/__init__.py",
                "pack/deep/__init__.py",
                "pack/deep/first.py",
                "pack/other.py",
                "pack/last.py",
                "docs/datos/x.json",
            },
        ),
    ],
)
def test_everything_imported_is_reached(project, code, expected):
    assert reached(project, code) == expected


def test_cycles_end(project):
    project.write("pack/alone.py", "import pack.deep.first")
    project.write("pack/last.py", "import pack.alone")
    assert "pack/alone.py" in reached(project, "import pack.deep")


def test_packages_from_outside_and_classes_are_known(project):
    reach = Sources(project.root).reach("import loose.thing, pack.deep")
    assert reach.external == {"numpy"}
    assert reach.classes == {"LastError"}


def test_code_that_cannot_be_read_reaches_nothing(project):
    project.write("pack/alone.py", "import = 3")
    assert reached(project, "import pack.alone") == {"pack/__init__.py", "pack/alone.py"}
    assert reached(project, "import = 3") == set()


def test_each_photograph_is_new(project):
    sources = Sources(project.root)
    before = sources.reach("import pack.alone")
    project.write("pack/alone.py", "x = 1")
    assert sources.reach("import pack.alone") == before
    assert Sources(project.root).reach("import pack.alone") != before


def test_pins_ignore_comments_and_order(project):
    assert Sources(project.root).pins == ()
    project.write("requirements.txt", "# fijadas\nb==2  # dos\n\na==1\n")
    assert Sources(project.root).pins == ("a==1", "b==2")


# --- Lo que hace un módulo ------------------------------------------------------------------------

MODULE = """\
import x

TEXT = '''uno

# dos'''


class A:
    def f(self):
        return f"{x} # {TEXT}"
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import x\n", '"""Docstring.\n\nDe varias líneas.\n"""\n\nimport x\n'),
        ("class A:\n", 'class A:\n    """Docstring."""\n\n'),
        ("import x\n", "import x  # comentario\n"),
        ("class A", "# comentario\n#otro\nclass A"),
        ("\n\n\nclass", "\n\nclass"),
    ],
)
def test_the_essence_of_a_module_ignores_what_is_only_read(old, new):
    assert old in MODULE
    assert essence(MODULE.replace(old, new, 1)) == essence(MODULE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("uno\n\n", "uno\n"),
        ("# dos", "# tres"),
        ("} # {", "} # y {"),
        ("import x\n", "import x; y = 7\n"),
        ("import x\n", '"""Docstring."""; y = 7\n'),
        ("    def", "def"),
    ],
)
def test_the_essence_of_a_module_changes_with_what_it_does(old, new):
    assert old in MODULE
    assert essence(MODULE.replace(old, new, 1)) != essence(MODULE)


def test_the_essence_of_a_module_that_cannot_be_read_is_its_text():
    assert essence("def (:\n  # ñ") == "def (:\n  # ñ"
    assert essence("x = (") == "x = ("
