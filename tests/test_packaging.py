"""What is published: workflows, the versions of Python in them, and the links that PyPI shows."""

import json
import re
import tomllib
from typing import Any

import pytest

from support.paths import ROOT

TOML: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = TOML["project"]
WORKFLOWS = ROOT / ".github" / "workflows"

pytestmark = pytest.mark.skipif(not WORKFLOWS.exists(), reason="not in a source distribution")


def test_workflows_and_forms_parse() -> None:
    yaml = pytest.importorskip("yaml")
    for path in (ROOT / ".github").rglob("*.yml"):
        found = yaml.safe_load(path.read_text("utf-8"))
        if path.parent == WORKFLOWS:
            assert found["permissions"] == {"contents": "read"}, path
            for job in found["jobs"].values():
                assert {"runs-on", "steps"} <= job.keys() or "uses" in job, path
            for used in re.findall(r"uses: (?!\./)(.*)", path.read_text("utf-8")):
                assert re.fullmatch(r"[\w/.-]+@[0-9a-f]{40} # v\d[\d.]*", used), used
        else:
            assert {"name", "description", "body"} <= found.keys(), path
    yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))


def test_versions_of_python_agree() -> None:
    named = " ".join(PROJECT["classifiers"])
    versions = re.findall(r"Python :: (3\.\d+)", named)
    tested = re.search(r"python: \[(.*)\]", (WORKFLOWS / "tests.yml").read_text("utf-8"))
    assert tested is not None
    assert re.findall(r"3\.\d+", tested[1]) == versions
    build = TOML["tool"]["cibuildwheel"]["build"]
    assert build == [f"cp{version.replace('.', '')}-*" for version in versions]
    assert PROJECT["requires-python"] == f">={versions[0]}"
    assert TOML["tool"]["ruff"]["target-version"] == f"py{versions[0].replace('.', '')}"


def test_wheels_are_tested_beside_what_the_tests_read() -> None:
    sources = set(TOML["tool"]["cibuildwheel"]["test-sources"])
    assert all((ROOT / source).exists() for source in sources)
    tests = "".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.py"))
    read = set(re.findall(r'\b(?:ROOT|root) / "([.\w]+)"', tests))
    not_there = {
        ".github",
        ".pre-commit-config.yaml",
        ".zenodo.json",
    }  # this file is skipped without them
    assert read - sources - not_there <= {"build", "data"}


def test_zenodo_and_citation_say_what_the_package_says() -> None:
    zenodo = json.loads((ROOT / ".zenodo.json").read_text("utf-8"))
    cited = pytest.importorskip("yaml").safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert zenodo["title"] == cited["title"]
    assert zenodo["description"] == cited["abstract"]
    assert zenodo["creators"] == cited["authors"]
    assert zenodo["license"] == cited["license"] == PROJECT["license"]
    assert set(zenodo["keywords"]) == {*cited["keywords"], *PROJECT["keywords"]}


def test_the_recipe_of_conda_forge_needs_what_the_wheel_needs() -> None:
    yaml = pytest.importorskip("yaml")
    path = ROOT / ".github" / "conda" / "recipe.yaml"
    recipe = yaml.safe_load(path.read_text("utf-8"))
    assert recipe["context"]["version"] == PROJECT["version"]
    needs = recipe["requirements"]
    run = {name.replace(" ", "") for name in needs["run"]}
    assert run == {"python", *PROJECT["dependencies"]}
    host = {name.replace(" ", "") for name in needs["host"]}
    hook = "hatch-fancy-pypi-readme"  # scikit-build-core asks for it when it builds
    assert host == {"python", "pip", hook, *TOML["build-system"]["requires"]}


def test_links_on_pypi_are_absolute_and_lead_to_files() -> None:
    hook = TOML["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    shown = (ROOT / "README.md").read_text("utf-8")
    for change in hook["substitutions"]:
        shown = re.sub(change["pattern"], change["replacement"], shown)
    links = re.findall(r"\]\(([^)]+)\)", shown)
    assert len(links) > 10
    files = PROJECT["urls"]["Source"] + "/blob/main/"
    for link in [*links, PROJECT["urls"]["Changelog"]]:
        assert link.startswith(("https://", "#")), link
        if link.startswith(files):
            assert (ROOT / link.removeprefix(files).partition("#")[0]).exists(), link
