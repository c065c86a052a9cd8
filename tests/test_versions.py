"""What is installed, and what is said of it."""

import tomllib
from pathlib import Path

import pytest

import river_hier
from support.paths import ROOT

PYPROJECT = ROOT / "pyproject.toml"


@pytest.fixture(scope="module")
def project() -> dict:
    return tomllib.loads(PYPROJECT.read_text())["project"]


def test_one_version(project: dict) -> None:
    root = PYPROJECT.parent
    assert project["version"] == river_hier.__version__
    assert f"\nversion: {river_hier.__version__}\n" in (root / "CITATION.cff").read_text()
    assert f"\n## {river_hier.__version__}" in (root / "CHANGELOG.md").read_text()


def test_types_are_shipped() -> None:
    assert Path(river_hier.__file__).with_name("py.typed").is_file()
