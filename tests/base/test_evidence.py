"""Labels that are known to some depth: beside oracles, and what holds of every model."""

import math
import pickle
import random
import re
from contextlib import suppress
from itertools import combinations, product
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from river_hier import (
    Among,
    Below,
    Known,
    Not,
    OpenTaxonomy,
    Taxonomy,
    decision,
    ensemble,
    kernel,
    linear_model,
    metrics,
    probabilistic,
)
from river_hier.taxonomy import UnknownLabelError, part_of
from support.comparison import NEAR, assert_near
from support.hypothesis_settings import n_examples
from support.makers import NESTED, TABLE
from support.strategies import multilabel_streams, parents_of, sample_weights, single_label_streams

TREE = Taxonomy.from_nested({"up": ["sky"], "down": {"ground": ["path", "grass", "cement"]}})
ONE: dict[str, Any] = {
    "HieronOfParts": lambda t: linear_model.Hieron(t, C=math.inf),
    "HierarchicalSoftmax": lambda t: linear_model.HierarchicalSoftmax(t, intercept=0.0),
    "PathSoftmax": lambda t: linear_model.PathSoftmax(t, intercept=0.0, margin=1.0),
    "NewtonSoftmax": lambda t: probabilistic.NewtonSoftmax(t, prior_variance=2.0),
}
SOME: dict[str, Any] = {
    "HPerceptron": linear_model.HPerceptron,
    "HAROW": lambda t: linear_model.HAROW(t, intercept=0.0),
}


def of(name: str, parents: Any) -> Any:
    more = {"NewtonSoftmax": {"prior_variance": 2.0}, "PathSoftmax": {"margin": 1.0}}
    return getattr(oracles, name)(parents, **more.get(name, {}))


@st.composite
def evidences(draw: Any, taxonomy: Taxonomy) -> Any:
    """What may be known of a label, and all labels that it may be."""
    nodes = st.sampled_from(taxonomy.nodes)
    y, may = None, set(taxonomy.nodes)
    for kind in draw(st.lists(st.sampled_from((Below, Not, Among)), min_size=1, max_size=2)):
        labels = draw(st.lists(nodes, min_size=1, max_size=1 if kind is Below else 3))
        part = kind(*labels)
        below = {v for v in taxonomy.nodes if not set(labels).isdisjoint(taxonomy.path(v))}
        may &= may - below if kind is Not else below
        y = part if y is None else y & part
    return y, may


def one_left(taxonomy: Taxonomy, may: set[Any]) -> Any:
    """The label that is known, if it is: the only leaf that is left, or end of all ways down."""
    above = {v: taxonomy.parent(v) for v in taxonomy.nodes[1:]}
    leaves = [v for v in may if not taxonomy.children(v)]
    ends = leaves or [v for v in may if may.isdisjoint(taxonomy.children(v))]
    starts = {v for v in may if above.get(v) not in may}
    excludes = any(u in may and v not in may for v, u in above.items())
    return ends[0] if len(ends) == 1 and (ends[0] in starts or excludes) else None


def rounding_decides(scores: Any, some: Any) -> bool:
    """Whether the best of some labels have nearly the same score, but not the same."""
    best = max(scores[v] for v in some)
    return len({scores[v] for v in some if scores[v] > best - NEAR}) > 1


