"""Reliability and calibration error against loops and general laws, and in River's loop."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import evaluate as river_evaluate
from river import utils

import oracles
from oracles.reliability import Decision
from river_hier import Taxonomy, decision, evaluate, linear_model, metrics
from river_hier.datasets import synth
from support.hypothesis_settings import n_examples
from support.strategies import multilabels, parents_of, taxonomies

TREE = Taxonomy([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])
BOTH = (metrics.Reliability, metrics.CalibrationError)
probabilities = st.floats(0, 1) | st.integers(0, 10).map(lambda i: i / 10)


@st.composite
def streams(draw: st.DrawFn) -> Any:
    """A taxonomy and (truth, probabilities, weight)."""
    taxonomy = draw(taxonomies())
    said = st.dictionaries(st.sampled_from(taxonomy.nodes), probabilities, max_size=9)
    weight = st.sampled_from([1.0, 1.0, 0.5, 3.0, 0.0])
    example = st.tuples(multilabels(taxonomy), st.none() | said, weight)
    return taxonomy, draw(st.lists(example, max_size=6))


def decisions(taxonomy: Taxonomy, stream: Any, counted: Any = None) -> list[Decision]:
    """One by one; labels that are missing, or without an answer all, have probability 0."""
    parents = parents_of(taxonomy)
    return [
        ((said or {}).get(v, 0.0), v in oracles.closure(parents, y), w)
        for y, said, w in stream
        for v in counted or taxonomy.nodes[1:]
    ]


def feed(metric: Any, stream: Any) -> Any:
    for example in stream:
        metric.update(*example)
    return metric


@given(stream=streams(), n_bins=st.integers(1, 12), data=st.data())
@n_examples(60)
def test_metrics_equal_the_naive_ones(stream: Any, n_bins: int, data: Any) -> None:
    taxonomy, examples = stream
    named = data.draw(st.none() | st.sets(st.sampled_from(taxonomy.nodes[1:]), min_size=1))
    each = decisions(taxonomy, examples, named)
    table = feed(metrics.Reliability(taxonomy, n_bins, named), examples).get()
    theirs = oracles.reliability(each, n_bins)
    assert table.keys() == theirs.keys()
    for i, row in table.items():
        assert row == pytest.approx(theirs[i])
    error = feed(metrics.CalibrationError(taxonomy, n_bins, named), examples).get()
    assert error == pytest.approx(oracles.calibration_error(each, n_bins))
    n = sum(labels for _, _, labels in table.values())
    off = sum(labels * abs(said - on) for said, on, labels in table.values())
    assert error == pytest.approx(off / n if n else 0.0)  # the summary of the table


@given(stream=streams(), data=st.data())
@n_examples(50)
def test_reverting_some_examples_keeps_the_others(stream: Any, data: Any) -> None:
    taxonomy, examples = stream
    gone = data.draw(st.lists(st.booleans(), min_size=len(examples), max_size=len(examples)))
    rest = [example for example, out in zip(examples, gone, strict=True) if not out]
    for kind in BOTH:
        metric = feed(kind(taxonomy), examples)
        for example, out in zip(examples, gone, strict=True):
            if out:
                metric.revert(*example)
        assert metric.get() == feed(kind(taxonomy), rest).get()
        rolling = feed(utils.Rolling(kind, window_size=2, taxonomy=taxonomy), examples)
        assert rolling.get() == feed(kind(taxonomy), examples[-2:]).get()


def test_true_probabilities_have_no_error_and_overconfident_ones_have() -> None:
    rng = np.random.default_rng(1)
    labels = list(range(40))
    taxonomy = Taxonomy.flat(labels, root="root")
    honest, overconfident, dull = (metrics.CalibrationError(taxonomy) for _ in range(3))
    p = rng.random((500, len(labels)))
    on = rng.random(p.shape) < p
    for said, y in zip(p, on.tolist(), strict=True):
        truth = dict(zip(labels, y, strict=True))
        honest.update(truth, dict(zip(labels, said.tolist(), strict=True)))
        overconfident.update(truth, dict(zip(labels, (said > 0.5).astype(float), strict=True)))
        dull.update(truth, dict.fromkeys(labels, 0.5))
    assert honest.get() < 0.015
    assert overconfident.get() == pytest.approx(0.25, abs=0.01)  # the mean of min(p, 1 - p)
    assert dull.get() < 0.02


def test_borders_belong_to_the_upper_bin_and_1_to_the_last() -> None:
    metric = metrics.Reliability(TREE, n_bins=4, candidates=["b"])
    for p in (0.0, 0.25, 0.5, 1.0):
        metric.update("b" if p else set(), {"b": p})
    assert metric.get() == {
        0: (0.0, 0.0, 1.0),
        1: (0.25, 1.0, 1.0),
        2: (0.5, 1.0, 1.0),
        3: (1.0, 1.0, 1.0),
    }


def test_calibration_lowers_the_error() -> None:
    """H-PERC with and without calibration on a noisy stream, in River's loop."""
    stream = synth.PrototypePaths(TREE, noise=0.36, seed=1)
    found = []
    for model in (
        linear_model.HPerceptron(TREE),
        decision.Calibrated(linear_model.HPerceptron(TREE)),
    ):
        metric = metrics.CalibrationError(TREE)
        asked = evaluate.Probabilities(model)
        river_evaluate.progressive_val_score(stream.take(2_000), asked, metric)
        found.append(metric.get())
    assert found[1] < 0.4 * found[0]


