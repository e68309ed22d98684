"""Lo que sale de una página, y lo que se dice cuando falla, se cuelga o muere."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lessons_code.sitekit.cache import Output
from lessons_code.sitekit.engine import Limits
from tests.sitekit.project import Project

QUICK = Limits(seconds=1.5)


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """La carpeta donde las sesiones crean las suyas; al final no debe quedar ninguna."""
    folder = tmp_path / "temporal"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    yield folder
    assert list(folder.glob("celdas-*")) == []


def fails(project, code, *hints, line=2, rule="celda", **options):
    """La celda falla una sola vez, con su línea y esas pistas, y no guarda nada."""
    project.cells("p.md", code)
    (message,) = project.run(**options)
    assert message.startswith(f"docs/p.md:{line}: [{rule}] «c1»: "), message
    for hint in hints:
        assert hint in message
    assert set(project.outputs().values()) == {None}


# --- Lo que sale ----------------------------------------------------------------------------------


def test_the_mini_site_runs(tmp_path):
    project = Project(tmp_path, mini=True)
    assert project.run() == []
    bar = '<figure class="figura" data-search-exclude><b style="width:21em">larga</b></figure>'
    error = "antes del error\nShapeError: length: esperaba 0 o más, llegó -1"
    assert project.outputs() == {
        "dos/medir": Output("corta: 2\nlarga: 7\n"),
        "dos/dibujar": Output(html=bar),
        "dos/equivocarse": Output(error, error="ShapeError"),
        "dos/lengths['larga'] * 10000": Output("70\u202f000"),
        "index/sumar": Output("suma: 1.0\n"),
        "index/weights.max()": Output("0,500"),
        "index/-weights.min()": Output("−0,2"),
        "index/contar": Output("3\n"),
        "index/len(weights)": Output("3"),
        "index/1 / len(weights)": Output("33,3\u00a0%"),
    }


def test_everything_written_to_the_output_is_captured_in_order(project):
    project.cells(
        "p.md",
        "import ctypes, os, subprocess, sys\n"
        "print('uno ñ')\n"
        "os.write(1, b'dos\\n')\n"
        "ctypes.CDLL(None).puts(b'tres') and ctypes.CDLL(None).fflush(None)\n"
        "_ = subprocess.run(['echo', 'cuatro'], check=True)\n"
        "print('cinco', end='', flush=True)\n"
        "sys.stdout.buffer.write(b' seis')\n"
        "print('esto no', file=sys.stderr)",
        "print('otra celda')",
    )
    assert project.run() == []
    first, second = project.outputs().values()
    assert first.text == "uno ñ\ndos\ntres\ncuatro\ncinco seis"
    assert second.text == "otra celda\n"


def test_only_a_last_expression_with_html_is_shown(project):
    project.write(
        "pack.py",
        "class Html:\n    def _repr_html_(self):\n"
        "        print('dibuja')\n        return '<i>ñ</i>'\n",
    )
    project.cells(
        "p.md",
        "from pack import Html\nHtml()",
        "Html()\nx = 1",
        "x + 1",
        "Html",
        "(Html(),)",
        "if x:\n    Html()",
    )
    assert project.run() == []
    outputs = list(project.outputs().values())
    assert outputs == [Output("dibuja\n", "<i>ñ</i>"), *[Output()] * 5]


def test_a_session_is_like_a_script(project):
    project.cells("p.md", "x = 1\nif __name__ == '__main__':\n    print(x)", "print(x + 1)")
    assert project.run() == []
    assert [output.text for output in project.outputs().values()] == ["1\n", "2\n"]


def test_inline_values_are_taken_in_their_place(project):
    fences = [f'```python exec="on" id="c{n}"\nx = {n}\n```\n\n`{{python}} x`\n' for n in (2, 3)]
    project.write("docs/p.md", "\n".join(fences))
    assert project.run() == []
    texts = [project.store.get(key).text for key in _keys_in_order(project)]
    assert texts == ["", "2", "", "3"]


def _keys_in_order(project):
    from lessons_code.sitekit.cache import keys
    from lessons_code.sitekit.sources import Sources

    (page,) = project.pages()
    return list(keys(page, Sources(project.root)).values())


def test_it_also_works_where_there_is_no_fork(project, monkeypatch):
    monkeypatch.setattr("multiprocessing.get_all_start_methods", lambda: ["spawn"])
    project.cells("p.md", "import numpy as np\nprint(np.arange(3))", "import sys\n1 / 0")
    (message,) = project.run()
    assert message.startswith("docs/p.md:8: [celda] «c2»: ZeroDivisionError")


def test_the_environment_is_always_the_same(project, monkeypatch):
    monkeypatch.setenv("SECRETO", "x")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    code = "import os, sys\nprint(os.environ.get('SECRETO'), os.environ['OPENBLAS_NUM_THREADS'])"
    project.cells("p.md", code, "print(hash('a') == hash('a'), sys.flags.hash_randomization)")
    assert project.run() == []
    assert [output.text for output in project.outputs().values()] == ["None 1\n", "True 0\n"]
    assert os.environ["OPENBLAS_NUM_THREADS"] == "2"


def test_an_announced_error_is_part_of_the_output(project):
    codes = ["print('antes', end='')\n{}['x']", "print('sigue')"]
    project.write(
        "docs/p.md",
        f'```python exec="on" id="c1" error="KeyError"\n{codes[0]}\n```\n\n'
        f'```python exec="on" id="c2"\n{codes[1]}\n```\n',
    )
    assert project.run() == []
    outputs = list(project.outputs().values())
    assert outputs == [Output("antes\nKeyError: 'x'", error="KeyError"), Output("sigue\n")]


# --- Lo que falla ---------------------------------------------------------------------------------


def test_a_failure_names_the_line_of_the_page(project):
    fails(project, "x = 1\n\n1 / 0", "ZeroDivisionError: division by zero", line=4)


def test_a_failure_names_the_line_of_the_script_and_of_the_module(project):
    project.write("pack.py", "\n\ndef f():\n    raise ValueError('dos\\nrenglones')\n")
    project.write("ejemplo.py", "# --8<-- [start:x]\nimport pack\n\npack.f()\n# --8<-- [end:x]\n")
    project.write("docs/p.md", '# P\n\n```python exec="on" id="c1"\n--8<-- "ejemplo.py:x"\n```\n')
    assert project.run() == [
        "docs/p.md:3: [celda] ejemplo.py:4: «c1»: ValueError: dos renglones (en pack.py:4)"
    ]


def test_a_failing_session_stores_nothing(project):
    project.cells("p.md", "print(1)", "1 / 0", "print(3)")
    (message,) = project.run()
    assert message.startswith("docs/p.md:6: ")
    assert set(project.outputs().values()) == {None}
    project.edit("docs/p.md", "1 / 0", "print(2)")
    assert project.run() == []
    assert None not in project.outputs().values()


@pytest.mark.parametrize(
    ("code", "error", "hint"),
    [
        (
            "1 / 0",
            "ArithmeticError",
            "ZeroDivisionError: division by zero, y anunciaba error=«Arit",
        ),
        ("x = 1", "ValueError", "anuncia error=«ValueError» y no lo lanza"),
    ],
)
def test_an_announced_error_must_be_exactly_that(project, code, error, hint):
    project.cells("p.md", code, error=error)
    (message,) = project.run()
    assert message.startswith("docs/p.md:2: [celda] «c1»: ")
    assert hint in message


@pytest.mark.parametrize(
    ("expression", "hint"),
    [
        ("x / 7", "a 0.14285714285714285 le falta el formato"),
        ("y:.3f", "NameError: name 'y' is not defined"),
        ("[x]", "un valor de tipo list"),
        ("x:z", "el formato «:z»"),
        ("print(x) or x", "no imprime nada"),
    ],
)
def test_a_bad_inline_value_has_its_line(project, expression, hint):
    text = f'```python exec="on" id="a"\nx = 1\n```\n\nUno\ndos `{{python}} {expression}`.\n'
    project.write("docs/p.md", text)
    (message,) = project.run()
    assert message.startswith("docs/p.md:6: [valor] ")
    assert hint in message


def test_warnings_are_not_hidden(project):
    code = "import numpy as np\nnp.log(np.zeros(1))"
    fails(project, code, "RuntimeWarning: divide by zero", rule="aviso", line=3)


def test_an_announced_warning_is_part_of_the_output(project):
    project.cells("p.md", "import numpy as np\nnp.exp(np.float64(1e3))", error="RuntimeWarning")
    assert project.run() == []
    (output,) = project.outputs().values()
    assert output.text.startswith("RuntimeWarning: overflow")


@pytest.mark.parametrize(
    ("code", "line", "hint"),
    [
        ("import os\nos._exit(0)", 2, "terminó de golpe (código 0)"),
        ("import os\nos._exit(3)", 2, "terminó de golpe (código 3)"),
        ("import ctypes\nctypes.string_at(0)", 3, "murió (SIGSEGV)"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", 2, "murió (SIGKILL)"),
        ("import os\nos.closerange(3, 97)\nos._exit(0)", 2, "el proceso"),
        ("import sys\nsys.exit()", 3, "intenta terminar el programa"),
        ("x = 1\nraise KeyboardInterrupt", 3, "KeyboardInterrupt"),
        ("import os\nos.kill(0, 2)", 3, "KeyboardInterrupt"),
    ],
)
def test_a_dying_session_is_explained(project, temporary, code, line, hint):
    fails(project, code, hint, line=line)


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("x = 1\nwhile True:\n    pass", (3, 4)),
        ("import time\ntime.sleep(97)", (3,)),
        ("import re\nre.match('(a+)+b', 'a' * 97)", (3,)),  # no suelta nunca el intérprete
        ("while True:\n    try:\n        x\n    except BaseException:\n        pass", range(2, 7)),
    ],
)
def test_a_hung_session_is_stopped(project, temporary, code, line):
    project.cells("p.md", code)
    started = time.monotonic()
    (message,) = project.run(limits=QUICK)
    assert time.monotonic() - started < QUICK.seconds + 3
    found = re.fullmatch(r"docs/p\.md:(\d+): \[límite\] «c1»: pasa de 1\.5 segundos", message)
    assert found, message
    assert int(found[1]) in line
    assert set(project.outputs().values()) == {None}


def test_memory_is_limited(project):
    limits = Limits(memory=1024 * 2**20)
    code = "import numpy as np\nx = np.ones(2**28)"
    fails(
        project, code, "más memoria de la permitida: 1024 MiB", rule="límite", line=3, limits=limits
    )


@pytest.mark.parametrize("code", ["print('x' * 1009)", "import os\nos.write(1, b'x' * 1009)"])
def test_the_output_is_limited(project, code):
    limits = Limits(output=1000)
    fails(project, code, "imprime menos", rule="límite", limits=limits)


def test_an_endless_output_is_stopped(project, temporary):
    fails(project, "while True:\n    print('x' * 997)", "imprime menos", rule="límite", line=3)


def test_an_output_that_is_not_text_is_refused(project):
    fails(project, "import os\nos.write(1, b'\\xff')", "UTF-8", rule="límite")


def test_a_process_left_running_is_said_and_ended(project, temporary, tmp_path):
    pid = tmp_path / "pid"
    start = "import subprocess\nchild = subprocess.Popen(['sleep', '97'])\n"
    code = start + f"open({str(pid)!r}, 'w').write(str(child.pid))"
    fails(project, code, "deja un proceso en marcha")
    _assert_ends(int(pid.read_text()))


def test_a_copy_of_the_session_does_not_speak_for_it(project, temporary):
    project.cells(
        "p.md", "import os, time\npid = os.fork()\nif pid:\n    _ = os.wait()\nprint('uno')"
    )
    assert project.run() == []
    (output,) = project.outputs().values()
    assert output.text == "uno\nuno\n"


def _assert_ends(pid):
    _wait_until(lambda: _state(pid) in ("", "Z"), f"el proceso {pid} sigue vivo")


def _state(pid):
    """La letra de /proc: R, S, Z…; vacía si el proceso ya no está."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _wait_until(condition, otherwise):
    deadline = time.monotonic() + 7
    while not condition():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("print(object())", "una dirección de memoria («at 0x"),
        ("import os\nprint(os.getcwd())", "una ruta de esta máquina"),
        ("import pack\nprint(pack.__file__)", "una ruta de esta máquina"),
    ],
)
def test_what_depends_on_the_machine_is_refused(project, code, hint):
    project.write("pack.py", "")
    fails(project, code, hint, rule="reproducible")