def follows(name: str, ours: Any, taxonomy: Any, stream: Any, weights: Any) -> None:
    """Compare a learner with its oracle, one step after another."""
    parents = parents_of(taxonomy)
    theirs = of(name, parents)
    for ((x, y), known, may), w in zip(stream, weights, strict=False):
        scores = theirs.scores(x)
        assert_near(ours.score_one(x), scores)
        at = 1.0 if name == "HAROW" else 0.0
        if name == "HieronOfParts" and rounding_decides(scores, scores):
            return
        if name in SOME and any(abs(abs(s) - at) < NEAR and s for s in scores.values()):
            return
        if known is None:
            ours.learn_one(x, y, w)
            theirs.learn(x, y, w)
            continue
        if not may and name in ONE:
            with pytest.raises(ValueError, match="leaves no label"):
                ours.learn_one(x, known, w)
            continue
        ours.learn_one(x, known, w)
        if name in SOME:
            if set(y) <= {taxonomy.root} and (may == "below" or not y) and len(taxonomy) > 1:
                continue
            unknown = "learn_known" if may == "known" else "learn_below"
            getattr(theirs, unknown)(x, y, w)
        elif (label := one_left(taxonomy, may)) is not None:
            theirs.learn(x, label, w)
        elif len(may) < len(taxonomy):
            if name == "HieronOfParts" and rounding_decides(scores, may):
                return
            theirs.learn_part(x, may, w)
        ours = pickle.loads(pickle.dumps(ours))


def with_parts(name: str, taxonomy: Taxonomy, stream: Any, draw: Any) -> Any:
    """Each example with what is known of it, None for all, and what this leaves."""
    for x, y in stream:
        if name in ONE:
            yield (x, y), *draw(st.one_of(st.just((None, None)), evidences(taxonomy)))
        else:
            kind = draw(st.sampled_from((None, Below, Known)))
            said = dict.fromkeys(y, True) if kind is Known else y
            known = None if kind is None else kind(said)
            yield (x, y), known, "known" if kind is Known else "below"


@pytest.mark.parametrize("name", ONE | SOME)
@given(data=st.data(), weights=sample_weights)
@n_examples(60)
def test_it_equals_the_oracle(name: str, data: Any, weights: Any) -> None:
    """Step by step, for one label and for several."""
    taxonomy, stream = data.draw(single_label_streams() if name in ONE else multilabel_streams())
    stream = list(with_parts(name, taxonomy, stream, data.draw))
    follows(name, (ONE | SOME)[name](taxonomy), taxonomy, stream, weights)


@pytest.mark.parametrize("name", ONE | SOME)
def test_it_equals_the_oracle_in_a_stream_of_many_parts(name: str) -> None:
    rng, n = random.Random(1), 40
    xs = [{feature: rng.gauss(0.0, 1.0) for feature in "abc"} for _ in range(n)]
    ys = [rng.choice(TREE.nodes[1:]) for _ in range(n)]
    some = [(Below, "below"), (Known, "known")] if name in SOME else [(Below, None), (Not, None)]
    stream = []
    for k, (x, y) in enumerate(zip(xs, ys, strict=True)):
        kind, may = (None, None) if k % 3 == 0 else some[k % 3 - 1]
        known = None if kind is None else kind({y: True} if kind is Known else y)
        if name in ONE and kind is not None:
            below = {v for v in TREE.nodes if y in TREE.path(v)}
            may = below if kind is Below else {*TREE.nodes} - below
        stream.append(((x, y if name in ONE else {y}), known, may))
    follows(name, (ONE | SOME)[name](TREE), TREE, stream, [1.0] * n)


def test_what_is_stated_to_be_off_is_known() -> None:
    ours = linear_model.HAROW(TREE)
    ours.learn_one({"x": 1.0}, Below({"ground": True, "path": False}))
    assert {v for v, w in ours.weights.items() if w} == {"up", "down", "ground", "path"}


STREAM = [({"a": 1.0, "b": 0.5}, "path"), ({"b": 1.0}, "sky"), ({"a": 0.3, "c": 1.0}, "grass")]
NEW = {"z": 1.0}
WHOLE = re.compile("Linear|Neighbors|Trees|kernel|^Per|Dense|RLS|HMin|naive|TreeBayes")
ALL = {name: row for name, row in (TABLE | NESTED).items() if "taxonomy" not in row.refuses}


def trained(row: Any, *more: Any) -> Any:
    model = row(TREE)
    for x, y in [*((x, row.y(y)) for x, y in STREAM), *((NEW, y) for y in more)]:
        model.learn_one(x, y)
    return model


