"""Lo que una página ejecuta o enseña, y lo que está mal en ella, con su línea."""

import re

import pytest

from lessons_code.sitekit.collect import Cell, Inline, Listing, collect_page
from tests.sitekit.project import Project

SCRIPT = """\
# --8<-- [start:bien]

value = 2
print(value)
# --8<-- [end:bien]

if True:
    # --8<-- [start:sangrada]
    if value:
        print(value)
    # --8<-- [end:sangrada]

# --8<-- [start:define]
value = 3
def f(): ...
# --8<-- [end:define]

# --8<-- [start:rota]
value = 1
value = = 2
# --8<-- [end:rota]

# --8<-- [start:vacia]
# --8<-- [end:vacia]

# --8<-- [start:doble]
1
# --8<-- [end:doble]
# --8<-- [start:doble]
1
# --8<-- [end:doble]

# --8<-- [start:fuera]
# --8<-- [start:dentro]
1
# --8<-- [end:dentro]
# --8<-- [end:fuera]
"""
MODULE = """\
import functools

SIZE = 3
limit: int = 5


@functools.cache
def area(side):
    return side**2


class Square:
    def grow(self):
        return self


class AreaError(ValueError):
    pass
"""


@pytest.fixture
def project(tmp_path):
    project = Project(tmp_path)
    project.write("pack/__init__.py", "")
    project.write("pack/shapes.py", MODULE)
    project.write("pack/broken.py", "x = 1\ny = = 2\n")
    project.write("examples/uno.py", SCRIPT)
    project.write("../fuera.py", SCRIPT)
    return project


def cell(code="x = 1", **options):
    options = {"exec": "on", "id": "a"} | options
    return fence(code, **options)


def fence(code, **options):
    texts = (f'{name}="{value}"' for name, value in options.items() if value is not None)
    return f"```python {' '.join(texts)}\n{code}{code and chr(10)}```\n"


def snippet(reference):
    return cell(f'--8<-- "{reference}"')


def test_a_page_is_read_in_order(project):
    page = project.collect(
        "---\ntitle: T\n---\n\n# T\n\nAntes `{python} 1 + 1`.\n\n"
        '```python exec="on" id="a" session="s" title="Uno" source="none" result="json"\n'
        "x = 1\n```\n\n"
        "!!! nota\n\n    Después `{python} x['a:b']:.3f`.\n\n"
        '    ```python exec="on" id="b"\n    --8<-- "examples/uno.py:bien"\n    ```\n\n'
        '```python show="pack.shapes.area" title="Área"\n```\n'
    )
    assert page.findings == ()
    path = page.path
    assert path.as_posix() == "docs/pagina.md"
    script = (project.root / "examples/uno.py").relative_to(project.root)
    assert page.items == (
        Inline(7, 7, "pagina", "1 + 1", ""),
        Cell(9, "a", "s", "x = 1", path, 10, title="Uno", source="none", result="json"),
        Inline(15, 13, "s", "x['a:b']", ".3f"),
        Cell(17, "b", "pagina", "value = 2\nprint(value)", script, 3),
        Listing(21, "pack.shapes.area", "Área"),
    )


def test_an_indented_section_keeps_its_lines(project):
    (found,) = project.collect(snippet("examples/uno.py:sangrada")).items
    assert (found.code, found.code_line) == ("if value:\n    print(value)", 9)


@pytest.mark.parametrize(
    "text",
    [
        "```python\nx = 1\n```\n",
        '```python title="exec=on show" linenums="1" hl_lines="2"\nx\n```\n',
        "```js\nexec = 1\n```\n",
        '```bash title="cómo usar show"\nls\n```\n',
        '````markdown\n```python exec="on"\n```\n````\n',
        '<!--\n```python exec="on"\n```\n-->\n',
        "Se escribe `` `{python} expresión` `` y \\`{python} x\\`; también `python`.\n",
    ],
)
def test_what_is_not_ours_is_left_alone(project, text):
    page = project.collect(text)
    assert (page.items, page.findings) == ((), ())


