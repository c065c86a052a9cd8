"""The benchmark of dense features, in small."""

from __future__ import annotations

import re
import runpy

import pytest

from support.paths import ROOT

SCRIPT = ROOT / "examples" / "benchmarks" / "dense.py"


@pytest.mark.slow
def test_dense(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", [str(SCRIPT), "--quick"])
    script = runpy.run_path(str(SCRIPT), run_name="__main__")
    printed = capsys.readouterr().out
    assert "400 examples to learn" in printed
    rows = re.findall(r"^( *\S.*?) +(\d\.\d{3}) \+- \d\.\d{3} +(\d\.\d{3})", printed, re.MULTILINE)
    wrong = {name: float(share) for name, share, _ in rows}
    assert set(wrong) == {"the truth", *script["LEARNERS"]}
    ours = wrong["LinearDiscriminant"]
    others = ["nearest class mean", "AveragedHieron", "SGDClassifier(log_loss)"]
    assert wrong["the truth"] < ours < min(wrong[name] for name in others)