def state(model: Any) -> Any:
    said: list[Any] = []
    for method in ("predict_one", "predict_proba_one", "score_one"):
        with suppress(AttributeError, NotImplementedError):
            said += [getattr(model, method)(x) for x in (*(x for x, _ in STREAM), NEW)]
    assert said, "an answer by which states are compared"
    return said


@pytest.mark.parametrize("name", ALL)
def test_every_model_learns_it_or_refuses_it(name: str) -> None:
    """A leaf is a leaf, the root and a refusal change nothing, and a batch is its loop."""
    row = ALL[name]
    inner, leaf, root = (Below(row.y(v)) for v in ("ground", "sky", TREE.root))
    ours, before = trained(row), state(trained(row))
    if WHOLE.search(name):
        with pytest.raises(TypeError, match=r"learns whole labels only, got Below\("):
            ours.learn_one(NEW, inner)
        assert state(ours) == before
        return
    ours.learn_one(NEW, inner)
    assert state(ours) != before or "HLossBayes" in name  # which gives no numbers
    assert state(trained(row, root)) == before
    assert state(trained(row, inner, leaf)) == state(trained(row, inner, row.y("sky")))
    pickle.loads(pickle.dumps(ours)).learn_one(NEW, leaf)
    batch = trained(row)
    batch.learn_many(pd.DataFrame([NEW] * 3), [inner, leaf, root])
    ours.learn_one(NEW, leaf)
    ours.learn_one(NEW, root)
    assert state(batch) == state(ours)


ONES = {name: row for name, row in ALL.items() if not row.several}


@pytest.mark.parametrize("name", ONES)
def test_what_is_left_is_learned(name: str) -> None:
    """One leaf is the leaf, all is nothing, nothing is an error, and a batch is its loop."""
    row, leaves = ONES[name], TREE.leaves
    before, with_leaf = state(trained(row)), state(trained(row, "sky"))
    others = Not(*(v for v in leaves if v != "sky"))
    for leaf in (Among("sky"), others, Below("up") & Among("sky"), Below("sky") & Not("path")):
        assert state(trained(row, leaf)) == with_leaf, leaf
    for known in (Not(TREE.root), Below("ground") & Not("ground"), Among("sky") & Among("path")):
        ours = trained(row)
        with pytest.raises(ValueError, match="leaves no label that could be the true one"):
            ours.learn_one(NEW, known)
        assert state(ours) == before
    some = Not("sky"), Among("path", "sky"), Below("ground") & Not("path")
    ours = trained(row)
    if WHOLE.search(name):
        for known in some:
            with pytest.raises(TypeError, match="learns whole labels only"):
                ours.learn_one(NEW, known)
        assert state(ours) == before
        return
    assert state(trained(row, Among(TREE.root))) == before
    for known in some:
        ours.learn_one(NEW, known)
    assert state(ours) != before
    batch = trained(row)
    batch.learn_many(pd.DataFrame([NEW] * 3), list(some))
    assert state(batch) == state(ours)


def test_evidence_moves_probabilities_as_it_says() -> None:
    for make in (ONE[name] for name in ONE if "Softmax" in name):
        for known, more, less in (
            (Not("sky"), ("path", "grass"), ("sky",)),
            (Among("path", "sky"), ("path", "sky"), ("cement",)),
            (Below("ground") & Not("path"), ("grass", "cement"), ("path", "sky")),
        ):
            model = make(TREE)
            for v in TREE.leaves:  # labels without examples have no score of their own
                model.learn_one({v: 1.0}, v)
            before = model.predict_proba_one(NEW)
            for _ in range(5):
                model.learn_one(NEW, known)
            after = model.predict_proba_one(NEW)
            assert sum(after[v] for v in more) > sum(before[v] for v in more)
            assert sum(after[v] for v in less) < sum(before[v] for v in less), (make, known)


