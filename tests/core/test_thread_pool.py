"""Batches of least squares on several threads: the same model as from one, and as from a loop.

`.ci/run` runs this under gcc's thread sanitizer, too.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from river_hier import linear_model
from river_hier._core.reference import least_squares
from support.backends import environment, kinds, native_only, running_on
from support.thread_batches import ROWS, TREE, labels, names, words

CASES: list[tuple[str, dict[str, Any]]] = [
    ("HRLS", {}),
    ("HRLS", {"memory": 0.0}),
    ("SHRLS", {}),
    ("SHRLS", {"memory": 0.0}),
    ("SHRLS", {"memory": 3e6}),
    ("SHRLS", {"budget": 20}),
]

pytestmark = native_only


@pytest.fixture(autouse=True)
def native() -> Iterator[None]:
    with running_on("native"):
        yield


def few(rng: np.random.Generator) -> sparse.csr_array:
    """Soon in primal variables."""
    return sparse.csr_array(rng.normal(size=(ROWS, 12)))


def more_and_more(rng: np.random.Generator) -> sparse.csr_array:
    """To primal variables and back, within a batch."""
    X = rng.normal(size=(ROWS, 150))
    X[: ROWS // 2, 5:] = 0.0
    return sparse.csr_array(X)


def learned(
    name: str, parameters: dict[str, Any], X: sparse.csr_array, y: list[Any], n_batches: int
) -> Any:
    model = getattr(linear_model, name)(TREE, **parameters)
    for rows in np.split(np.arange(ROWS), n_batches):
        model.learn_many(X[rows], [y[i] for i in rows], columns=names(X.shape[1]))
    return model


@pytest.mark.slow(but=3)
@pytest.mark.parametrize("made", [few, words, more_and_more])
@pytest.mark.parametrize(("name", "parameters"), CASES)
def test_threads_learn_what_one_learns(
    name: str,
    parameters: dict[str, Any],
    made: Callable[[np.random.Generator], sparse.csr_array],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    X, y = made(rng), labels(rng)
    model = getattr(linear_model, name)(TREE, **parameters)
    columns = names(X.shape[1])
    for i, label in enumerate(y):
        row = X[[i]]
        x = {columns[j]: v for j, v in zip(row.indices, row.data.tolist(), strict=True)}
        model.learn_one(x, label)
    expected = pickle.dumps(model)
    for n_threads in "1", "3":
        monkeypatch.setenv("OMP_NUM_THREADS", n_threads)
        for n_batches in 1, 4:
            assert pickle.dumps(learned(name, parameters, X, y, n_batches)) == expected


def test_systems_change_their_variables_in_such_a_batch() -> None:
    """Or the test above would not show what it is for."""
    rng = np.random.default_rng(0)
    X, y = more_and_more(rng), labels(rng)
    half = linear_model.SHRLS(TREE)
    half.learn_many(X[: ROWS // 2], y[: ROWS // 2], columns=names(150))
    whole = learned("SHRLS", {}, X, y, 1)
    assert ("primal", "cholesky") in zip(kinds(half._rls), kinds(whole._rls), strict=True)


SHARE = """
import os, sys, time
from support.thread_batches import ROWS, TREE, labels, names, words
import numpy as np
from river_hier import linear_model

if sys.argv[1:]:
    os.sched_setaffinity(0, list(os.sched_getaffinity(0))[: int(sys.argv[1])])
rng = np.random.default_rng(0)
batches = [(words(rng), labels(rng)) for _ in range(8)]
model = linear_model.SHRLS(TREE)
mine, all_ = time.thread_time(), time.process_time()
for X, y in batches:
    model.learn_many(X, y, columns=names(2_000))
mine, all_ = time.thread_time() - mine, time.process_time() - all_
print((all_ - mine) / all_)
"""


def share(environ: dict[str, str], *argv: str) -> float:
    """Of the processor's time, what other threads take than the one that asks."""
    done = subprocess.run(
        [sys.executable, "-c", SHARE, *argv],
        env={**environment("native"), "OPENBLAS_NUM_THREADS": "1", **environ},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(("n_threads", "least", "most"), [("1", 0.0, 0.05), ("2", 0.1, 0.6)])
def test_as_many_threads_as_the_environment_says(n_threads: str, least: float, most: float) -> None:
    # On a busy machine, a thread may have its turn too late.
    assert any(least <= share({"OMP_NUM_THREADS": n_threads}) <= most for _ in range(5))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity on this system")
def test_as_many_threads_as_the_environment_has_processors() -> None:
    assert share({"OMP_NUM_THREADS": ""}, "1") < 0.05


def test_zero_rows_alone_change_nothing() -> None:
    """A model that was loaded does not know when it was tidied last."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((1_290, 2_000), density=0.01, rng=rng).tocsr()
    y: list[set[int]] = [set()] * 1_290  # nothing is learned but at the top, which forgets
    model = linear_model.SHRLS(TREE, threshold=1e6, budget=1_100)
    model.learn_many(X, y, columns=names(2_000))
    one, many = (pickle.loads(pickle.dumps(model)) for _ in range(2))
    many.learn_many(sparse.csr_array((3, 2)), [{1}] * 3, columns=names(2))
    for _ in range(3):
        one.learn_one({}, {1})
    assert pickle.dumps(many) == pickle.dumps(one)


def broken(*_: Any) -> None:
    raise ArithmeticError("in the middle")


def new_names(n: int) -> dict[str, float]:
    return {f"new{j}": 0.1 for j in range(n)}


@pytest.mark.parametrize(("name", "parameters"), CASES)
def test_an_error_on_any_thread_arrives_and_does_no_harm(
    name: str, parameters: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    X, y = few(rng), labels(rng)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    model = getattr(linear_model, name)(TREE, **parameters)
    with monkeypatch.context() as patched:
        patched.setattr(least_squares, "in_primal_variables", broken)
        with pytest.raises(ArithmeticError, match="in the middle"):
            model.learn_many(X, y, columns=names(12))
    model.learn_one(new_names(10_000), {1})
    assert model.predict_one(new_names(10_000))[1]
    model.predict_many(X, columns=names(12))
    model.learn_many(X, y, columns=names(12))


def test_the_way_back_may_fail_and_be_gone_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X, y = few(rng), labels(rng)
    many = linear_model.SHRLS(TREE, threshold=1e6)
    many.learn_many(X, y, columns=names(12))
    with monkeypatch.context() as patched:
        patched.setattr(least_squares, "in_dual_variables", broken)
        with pytest.raises(ArithmeticError, match="in the middle"):
            many.learn_one(new_names(500), {1})
    one = pickle.loads(pickle.dumps(many))
    X = sparse.csr_array(rng.normal(size=(ROWS, 200)))
    many.learn_many(X, y, columns=list(new_names(200)))
    for row, label in zip(X.toarray().tolist(), y, strict=True):
        one.learn_one(dict(zip(new_names(200), row, strict=True)), label)
    assert pickle.dumps(many) == pickle.dumps(one)
