"""Predictions of several threads beside one that learns."""

import contextlib
import random
import sys
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import pytest

from river_hier import Taxonomy, inspection, linear_model
from support.public_api import dense, estimators, learners

TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])
SINGLE, MULTI = learners("linear_model")
ASKED = {i: 1.0 - i / 3 for i in range(6)}
ROWS = 300


@pytest.fixture(autouse=True)
def threads_change_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def beside(learn: Callable[[], None], predict: Callable[[], None], n_threads: int = 4) -> None:
    """Learn in one thread while others predict again and again; raise the first error of any."""
    errors: list[BaseException] = []
    end = threading.Event()

    def work() -> None:
        try:
            while not end.is_set():
                predict()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(n_threads)]
    for thread in threads:
        thread.start()
    try:
        learn()
    finally:
        end.set()
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]


@pytest.mark.slow(but=6)
@pytest.mark.parametrize("batch", [False, True], ids=["examples", "a batch"])
@pytest.mark.parametrize("name", SINGLE + MULTI)
def test_predictions_see_the_state_between_two_examples(name: str, batch: bool) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(ROWS, 6)))
    labels = [TREE.nodes[v] for v in rng.integers(1, 4, size=ROWS)]
    ys = labels if name in SINGLE else [{label} for label in labels]
    examples = list(zip(X.to_dict("records"), ys, strict=True))
    alone, model = (getattr(linear_model, name)(TREE) for _ in range(2))
    states = [list(alone.score_one(ASKED).values())]
    for x, y in examples:
        alone.learn_one(x, y)
        states.append(list(alone.score_one(ASKED).values()))
    seen = []

    def learn() -> None:
        if batch:
            model.learn_many(X, ys)
        else:
            for x, y in examples:
                model.learn_one(x, y)

    beside(learn, lambda: seen.append(tuple(model.score_one(ASKED).values())))
    assert model.score_one(ASKED) == pytest.approx(alone.score_one(ASKED), rel=1e-9, abs=1e-9)
    for answer in set(seen):
        far = np.abs(np.array(states) - answer).max(axis=1)
        assert far.min() < 1e-6 * (1.0 + np.abs(answer).max())


@pytest.mark.slow(but=2)
@pytest.mark.parametrize("name", SINGLE + MULTI)
def test_predictions_while_a_taxonomy_grows(name: str) -> None:
    model = getattr(linear_model, name)()
    model.learn_one({"x": 1.0}, "n0" if name in SINGLE else {"n0"})

    def learn() -> None:
        for i in range(ROWS):
            label = f"n{i}"
            model.learn_one({"x": 1.0, i: 2.0}, label if name in SINGLE else {label})

    names, rows = [f"n{i}" for i in range(ROWS)], pd.DataFrame([{"x": 1.0}] * 2)

    def predict() -> None:
        model.predict_one({"x": 1.0, 0: 1.0})
        for found in (model.predict_proba_one({"x": 1.0}), model.score_one({"x": 1.0})):
            seen = [label for label in found if label != "root"]
            assert seen == names[: len(seen)]
        for threshold in (0.0, 0.5):
            model.predict_one({"x": 1.0}, threshold=threshold, max_depth=1)
        assert inspection.top_one(model, {"x": 1.0}, k=1)[0][0][-1] in names
        assert inspection.top_many(model, rows, k=1).shape == (2, 2)
        for of_rows in (model.predict_many, model.predict_proba_many):
            assert len(of_rows(rows)) == 2
        model.predict_many(rows, threshold=0.5)

    beside(learn, predict)


NAMES = [name for name, model in estimators().items() if hasattr(model, "predict_one")]
NAMES.remove("probabilistic.LinearDiscriminant")  # predictions bring its matrices up to date


@pytest.mark.slow(but=8)
@pytest.mark.parametrize("name", NAMES)
def test_predictions_change_no_model(name: str) -> None:
    """Those of models with parts, or in numpy, may fail beside a step; the step does not."""
    model, alone = estimators()[name], estimators()[name]
    rng = random.Random(0)
    examples = [dense(model, rng) for _ in range(60)]
    for x, y in examples[:20]:
        model.learn_one(x, y)

    def learn() -> None:
        for x, y in examples[20:]:
            model.learn_one(x, y)

    def predict() -> None:
        with contextlib.suppress(Exception):
            model.predict_one(examples[0][0])

    beside(learn, predict, n_threads=2)
    for x, y in examples:
        alone.learn_one(x, y)
    assert [model.predict_one(x) for x, _ in examples] == [
        alone.predict_one(x) for x, _ in examples
    ]
