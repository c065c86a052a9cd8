"""The memory that models report, compared with what the process has from the system."""

import gc
import json
import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from river import base, evaluate, preprocessing

from river_hier import Taxonomy, linear_model, metrics, probabilistic
from river_hier.base.memory import memory_of
from river_hier.datasets import synth
from support.processes import environment
from support.public_api import dense, estimators, step

GROW = """
import ctypes, gc, json, random, sys
import numpy as np
from river import base
from river_hier import Taxonomy, decision, kernel, linear_model, probabilistic
from support.memory import resident

make, n_nodes, n, n_names = sys.argv[1], *map(int, sys.argv[2:])
taxonomy = Taxonomy.flat([f"label {i}" for i in range(n_nodes)])

def learned(n, n_names):
    model, rng = eval(make), random.Random(1)
    for _ in range(n):
        x = {f"feature {rng.randrange(n_names)}": rng.gauss(0, 1) for _ in range(20)}
        y = f"label {rng.randrange(n_nodes)}"
        model.learn_one(x, y if isinstance(model, base.Classifier) else {y})
    return model

def measured():
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return resident() * 2**20

np.linalg.eigh(np.eye(1500 if ".HRLS" in make else 10))  # BLAS has memory of its own
learned(200, 100)._raw_memory_usage
before = measured()
model = learned(n, n_names)
walked = base.Base._raw_memory_usage.fget(model)
print(json.dumps([measured() - before, model._raw_memory_usage, walked]))
"""
# A model, nodes, steps, and names.
GROWING = [
    ("linear_model.HAROW(taxonomy)", 200, 1_500, 20_000),
    ("linear_model.HPerceptron(taxonomy)", 20, 12_000, 80_000),
    ("linear_model.HPerceptron(taxonomy)", 500, 5_000, 20_000),
    ("linear_model.AveragedHieron(taxonomy)", 20, 12_000, 80_000),
    ("linear_model.HAROW(taxonomy, dtype='float32')", 20, 20_000, 130_000),
    ("linear_model.PathSoftmax(taxonomy)", 20, 10_000, 60_000),
    ("linear_model.Averaged(linear_model.HAROW(taxonomy))", 20, 9_000, 60_000),
    ("decision.Calibrated(linear_model.HAROW(taxonomy))", 20, 12_000, 80_000),
    ("linear_model.SHRLS(taxonomy)", 4, 1_500, 20_000),
    ("linear_model.HRLS(taxonomy)", 4, 1_700, 1_500),
    ("probabilistic.LinearDiscriminant(taxonomy)", 40, 1_000, 1_000),
]
linux = pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")


@linux
@pytest.mark.slow(but=1)
@pytest.mark.parametrize(("make", "n_nodes", "n", "n_names"), GROWING)
def test_what_models_report_is_what_they_take(
    make: str, n_nodes: int, n: int, n_names: int
) -> None:
    taken, reported, walked = grown(make, n_nodes, n, n_names)
    assert taken > 8e6
    assert reported == pytest.approx(taken, rel=0.1)
    if "Discriminant" not in make:  # in a pipeline, River counts the numbers of arrays twice
        assert walked == pytest.approx(taken, rel=0.1)


def grown(make: str, *sizes: int) -> list[float]:
    command = [sys.executable, "-P", "-c", GROW, make, *map(str, sizes)]
    found = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    numbers: list[float] = json.loads(found.stdout)
    return numbers


def test_every_estimator_reports_its_memory() -> None:
    """Learning adds state, and River's functions see it."""
    for name, model in estimators().items():
        before, rng = model._raw_memory_usage, random.Random(1)
        assert 50 < before < 1e6, name
        for _ in range(40):
            step(model, *dense(model, rng))
        assert before - 500 < model._raw_memory_usage < 3e6, name
        assert model._raw_memory_usage == pytest.approx(memory_of(model), rel=0.05), name
        assert "B" in model._memory_usage
        # River's walk, as in a pipeline, counts some small arrays twice.
        walked = base.Base._raw_memory_usage.fget(model)  # type: ignore[attr-defined]
        assert model._raw_memory_usage <= walked < 2 * model._raw_memory_usage, name


def test_names_of_features_count() -> None:
    model = linear_model.HAROW()
    model.learn_one({"first": 1.0}, {"label"})
    before = model._raw_memory_usage
    for i in range(5_000):
        model.learn_one({f"a name as long as this, {i}": 1.0}, {"label"})
    assert 5_000 * 70 < model._raw_memory_usage - before < 5_000 * 700


def test_arrays_that_share_their_numbers_count_once() -> None:
    class Model:
        def __init__(self) -> None:
            self.numbers = np.zeros(10_000)
            self.part = self.numbers[5:][:-5]
            self.same = [self.numbers, self.part]

    assert memory_of(Model()) == pytest.approx(80_000, abs=2_000)


def test_evaluation_shows_the_memory(capsys: pytest.CaptureFixture[str]) -> None:
    stream = synth.PrototypeTree(branching=3, depth=2, noise=0.1, seed=1)
    model: Any = probabilistic.LinearDiscriminant(stream.taxonomy)
    error = metrics.TreeInducedError(stream.taxonomy)
    steps = evaluate.iter_progressive_val_score(
        stream.take(200), model, error, step=100, measure_memory=True
    )
    reported = [row["Memory"] for row in steps]
    gc.collect()
    assert reported[-1] == pytest.approx(model._raw_memory_usage, rel=0.05)
    scaled: Any = preprocessing.StandardScaler() | linear_model.HAROW(Taxonomy.flat(["a", "b"]))
    scaled.learn_one({f"name {i}": 1.0 for i in range(10_000)}, {"a"})
    evaluate.progressive_val_score(
        [({"x": 1.0}, {"a"})],
        scaled,
        metrics.HLoss(scaled["HAROW"].taxonomy),
        print_every=1,
        show_memory=True,
    )
    assert "MiB" in capsys.readouterr().out