# --- Nada viejo, nada a medias --------------------------------------------------------------------


def test_nothing_runs_twice(project):
    project.cells("a.md", "print(1)")
    project.cells("b.md", "print(2)")
    ran = []

    def progress(session, seconds):
        ran.append(session.page.path.name)

    assert project.run(on_progress=progress) == []
    assert sorted(ran) == ["a.md", "b.md"]
    project.edit("docs/b.md", "print(2)", "print(3)")
    ran.clear()
    assert project.run(on_progress=progress) == []
    assert ran == ["b.md"]
    assert project.run(on_progress=progress) == []
    assert ran == ["b.md"]


def test_an_edit_two_imports_deep_is_seen_at_once(project):
    # El mismo tamaño y el mismo segundo: un .pyc no notaría la diferencia.
    project.write("pack/__init__.py", "")
    project.write("pack/low.py", "def f():\n    return 2\n")
    project.write("pack/high.py", "from pack.low import f\n")
    project.cells("p.md", "from pack import high\nprint(high.f())")
    texts = []
    for number in (2, 3, 5, 2):
        project.write("pack/low.py", f"def f():\n    return {number}\n")
        assert project.run() == []
        (output,) = project.outputs().values()
        texts.append(output.text)
    assert texts == ["2\n", "3\n", "5\n", "2\n"]


