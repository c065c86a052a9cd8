"""The gallery: every script runs, offline, with and without the extras, and finds what it says."""

import contextlib
import importlib.util
import io
import json
import re
import runpy
import socket
import sys
import tempfile
import time
from pathlib import Path

import pytest

from support.paper_scripts import assert_same
from support.paths import DATA, ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
EXTRAS = ["matplotlib", "sklearn", "tqdm"]  # `pip install .` brings none of them
FOLDERS = re.compile("clinc150|hmc|ohsumed|products|rcv1|reuters21578|timit")
HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None

each_example = pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)


def refuse(*args):
    raise AssertionError("an example went online")


def needs_data(path):
    return "RIVER_HIER_DATA" in path.read_text(encoding="utf-8")


def run(path, patch):
    """What the script prints; it may neither connect, nor leave anything behind, nor take long."""
    if needs_data(path):
        for folder in FOLDERS.findall(path.read_text(encoding="utf-8")):
            if not (DATA / folder).exists():
                pytest.skip(f"no {folder} at {DATA}: set RIVER_HIER_DATA")
            if folder == "timit":
                pytest.importorskip("kaldi_native_fbank", reason="speech needs the extra `audio`")
        patch.setenv("RIVER_HIER_DATA", str(DATA))
    patch.setattr(socket.socket, "connect", refuse)
    patch.setenv("MPLBACKEND", "Agg")
    printed = io.StringIO()
    start = time.process_time()  # whatever else the machine is doing
    with tempfile.TemporaryDirectory() as folder:
        with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
            runpy.run_path(str(path), run_name="__main__")
        assert not list(Path(folder).iterdir())
    assert time.process_time() - start < (60 if needs_data(path) else 30)
    return printed.getvalue()


@each_example
def test_form(path):
    text = path.read_text(encoding="utf-8")
    title, blank, *paragraph = text.split('"""')[1].splitlines()
    assert title.endswith("?")
    assert not blank
    assert len(paragraph) >= 3
    assert len(text.splitlines()) <= 60
    cells = text.split("\n# %%\n")
    assert len(cells) >= 3
    assert all(cell.startswith("# ") for cell in cells[1:]), "a cell without prose"


@pytest.mark.slow(but=1)
@each_example
@pytest.mark.filterwarnings("ignore:gasch1_GO:UserWarning")  # names an attribute twice
@pytest.mark.skipif(not HAS_MATPLOTLIB, reason="matplotlib is an extra")
def test_page(path, tmp_path, monkeypatch):
    """It makes one figure, finds what the prose speaks of, and may run without extras.

    After a change read the prose again. Then, if it needs data, `gallery/make.py --record`, or else
    `python examples/X.py > printed/X.txt`.
    """
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
    assert_same(printed, findings(path), 0.02)
    if "except ImportError" in path.read_text(encoding="utf-8"):
        for name in EXTRAS:
            monkeypatch.setitem(sys.modules, name, None)
        plainly = run(path, monkeypatch)
        # The same findings, up to the last line about what is missing.
        assert plainly.startswith(printed.rstrip())
        assert "matplotlib" in plainly.splitlines()[-1]


def findings(path):
    """What it printed when its prose was written."""
    if not needs_data(path):
        return (Path(__file__).parent / "printed" / f"{path.stem}.txt").read_text("utf-8")
    recorded = ROOT / "examples" / "gallery" / "recorded" / path.stem / "run.json"
    outputs = json.loads(recorded.read_text(encoding="utf-8"))["outputs"]
    return "".join(printed for printed, _ in outputs)
