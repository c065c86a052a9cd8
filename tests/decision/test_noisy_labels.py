"""A channel of wrong labels: beside an oracle, what holds of it, and what it finds."""

import random
from typing import Any

import pytest
from river import linear_model as river_linear_model

import oracles
from river_hier import (
    Below,
    Not,
    OpenTaxonomy,
    Taxonomy,
    decision,
    linear_model,
    local,
    stream,
)
from river_hier.datasets import synth
from support.strategies import parents_of

TREE = Taxonomy.from_nested({"up": ["sky"], "down": {"ground": ["path", "grass", "cement"]}})
LEAVES = TREE.leaves


class Recorded(linear_model.PathSoftmax):
    """What a model is given, beside what it learns."""

    def __init__(self, taxonomy: Any) -> None:
        super().__init__(taxonomy)
        self.given: list[Any] = []

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        self.given.append((y, w))
        super().learn_one(x, y, w)


def examples(n: int, wrong: float = 0.3, seed: int = 0, labels: Any = LEAVES) -> Any:
    """Three features say the label, of which a share is wrong."""
    rng = random.Random(seed)
    for _ in range(n):
        y = rng.choice(labels)
        x = {v: 1.0 + rng.gauss(0.0, 0.3) for v in TREE.path(y)[1:]}
        yield x, rng.choice(LEAVES) if rng.random() < wrong else y, y


@pytest.mark.parametrize("weight", [1.0, 2.5])
def test_it_equals_the_oracle(weight: float) -> None:
    model, theirs = decision.NoisyLabels(Recorded(TREE)), oracles.NoisyLabels(parents_of(TREE))
    for x, y, _ in examples(700, labels=TREE.nodes[1:]):  # inner ones, too
        p, doubtful = model.predict_proba_one(x), sum(theirs.rates.values()) > 0.5
        right, below = theirs.weights(p, y)
        model.model.given.clear()
        model.learn_one(x, y, weight)
        expected = [(y, weight * (max(right, 0.05) if doubtful else right))]
        above = list(zip(TREE.path(y)[1:-1], below[1:], strict=False))
        expected += [(Below(a), weight * r) for a, r in above if r > 0.05]
        given = [each for each in model.model.given if each[1]]
        assert [y for y, _ in given] == [y for y, _ in expected]
        assert [w for _, w in given] == pytest.approx([w for _, w in expected])
        theirs.seen(y, below, weight)
    assert model.noise_rates_ == pytest.approx([*theirs.rates.values()])
    assert len({*model.noise_rates_}) == 3


def test_a_wrong_label_is_suspected_and_the_right_one_proposed() -> None:
    data, rng = synth.PrototypeTree(branching=3, depth=3, noise=0.04, seed=42), random.Random(1)
    t, found = data.taxonomy, []
    model = decision.NoisyLabels(linear_model.PathSoftmax(t))
    for i, (x, y) in enumerate(data.take(4000)):
        given = rng.choice(t.leaves) if rng.random() < 0.2 else y
        suspicion = model.suspect_one(x, given)
        model.learn_one(x, given)
        if i > 2000:
            found.append((suspicion.wrong > 0.5, given != y, suspicion.proposed == y))
            assert 0.0 <= suspicion.probability <= 1.0
    said, wrong, proposed = map(list, zip(*found, strict=True))
    assert sum(a is b for a, b in zip(said, wrong, strict=True)) > 0.97 * len(found)
    assert sum(b for a, b in zip(said, proposed, strict=True) if a) > 0.9 * sum(said) > 300


def test_rates_are_those_of_their_depths() -> None:
    data = synth.PrototypeTree(branching=3, depth=3, noise=0.04, seed=42)
    t, rng = data.taxonomy, random.Random(1)
    model = decision.NoisyLabels(linear_model.PathSoftmax(t))
    for x, y in data.take(6000):
        siblings = t.children(t.parent(y) or t.root)
        model.learn_one(x, rng.choice(siblings) if rng.random() < 0.3 else y)
    assert max(model.noise_rates_[0], 0.03) == 0.03
    assert sum(model.noise_rates_[1:]) > 0.1