def test_an_import_that_cannot_be_seen_is_refused(project):
    project.write("pack.py", "x = 1")
    hint = "usa pack.py sin que se vea: impórtalo con una sentencia import"
    fails(project, "x = __import__('pack').x", hint, rule="dependencia")


def test_a_file_that_cannot_be_seen_is_refused(project):
    path = project.write("docs/datos/x.json", "{}")
    hint = 'escribe su ruta entera desde la raíz, "docs/datos/x.json"'
    fails(project, f"_ = open('/'.join({str(path).split('/')})).read()", hint, rule="dependencia")


def test_reading_the_code_to_quote_it_in_a_traceback_is_not_reading_data(project):
    code = "import traceback\nprint('ejemplo.py' in traceback.format_stack()[-1])"
    project.write("ejemplo.py", f"# --8<-- [start:x]\n{code}\n# --8<-- [end:x]\n")
    project.write("docs/p.md", '```python exec="on" id="c1"\n--8<-- "ejemplo.py:x"\n```\n')
    assert project.run() == []
    assert project.outputs()["p/c1"].text == "True\n"


def test_a_file_that_changes_meanwhile_is_said(project):
    project.write("docs/datos/x.json", "{}")
    project.write(
        "pack.py", "from pathlib import Path\nPATH = Path(__file__).parent / 'docs/datos/x.json'\n"
    )
    code = "import pack\n_ = pack.PATH.write_text('[]')"
    project.cells("p.md", code)
    (message,) = project.run()
    assert "docs/datos/x.json cambió mientras se ejecutaba" in message
    assert set(project.outputs().values()) == {None}


