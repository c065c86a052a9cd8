"""The C++ sources compile for the stable ABI of Python 3.12, for which wheels are built."""

import subprocess
import sys
import sysconfig

import pytest

from support.paths import ROOT, TESTS
from support.requirements import require_module, require_program

NATIVE = ROOT / "river_hier" / "_core" / "native"
# A macro that reads the field of an object, which has another place in another version.
MACRO = "PyObject *first(PyObject *list) { return PyList_GET_ITEM(list, 0); }\n"


def errors(*sources):
    """What g++ says of the sources; no code is generated."""
    nanobind = require_module("nanobind", "test")
    folders = [NATIVE, nanobind.include_dir(), sysconfig.get_path("include")]
    command = [require_program("g++"), "-std=c++17", "-fvisibility=hidden", "-fsyntax-only"]
    command += ["-include", str(TESTS / "support" / "stable_abi.hpp")]
    command += [f"-I{folder}" for folder in folders] + list(map(str, sources))
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


@pytest.mark.skipif(
    sys.version_info < (3, 12), reason="nanobind targets the stable ABI from Python 3.12 on"
)
@pytest.mark.slow
def test_all_sources_compile():
    sources = sorted(NATIVE.rglob("*.cpp"))
    assert len(sources) >= 5
    assert errors(*sources) == ""


def test_what_the_stable_abi_lacks_is_an_error(tmp_path):
    (tmp_path / "macro.cpp").write_text(MACRO)
    assert "PyList_GET_ITEM" in errors(tmp_path / "macro.cpp")
