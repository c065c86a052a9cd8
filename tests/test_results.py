"""The papers' scripts on the real data: what they print stands in docs/results*.md."""

from __future__ import annotations

import os
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("RIVER_HIER_DATA", ROOT.parent / "shared" / "data"))
RESULTS = ROOT / "docs" / "results.md"


def documented(command: str) -> str:
    """The block of the results that follows a command."""
    found = re.search(
        rf"```sh\n{re.escape(command)}[^\n]*\n```\n+```text\n(.*?)```",
        RESULTS.read_text(encoding="utf-8"),
        re.DOTALL,
    )
    assert found, f"{command} is not in {RESULTS.name}"
    return found[1]


def assert_same(printed: str, documented: str, tolerance: float) -> None:
    """The same words, and the same numbers as far as another machine's arithmetic allows.

    Whole numbers may differ by one.
    """
    number = re.compile(r"-?\d+(?:[.,]\d+)*")
    # A number a digit shorter moves its column, so white space does not count.
    words = [number.sub("#", text).split() for text in (printed, documented)]
    assert words[0] == words[1]
    pairs = zip(number.findall(printed), number.findall(documented), strict=True)
    for ours, theirs in pairs:
        ours_, theirs_ = (float(n.replace(",", "")) for n in (ours, theirs))
        slack = tolerance * max(1.0, abs(theirs_)) if "." in ours else 1.0
        assert abs(ours_ - theirs_) <= slack, (ours, theirs)


def run(script: str, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> dict[str, Any]:
    path = ROOT / "examples" / "papers" / script
    monkeypatch.setattr("sys.argv", [str(path), *arguments])
    return runpy.run_path(str(path), run_name="__main__")


@pytest.mark.skipif(not (DATA / "rcv1").is_dir(), reason=f"no RCV1 files in {DATA / 'rcv1'}")
def test_cesa_bianchi_2006(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = run("cesa_bianchi_2006.py", monkeypatch, "--data", str(DATA / "rcv1"))
    printed = capsys.readouterr().out
    assert_same(printed, documented("python examples/papers/cesa_bianchi_2006.py"), 0.002)
    found = {
        name: [float(value) for value in re.findall(r"\d\.\d{3}", line)[::2]]
        for name in script["PAPER_TABLE_1"]
        for line in printed.splitlines()
        if line.startswith(name + " ")
    }
    for name, expected in {
        "PERC": (0.664, 1.461, 1.873),
        "H-PERC": (0.569, 1.097, 1.782),
        "S-RLS": (0.507, 0.875, 1.217),
        "SH-RLS": (0.432, 0.733, 1.134),
        "SVM": (0.472, 0.810, 1.138),
        "H-SVM": (0.424, 0.715, 1.106),
    }.items():
        assert found[name] == pytest.approx(expected, abs=0.002), name
    for flat, hierarchical, nearest in zip(
        found["S-RLS"], found["SH-RLS"], found["H-SVM"], strict=True
    ):
        assert hierarchical < flat
        assert hierarchical < 1.05 * nearest


def test_dekel_2004(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    run("dekel_2004.py", monkeypatch)
    printed = capsys.readouterr().out
    assert_same(printed, documented("python examples/papers/dekel_2004.py"), 0.05)


@pytest.mark.skipif(
    not (DATA / "reuters21578").is_dir(), reason=f"no Reuters-21578 in {DATA / 'reuters21578'}"
)
def test_el_yaniv_2002(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Only three classes, which takes seconds: line by line as in the whole."""
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "papers"))
    folder = str(DATA / "reuters21578")
    run("el_yaniv_2002.py", monkeypatch, "--data", folder, "--most", "3")
    printed = capsys.readouterr().out
    whole = documented("python examples/papers/el_yaniv_2002.py").splitlines()
    few = [line for line in whole if line.startswith("3 ")]
    assert len(few) == 3
    found = [line for line in printed.splitlines() if line.startswith("3 ")]
    assert_same("\n".join(found), "\n".join(few), 0.05)


@pytest.mark.skipif(not (DATA / "rcv1").is_dir(), reason=f"no RCV1 files in {DATA / 'rcv1'}")
def test_cai_hofmann_2007(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The whole takes minutes: here with few documents, beside what stands documented."""
    run("cai_hofmann_2007.py", monkeypatch, "--data", str(DATA), "--quick")
    printed = capsys.readouterr().out
    whole = documented("python examples/papers/cai_hofmann_2007.py")
    titles = re.compile(r"^(?:SVM|perceptron).*$", re.MULTILINE)
    assert titles.findall(printed) == titles.findall(whole)
    claims = re.compile(r"^(?:not )?reproduced +(.*) \(", re.MULTILINE)
    assert claims.findall(printed) == claims.findall(whole)
    rows = re.findall(r"^(?:Root|[CEGM]CAT)\b(?: \*)?((?: +[\d.]+){10})$", printed, re.MULTILINE)
    assert len(rows) == 5 * 5
    for row in rows:
        *_, parents, with_tree = (float(value) for value in row.split())
        assert 0.0 < parents <= 100.0
        assert 0.0 < with_tree <= 100.0
