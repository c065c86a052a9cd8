"""The loops that are compiled for several kinds of processors give the same bits on each."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

import pytest

from support.paths import ROOT, TESTS
from support.requirements import require_program

NATIVE = ROOT / "river_hier" / "_core" / "native"
FLAGS = ["-std=c++17", "-O2", "-ffp-contract=off", "-fno-math-errno"]  # as in CMakeLists.txt

GXX = require_program("g++")


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="one kind only")
def test_all_kinds_give_the_same_bits(tmp_path: Path) -> None:
    source, found = TESTS / "support" / "kinds_of_loops.cpp", []
    for kind in ("plain", "chosen"):  # by the processor
        more = ["-DRIVER_HIER_SANITIZE"] if kind == "plain" else []
        command = [GXX, *FLAGS, *more, f"-I{NATIVE}", source, "-o", tmp_path / kind]
        subprocess.run(command, check=True)
        found.append(subprocess.check_output([tmp_path / kind], text=True))
    assert found[0] == found[1]