def test_a_cell_that_changes_when_repeated_is_named(project):
    project.cells("p.md", "import time\nprint(time.time_ns())", "x = 2")
    assert project.run() == []
    before = project.outputs()["p/c1"]
    project.edit("docs/p.md", "x = 2", "x = 3")
    (message,) = project.run()
    assert message.startswith("docs/p.md:2: [reproducible] «c1»: al repetirla sale otra cosa")
    assert project.outputs() == {"p/c1": before, "p/c2": None}


def test_pages_do_not_touch_each_other(project):
    hostile = (
        "import os, sys, warnings\nimport numpy as np\nnp.exp = None\nsys.path.clear()\n"
        "os.environ['X'] = '1'\nopen('resto', 'w').close()\nos.chdir('/')\nsum = None"
    )
    gentle = (
        "import os\nimport numpy as np\n"
        "print(np.exp(0.0), os.environ.get('X'), os.listdir())\nprint(sum([2]))"
    )
    for number, code in enumerate([hostile, gentle, hostile, gentle]):
        project.cells(f"p{number}.md", code)
    assert project.run(jobs=1) == []
    texts = {
        output.text for name, output in project.outputs().items() if name in ("p1/c1", "p3/c1")
    }
    assert texts == {"1.0 None []\n2\n"}