@pytest.mark.parametrize("name", ["PathSoftmax", "HierarchicalSoftmax", "Hieron"])
def test_in_an_open_taxonomy_only_what_may_be_is_added(name: str) -> None:
    model = TABLE[name](OpenTaxonomy("/"))
    model.learn_one(NEW, "a/b")
    before = model.score_one(NEW)
    model.learn_one(NEW, Not("x/y"))  # there is no such label to be excluded
    assert model.score_one(NEW) == before
    model.learn_one(NEW, Among("c", "d") & Not("e"))
    assert model.taxonomy_.nodes == ("", "a", "a/b", "c", "d")
    closed = TABLE[name](TREE)
    with pytest.raises(UnknownLabelError, match="'x' is not in the taxonomy"):
        closed.learn_one(NEW, Not("x"))


@pytest.mark.parametrize("name", ["PathSoftmax", "HierarchicalSoftmax"])
def test_new_nodes_have_an_example_if_all_labels_are_below_them(name: str) -> None:
    model = TABLE[name](TREE)
    for v in TREE.leaves:
        model.learn_one({v: 1.0}, v)
    model.adopt(TREE.extend([("up", "star"), ("star", "sun"), ("star", "moon")]))
    model.learn_one(NEW, Not("path"))
    assert model.predict_proba_one(NEW)["star"] == 0.0
    model.learn_one(NEW, Among("sun", "moon"))
    p = model.predict_proba_one(NEW)
    assert p["star"] > 0.0 == p["sun"] == p["moon"]


def test_what_cannot_be_said() -> None:
    for kind in (Not, Among):
        with pytest.raises(ValueError, match=f"`{kind.__name__}` needs at least one label"):
            kind()
    with pytest.raises(TypeError, match="`Known` needs"):
        Known(["a"])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unsupported operand"):
        Known({"a": True}) & Not("a")
    assert repr(Below("a") & Not("b", "c")) == "Below(label='a') & Not('b', 'c')"
    one, some = linear_model.PathSoftmax(TREE), linear_model.HAROW(TREE)
    with pytest.raises(TypeError, match="what a model of this kind learns of a label is Below, "):
        one.learn_one(NEW, Known({"sky": True}))
    with pytest.raises(TypeError, match=r"learns of a label is Known"):
        some.learn_one(NEW, Not("sky"))
    assert one.predict_proba_one(NEW) == linear_model.PathSoftmax(TREE).predict_proba_one(NEW)


def test_a_classifier_of_scikit_learn_learns_it() -> None:
    from river_hier.sklearn import HierarchicalClassifier

    texts = ["red sky"] * 20 + ["green grass"] * 20
    y = ["sky", Not("grass", "path", "cement")] * 10 + ["grass", Among("grass", "path")] * 10
    model = HierarchicalClassifier(taxonomy=TREE).fit(texts, y)
    assert list(model.predict(["red", "green"])) == ["sky", "grass"]
    assert model.score(["red", "green"], [Not("grass"), Below("ground")]) == 1.0
    assert model.score(["red", "green"], [Not("sky"), Among("sky", "path")]) == 0.0


@pytest.mark.parametrize("loss", ["TreeInducedError", "ZeroOneLoss"])
def test_metrics_compare_with_the_nearest_label_that_may_be(loss: str) -> None:
    metric = getattr(metrics, loss)(TREE)

    def value(y: Any, y_pred: Any) -> float:
        metric.update(y, y_pred)
        found: float = metric.get()
        metric.revert(y, y_pred)
        return found

    for known in (Not("path"), Not("grass"), Among("path", "sky"), Below("down") & Not("grass")):
        part: Any = part_of(TREE, known)
        may = [v for v in TREE.nodes if part.mask(TREE._arrays)[TREE.index(v)]]
        for y_pred in TREE.nodes:
            assert value(known, y_pred) == min(value(v, y_pred) for v in may), (known, y_pred)


@pytest.mark.parametrize("name", ["PathSoftmax", "Hieron", "HAROW"])
def test_an_open_taxonomy_grows(name: str) -> None:
    row = TABLE[name]
    model, shoes = row(OpenTaxonomy()), ("goods", "shoes")
    model.learn_one(NEW, Below(row.y(shoes)))
    model.learn_one(NEW, row.y((*shoes, "boots")))
    model.learn_one({"z": -1.0}, row.y(("goods", "books")))
    before = model.weights
    model.learn_one({"z": -1.0}, Below(row.y(shoes)))
    moved = {v for v, w in model.weights.items() if w != before[v]}
    assert shoes in moved
    assert (*shoes, "boots") not in moved