@pytest.mark.parametrize("kind", BOTH)
def test_rivers_interface(kind: Any) -> None:
    metric = kind(TREE, 5, ("a", "b"))
    assert "no examples" in repr(metric) or repr(metric) == "CalibrationError: 0.00%"
    metric.update("b", {"a": 0.75, "b": 0.25, "c": 0.5})
    assert pickle.loads(pickle.dumps(metric)).get() == metric.get()
    clone = metric.clone()
    assert (clone.n_bins, clone.candidates) == (5, ("a", "b"))
    assert clone.taxonomy is TREE
    assert clone.get() == kind(TREE).get()
    assert not metric.bigger_is_better
    both = metric + metrics.PooledAUPRC(TREE)
    both.update("b", {"b": 1.0})
    assert len(both.get()) == 2


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(
    ("y", "said", "w", "error", "message"),
    [
        ("b", {"b": 1.5}, 1.0, ValueError, "the probability of 'b' is 1.5, not between 0 and 1"),
        ("b", {"b": -0.1}, 1.0, ValueError, "the probability of 'b' is -0.1, not between 0 and 1"),
        ("b", {"b": math.inf}, 1.0, ValueError, "the probability of 'b' is inf"),
        ("b", {"b": -math.inf}, 1.0, ValueError, "the probability of 'b' is -inf"),
        ("b", {"b": math.nan}, 1.0, ValueError, "the score of 'b' is nan"),
        ("b", {"b": True}, 1.0, ValueError, "the score of 'b' is True"),
        ("b", {"b": {True: 0.5}}, 1.0, ValueError, r"the score of 'b' is \{True: 0.5\}"),
        ("b", {"e": 1.0}, 1.0, ValueError, "label 'e' is not in the taxonomy"),
        ("e", {"b": 1.0}, 1.0, ValueError, "label 'e' is not in the taxonomy"),
        ("b", ["b"], 1.0, TypeError, "a ranking must be {label: score}, got list"),
        ("b", {"b": 1.0}, -1.0, ValueError, "`w` must be a finite number of at least 0"),
    ],
)
def test_a_rejected_example_changes_nothing(
    kind: Any, y: Any, said: Any, w: float, error: Any, message: str
) -> None:
    metric = kind(TREE)
    metric.update("b", {"b": 1.0, "c": 0.5})
    before = pickle.dumps(metric)
    for change in (metric.update, metric.revert):
        with pytest.raises(error, match=message):
            change(y, said, w)
        assert pickle.dumps(metric) == before
    with pytest.raises(ValueError, match="cannot revert an example of weight"):
        metric.revert("b", {"b": 0.33})
    assert pickle.dumps(metric) == before


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_bins": 0}, ValueError, "`n_bins` must be at least 1, got 0"),
        ({"n_bins": 2.5}, TypeError, "`n_bins` must be an integer, got 2.5"),
        ({"candidates": ["x"]}, ValueError, "label 'x' is not in the taxonomy"),
        ({"candidates": "b"}, TypeError, "`candidates` must be a collection of labels"),
    ],
)
def test_bad_parameters(kind: Any, parameters: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        kind(TREE, **parameters)
