"""Log loss of multilabels, and calibration error of single labels: oracles, laws, River's loop."""

from __future__ import annotations

import math
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import evaluate as river_evaluate

import oracles
from river_hier import Taxonomy, decision, evaluate, linear_model, metrics
from river_hier.datasets import synth
from support.strategies import multilabels, parents_of, taxonomies, trees

TREE = Taxonomy([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])
BOTH = (metrics.LogLoss, metrics.TopLabelCalibrationError)
probabilities = st.floats(0, 1) | st.integers(0, 10).map(lambda i: i / 10)


@st.composite
def streams(draw: st.DrawFn) -> Any:
    """A taxonomy and (truth, probabilities, weight)."""
    taxonomy = draw(taxonomies())
    said = st.dictionaries(st.sampled_from(taxonomy.nodes), probabilities, max_size=9)
    weight = st.sampled_from([1.0, 1.0, 0.5, 3.0])
    example = st.tuples(multilabels(taxonomy), st.none() | said, weight)
    return taxonomy, draw(st.lists(example, min_size=1, max_size=6))


@given(streams())
def test_log_loss_equals_the_naive_one(stream: Any) -> None:
    taxonomy, examples = stream
    metric, parents = metrics.LogLoss(taxonomy), parents_of(taxonomy)
    total = weight = 0.0
    for y, said, w in examples:
        metric.update(y, said, w)
        total += w * oracles.log_loss(parents, said or {}, oracles.closure(parents, y))
        weight += w
    assert metric.get() == pytest.approx(total / weight, abs=1e-9)


@given(trees(2, 6), st.data())
def test_the_probabilities_of_all_multilabels_sum_to_1(t: Taxonomy, data: st.DataObject) -> None:
    given_parent = {v: data.draw(st.sampled_from([0.1, 0.5, 0.7])) for v in t.nodes[1:]}
    p: dict[Any, float] = {t.root: 1.0}
    for v in t.nodes[1:]:
        p[v] = given_parent[v] * p[t.parent(v)]
    total = 0.0
    for m in oracles.multilabels(parents_of(t)):
        metric = metrics.LogLoss(t)
        metric.update(m, p)
        assert math.exp(-metric.get()) == pytest.approx(
            oracles.probability(parents_of(t), given_parent, m)
        )
        total += math.exp(-metric.get())
    assert total == pytest.approx(1.0)


@given(streams(), st.integers(1, 12))
def test_calibration_of_the_top_label_equals_the_naive_one(stream: Any, n_bins: int) -> None:
    taxonomy, examples = stream
    metric, parents = metrics.TopLabelCalibrationError(taxonomy, n_bins), parents_of(taxonomy)
    decisions = []
    for y, said, w in examples:
        metric.update(y, said, w)
        top = [v for v in said or {} if said[v] == max(said.values())][:1]
        right = bool(top) and oracles.closure(parents, top) == oracles.closure(parents, y)
        decisions.append((said[top[0]] if top else 0.0, right, w))
    assert metric.get() == pytest.approx(oracles.calibration_error(decisions, n_bins))


@pytest.mark.parametrize("kind", BOTH)
@given(stream=streams(), data=st.data())
def test_reverting(kind: Any, stream: Any, data: Any) -> None:
    taxonomy, examples = stream
    metric, rest = kind(taxonomy), kind(taxonomy)
    gone = data.draw(st.lists(st.booleans(), min_size=len(examples), max_size=len(examples)))
    for example, out in zip(examples, gone, strict=True):
        metric.update(*example)
        if not out:
            rest.update(*example)
    for example, out in zip(examples, gone, strict=True):
        if out:
            metric.revert(*example)
    assert metric.get() == rest.get()


def test_rivers_loop() -> None:
    several = synth.PrototypePaths(TREE, noise=0.36, seed=1).take(1000)
    single = synth.PrototypeTree(branching=2, depth=2, noise=0.16, seed=1)
    asked = [
        evaluate.Probabilities(each)
        for each in (
            linear_model.HPerceptron(TREE),
            decision.Calibrated(linear_model.HPerceptron(TREE)),
        )
    ]
    raw, calibrated = (
        river_evaluate.progressive_val_score(several, model, metrics.LogLoss(TREE)).get()
        for model in asked
    )
    assert calibrated < 0.8 * raw
    t = single.taxonomy
    raw, calibrated = (
        river_evaluate.progressive_val_score(
            single.take(1000), model, metrics.TopLabelCalibrationError(t)
        ).get()
        for model in (
            linear_model.AveragedHieron(t),
            decision.Tempered(linear_model.AveragedHieron(t)),
        )
    )
    assert calibrated < 0.3 * raw


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(
    ("y", "said", "error", "message"),
    [
        (
            "b",
            {"b": 1.5},
            ValueError,
            "the probability of 'b' is 1.5, not a number between 0 and 1",
        ),
        ("b", {"b": math.nan}, ValueError, "the probability of 'b' is nan"),
        ("b", {"b": True}, ValueError, "the probability of 'b' is True"),
        ("b", {"b": {True: 0.5}}, ValueError, r"the probability of 'b' is \{True: 0.5\}"),
        ("b", {"e": 1.0}, ValueError, "label 'e' is not in the taxonomy"),
        ("e", {"b": 1.0}, ValueError, "label 'e' is not in the taxonomy"),
        (
            "b",
            ["b"],
            TypeError,
            r"probabilities must be {label: p}, got list; evaluate\.Probabilities\(model\)",
        ),
    ],
)
def test_a_rejected_example_changes_nothing(
    kind: Any, y: Any, said: Any, error: Any, message: str
) -> None:
    metric = kind(TREE)
    metric.update("b", {"b": 0.9, "c": 0.5})
    before = pickle.dumps(metric)
    for change in (metric.update, metric.revert):
        with pytest.raises(error, match=message):
            change(y, said)
        assert pickle.dumps(metric) == before
    assert pickle.loads(before).get() == metric.get() == metric.clone().get() or metric.get() > 0
    with pytest.raises(ValueError, match="`n_bins` must be at least 1, got 0"):
        metrics.TopLabelCalibrationError(TREE, n_bins=0)
