"""Runs a script cell by cell and records the output and the figures of each cell."""

from __future__ import annotations

import contextlib
import hashlib
import io
import shutil
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import river.evaluate  # noqa: F401  slow to import, so not counted for the first script
from pictures import STYLE, described, save
from record import Output, Picture, Record, store
from script import Cell, Script

import river_hier

sys.path.append(str(Path(__file__).resolve().parents[1] / "papers"))
from package_key import package_key


class ScriptError(Exception):
    """A cell failed; the message has its position."""


def key(script: Script) -> str:
    """A hash of what a run depends on: the script, the code that runs and draws it, and the
    version of the library. Within a version, the tests ensure that the output does not change."""
    parts = [script.source, river_hier.__version__, mpl.__version__]
    modules = sorted(Path(__file__).parent.glob("*.py"))
    parts += [module.read_text(encoding="utf-8") for module in modules]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def source_key(script: Script) -> str:
    """A hash of the script alone, for recorded runs, which have the key of the package as well."""
    return hashlib.sha256(script.source.encode()).hexdigest()[:16]


def run(script: Script, folder: Path) -> Record:
    """Run the script; the folder is only replaced if all cells succeed."""
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        record = _run(script, part)
        store(record, part)
        shutil.rmtree(folder, ignore_errors=True)
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return record


def _run(script: Script, folder: Path) -> Record:
    outputs: list[Output] = []
    seconds = 0.0
    plt.switch_backend("Agg")
    plt.close("all")
    with plt.style.context(STYLE, after_reset=True), _as_main(script.path) as names:
        for i, cell in enumerate(script.cells):
            start = time.process_time()
            printed = _execute(cell, script.path, names)
            seconds += time.process_time() - start
            outputs.append(Output(printed, _drawn(folder, f"cell_{i}")))
    if script.recorded is None:
        return Record(key(script), round(seconds, 1), outputs)
    return Record(source_key(script), round(seconds, 1), outputs, package_key(script.path))


@contextlib.contextmanager
def _as_main(path: Path) -> Iterator[dict[str, Any]]:
    """The names of a temporary `__main__` module, which pickling requires."""
    module, before = ModuleType("__main__"), sys.modules["__main__"]
    module.__file__ = str(path)
    sys.modules["__main__"] = module
    try:
        yield vars(module)
    finally:
        sys.modules["__main__"] = before


def _execute(cell: Cell, path: Path, names: dict[str, Any]) -> str:
    """The output of the cell; error messages have the line numbers of the script."""
    printed = io.StringIO()
    try:
        code = compile("\n" * (cell.line - 1) + cell.code, path, "exec")
        with contextlib.redirect_stdout(printed):
            exec(code, names)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        at = [frame.lineno for frame in frames if frame.filename == str(path)] or [cell.line]
        message = f"{path}, line {at[-1]}: {type(error).__name__}: {error}"
        raise ScriptError(message) from error
    return printed.getvalue()


def _drawn(folder: Path, cell: str) -> list[Picture]:
    """Save and close the open figures."""
    pictures = []
    for number in plt.get_fignums():
        figure = plt.figure(number)
        name = f"{cell}_figure_{number}"
        width = save(figure, folder, name)
        pictures.append(Picture(name, described(figure), width))
    plt.close("all")
    return pictures
