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
    source, program = TESTS / "support" / "kinds_of_loops.cpp", tmp_path / "kinds"
    subprocess.run([GXX, *FLAGS, f"-I{NATIVE}", source, "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert set(done.stdout.split()) <= {"avx2", "avx512"}
