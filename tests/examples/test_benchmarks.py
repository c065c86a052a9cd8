"""The benchmark: its measures, its methods on a few rows, the page of the recorded results."""

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import log_loss

from river_hier import Taxonomy, metrics
from support.paths import DATA, DOCS, ROOT

FOLDER = ROOT / "examples" / "benchmarks"
NAMES = ("all", "methods", "page", "results", "rivals", "splits")
TREE = Taxonomy.from_nested({"a": {"b": ["c", "d"]}, "e": {}})


@pytest.fixture
def benchmark(monkeypatch):
    """The modules of the benchmark, whose names may be those of others."""
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in NAMES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    return SimpleNamespace(**{name: __import__(name) for name in reversed(NAMES)})


def few(split, n=40):
    return split._replace(
        X=split.X[:n], y=split.y[:n], X_valid=split.X_valid[:15], y_valid=split.y_valid[:15]
    )


def test_measures_of_several_labels(benchmark):
    rng = np.random.default_rng(0)
    y = np.array([[True, True, b, not b, c] for b, c in rng.random((50, 2)) < 0.5])
    order = [TREE.nodes[1:].index(v) for v in "abcde"]
    y = y[:, np.argsort(order)]
    p = rng.random(y.shape)
    split = benchmark.splits.Split(TREE, None, y, None, y)
    found = benchmark.all.figures(split, benchmark.methods.Answer(p >= 0.5, p), True)
    expected = {
        "zero-one": metrics.ZeroOneLoss(TREE),
        "H-loss": metrics.HLoss(TREE),
        "AU(PRC)": metrics.PooledAUPRC(TREE),
        "ECE": metrics.CalibrationError(TREE),
    }
    nodes = TREE.nodes[1:]
    for truth, row in zip(y.tolist(), p.tolist(), strict=True):
        on = dict(zip(nodes, truth, strict=True))
        scores = dict(zip(nodes, row, strict=True))
        for name, metric in expected.items():
            plain = name in ("zero-one", "H-loss")
            answer = [v for v in nodes if scores[v] >= 0.5] if plain else scores
            metric.update([v for v in nodes if on[v]], answer)
    for name, metric in expected.items():
        assert found[name] == pytest.approx(metric.get()), name
    whole = sum(log_loss(y[:, v], p[:, v], labels=[False, True]) for v in range(y.shape[1]))
    assert found["log loss"] == pytest.approx(whole)


def test_measures_of_one_label(benchmark):
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(len(TREE)), 60)
    y = [TREE.nodes[v] for v in rng.integers(len(TREE), size=60)]
    answers = [TREE.nodes[v] for v in p.argmax(axis=1)]
    split = benchmark.splits.Split(TREE, None, y, None, y)
    found = benchmark.all.figures(split, benchmark.methods.Answer(answers, p), False)
    right = np.array([a == b for a, b in zip(answers, y, strict=True)])
    assert found["zero-one"] == pytest.approx(1 - right.mean())
    truth = [TREE.index(v) for v in y]
    assert found["log loss"] == pytest.approx(log_loss(truth, p, labels=range(len(TREE))))
    top, error = p.max(axis=1), 0.0
    for low in np.arange(10) / 10:
        here = (top >= low) & (top < low + 0.1)
        error += abs((top[here] - right[here]).sum()) / len(p)
    assert found["ECE"] == pytest.approx(error)
    unsure = benchmark.methods.Answer(answers, p, False)
    assert "ECE" not in benchmark.all.figures(split, unsure, False)


def test_the_page_is_that_of_the_recorded_results(benchmark):
    recorded = benchmark.results.read(FOLDER / "recorded.jsonl")
    texts = benchmark.page.text(recorded), (DOCS / "benchmarks.md").read_text("utf-8")
    said, written = (re.sub(r"\*\*Stale\*\*.*\n\n", "", text) for text in texts)
    assert said == written, "run all.py --page"


def test_the_page_says_how_many_results_are_older_than_the_package(benchmark, monkeypatch):
    monkeypatch.setattr(benchmark.page, "package_key", lambda script: "now")
    found = {("rcv1", "HAROW", seed): {"package": key} for seed, key in enumerate(["now", "then"])}
    found |= {("rcv1", "LinearSVC", 0): {"package": "then"}}
    (text,) = benchmark.page.stale(found)
    assert text.startswith("**Stale**: 1 of the 2 results")
    del found["rcv1", "HAROW", 1]
    assert benchmark.page.stale(found) == []


def test_comparisons(benchmark):
    rows = {0: (0.4, 0.3), 1: (0.5, 0.42)}
    found = {
        ("rcv1", name, seed): {"zero-one": pair[i], "H-loss": 1.0 - pair[i]}
        for seed, pair in rows.items()
        for i, name in enumerate(("LinearSVC", "SGDClassifier, one pass"))
    }
    one = benchmark.results.Collection("rcv1", found)
    one.defaults = dict.fromkeys(one.defaults, "LinearSVC")
    assert one.is_behind("zero-one", benchmark.results.ONE_PASS)  # by .09, and .01 or so
    assert not one.is_behind("H-loss", benchmark.results.ONE_PASS)


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "hmc").is_dir(), reason=f"no Clus files in {DATA / 'hmc'}")
def test_an_interrupted_run_continues(benchmark, tmp_path, monkeypatch):
    run, recorded = benchmark.all, tmp_path / "recorded.jsonl"
    collections = {
        name: lambda data, seed, make=run.COLLECTIONS[name]: few(make(data, seed))
        for name in ("ImCLEF07D", "timit")
    }
    monkeypatch.setattr(run, "COLLECTIONS", collections)
    run.main(DATA, 1, "", None, recorded)
    lines = recorded.read_text("utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    assert not [row for row in found if "reason" in row]
    assert {row["collection"] for row in found} == set(collections)
    assert all(0.0 <= row["zero-one"] <= 1.0 and row["learn"] > 0.0 for row in found)
    assert {row["package"] for row in found} == {benchmark.results.package_key(Path(run.__file__))}
    recorded.write_text("\n".join(lines[:5]) + "\n", "utf-8")
    before = run.result
    calls = []
    monkeypatch.setattr(run, "result", lambda *a: calls.append(a) or before(*a))
    run.main(DATA, 1, "", None, recorded)
    assert len(calls) == len(lines) - 5
    assert len(recorded.read_text("utf-8").splitlines()) == len(lines)
