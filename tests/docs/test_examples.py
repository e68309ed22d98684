"""Los guiones de las páginas: corren solos de arriba abajo, y no sobra ninguna sección."""

import os
import re
import subprocess
import sys

import pytest

from lessons_code.sitekit.sources import Sources
from tests.built_site import DOCS, ROOT, SOURCES
from tests.helpers import require_torch

EXAMPLES = sorted((ROOT / "lessons_code" / "examples").glob("*.py"))


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda script: script.stem)
def test_each_script_runs_on_its_own(script, tmp_path):
    if "torch" in Sources(ROOT).reach(script.read_text(encoding="utf-8")).external:
        require_torch()
    result = subprocess.run(
        [sys.executable, "-W", "error", script],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "MPLBACKEND": "agg", "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert list(tmp_path.iterdir()) == []  # un ejemplo no deja ficheros


def test_pages_show_every_section_of_every_script():
    written = {
        f"lessons_code/examples/{script.name}:{name}"
        for script in EXAMPLES
        for name in re.findall(r"# --8<-- \[start:(\w+)\]", script.read_text(encoding="utf-8"))
    }
    shown = {
        section
        for source in SOURCES
        for section in re.findall(
            r'--8<-- "(lessons_code/examples/[^"]+:\w+)"', (DOCS / source).read_text("utf-8")
        )
    }
    assert shown == written
