"""The patches to River apply to its newest version, and the tests that they add pass."""

import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
import river

from support.paths import DOCS

VERSION = "0.26.1"


@pytest.mark.slow
@pytest.mark.skipif(metadata.version("river") != VERSION, reason=f"patches of River {VERSION}")
@pytest.mark.parametrize("name", ["bugs", "several_labels"])
def test_patches_apply_and_their_tests_pass(name, tmp_path):
    shutil.copytree(Path(river.__file__).parent, tmp_path / "river")
    patch = DOCS / "river" / f"{name}.patch"
    subprocess.run(["git", "apply", str(patch)], cwd=tmp_path, check=True)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=."]
    tests = [str(path) for path in tmp_path.glob("river/**/test_*.py")]
    done = subprocess.run([*command, *tests], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert tests
    assert done.returncode == 0, done.stdout
