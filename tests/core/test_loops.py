"""The loops that are compiled for several kinds of processors give the same bits on each."""

import subprocess

import pytest

from support.paths import ROOT, TESTS
from support.requirements import require_program

NATIVE = ROOT / "river_hier" / "_core" / "native"
FLAGS = ["-std=c++17", "-ffp-contract=off", "-fno-math-errno"]  # as in CMakeLists.txt
# As they are published for gcc; for one kind of processor only; and as they are written.
KINDS = [
    ["g++", "-O3"],
    ["g++", "-O3", "-DRIVER_HIER_SANITIZE"],
    ["clang++", "-O3"],
    ["g++", "-O0"],
]


@pytest.mark.slow
def test_all_kinds_give_the_same_bits(tmp_path):
    digests = []
    for compiler, *flags in KINDS:
        program = tmp_path / "kinds"
        source = TESTS / "support" / "kinds_of_loops.cpp"
        command = [require_program(compiler), *FLAGS, *flags, f"-I{NATIVE}", source, "-o", program]
        subprocess.run(command, check=True)
        run = subprocess.run([program], capture_output=True, text=True, check=True)
        digests.append(run.stdout)
    assert len(set(digests)) == 1, digests