WHOLE_ONLY = ["LinearDiscriminant", "PerParent", "PerLevel", "Tempered", "DensePool"]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("name", [*WHOLE_ONLY, "MultilabelExtraTrees", "PerNode"])
def test_in_a_pool_those_learn_it_that_can_and_all_grow(name: str, turned: bool) -> None:
    """Also around models that cannot; else nodes of two members would be different labels."""
    row, taxonomy = ALL[name], OpenTaxonomy("/")
    able = linear_model.HAROW(taxonomy) if row.several else linear_model.PathSoftmax(taxonomy)
    unable = kernel.Hieron(taxonomy) if name == "Tempered" else taxonomy
    other = row.make(unable)
    pool = ensemble.LogarithmicPool([other, able] if turned else [able, other])
    for y in ("a/b", "c"):
        pool.learn_one(NEW, row.y(y))
    pool.learn_one(NEW, Below(row.y("c/d")))
    assert able.taxonomy_.nodes == other.taxonomy_.nodes == ("", "a", "a/b", "c", "c/d")
    pool.learn_one(NEW, Below(row.y("c")))
    pool.learn_one({"z": 1.0}, row.y("c/e"))
    assert able.taxonomy_.nodes == other.taxonomy_.nodes
    assert pool.taxonomy_.nodes[5:] == ("c/e",)
    ones, many = pool.predict_proba_one(NEW), pool.predict_proba_many(pd.DataFrame([NEW]))
    ones = {v: p[True] if row.several else p for v, p in ones.items()}
    assert many.iloc[0].to_dict() == pytest.approx(ones)


@pytest.mark.parametrize("loss", ["TreeInducedError", "ZeroOneLoss", "HLoss"])
def test_metrics_take_the_least_loss_of_the_labels_in_question(loss: str) -> None:
    metric = getattr(metrics, loss)(TREE)

    def value(y: Any, y_pred: Any) -> float:
        metric.update(y, y_pred)
        found: float = metric.get()
        metric.revert(y, y_pred)
        return found

    sets = [[], *({v} for v in TREE.nodes), {"path", "grass"}, {"path", "sky"}, {"sky", "down"}]
    for v, y_pred in product(TREE.nodes, sets):
        named = {v} if v != TREE.root else set()
        rest = [u for u in TREE.nodes if v in TREE.path(u) and u != v]
        wholes = [named.union(more) for n in range(len(rest) + 1) for more in combinations(rest, n)]
        least = min(value(whole, y_pred) for whole in wholes)
        assert value(Below(v), y_pred) == value(Below({v}), y_pred) == least
    assert value(Below({"ground": True, "path": False}), {"path"}) > 0.0
    with pytest.raises(TypeError, match="AveragePrecision needs whole labels, got Below"):
        metrics.AveragePrecision(TREE).update(Below("down"), {"sky": 1.0})


def test_metrics_of_an_open_taxonomy_count_it() -> None:
    metric = metrics.TreeInducedError(OpenTaxonomy())
    metric.update(Below(("goods", "shoes")), ("goods", "shoes", "boots"))
    assert metric.get() == 0.0
    metric.update(Below(("goods", "shoes")), ("goods", "books"))
    assert metric.get() == 1.0


def test_known_that_names_every_label_is_the_whole_label() -> None:
    t, x = Taxonomy.from_nested({"r": {"a": ["b", "c"], "d": ["e", "f"]}}), {"x": 1.0}
    whole, known = (decision.Calibrated(linear_model.HAROW(t)) for _ in range(2))
    for i in range(20):
        v = "bc"[i % 3 == 0]
        whole.learn_one(x, {v})
        known.learn_one(x, Known({u: u in ("a", v) for u in "abcdef"}))
    assert pickle.dumps(whole) == pickle.dumps(known)
