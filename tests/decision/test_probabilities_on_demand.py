"""Decisions that compute probabilities only where they need them, against those of all nodes."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from river_hier import Taxonomy, decision, inspection, linear_model
from river_hier._core import labels_of, least_h_loss, likeliest
from support.hypothesis_settings import n_examples
from support.strategies import features, multilabels, parents_of, taxonomies, trees

MODELS: dict[str, Callable[[Taxonomy], Any]] = {
    "HPerceptron": linear_model.HPerceptron,
    "HAROW": linear_model.HAROW,
    "float32": lambda t: linear_model.HAROW(t, dtype="float32", intercept=1.0),
    "averaged": lambda t: linear_model.Averaged(linear_model.HAROW(t)),
    "HRLS": linear_model.HRLS,
    "Calibrated": lambda t: decision.Calibrated(linear_model.HPerceptron(t)),
    "Calibrated average": lambda t: decision.Calibrated(MODELS["averaged"](t)),
    "Calibrated HRLS": lambda t: decision.Calibrated(linear_model.HRLS(t)),
}
FAST = [name for name in MODELS if "HRLS" not in name]


def wide(n: int, seed: int) -> Taxonomy:
    """A tree of more nodes than weights are stored for densely, some with many children."""
    rng = random.Random(seed)
    return Taxonomy([(f"n{int(v * rng.random() ** 2)}", f"n{v}") for v in range(1, n)])


def stream(t: Taxonomy, n: int, seed: int) -> list[tuple[dict[str, float], list[Any]]]:
    rng = random.Random(seed)
    examples = []
    for _ in range(n):
        y = rng.sample(t.nodes[1:], 2)
        words = [f"w{rng.randrange(30)}" for _ in range(4)] + [f"of {label}" for label in y]
        examples.append((dict.fromkeys(words, 0.5), y))
    return examples


def check(model: Any, x: Any) -> None:
    """All decisions about one x equal those from the probabilities of all nodes."""
    t = model.taxonomy_
    parents, said = parents_of(t), model.predict_proba_one(x)
    p = {label: either[True] for label, either in said.items()}
    array = np.array([1.0, *p.values()])
    for threshold in (0.0, 0.3, 0.5, 0.7, *array[1:3].tolist()):
        for max_depth in (None, 1, 2):
            on = oracles.likely_enough(parents, p, threshold)
            on = on if max_depth is None else oracles.cut_multilabel(parents, on, max_depth)
            labels = model.predict_labels_one(x, threshold, max_depth)
            assert labels == sorted(on - {t.root}, key=t.index)
            assert model.predict_one(x, threshold, max_depth) == {v: v in on for v in p}
    for max_depth in (0, 1, 3):
        own = {v for v, on in model.predict_one(x).items() if on}
        on = oracles.cut_multilabel(parents, own, max_depth)
        assert model.predict_one(x, max_depth=max_depth) == {v: v in on for v in p}
    for k, leaves, depth in ((1, False, None), (5, True, None), (3, False, 2), (999, False, None)):
        top = inspection.top_one(model, x, k, leaves, depth)
        expected = oracles.top(parents, p, k, True, leaves, depth)
        assert [(path[-1], share) for path, share in top] == expected
    both_ways = decision.SymmetricDifferenceBayes(model, missed=2.0, spurious=3.0)
    nodes = {v for v in p if 2.0 * p[v] >= 3.0 * (1.0 - p[v])}
    assert both_ways.predict_one(x) == {v: v in nodes for v in p}
    assert both_ways.predict_labels_one(x, 0.4) == model.predict_labels_one(x, 0.4)
    costs = {t.nodes[-1]: 3.0}
    of_costs = [costs.get(label, 1.0) for label in t]
    labels = labels_of(t)
    table = np.abs(np.random.default_rng(len(t)).normal(size=(len(t), 7)))
    table[::2, -1] *= -1.0
    expected = [  # tests/core/test_decisions.py compares these with oracles
        least_h_loss(labels, array, table),
        least_h_loss(labels, array, table, np.array(of_costs)),
        likeliest(labels, array, table),
    ]
    deciders = (
        decision.HLossBayes(model),
        decision.HLossBayes(model, costs),
        decision.ZeroOneBayes(model),
    )
    for decider, nodes_on in zip(deciders, expected, strict=True):
        decider._counts = table
        assert decider.predict_labels_one(x) == [t.nodes[v] for v in nodes_on]
        assert decider.predict_proba_one(x) == said


@given(st.data(), taxonomies(), st.sampled_from(list(MODELS)))
@n_examples(60)
def test_decisions_in_small_taxonomies(data: st.DataObject, t: Taxonomy, name: str) -> None:
    model = MODELS[name](t)
    model.learn_one({}, [])  # before, no label is predicted
    examples = st.lists(st.tuples(features(), multilabels(t)), max_size=8)
    for x, y in data.draw(examples):
        check(model, x)
        model.learn_one(x, y)
    check(model, data.draw(features()))


@pytest.mark.parametrize("name", FAST)
def test_decisions_in_a_wide_taxonomy(name: str) -> None:
    t = wide(140, seed=1)
    model = MODELS[name](t)
    examples = stream(t, 56, seed=2)
    for x, y in examples[:50]:
        model.learn_one(x, y)
    for x, _ in examples[48:52]:
        check(model, x)
    larger = t.extend([("n3", "new"), ("new", "newer"), ("n0", "other")])
    model.adopt(larger)  # with nodes that have had no example
    model.learn_one({"w1": 1.0, "w2": -2.0}, ["n3", "other"])
    for x, _ in examples[54:]:
        check(model, x)
        assert not {"new", "newer"} & set(model.predict_labels_one(x, 0.01))


LABELS: dict[str, Callable[[Taxonomy], Any]] = {
    "Hieron": linear_model.Hieron,
    "float32": lambda t: linear_model.Hieron(t, dtype="float32", intercept=1.0),
    "AveragedHieron": linear_model.AveragedHieron,
}


def check_labels(model: Any, x: Any) -> None:
    """The best labels are those with the largest scores, with their probabilities."""
    inner = {u for above in parents_of(model.taxonomy_).values() for u in above}
    scores, p = model.score_one(x), model.predict_proba_one(x)
    order = sorted(scores, key=lambda label: -scores[label])
    for k, leaves in ((1, False), (5, True), (7, False), (len(p) + 9, False)):
        top = inspection.top_one(model, x, k, leaves)
        expected = [v for v in order if not leaves or v not in inner][:k]
        assert [path[-1] for path, _ in top] == expected
        assert [share for _, share in top] == pytest.approx([p[v] for v in expected], 1e-11, 1e-300)


@given(st.data(), trees(), st.sampled_from(list(LABELS)))
@n_examples(40)
def test_best_labels_in_small_trees(data: st.DataObject, t: Taxonomy, name: str) -> None:
    model = LABELS[name](t)
    for x, y in data.draw(st.lists(st.tuples(features(), st.sampled_from(t.nodes)), max_size=8)):
        check_labels(model, x)
        model.learn_one(x, y)
    check_labels(model, data.draw(features()))


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("name", LABELS)
def test_best_labels_in_a_wide_tree(name: str) -> None:
    t = wide(1_500, seed=3)
    model = LABELS[name](t)
    examples = stream(t, 60, seed=4)
    for x, y in examples[:50]:
        model.learn_one(x, y[0])
    for x, _ in examples[48:]:
        check_labels(model, x)
        check_labels(model, {word: 1e4 * value for word, value in x.items()})
    model.adopt(t.extend([("n3", "new"), ("new", "newer")]))  # without an example
    assert len(inspection.top_one(model, examples[50][0], k=9_999)) == 1_502
    assert inspection.top_one(model, examples[50][0], k=9_999)[-1][1] == 0.0
