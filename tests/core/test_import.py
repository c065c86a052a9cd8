"""Which backend an import takes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import river_hier

PACKAGE = Path(river_hier.__file__).parent
PROGRAM = "import river_hier.losses, river_hier._core as b; print(b.name)"


def test_sources_that_hide_an_installed_native_backend_warn_once(tmp_path: Path) -> None:
    sources, installed = tmp_path / "sources", tmp_path / "installed"
    shutil.copytree(
        PACKAGE, sources / "river_hier", ignore=shutil.ignore_patterns("_native*", "__pycache__")
    )
    (installed / "river_hier").mkdir(parents=True)
    (installed / "river_hier" / f"_native{EXTENSION_SUFFIXES[0]}").touch()

    def stderr(pure: str) -> str:
        paths = os.pathsep.join(map(str, (sources, installed)))
        env = os.environ | {"PYTHONPATH": paths, "RIVER_HIER_PURE": pure}
        command = [sys.executable, "-P", "-c", PROGRAM]
        done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
        assert done.stdout == "numpy\n"
        return done.stderr

    warned = stderr(pure="0")
    assert warned.count("RuntimeWarning") == 1
    assert f"imported from {sources / 'river_hier'}, which holds no native backend" in warned
    assert f"the installed {installed / 'river_hier'}" in warned
    assert "pip install -e ." in warned
    assert stderr(pure="1") == ""
