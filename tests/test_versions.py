"""What is installed, and what is said of it."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement

import river_hier
from river_hier import versions
from support.paths import ROOT

PYPROJECT = ROOT / "pyproject.toml"


@pytest.fixture(scope="module")
def project() -> dict:
    return tomllib.loads(PYPROJECT.read_text())["project"]


def names(requirements: list[str]) -> set[str]:
    return {Requirement(one).name for one in requirements} - {"river-hier"}


def test_show_versions_knows_all_that_a_user_may_have(project: dict) -> None:
    assert names(project["dependencies"]) == set(versions.REQUIRED)
    extras = project["optional-dependencies"]
    users = {name for extra in extras.keys() - {"docs", "test"} for name in names(extras[extra])}
    assert users == set(versions.EXTRA)


def test_show_versions(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "EXTRA", ("pytest", "no-such-thing"))
    river_hier.show_versions()
    shown = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert shown["river-hier"] == river_hier.__version__
    assert shown["numpy"] == np.__version__
    assert shown["pytest"] == metadata.version("pytest")
    assert "no-such-thing" not in shown


def test_one_version(project: dict) -> None:
    root = PYPROJECT.parent
    assert project["version"] == river_hier.__version__
    assert f"\nversion: {river_hier.__version__}\n" in (root / "CITATION.cff").read_text()
    assert f"\n## {river_hier.__version__}" in (root / "CHANGELOG.md").read_text()


def test_types_are_shipped() -> None:
    assert Path(river_hier.__file__).with_name("py.typed").is_file()
