"""River's own checks, pipelines, evaluation with and without delay, and unusual labels."""

import datetime as dt
import sys
from typing import Any

import numpy as np
import pytest
from river import compose, evaluate, preprocessing

from river_hier import Taxonomy, kernel, linear_model, metrics, probabilistic
from river_hier.datasets import synth
from support import makers
from support.public_api import learners, one_label
from support.river_checks import rivers_checks
from support.river_data import GENE_TREE, TREE

SINGLE, MULTI = learners("linear_model")


# The law of the joints has the models alone.
PIPELINES = {
    "one label": linear_model.AveragedHieron(TREE),
    "several labels": linear_model.HRLS(GENE_TREE),
    "open taxonomy": probabilistic.LinearDiscriminant(shrinkage=5.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PIPELINES)
def test_rivers_checks_of_pipelines(name: str) -> None:
    model = preprocessing.StandardScaler() | PIPELINES[name]
    for check in rivers_checks(model):
        check(model.clone())


@pytest.mark.parametrize("name", SINGLE + MULTI)
@pytest.mark.parametrize("delay", [None, 3, dt.timedelta(days=2)])
def test_progressive_validation(name: str, delay: Any) -> None:
    stream: Any
    if name in SINGLE:
        stream = synth.PrototypeTree(branching=2, depth=2, noise=0.01, seed=1)
        metric: Any = metrics.TreeInducedError(stream.taxonomy)
    else:
        stream = synth.LinearLabels(Taxonomy([("r", "a"), ("a", "b"), ("r", "c")]), seed=1)
        metric = metrics.HLoss(stream.taxonomy)
    model = getattr(linear_model, name)(stream.taxonomy)
    moment: Any = None
    examples: Any = stream.take(200)
    if isinstance(delay, dt.timedelta):
        start = dt.datetime(2026, 1, 1)
        examples = [(x | {"day": i}, y) for i, (x, y) in enumerate(examples)]
        moment = lambda x: start + dt.timedelta(days=x["day"])  # noqa: E731
        model = compose.Discard("day") | model
    evaluate.progressive_val_score(examples, model, metric, moment=moment, delay=delay)
    worst = stream.taxonomy.height * 2.0 if name in SINGLE else 3.0
    assert 0.0 < metric.get() < worst / 2


MODELS = {f"kernel {name}": getattr(kernel, name) for name in ("AveragedHieron", "HRLS", "SHRLS")}
MODELS |= makers.SINGLE | makers.SEVERAL


# Not those in which classifiers of River sort labels; tests/local compares them.
@pytest.mark.parametrize("name", [name for name in MODELS if not name.startswith("Per")])
def test_unusual_labels(name: str) -> None:
    """A tuple and bytes are one label each; they arrive in an open taxonomy."""
    model = MODELS[name](None)
    single = one_label(model)
    labels = [True, np.bool_(False), ("a", 1), 7, "seven", frozenset({3}), 2.5, b"bytes"]
    labels = labels if single else [labels[0], *labels[2:]]  # a multilabel may be False
    for i, label in enumerate(labels * 8):
        several = not single and i % 2
        model.learn_one({i % len(labels): 1.0}, [label] if several else label)
    assert set(labels) <= set(model.predict_proba_one({}))
    for i, label in enumerate(labels):
        answer = model.predict_one({i: 1.0})
        assert answer == label if single else answer[label]


@pytest.mark.parametrize("name", ["Hieron", "HPerceptron"])
def test_the_python_cost_of_a_new_label_does_not_grow(name: str) -> None:
    model = getattr(linear_model, name)()
    numbers = iter(range(10**6))

    def events() -> int:
        seen = 0

        def count(*_: Any) -> None:
            nonlocal seen
            seen += 1

        label = f"label {next(numbers)}"
        sys.setprofile(count)
        try:
            model.learn_one({"x": 1.0}, label)
        finally:
            sys.setprofile(None)
        return seen

    few = max(events() for _ in range(20))
    for i in range(1000):
        model.learn_one({"x": 1.0}, f"in between {i}")
    assert events() < 2 * few


def test_debug_one_shows_a_node_with_two_parents_once() -> None:
    model = linear_model.HPerceptron(Taxonomy([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")]))
    model.learn_one({"x": 1.0}, "c")
    assert model.debug_one({"x": 1.0}).count("'c': ") == 1


def test_learning_does_not_change_y() -> None:
    for name in MULTI:
        y = {"a": False, "b": True}
        getattr(linear_model, name)(Taxonomy([("r", "a"), ("r", "c"), ("c", "b")])).learn_one(
            {"x": 1.0}, y
        )
        assert y == {"a": False, "b": True}


def test_debug_one_shows_the_path_the_scores_and_the_features() -> None:
    t = Taxonomy([("animal", "mammal"), ("animal", "bird"), ("mammal", "wolf")])
    hieron, perceptron = linear_model.Hieron(t), linear_model.HPerceptron(t)
    for model in (hieron, perceptron):
        for _ in range(3):
            model.learn_one({"fur": 1.0, "howls": 1.0}, "wolf")
            model.learn_one({"wings": 1.0}, "bird")
    text = hieron.debug_one({"fur": 1.0, "howls": 0.5})
    assert text.splitlines()[0].startswith("Prediction: 'wolf'")
    assert "  'mammal': +" in text
    assert "    'wolf': +" in text
    assert "  'bird': " in text, "the best of the nodes that lost"
    assert "fur +" in text
    text = perceptron.debug_one({"wings": 1.0, "unheard": 2.0})
    assert text.startswith("Prediction: ['bird']")
    assert "'mammal': -1.000  (wings -1.000)" in text
    assert "wolf" not in text, "a node whose parent is off is not asked"
    perceptron.learn_one({"fur": -3.0, "scales": 0.5}, "mammal")  # now -3 outweighs +1
    line = perceptron.debug_one({"fur": -1.0, "scales": 1.0, "wings": 0.2}).splitlines()[1]
    weighed = [abs(float(part.split()[-1])) for part in line.split("(")[1][:-1].split(",")]
    assert weighed == sorted(weighed, reverse=True)
    assert min(float(part.split()[-1]) for part in line.split("(")[1][:-1].split(",")) < 0
    assert "bird" in (preprocessing.StandardScaler() | perceptron).debug_one({"wings": 1.0})
