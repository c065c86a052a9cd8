"""The gallery: every script runs, offline, with and without the extras, and finds what it says."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import io
import json
import runpy
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from support.paper_scripts import assert_same
from support.paths import DATA, ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
EXTRAS = ["matplotlib", "networkx", "sklearn", "tqdm"]  # `pip install .` brings none of them
HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None

each_example = pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)


def refuse(*args: Any) -> None:
    raise AssertionError("an example went online")


def needs_data(path: Path) -> bool:
    return "RIVER_HIER_DATA" in path.read_text(encoding="utf-8")


def run(path: Path, patch: pytest.MonkeyPatch) -> str:
    """What the script prints; it may neither connect, nor leave anything behind, nor take long."""
    if needs_data(path):
        if not (DATA / "products").exists() or not (DATA / "clinc150").exists():
            pytest.skip(f"no products and queries at {DATA}: set RIVER_HIER_DATA")
        patch.setenv("RIVER_HIER_DATA", str(DATA))
    patch.setattr(socket.socket, "connect", refuse)
    patch.setenv("MPLBACKEND", "Agg")
    printed = io.StringIO()
    start = time.process_time()  # whatever else the machine is doing
    with tempfile.TemporaryDirectory() as folder:
        with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
            runpy.run_path(str(path), run_name="__main__")
        assert not list(Path(folder).iterdir())
    assert time.process_time() - start < 30
    return printed.getvalue()


@functools.cache
def plainly(path: Path) -> str:
    """What it prints where only the core dependencies are installed; run once."""
    with pytest.MonkeyPatch.context() as patch:
        for name in EXTRAS:
            patch.setitem(sys.modules, name, None)
        return run(path, patch)


@each_example
def test_form(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    title, blank, *paragraph = text.split('"""')[1].splitlines()
    assert title.endswith("?") != needs_data(path)  # real data: what they are
    assert not blank
    assert len(paragraph) >= 3
    assert len(text.splitlines()) <= (120 if needs_data(path) else 100)
    cells = text.split("\n# %%\n")
    assert len(cells) >= 4
    assert all(cell.startswith("# ") for cell in cells[1:]), "a cell without prose"


@pytest.mark.slow(but=1)
@each_example
@pytest.mark.skipif(not HAS_MATPLOTLIB, reason="matplotlib is an extra")
def test_makes_one_figure_and_runs_without_extras(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import matplotlib.pyplot as plt

    plt.close("all")
    plt.switch_backend("Agg")  # another test may have chosen one
    try:
        printed = run(path, monkeypatch)
        assert len(plt.get_fignums()) == 1
        figure = plt.gcf()
        for ax in figure.axes:
            assert ax.get_xlabel()
            assert ax.has_data()
            for curve in ax.lines:  # all of it is to be seen
                (low, high), y = sorted(ax.get_ylim()), curve.get_ydata(orig=False)
                assert low <= min(y) <= max(y) <= high
        assert figure.axes[0].get_ylabel()
        figure.savefig(tmp_path / f"{path.stem}.png")  # to look at: pytest --basetemp=somewhere
    finally:
        plt.close("all")
    # The same findings, up to the last line about what is missing.
    assert plainly(path).startswith(printed.rstrip())
    assert "matplotlib" in plainly(path).splitlines()[-1]


@pytest.mark.slow
@each_example
def test_findings(path: Path) -> None:
    """What the prose speaks of: read it again before `python examples/X.py > printed/X.txt`."""
    if not needs_data(path):
        recorded = (Path(__file__).parent / "printed" / f"{path.stem}.txt").read_text("utf-8")
        findings, _, _ = plainly(path).rstrip().rpartition("\n")  # then what is missing
        assert_same(findings, recorded, 0.02)


@pytest.mark.slow
@pytest.mark.parametrize("path", [*filter(needs_data, EXAMPLES)], ids=lambda path: path.stem)
def test_recorded_output_is_what_the_script_prints(path: Path) -> None:
    recorded = ROOT / "examples" / "gallery" / "recorded" / path.stem / "run.json"
    run = json.loads(recorded.read_text(encoding="utf-8"))
    assert plainly(path).startswith("".join(printed for printed, _ in run["outputs"]))
