"""The build backend: scikit-build-core, with a C++ compiler from PyPI where the system has none.

The package `ziglang` has clang, its linker and its C++ library for Linux and macOS, and needs
nothing from the system. It compiles its C++ library first, which takes some minutes. On Windows,
CMake finds Visual Studio where no compiler is on the PATH.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from scikit_build_core import build as _build
from scikit_build_core.build import (
    build_sdist,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

Settings = dict[str, "str | list[str]"]

ZIG = "ziglang>=0.14,<0.18"
PROGRAM = "#include <optional>\nint main() { return std::optional<int>(0).value(); }\n"
NO_COMPILER = """
river_hier needs a C++17 compiler: `apt install g++`, `xcode-select --install`, or the like.
On Linux and macOS, the package `ziglang` from PyPI will do, which pip takes with build isolation.
"""


def get_requires_for_build_wheel(config_settings: Settings | None = None) -> list[str]:
    return _build.get_requires_for_build_wheel(config_settings) + _from_pypi()


def get_requires_for_build_editable(config_settings: Settings | None = None) -> list[str]:
    return _build.get_requires_for_build_editable(config_settings) + _from_pypi()


def build_wheel(
    wheel_directory: str,
    config_settings: Settings | None = None,
    metadata_directory: str | None = None,
) -> str:
    with _compiler() as settings:
        settings |= config_settings or {}
        return _build.build_wheel(wheel_directory, settings, metadata_directory)


def build_editable(
    wheel_directory: str,
    config_settings: Settings | None = None,
    metadata_directory: str | None = None,
) -> str:
    with _compiler() as settings:
        settings |= config_settings or {}
        return _build.build_editable(wheel_directory, settings, metadata_directory)


def _from_pypi() -> list[str]:
    if _found() or importlib.util.find_spec("ziglang"):
        return []
    if sys.platform not in ("linux", "darwin"):
        raise SystemExit(NO_COMPILER)
    return [ZIG]


def _found() -> str | None:
    """A compiler of the system that works."""
    if sys.platform == "win32":
        return "CMake's choice"
    names = [*filter(None, [os.environ.get("CXX")]), "c++", "g++", "clang++"]
    return next(filter(_works, names), None)


def _works(compiler: str) -> bool:
    """Whether it compiles and links a program in C++17."""
    command = shlex.split(compiler)
    if shutil.which(command[0]) is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "program.cpp")
        source.write_text(PROGRAM)
        command += ["-std=c++17", str(source), "-o", str(Path(folder, "program"))]
        return subprocess.run(command, capture_output=True).returncode == 0


@contextlib.contextmanager
def _compiler() -> Iterator[Settings]:
    """Inside, CMake finds a compiler; the settings that it needs."""
    if sys.platform == "win32":
        yield {}
    elif compiler := _found():
        with _variables(CXX=compiler):
            yield {}
    elif importlib.util.find_spec("ziglang"):
        print("*** There is no working C++ compiler; ziglang's takes some minutes.", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            # For all processors of this family, as other compilers do.
            compiler = _script(folder, "c++", "-mcpu=baseline")
            with _variables(CXX=compiler, ZIG_GLOBAL_CACHE_DIR=str(Path(folder, "cache"))):
                yield {
                    "cmake.define.CMAKE_AR": _script(folder, "ar"),
                    "cmake.define.CMAKE_RANLIB": _script(folder, "ranlib"),
                    "install.strip": "false",  # there may be no program for it
                }
    else:
        raise SystemExit(NO_COMPILER)


def _script(folder: str, *command: str) -> str:
    """A program that runs a command of zig."""
    path = Path(folder, f"zig-{command[0]}")
    call = shlex.join([sys.executable, "-m", "ziglang", *command])
    path.write_text(f'#!/bin/sh\nexec {call} "$@"\n')
    path.chmod(0o700)
    return str(path)


@contextlib.contextmanager
def _variables(**values: str) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