def test_sessions_of_a_page_are_apart(project):
    project.write(
        "docs/p.md",
        '```python exec="on" id="a" session="una"\nx = 1\n```\n\n'
        '```python exec="on" id="b" session="otra"\nprint("x" in globals())\n```\n',
    )
    assert project.run() == []
    assert project.outputs()["p/b"].text == "False\n"


def test_pages_run_at_once(project, tmp_path):
    wait = "while not os.path.exists({0!r}):\n    time.sleep(0.01)"
    for mine, other in (("a", "b"), ("b", "a")):
        code = f"import os, time\nopen({str(tmp_path / mine)!r}, 'w').close()\n"
        project.cells(f"{mine}.md", code + wait.format(str(tmp_path / other)))
    assert project.run(jobs=2, limits=Limits(seconds=7)) == []


def test_findings_come_in_order(project):
    for page in ("c", "a", "b"):
        project.cells(
            f"{page}.md", "1 / 0" if page == "b" else "import time\ntime.sleep(0.1)\n1 / 0"
        )
    assert [message.split(":")[0] for message in project.run()] == [
        "docs/a.md",
        "docs/b.md",
        "docs/c.md",
    ]


def test_a_page_with_mistakes_is_not_run(project, tmp_path):
    mark = tmp_path / "mark"
    project.write(
        "docs/p.md",
        f'```python exec="on" id="a"\nopen({str(mark)!r}, "w")\n```\n\n`{{python}} +`\n',
    )
    assert project.run() == []
    assert not mark.exists()


# --- Una muerte a media ejecución -----------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_run_leaves_no_entry_and_no_process(project, temporary, tmp_path, number):
    mark = tmp_path / "mark"
    project.cells(
        "p.md",
        "print('primera')",
        "import os, subprocess, time\n"
        "child = subprocess.Popen(['sleep', '97'])\n"
        f"open({str(mark) + '.new'!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        f"os.rename({str(mark) + '.new'!r}, {str(mark)!r})\n"
        "time.sleep(97)",
    )
    command = [
        sys.executable,
        "-m",
        "lessons_code.sitekit",
        "--raiz",
        str(project.root),
        "ejecutar",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True) as engine:
        _wait_until(mark.exists, "la celda no llega a ejecutarse")
        os.kill(engine.pid, number)
        engine.wait(7)
        engine.stderr.close()
    for pid in map(int, mark.read_text().split()):
        _assert_ends(pid)
    # La borra la sesión al verse sola.
    _wait_until(lambda: not list(temporary.glob("celdas-*")), "queda su carpeta temporal")
    assert set(project.outputs().values()) == {None}
    assert not project.store.folder.exists()
