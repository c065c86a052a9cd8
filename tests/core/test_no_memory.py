"""Every allocation of a step fails once: the step is learned or not, a batch up to a row."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from support.backends import environment, native_only
from support.paths import TESTS

PROGRAM = """
import ctypes, os, pickle, random, sys
import numpy as np
from scipy import sparse
from river import base
from river_hier import OpenTaxonomy, Taxonomy, linear_model

make, n_nodes, ROWS = sys.argv[1], int(sys.argv[2]), 6
fail_at = ctypes.CDLL(os.environ["LD_PRELOAD"]).fail_at
rng = random.Random(1)
parents = [0, *(rng.randrange(v) for v in range(1, n_nodes))]
taxonomy = Taxonomy([(f"n{parents[v]}", f"n{v}") for v in range(1, n_nodes)])
model = eval(make)

def name(v):
    path = name(parents[v]) + "/" if v and "Open" in make else ""
    return f"{path}n{v}"

def example(n_names):
    x = {f"a longer name of a feature {rng.randrange(n_names)}": rng.gauss(0, 1) for _ in range(8)}
    y = name(rng.randrange(n_nodes))
    return x, y if isinstance(model, base.Classifier) else {y}

for _ in range(40):
    model.learn_one(*example(60))
if "RLS" not in make:  # so many names that the table of names grows
    model.learn_one({f"name {i}": rng.gauss(0, 1) for i in range(690)}, example(1)[1])
before = pickle.dumps(model)
batch, asked = [example(10**6) for _ in range(ROWS)], [example(60)[0] for _ in range(3)]
asked += [x for x, _ in batch]
names = list(dict.fromkeys(name for x, _ in batch for name in x))
X = sparse.lil_array((ROWS, len(names)))
for i, (x, _) in enumerate(batch):
    for name, value in x.items():
        X[i, names.index(name)] = value
X = X.tocsr()

def scores(model):
    return np.array([s for x in asked for s in model.score_one(x).values()])

def step(model, prefix=ROWS, predict=False):
    for n, (x, y) in enumerate(batch[:prefix]):
        try:
            if predict:
                model.predict_one(x)
            model.learn_one(x, y)
        except MemoryError as error:
            error.n_learned = n
            raise

def predict_and_step(model):
    step(model, predict=True)

def many(model):
    model.learn_many(X, [y for _, y in batch], columns=names)

prefixes = []
for n in range(ROWS + 1):
    learned = pickle.loads(before)
    step(learned, n)
    prefixes.append(scores(learned))