@pytest.mark.parametrize(
    ("text", "line", "rule", "hint"),
    [
        (cell(extra="1"), 1, "opción", "«extra» no existe aquí; las hay: exec, session"),
        (cell(exec="off"), 1, "opción", 'solo puede ser exec="on"'),
        (cell(exec="yes", id=None), 1, "id", "le falta el id"),
        (cell(id="Bien"), 1, "id", "«Bien»"),
        (cell(id="año"), 1, "id", "«año»"),
        (cell(id="con_guion"), 1, "id", "«con_guion»"),
        (cell() + "\n" + cell(), 5, "id", "«a» ya está en la línea 1"),
        (cell(show="pack.shapes.area"), 1, "opción", "exec y show no van juntos"),
        (cell(source="below"), 1, "opción", "source"),
        (cell(session="dos palabras"), 1, "opción", "«dos palabras»"),
        (cell(error="NoExiste"), 1, "opción", "«NoExiste» no es una excepción"),
        (cell(error="AreaError"), 1, "opción", "«AreaError» no es una excepción"),
        (cell(error="KeyboardInterrupt"), 1, "opción", "«KeyboardInterrupt» no es una excepción"),
        (cell(error="print"), 1, "opción", "«print» no es una excepción"),
        (cell("\n"), 1, "celda", "vacía"),
        (cell("\n".join("x" * 13)), 1, "celda", "13 líneas"),
        (cell("x = 1\ndef f(): ...\n"), 3, "celda", "lleva «f» al paquete"),
        (cell("if x:\n    class A: ...\n"), 3, "celda", "lleva «A» al paquete"),
        (cell("x = 1\n\nx = = 2"), 4, "celda", "no es Python"),
        (cell("return 1"), 2, "celda", "no es Python"),
        (cell("x = '\\d'"), 2, "celda", "no es Python"),
        (snippet("examples/uno.py:define"), 1, "celda", "examples/uno.py:15: una celda no define"),
        (snippet("examples/uno.py:rota"), 1, "celda", "examples/uno.py:20: no es Python"),
        (snippet("examples/uno.py:no_esta"), 2, "sección", "no tiene la sección «no_esta»"),
        (snippet("examples/uno.py:biem"), 2, "sección", "¿querías decir «bien»?"),
        (snippet("examples/uno.py:vacia"), 2, "sección", "está vacía"),
        (snippet("examples/uno.py:doble"), 2, "sección", "empieza dos veces: examples/uno.py:29"),
        (snippet("examples/uno.py:fuera"), 2, "sección", "antes de otra"),
        (snippet("examples/dos.py:bien"), 2, "sección", "no existe el fichero"),
        (snippet("../fuera.py:bien"), 2, "sección", "fuera del proyecto"),
        (snippet("examples/uno.py"), 2, "sección", 'escribe --8<-- "carpeta/guion.py:seccion"'),
        (snippet("examples/uno.py:3:5"), 2, "sección", 'escribe --8<-- "carpeta/guion.py:seccion"'),
        (cell('x = 1\n--8<-- "examples/uno.py:bien"'), 3, "sección", "no las dos"),
        (cell("--8<--\nexamples/uno.py\n--8<--"), 2, "sección", "no las dos"),
        (fence("x", show="pack.shapes.area"), 1, "listado", "va vacío"),
        (fence("", show="pack.shapes.areas"), 1, "listado", "¿querías decir «area»?"),
        (fence("", show="pack.nada.area"), 1, "listado", "no define «nada»"),
        (fence("", show="otro.area"), 1, "listado", "ningún módulo «otro»"),
        (fence("", show="pack.broken.x"), 1, "listado", "pack/broken.py:2"),
        (fence("", show="pack.shapes"), 1, "listado", "módulo entero"),
        (fence("", show="pack/shapes.py"), 1, "listado", "no es un nombre con puntos"),
        (fence("", show="pack.shapes.area", id="a"), 1, "opción", "«id» no existe aquí"),
        (fence("x", session="s"), 1, "opción", "«session» es de las celdas"),
        (fence("x", exek="on"), 1, "opción", "«exek» no existe"),
        ("```python exec=on id='a'\nx\n```\n", 1, "opción", "no se entiende «exec=on"),
        ("```python exec\nx\n```\n", 1, "opción", 'escribe exec="…"'),
        ('```python exec="on" id="a" id="b"\nx\n```\n', 1, "opción", "dos veces"),
        ('``` {.python exec="on"}\nx\n```\n', 1, "opción", "las celdas se escriben"),
        ('```py exec="on" id="a"\nx\n```\n', 1, "opción", "las celdas se escriben"),
        ('\n```python exec="on" id="a"\nx\n', 2, "valla", "no se cierra"),
        ("Uno.\n\nDos\n`{python} x +` tres", 4, "valor", "no se entiende"),
        ("`{python} x!r`", 1, "valor", "conversiones"),
        ("`{python} x=`", 1, "valor", "una sola expresión"),
        ("`{python} x}{y`", 1, "valor", "una sola expresión"),
        ("`{python} x:{n}f`", 1, "valor", "texto fijo"),
        ("`{python}`", 1, "valor", "algo que calcular"),
        ("`{Python} x`", 1, "valor", "algo que calcular"),
        ("Se parte `{python} x\n+ 1`.", 1, "valor", "dos renglones"),
    ],
)
def test_each_mistake_has_its_line_and_its_fix(project, text, line, rule, hint):
    messages = project.findings(text)
    start = f"docs/pagina.md:{line}: [{rule}] "
    assert [found for found in messages if found.startswith(start) and hint in found], messages


def test_lines_count_the_front_matter(project):
    (found,) = project.findings("---\na: 1\n---\n\n" + cell("x = = 1"))
    assert found.startswith("docs/pagina.md:6: ")


def test_a_page_without_its_front_matter_keeps_its_lines(project):
    page = collect_page(
        project.root / "docs/p.md", cell("x = = 1"), root=project.root, first_line=7
    )
    assert [finding.line for finding in page.findings] == [8]


def test_every_mistake_of_a_page_is_said_in_order(project):
    text = cell(id="Z", extra="1") + "\n`{python} x +`\n\n" + cell("y = = 1", id="b")
    messages = project.findings(text)
    lines = [int(re.match(r"docs/pagina\.md:(\d+):", message)[1]) for message in messages]
    assert lines == [1, 1, 5, 8]


def test_an_error_may_be_a_class_of_what_the_session_imports(project):
    raising = cell("raise shapes.AreaError", id="b", error="AreaError")
    page = project.collect(cell("from pack import shapes") + "\n" + raising)
    assert page.findings == ()
    assert page.items[1].error == "AreaError"


def test_the_mini_site_is_sound(tmp_path):
    pages = Project(tmp_path, mini=True).pages()
    assert [page.path.name for page in pages] == ["dos.md", "index.md", "tres.md"]
    assert [page.findings for page in pages] == [(), (), ()]
    assert [len(page.items) for page in pages] == [4, 6, 1]


def test_a_page_that_is_not_utf8_is_a_finding(project):
    (project.root / "docs/latin.md").write_bytes("año".encode("latin-1"))
    (page,) = project.pages()
    assert "UTF-8" in str(page.findings[0])


def test_hidden_folders_are_not_pages(project):
    project.write("docs/.overrides/x.md", "# x")
    project.write("docs/y.md", "# y")
    assert [page.path.as_posix() for page in project.pages()] == ["docs/y.md"]