def test_labels_without_an_example_of_their_own_are_trusted() -> None:
    """Whether they are new, or inner nodes above others."""
    model = decision.NoisyLabels(Recorded(OpenTaxonomy("/")))
    for _ in range(50):
        for y in ("a/b", "a/c"):
            model.learn_one({y: 1.0}, y)
    assert model.suspect_one({"a/b": 1.0}, "a/c").wrong > 0.5
    assert model.suspect_one({"a/b": 1.0}, "a").wrong == 0.0
    for y in ("a", "d"):
        model.learn_one({"a/b": 1.0}, y)
        assert model.model.given[-1] == (y, 1.0)


def test_what_is_forgotten_is_not_counted() -> None:
    model, other = (decision.NoisyLabels(linear_model.PathSoftmax(TREE)) for _ in range(2))
    for x, y, _ in examples(60):
        model.learn_one(x, y)
        if "ground" not in TREE.path(y):
            other.learn_one(x, y)
    model.forget("ground")
    counts = {label: n for label, n in model._counts.items() if any(n)}
    assert counts == other._counts


def test_what_is_known_in_part_is_passed_on() -> None:
    model = decision.NoisyLabels(Recorded(TREE))
    for y in (Below("ground"), Not("sky")):
        model.learn_one({"x": 1.0}, y)
        assert model.model.given[-1] == (y, 1.0)
    assert model.noise_rates_ == []


def test_it_changes_its_mind() -> None:
    """All labels are others from the middle on."""
    model, other = (
        decision.NoisyLabels(linear_model.PathSoftmax(TREE)),
        dict(zip(LEAVES, [*LEAVES[1:], LEAVES[0]], strict=True)),
    )
    right = []
    for i, (x, _, y) in enumerate(examples(6000)):
        true = y if i < 2000 else other[y]
        right.append(model.predict_one(x) == true)
        model.learn_one(x, true)
    assert sum(right[1000:2000]) > 950
    assert sum(right[5000:]) > 900


def test_repeated_examples_do_not_move_the_rates() -> None:
    once = decision.NoisyLabels(linear_model.PathSoftmax(TREE))
    again = stream.Replayed(decision.NoisyLabels(linear_model.PathSoftmax(TREE)), 2, 10)
    for x, y, _ in examples(900):
        once.learn_one(x, y)
        again.learn_one(x, y)
    assert again.model._n == once._n == 900
    assert again.model._counts == once._counts


def test_a_model_of_several_labels_is_refused() -> None:
    with pytest.raises(TypeError, match="must be a model of one label"):
        decision.NoisyLabels(linear_model.HAROW(TREE))


def test_the_first_label_of_an_open_taxonomy_counts() -> None:
    """As of a label that was there before: its second example may already be wrong."""
    t = Taxonomy([("root", "a"), ("root", "b")])
    closed, open_ = (decision.NoisyLabels(linear_model.PathSoftmax(known)) for known in (t, None))
    for x, y in [({"x": 1.0}, "a"), ({"y": 1.0}, "b"), ({"x": 1.0}, "b"), ({"y": 1.0}, "a")]:
        for model in (closed, open_):
            model.learn_one(x, y)
    assert closed.suspect_one({"x": 1.0}, "b").wrong > 0.0
    assert open_._counts == closed._counts


def test_suspicions_change_nothing() -> None:
    model = decision.NoisyLabels(linear_model.PathSoftmax(Taxonomy.flat(["a", "b"])))
    model.learn_one({"x": 1.0}, "a")
    model.suspect_one({"x": 1.0}, "a")
    assert model.noise_rates_ == []


def test_a_model_without_weights_is_refused() -> None:
    t = Taxonomy.flat(["a", "b"])
    with pytest.raises(
        TypeError, match="must learn with weights, and SoftmaxRegression takes none"
    ):
        decision.NoisyLabels(local.PerParent(river_linear_model.SoftmaxRegression(), t))
