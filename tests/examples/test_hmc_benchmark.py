"""The benchmark on the collections of hierarchical multilabel classification, in small."""

from __future__ import annotations

import re
import runpy

import pytest

from support.paths import DATA, ROOT

SCRIPT = ROOT / "examples" / "benchmarks" / "hmc.py"


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "hmc").is_dir(), reason=f"no Clus files in {DATA / 'hmc'}")
def test_hmc(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", [str(SCRIPT), "--data", str(DATA), "--quick"])
    script = runpy.run_path(str(SCRIPT), run_name="__main__")
    printed = capsys.readouterr().out
    titles = re.findall(r"^(\w+): 40 \+ 15 examples", printed, re.MULTILINE)
    assert titles == list(script["COLLECTIONS"])
    row = r"^(\S.*?) +(\d\.\d{3})" + r" +(\d+\.\d{3})" * 3 + r" +(\d+\.\d)$"
    rows = re.findall(row, printed, re.MULTILINE)
    assert {name for name, *_ in rows} == set(script["LEARNERS"])
    assert all(0.0 < float(area) <= 1.0 and float(hf1) <= 100.0 for _, area, *_, hf1 in rows)
    for _, _, loss, truncated, _, _ in rows:
        assert float(truncated) <= float(loss), "Lemma 1 of Cesa-Bianchi et al."
    claims = printed.splitlines()[-10:]
    assert all(re.match(r"reproduced {6}|not reproduced  |not testable {4}", c) for c in claims)
