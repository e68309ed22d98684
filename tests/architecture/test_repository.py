"""El repositorio como lo recibe otra persona: lo que promete por escrito es lo que hay."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

TOP_LEVEL = {
    "CITATION.cff",
    "CONTRIBUTING.md",
    "LICENSE",
    "LICENSE-TEXTO.md",
    "README.md",
    "docs",
    "lessons_code",
    "mkdocs.yml",
    "pyproject.toml",
    "requirements.txt",
    "tests",
}


def text(path):
    return (ROOT / path).read_text("utf-8")


def test_the_root_holds_only_what_is_expected():
    ignored = {line.strip("/") for line in text(".gitignore").splitlines()}
    found = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert found - ignored - TOP_LEVEL == set()
    assert found - ignored == TOP_LEVEL, f"falta {TOP_LEVEL - found}"


# --- Lo que se instala -------------------------------------------------------------------------


def pins(path):
    lines = [line.split("#")[0].strip() for line in text(path).splitlines()]
    return [line for line in lines if line and not line.startswith("-r ")]


@pytest.mark.parametrize("path", ["requirements.txt", "tests/requirements.txt"])
def test_every_version_is_exact(path):
    for pin in pins(path):
        assert re.fullmatch(r"[a-z0-9-]+==[\w.]+", pin), f"{path}: {pin}"


def test_every_direct_dependency_is_pinned():
    def names(requirements):
        return {re.match(r"[\w-]+", requirement)[0] for requirement in requirements}

    site = names(pins("requirements.txt"))
    assert names(PROJECT["dependencies"]) <= site
    tests = names(pins("tests/requirements.txt"))
    assert names(PROJECT["optional-dependencies"]["test"]) <= tests
    assert site & tests == set(), "una versión se fija en un solo sitio"
    assert "torch" not in site | tests, "PyTorch no hace falta para leer ni para probar el curso"


def test_the_oldest_python_is_the_same_everywhere():
    oldest = PROJECT["requires-python"].removeprefix(">=")
    major, minor = oldest.split(".")
    assert f"sys.version_info < ({major}, {minor})" in text("lessons_code/__main__.py")
    assert f"Python {oldest} o posterior" in README
    assert f'"{oldest}"' in text(".github/workflows/comprobar.yml")


# --- Lo que se ejecuta al comprobar y al publicar ----------------------------------------------


def readme_orders():
    """Las órdenes que el README da para pegar tal cual."""
    return set(re.findall(r"```bash\n(.+?)\n```", README))


def test_what_the_readme_orders_is_what_is_checked():
    assert "python3 -m lessons_code servir" in readme_orders()
    assert "python3 -m lessons_code probar" in readme_orders()
    assert text(".ci/run").splitlines()[-1] == "python3 -m lessons_code probar"
    assert "bash .ci/run" in text(".github/workflows/comprobar.yml")


def test_every_order_of_the_readme_fits_in_one_line():
    blocks = re.findall(r"```bash\n(.*?)```", README, re.DOTALL)
    assert blocks
    for block in blocks:
        assert block.count("\n") == 1
        assert block.startswith("python3 -m lessons_code ")


def test_the_check_stops_at_the_first_failure():
    assert "set -euo pipefail" in text(".ci/run")
    assert "||" not in text(".ci/run")
    assert (ROOT / ".ci/run").stat().st_mode & 0o111
    subprocess.run(["bash", "-n", ROOT / ".ci/run"], check=True)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_ask_for_little_and_say_which_versions(path):
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    assert True in workflow, "falta `on:`, que YAML lee como un sí"
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 30
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            assert re.fullmatch(r"actions/[\w-]+@v\d+", step.get("uses", "actions/ninguna@v1"))


def test_the_published_addresses_come_from_the_repository_itself():
    publish = text(".github/workflows/publicar.yml")
    assert "${{ steps.pages.outputs.base_url }}" in publish
    assert "${{ github.server_url }}/${{ github.repository }}" in publish
    assert "SOURCE_DATE_EPOCH" in publish
    config = text("mkdocs.yml")
    assert "!ENV [SITE_URL" in config
    assert "!ENV [REPO_URL" in config


# --- Lo que se lee -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["README.md", "LICENSE-TEXTO.md"])
def test_what_is_linked_exists(path):
    targets = re.findall(r"\]\(([^)#]+)", text(path))
    local = [target for target in targets if not target.startswith("https://")]
    assert [target for target in local if not (ROOT / target).exists()] == []


def readme_map():
    """Las rutas del mapa de la casa, reconstruidas por su sangría."""
    tree = re.search(r"```text\n(.*?)```", README, re.DOTALL)[1]
    parent = ""
    for line in tree.splitlines():
        indent = len(line) - len(line.lstrip())
        names = re.split(r" {3,}", line.strip())[0].split()
        if indent == 0:
            parent = names[0]
            yield parent
        else:
            yield from (parent + child for child in names)


def test_the_map_of_the_house_is_the_house():
    paths = set(readme_map())
    assert {"docs/", "lessons_code/", "tests/", "lessons_code/numerics/", "tests/docs/"} <= paths
    assert [path for path in paths if not (ROOT / path).exists()] == []
    floors = {
        f"lessons_code/{path.name}/"
        for path in (ROOT / "lessons_code").iterdir()
        if path.is_dir() and path.name != "__pycache__"
    }
    assert floors <= paths


def test_files_named_in_the_readme_exist():
    for name in re.findall(r"`([\w/.-]+\.(?:py|md|txt|toml|yml))`", README):
        places = [ROOT / name, ROOT / "lessons_code" / name]
        assert any(place.exists() for place in places), name


def test_licences_are_split_and_visible():
    assert text("LICENSE").startswith("MIT License")
    assert "CC BY 4.0" in text("LICENSE-TEXTO.md")
    assert PROJECT["license"] == "MIT AND CC-BY-4.0"
    for notice in (README, text("mkdocs.yml")):
        assert "MIT" in notice
        assert "CC BY 4.0" in notice


def test_fonts_come_with_their_licence():
    for font in (ROOT / "docs").rglob("*.woff2"):
        family = font.name.split("-")[0].upper()
        assert list(font.parent.glob(f"LICENCIA-{family}*")), font.name


def test_the_citation_names_the_course():
    citation = yaml.safe_load(text("CITATION.cff"))
    assert citation["cff-version"] == "1.2.0"
    assert citation["title"].startswith("La ruta de la atención")
    assert citation["version"] == PROJECT["version"]
    assert citation["authors"] == [{"name": "Colectivo de La ruta de la atención"}]
    assert {"message", "title", "authors", "type", "license"} <= citation.keys()
