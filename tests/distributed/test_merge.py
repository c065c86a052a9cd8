"""Models that have learned apart become one: exactly, or by the rule of the oracles."""

import copy
import itertools
import math
import pickle
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river.preprocessing import MinMaxScaler, Normalizer, StandardScaler

import oracles
from river_hier import (
    OpenTaxonomy,
    Taxonomy,
    decision,
    distributed,
    feature_extraction,
    linear_model,
    metrics,
    probabilistic,
)
from support.comparison import assert_near, assert_same_weights
from support.hypothesis_settings import n_examples
from support.strategies import multilabel_streams, parents_of, sample_weights, single_label_streams

TREE = Taxonomy([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
bounds = st.lists(st.integers(0, 25), min_size=3, max_size=3).map(sorted)


def examples(n: int, single: bool, seed: int = 0, scale: float = 1.0) -> list[tuple[Any, Any]]:
    """Dense features around a mean for each label; some features come late."""
    rng, found = random.Random(seed), []
    for i in range(n):
        y = TREE.nodes[i + 1] if i < 4 else rng.choice(TREE.nodes[1:])
        x = {f: rng.gauss(TREE.index(y) * (f != "u"), scale) for f in "uvwxyz"[: 2 + i]}
        found.append((x, y if single else {y}))
    return found


def learned(model: Any, data: Any) -> Any:
    for x, y, *w in data:
        model.learn_one(x, y, *w)
    return model


def apart(start: Any, parts: Sequence[Any]) -> list[Any]:
    """Copies of a model, each of which has learned a part; they come back as pickles."""
    workers = [pickle.loads(pickle.dumps(start)) for _ in parts]
    return [pickle.loads(pickle.dumps(learned(m, p))) for m, p in zip(workers, parts, strict=True)]


def split(data: list[Any], at: list[int]) -> tuple[list[Any], list[list[Any]]]:
    """What the start learns, and three parts."""
    first, *parts = (data[a:b] for a, b in itertools.pairwise([0, *at, len(data)]))
    return first, parts


# By the rules of the oracles


def both_apart(start: Any, theirs: Any, data: list[Any], at: list[int]) -> tuple[Any, Any, Any]:
    """A model and its oracle learn the first part; the other parts, and copies that learn these."""
    first, parts = split(data, at)
    learned(start, first)
    learn(theirs, first)
    others = [learn(copy.deepcopy(theirs), part) for part in parts]
    return first, parts, others


def learn(oracle: Any, data: Any) -> Any:
    for x, y, *w in data:
        oracle.learn(x, y, *w)
    return oracle


def check_rule(start: Any, theirs: Any, data: Any, at: list[int], more: Any, rule: Any) -> None:
    """Both sides learn apart, are merged, and learn on."""
    first, parts, others = both_apart(start, theirs, data, at)
    merged = distributed.merge(apart(start, parts), start)
    ours = rule(theirs, others, [sum(w for *_, w in part) for part in parts])
    assert_same_weights(merged.weights, ours.w)
    if not first:
        again = distributed.merge(apart(start, parts))
        assert again.weights == merged.weights
    x, y, w = more
    scores = ours.scores(x)
    if all(abs(abs(s) - margin) > 1e-6 for s in scores.values() for margin in (0.0, 1.0)):
        merged.learn_one(x, y, w)
        ours.learn(x, y, w)
        assert_same_weights(merged.weights, ours.w)


def by_counts(start: Any, parts: Any, counts: Any) -> Any:
    merged = copy.deepcopy(start)
    merged.w = oracles.mixed([p.w for p in parts], counts, start.w)
    return merged


def by_precision(start: Any, parts: Any, counts: Any) -> Any:
    merged, of = copy.deepcopy(start), [(p.w, p.variances) for p in parts]
    merged.w, merged.variances = oracles.mixed_by_precision(of, (start.w, start.variances))
    return merged


def weighted(data: Any, weights: list[float]) -> list[Any]:
    return [(x, y, w) for (x, y), w in zip(data, weights, strict=False)]


@given(multilabel_streams(), bounds, sample_weights)
@n_examples(40)
def test_mixing_of_perceptrons(found: Any, at: list[int], weights: list[float]) -> None:
    t, data = found
    oracle = oracles.HPerceptron(parents_of(t))
    more = {"a": 1.0, "new": 0.5}, set(t.nodes[-1:]), 1.0
    start = linear_model.HPerceptron(t)
    check_rule(start, oracle, weighted(data, weights), at, more, by_counts)


@given(multilabel_streams(), bounds, sample_weights, st.sampled_from([1.0, 0.9]))
@n_examples(40)
def test_mixing_by_precision(
    found: Any, at: list[int], weights: list[float], forgetting: float
) -> None:
    t, data = found
    oracle = oracles.HAROW(parents_of(t), forgetting=forgetting)
    more = {"a": 1.0, "new": 0.5}, set(t.nodes[-1:]), 1.0
    start = linear_model.HAROW(t, forgetting=forgetting, intercept=0.0)
    check_rule(start, oracle, weighted(data, weights), at, more, by_precision)


@given(single_label_streams(), bounds, sample_weights)
@n_examples(40)
def test_mixing_of_paths(found: Any, at: list[int], weights: list[float]) -> None:
    t, data = found
    start, oracle = linear_model.Hieron(t, C=math.inf), oracles.Hieron(parents_of(t))
    more = {"a": 1.0, "new": 0.5}, t.nodes[-1], 1.0
    check_rule(start, oracle, weighted(data, weights), at, more, by_counts)


def test_vectors_of_path_softmax() -> None:
    parents = parents_of(TREE)
    start, theirs = linear_model.PathSoftmax(TREE, intercept=0.0), oracles.PathSoftmax(parents)
    data = [(x, y) for x, y in examples(40, single=True, scale=2.0)]
    _, parts, others = both_apart(start, theirs, data, [5, 15, 25])
    merged = distributed.merge(apart(start, parts), start)
    of = [(o.vectors, o.variances) for o in others]
    theirs.vectors, theirs.variances = oracles.mixed_by_precision(
        of, (theirs.vectors, theirs.variances), 1.0 / 32.0, share=0.3
    )
    for _ in range(2):
        assert_same_weights(merged.weights, theirs.w)
        assert_same_weights(merged.own_weights, theirs.own)
        x, y = examples(9, single=True, seed=1)[-1]
        merged.learn_one(x, y)
        theirs.learn(x, y)


@given(multilabel_streams(), bounds, st.booleans())
@n_examples(40)
def test_averages_are_over_the_hypotheses_of_all(found: Any, at: list[int], whole: bool) -> None:
    t, data = found
    start = linear_model.Averaged(linear_model.HPerceptron(t), whole)
    theirs = oracles.Averaged(oracles.HPerceptron(parents_of(t)), whole)
    first, parts, others = both_apart(start, theirs, data, at)
    merged = distributed.merge(apart(start, parts), start)
    last = oracles.mixed([o.oracle.w for o in others], [*map(len, parts)], theirs.oracle.w)
    assert_same_weights(merged.last.weights, last)
    assert_same_weights(merged.weights, oracles.average_of_all(parents_of(t), others, theirs, last))
    if not first:
        assert distributed.merge(apart(start, parts)).weights == merged.weights


# Exactly


@pytest.mark.parametrize("order", [*itertools.permutations(range(3))])
@pytest.mark.parametrize("open_", [False, True])
def test_the_discriminant_is_that_of_one_pass(order: tuple[int, ...], open_: bool) -> None:
    data = examples(60, single=True, scale=0.5)
    first, parts = split(
        data, [4, 20, 45]
    )  # the frequency of a label counts from its first example
    make = lambda: probabilistic.LinearDiscriminant(None if open_ else TREE)  # noqa: E731
    start = learned(make(), first)
    one = learned(make(), itertools.chain(first, *(parts[k] for k in order)))
    merged = distributed.merge(apart(start, parts), start)
    for x, y in examples(9, single=True, seed=1):
        assert_near(merged.score_one(x), one.score_one(x))
        merged.learn_one(x, y)
        one.learn_one(x, y)
    whole = distributed.merge(apart(make(), [first + parts[0], parts[1], parts[2]]))
    assert whole.predict_one(x) == one.predict_one(x)


def test_the_discriminant_keeps_what_was_forgotten_below_a_node() -> None:
    first, parts = split(examples(40, single=True), [10, 20, 30])
    start = learned(probabilistic.LinearDiscriminant(TREE), first)
    start.forget("c")
    one = learned(copy.deepcopy(start), itertools.chain(*parts))
    merged = distributed.merge(apart(start, parts), start)
    x = {"u": 1.0, "v": 2.0}
    seen = {label for _, label in first}
    ours, theirs = merged.score_one(x), one.score_one(x)
    for label in seen - {"c", "a"}:
        assert ours[label] == pytest.approx(theirs[label], abs=0.5)


TEXTS = ["the wolf howls", "the owl", "a wolf, a wolf", "an owl flies", "howls howls", ""]


@pytest.mark.parametrize("kind", [feature_extraction.LogTFIDF, feature_extraction.TextViews])
@given(st.lists(st.sampled_from(TEXTS), max_size=20), bounds, st.sampled_from([1, 2]))
@n_examples(40)
def test_words_are_counted_as_in_one_pass(
    kind: Any, texts: list[str], at: list[int], min_count: int
) -> None:
    first, parts = split(texts, [min(a, len(texts)) for a in at])

    def bag(texts: Any, like: Any = None) -> Any:
        found = pickle.loads(pickle.dumps(like or kind(min_count=min_count)))
        for text in texts:
            found.learn_one(text)
            found.transform_one(text)  # as in a pipeline
        return found

    start, one = bag(first), bag(texts)
    merged = distributed.merge([bag(part, start) for part in parts], start)
    assert (merged.n, merged.dfs) == (one.n, one.dfs)
    for text in TEXTS:
        assert merged.transform_one(text) == pytest.approx(one.transform_one(text))


def test_words_that_a_part_has_forgotten_count_for_the_others() -> None:
    """Of rare words, only so many are kept: a part may know fewer than the start."""
    make = lambda: feature_extraction.LogTFIDF(min_count=3, max_rare=2)  # noqa: E731
    start = make()
    for text in ("wolf", "wolf owl"):
        start.learn_one(text)
    parts = [copy.deepcopy(start) for _ in range(2)]
    for text in ("fox", "cat", "wolf"):  # it has gone in the meantime
        parts[0].learn_one(text)
    for _ in range(3):
        parts[1].learn_one("wolf")
    merged = distributed.merge(parts, start)
    assert merged.n == 8
    assert merged.dfs == {"wolf": 5}


def test_a_merged_temperature_at_its_limit_is_opened_again() -> None:
    """The mean of 3, 3, ... may be 3 and a rounding error."""
    parts = []
    for n in (777, 912, 431, 42, 266):
        part = linear_model.PathSoftmax(Taxonomy.flat("ab"))
        for label in "ab" * 5:
            part.learn_one({"x": 1.0}, label, w=1000.0)
        part.learn_one({}, "a", w=float(n))
        parts.append(part)
    merged = distributed.merge(parts)
    assert merged._state.learned[0] < -3.0 == parts[0]._state.learned[0]
    opened = pickle.loads(pickle.dumps(merged))
    assert opened._state.learned == merged._state.learned


def test_a_merged_temperature_is_the_mean_by_the_number_of_examples() -> None:
    t = Taxonomy([("r", "a"), ("r", "b"), ("a", "c")])
    start = linear_model.PathSoftmax(t)
    parts = [start.clone(), start.clone()]
    for part, n in zip(parts, (5, 15), strict=True):
        for i in range(n):
            part.learn_one({"x": 1.0 + i % 3, i % 4: 1.0}, "abc"[i * n % 3])
    first, second = (np.array(part._state.learned) for part in parts)
    merged = distributed.merge(parts, start)._state.learned
    assert merged == pytest.approx(0.25 * first + 0.75 * second)
    assert (np.abs(first - second) > 1e-6).all()


def test_the_scale_of_temperatures_is_the_mean_of_the_parts() -> None:
    """It is that of the latest scores, and a part counts as the examples that it has learned."""
    start = decision.Tempered(linear_model.Hieron(TREE))
    data = examples(100, single=True, scale=2.0)
    learned(start, data[:10])
    parts = apart(start, [data[10:20], data[20:70], data[70:]])
    of = [part._temperatures.scale for part in parts]
    mean = sum(k * s.squares / s.n for k, s in zip((10, 50, 30), of, strict=True)) / 90
    scale = distributed.merge(parts, start)._temperatures.scale
    assert scale.n == max(s.n for s in of)
    assert scale.squares / scale.n == pytest.approx(mean)
    alone = distributed.merge(parts)._temperatures.scale  # each has learned ten more
    mean = sum(k * s.squares / s.n for k, s in zip((20, 60, 40), of, strict=True)) / 120
    assert alone.squares / alone.n == pytest.approx(mean)


def test_the_parameters_of_temperatures_are_means_by_the_squares_of_gradients() -> None:
    start = decision.Tempered(linear_model.Hieron(TREE))
    data = examples(100, single=True, scale=2.0)
    learned(start, data[:10])
    parts = apart(start, [data[10:20], data[20:70], data[70:]])
    merged = distributed.merge(parts, start)
    for name in ("sharp", "flat", "mixture"):
        before, after, *of = (getattr(m._temperatures, name) for m in (start, merged, *parts))
        gained = [d.squares - before.squares for d in of]
        moved = sum(g * (d.value - before.value) for g, d in zip(gained, of, strict=True))
        assert after.squares == pytest.approx(before.squares + sum(gained))
        assert after.value == pytest.approx(before.value + moved / sum(gained))
    p = merged.predict_proba_one(data[0][0])
    assert sum(p.values()) == pytest.approx(1.0)


METRICS = ["HLoss", "HF1", "ZeroOneLoss", "HLossByDepth"]


@pytest.mark.parametrize("name", METRICS)
def test_metrics_are_those_of_one_pass(name: str) -> None:
    rng = random.Random(0)
    pairs = [(*rng.choices("abcd", k=2), rng.choice([1.0, 0.1])) for _ in range(40)]

    def metric(pairs: Any, like: Any = None) -> Any:
        found = copy.deepcopy(like) if like else getattr(metrics, name)(TREE)
        for y, p, w in pairs:
            found.update(y, p, w)
        return found

    first, parts = split(pairs, [5, 10, 30])
    start = metric(first)
    merged = distributed.merge([metric(part, start) for part in parts], start)
    assert merged.get() == metric(pairs).get()
    assert distributed.merge([metric(part) for part in parts]).get() == metric(pairs[5:]).get()
    for y, p, w in pairs:
        merged.revert(y, p, w)
    assert not list(merged._sums)


# Parts


def workers(model: Any) -> tuple[Any, list[Any]]:
    first, parts = split(examples(60, single=False), [10, 25, 40])
    start = learned(model, first)
    return start, apart(start, parts)


def test_open_taxonomies_are_united() -> None:
    models = []
    for labels in (["a/b", "c"], ["c/d", "a"], ["e"]):
        model = linear_model.HAROW(OpenTaxonomy("/"))
        for label in labels:
            model.learn_one({label: 1.0, "all": 1.0}, {label})
        models.append(model)
    merged = distributed.merge(models)
    assert set(merged.taxonomy_) == {"", "a", "a/b", "c", "c/d", "e"}
    assert merged.taxonomy_.parents("c/d") == ("c",)
    assert merged.predict_one({"a/b": 1.0})["a/b"]
    assert merged.predict_one({"e": 1.0})["e"]
    merged.learn_one({"f": 1.0}, {"f"})
    found = metrics.HLoss(OpenTaxonomy("/"))
    found.update({"a/b"}, {"c"})
    other = metrics.HLoss(OpenTaxonomy("/"))
    other.update({"e"}, {"e"})
    assert distributed.merge([found, other]).get() == 1.0
    assert "e" in distributed.merge([found, other]).taxonomy_


def test_parts_that_were_edited_differently_are_refused() -> None:
    edited, other = (linear_model.HAROW(OpenTaxonomy("/")) for _ in range(2))
    for model in (edited, other):
        model.learn_one({"x": 1.0}, {"a/b"})
    edited.adopt(edited.taxonomy_.edit([{"rename": "a/b", "to": "c"}]))
    with pytest.raises(ValueError, match="must have adopted the same edits"):
        distributed.merge([edited, other])
    other.adopt(other.taxonomy_.edit([{"rename": "a/b", "to": "c"}]))
    assert distributed.merge([edited, other]).predict_one({"x": 1.0}) == {"a": True, "a/c": True}


def test_calibrations_and_counts_of_labels_that_one_part_has_are_its_own() -> None:
    """The squares of gradients, which begin at 1, add up for a label that both have."""

    def learned(model: Any) -> dict[Any, Any]:
        _, own = model.model._calibration.saved()
        return dict(zip(model.taxonomy_.nodes, zip(own, model._counts, strict=True), strict=True))

    models = []
    for label in "ab":
        model = decision.HLossBayes(decision.Calibrated(linear_model.HAROW(OpenTaxonomy("/"))))
        for i in range(20):
            y = {f"{label}/1", "both"} if i % 4 else {f"{label}/2"}
            model.learn_one({label: 1.0, "x": float(i % 3)}, y)
        models.append(model)
    merged, parts = learned(distributed.merge(models)), [*map(learned, models)]
    for part in parts:
        for label in part.keys() - {"", "both"}:
            assert part[label][0][1] > 1.0
            for found, own in zip(merged[label], part[label], strict=True):
                assert found == pytest.approx(own)
    squares = sum(part["both"][0][1] - 1.0 for part in parts)
    assert merged["both"][0][1] == pytest.approx(1.0 + squares)


def test_counts_of_children_add_up() -> None:
    start, models = workers(decision.HLossBayes(decision.Calibrated(linear_model.HAROW(TREE))))
    taught = [start, *apart(start, split(examples(60, single=False), [10, 25, 40])[1])]
    found = distributed.merge(models, start)._counts
    expected = sum(model._counts - start._counts for model in taught)
    assert found == pytest.approx(start._counts + expected)
    assert found[0, :3].sum() == 60.0  # the root of each example


def test_a_node_has_an_example_if_it_has_one_somewhere() -> None:
    start = learned(linear_model.HAROW(TREE), examples(9, single=False))
    start.adopt(TREE.extend([("b", "new")]))
    models = [copy.deepcopy(start) for _ in range(2)]
    assert not distributed.merge(models, start).predict_one({"u": 1.0}).get("new")
    assert distributed.merge(models, start)._labels.unseen
    models[1].learn_one({"u": 1.0}, {"new"})
    assert not distributed.merge(models, start)._labels.unseen


@pytest.mark.parametrize("with_std", [True, False])
@pytest.mark.parametrize("begun", [0, 12])
def test_scalers_scale_as_one_that_has_learned_all(with_std: bool, begun: int) -> None:
    xs = [x for x, _ in examples(60, False)]
    start, one = StandardScaler(with_std), StandardScaler(with_std)
    for x in xs[:begun]:
        start.learn_one(x)
    for x in xs:
        one.learn_one(x)
    models = []
    for part in (xs[begun:30], xs[30:31], xs[31:]):
        models.append(copy.deepcopy(start))
        for x in part:
            models[-1].learn_one(x)
    merged = distributed.merge(models, start)
    assert merged.counts == one.counts
    assert merged.means == pytest.approx(dict(one.means))
    assert merged.vars == pytest.approx(dict(one.vars))
    assert merged.transform_one(xs[0]) == pytest.approx(one.transform_one(xs[0]))
    windows = [StandardScaler(window_size=5) for _ in range(2)]
    windows[0].learn_one(xs[0])
    with pytest.raises(TypeError, match="`StandardScaler`"):
        distributed.merge(windows)


# Refusals

t = TREE


@pytest.mark.parametrize(
    ("models", "error", "message"),
    [
        ([], ValueError, "at least one model, got none"),
        (
            [learned(MinMaxScaler() | linear_model.HAROW(t), examples(n, False)) for n in (5, 9)],
            TypeError,
            "must be models that can be merged, got ",
        ),
        ([linear_model.HAROW(t), linear_model.HPerceptron(t)], TypeError, "same class"),
        ([linear_model.HAROW(t), linear_model.HAROW(t, r=2.0)], ValueError, "r=1.0 and r=2.0"),
        ([linear_model.HAROW(t), linear_model.HAROW(t.flatten())], ValueError, "same taxonomy"),
        ([linear_model.HMinOver(t)] * 2, TypeError, "threshold"),
        (
            [decision.HLossBayes(linear_model.HAROW(t, r=r)) for r in (1.0, 2.0)],
            ValueError,
            "r=1.0 and r=2.0",
        ),
        (
            [f() | linear_model.HAROW(t) for f in (StandardScaler, Normalizer)],
            ValueError,
            "same steps",
        ),
    ],
)
def test_refusals(models: Any, error: type[Exception], message: str) -> None:
    before = pickle.dumps(models)
    with pytest.raises(error, match=message):
        distributed.merge(models)
    assert pickle.dumps(models) == before


def test_the_start_is_one() -> None:
    start, models = workers(linear_model.HAROW(TREE))
    with pytest.raises(ValueError, match="must be what the models began with"):
        distributed.merge([start, start], models[0])
    with pytest.raises(TypeError, match="same class"):
        distributed.merge(models, linear_model.HPerceptron(TREE))


def test_edits_of_one_part_are_refused_in_any_order() -> None:
    parts = []
    for labels in ("ba", "bc"):
        parts.append(linear_model.PathSoftmax())
        for y in labels:
            parts[-1].learn_one({"p": 1.0}, y)
    parts[0].adopt(parts[0].taxonomy_.edit([{"rename": "b", "to": "B"}]))
    for models in (parts, parts[::-1]):
        with pytest.raises(ValueError, match="must have adopted the same edits"):
            distributed.merge(models)