near = 1e-3 if "memory" in make else 1e-9  # conjugate gradients stop early
for work in (step, many, predict_and_step):
    k, failures = 0, 0
    while True:
        learned = pickle.loads(before)
        scores(learned)  # what is allocated once
        fail_at(k)
        try:
            work(learned)
        except MemoryError as error:
            fail_at(-1)
            n = error.n_learned
            np.testing.assert_allclose(scores(learned), prefixes[n], rtol=near, atol=near)
            for x, y in batch[n:]:
                learned.learn_one(x, y)
            np.testing.assert_allclose(scores(learned), prefixes[-1], rtol=near, atol=near)
            assert np.isfinite(scores(pickle.loads(pickle.dumps(learned)))).all()
            failures += 1
            k += max(1, k // 20)
        else:
            fail_at(-1)
            break
    assert failures > 5, failures
"""


OPTIONS = ["", "memory=0", "memory=3000", "forgetting=.9", "n_features=16"]
OPTIONS += ["n_features=16, forgetting=.9", "n_features=16, memory=0"]
LEAST_SQUARES = [(f"linear_model.HRLS(taxonomy, {options})", 20) for options in OPTIONS]
OPTIONS += ["budget=4", "budget=4, memory=0", "budget=4, memory=3000"]
LEAST_SQUARES += [(f"linear_model.SHRLS(taxonomy, {options})", 20) for options in OPTIONS]
LEAST_SQUARES += [("linear_model.SHRLS(taxonomy)", 200)]
for options in ("", "n_features=16"):
    LEAST_SQUARES += [
        (f"linear_model.{name}({opened}{options})", 200)
        for name in ("HRLS", "SHRLS")
        for opened in ("OpenTaxonomy('/'), ", "None, ")
    ]


@pytest.fixture(scope="module")
def failing_new(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which(os.environ.get("CXX", "g++"))
    if compiler is None or sys.platform != "linux":
        pytest.skip("no compiler, or no LD_PRELOAD")
    library = tmp_path_factory.mktemp("new") / "failing_new.so"
    source = TESTS / "support" / "failing_new.cpp"
    flags = ["-shared", "-fPIC", "-O1", "-std=c++17"]
    subprocess.run([compiler, *flags, str(source), "-o", str(library), "-ldl"], check=True)
    return library


@native_only
@pytest.mark.slow(but=1)
@pytest.mark.parametrize(
    ("make", "n_nodes"),
    [
        ("linear_model.HAROW(taxonomy)", 20),
        ("linear_model.HAROW(taxonomy)", 200),
        ("linear_model.HAROW(taxonomy, n_features=2**12, dtype='float32')", 200),
        ("linear_model.HAROW(taxonomy, dtype='float16')", 200),
        ("linear_model.HPerceptron(taxonomy)", 200),
        ("linear_model.Hieron(taxonomy)", 20),
        ("linear_model.Hieron(taxonomy)", 200),
        ("linear_model.PathSoftmax(taxonomy)", 20),
        ("linear_model.PathSoftmax(taxonomy)", 200),
        ("linear_model.HAROW(taxonomy, forgetting=.9)", 200),
        ("linear_model.AveragedHieron(taxonomy)", 20),
        ("linear_model.HPerceptron()", 200),
        ("linear_model.HAROW(OpenTaxonomy('/'), dtype='float16')", 200),
        ("linear_model.PathSoftmax(OpenTaxonomy('/'))", 200),
        ("linear_model.AveragedHieron(OpenTaxonomy('/'))", 200),
        ("linear_model.AveragedClassifier(linear_model.Hieron())", 200),
        (
            "linear_model.AveragedMultiLabelClassifier(linear_model.HAROW(OpenTaxonomy('/')))",
            200,
        ),
        ("linear_model.AveragedHieron(taxonomy)", 200),
        ("linear_model.AveragedClassifier(linear_model.Hieron(taxonomy))", 200),
        *[
            (f"linear_model.AveragedMultiLabelClassifier(linear_model.{inner})", 200)
            for inner in ("HPerceptron(taxonomy)", "HAROW(taxonomy, forgetting=.9)")
        ],
        *LEAST_SQUARES,
    ],
)
def test_every_allocation_may_fail(failing_new: Path, make: str, n_nodes: int) -> None:
    preload = {"LD_PRELOAD": str(failing_new), "OMP_NUM_THREADS": "1"}
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM, make, str(n_nodes)],
        env={**environment("native"), **preload},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr[-2000:]


TEXTS_PROGRAM = """
import ctypes, os, pickle
from river_hier.feature_extraction import LogTFIDF

fail_at = ctypes.CDLL(os.environ["LD_PRELOAD"]).fail_at
texts = [" ".join(f"a{i} word{i * j} ünder{j}" for j in range(90)) for i in range(12)]
bag = LogTFIDF(min_count=1, ngram_range=(1, 2))
bag.learn_one(texts.pop())
before, prefixes = pickle.dumps(bag), [bag._vocabulary.counts]
for text in texts:
    bag.learn_one(text)
    prefixes.append(bag._vocabulary.counts)
k = failures = 0
while True:
    bag = pickle.loads(before)
    fail_at(k)
    try:
        bag.learn_many(texts)
    except MemoryError as error:
        fail_at(-1)
        assert bag._vocabulary.counts == prefixes[error.n_learned], k
        for text in texts[error.n_learned:]:
            bag.learn_one(text)
        assert bag._vocabulary.counts == prefixes[-1], k
        failures += 1
        k += 1
    else:
        fail_at(-1)
        break
assert failures > 20, failures
"""


@native_only
@pytest.mark.skipif(
    bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    reason="on a free-threaded Python, nanobind ends the process if its own tables cannot grow",
)
def test_a_text_is_counted_or_not(failing_new: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", TEXTS_PROGRAM],
        env={**environment("native"), "LD_PRELOAD": str(failing_new)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr[-2000:]
