"""A sharded model equals the model in one process, bit for bit. These tests do not use Ray."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given
from hypothesis import strategies as st
from river import compose, evaluate, preprocessing

import oracles
from river_hier import OpenTaxonomy, Taxonomy, distributed, kernel, linear_model, metrics
from river_hier.datasets import synth
from river_hier.distributed.plan import Plan, example_shares, unit_loads
from river_hier.distributed.shard import Shard
from support.backends import both, kinds, running_on
from support.hypothesis_settings import n_examples
from support.local_shards import LocalShards, local_shards
from support.river_checks import rivers_checks
from support.river_data import GENE_TREE
from support.strategies import features, multilabels, parents_of, reals, taxonomies

DAG = Taxonomy([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("b", "d"), ("a", "e")])
MODELS: dict[str, Any] = {
    "HPerceptron": lambda t: linear_model.HPerceptron(t),
    "HAROW": lambda t: linear_model.HAROW(t, r=0.5, dtype="float32"),
    "compact HAROW": lambda t: linear_model.HAROW(t, dtype="float16", forgetting=0.9, seed=3),
    "HAROW that forgets": lambda t: linear_model.HAROW(t, forgetting=0.9),
    "HRLS": lambda t: linear_model.HRLS(t, l2=0.5),
    "SHRLS": lambda t: linear_model.SHRLS(t, threshold=1.0),
    "SHRLS, hashed": lambda t: linear_model.SHRLS(t, n_features=4),
    "SHRLS with a budget": lambda t: linear_model.SHRLS(t, threshold=20.0, budget=4),
    "HRLS that forgets": lambda t: linear_model.HRLS(t, forgetting=0.8),
    "SHRLS that forgets": lambda t: linear_model.SHRLS(t, threshold=20.0, forgetting=0.7),
}
each = pytest.mark.parametrize("name", MODELS)


@pytest.fixture(autouse=True)
def here() -> Iterator[None]:
    with local_shards():
        yield


def same(model: Any, sharded: Any, xs: list[Any]) -> None:
    """Predictions are equal to the last bit."""
    for x in xs:
        assert sharded.predict_one(x) == model.predict_one(x)
        assert sharded.predict_labels_one(x) == model.predict_labels_one(x)
        assert sharded.score_one(x) == model.score_one(x)
        assert sharded.predict_proba_one(x) == model.predict_proba_one(x)


def words(n: int, d: int, seed: int) -> list[dict[str, float]]:
    """Sparse examples as in text: features come and go, in no particular order."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        columns = rng.choice(d, 1 + int(rng.integers(min(d, 12))), replace=False)
        found.append(
            {f"w{j}": float(v) for j, v in zip(columns, rng.normal(size=12), strict=False)}
        )
    return found


@st.composite
def streams(draw: st.DrawFn) -> tuple[Taxonomy, list[tuple[Any, Any]]]:
    taxonomy = draw(taxonomies())
    numbers = draw(st.sampled_from([None, reals]))
    xs = features() if numbers is None else features(numbers)
    return taxonomy, draw(st.lists(st.tuples(xs, multilabels(taxonomy)), max_size=25))


@pytest.mark.slow(but=5)
@both
@each
@n_examples(10, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(data=streams(), k=st.integers(1, 4), cuts=st.data())
def test_the_same_step_by_step(backend: str, name: str, data: Any, k: int, cuts: Any) -> None:
    taxonomy, stream = data
    with running_on(backend):
        model = MODELS[name](taxonomy)
        for x, y in stream[:3]:  # learned before the model is sharded
            model.learn_one(x, y)
        sharded = distributed.Sharded(copy.deepcopy(model), shards=k)
        for i, (x, y) in enumerate(stream[3:]):
            same(model, sharded, [x])
            model.learn_one(x, y)
            sharded.learn_one(x, y)
            if i == 10:
                sharded = pickle.loads(pickle.dumps(sharded))
        gathered = sharded.gathered()
        assert gathered.weights == model.weights
        for x, y in stream[:5]:  # the gathered model continues to learn
            model.learn_one(x, y)
            gathered.learn_one(x, y)
            same(model, gathered, [x])


@pytest.mark.slow
@both
@each
def test_the_same_batch_by_batch_on_text(backend: str, name: str) -> None:
    if "hashed" in name:
        pytest.skip("four rows hold no text")
    taxonomy = Taxonomy.from_nested({"r": {"a": ["c", "d", "e"], "b": {"f": ["g", "h"], "i": []}}})
    xs, rng = words(160 if backend == "native" else 80, 60, seed=3), np.random.default_rng(4)
    ys = [set(rng.choice(taxonomy.nodes[1:], 2)) for _ in xs]
    with running_on(backend):
        model = MODELS[name](taxonomy)
        sharded = distributed.Sharded(model.clone(), shards=3)
        for a in range(0, len(xs), 40):
            X = pd.DataFrame(xs[a : a + 40]).fillna(0.0)
            assert sharded.predict_many(X).equals(model.predict_many(X))
            assert sharded.predict_proba_many(X).equals(model.predict_proba_many(X))
            model.learn_many(X, ys[a : a + 40])
            sharded.learn_many(X, ys[a : a + 40])
        same(model, sharded, xs[:10])
        gathered = sharded.gathered()
        assert gathered.weights == model.weights
        assert getattr(gathered, "n_stored", 0) == getattr(model, "n_stored", 0)
        resharded = distributed.Sharded(gathered, shards=2)  # now by stored instances
        model.learn_many(X, ys[:40])
        resharded.learn_many(X, ys[:40])
        same(model, resharded, xs[:10])


@pytest.mark.slow(but=9)
@both
@each
@pytest.mark.parametrize("start", ["flat", "paths"])
def test_an_open_taxonomy_grows_everywhere(backend: str, name: str, start: str) -> None:
    rng = np.random.default_rng(5)
    labels = [("a",), ("b",), ("a", "c"), ("b", "d"), ("a", "c", "e"), ("f",)]
    with running_on(backend):
        model = MODELS[name](None if start == "flat" else OpenTaxonomy())
        sharded = distributed.Sharded(model.clone(), shards=3)
        xs = [{f"x{j}": float(rng.normal()) for j in range(4)} for _ in range(60)]
        ys = [[] if i < 3 else [labels[int(rng.integers(min(1 + i // 8, 6)))]] for i in range(60)]
        for a in range(0, 60, 12):
            for x, y in list(zip(xs, ys, strict=True))[a : a + 6]:
                model.learn_one(x, y)
                sharded.learn_one(x, y)
            X = pd.DataFrame(xs[a + 6 : a + 12])
            model.learn_many(X, ys[a + 6 : a + 12])
            sharded.learn_many(X, ys[a + 6 : a + 12])
            same(model, sharded, xs[:3]) if backend == "native" else near(model, sharded, xs[:3])
        assert set(sharded.predict_one(xs[0])) == set(labels)
        assert sharded.taxonomy == model.taxonomy
        gathered = sharded.gathered()
        assert gathered.weights.keys() == model.weights.keys()


def near(model: Any, sharded: Any, xs: list[Any]) -> None:
    """The reference backend allocates room for new nodes, which changes the order of its sums."""
    for x in xs:
        assert sharded.score_one(x) == pytest.approx(model.score_one(x), abs=1e-12)


@both
@pytest.mark.parametrize("name", ["SHRLS", "HRLS"])
def test_every_node_learns_at_one_shard(backend: str, name: str) -> None:
    with running_on(backend):
        check_every_node(getattr(linear_model, name)(DAG))


def check_every_node(model: Any) -> None:
    sharded = distributed.Sharded(model, shards=3)
    sharded.learn_one({"x": 1.0}, ["a"])
    owner = {v: place for place, shard in enumerate(shards_of(sharded)) for v in labels(shard)}
    assert set(owner) == set(DAG.nodes[1:])
    for x, y in zip(words(30, 8, seed=1), [{"c"}, {"d"}, {"a"}] * 10, strict=True):
        before = [stored(shard) for shard in shards_of(sharded)]
        sharded.learn_one(x, y)
        expected = oracles.in_turns(parents_of(DAG), owner, set(DAG.closure(y)))
        for place, shard in enumerate(shards_of(sharded)):
            more = {v for v, n in stored(shard).items() if n > before[place][v]}
            assert more <= set(expected.get(place, []))
            if isinstance(model, linear_model.HRLS):
                assert more == set(expected.get(place, [])) & set(stored(shard))


def stored(shard: Any) -> dict[Any, int]:
    """The number of instances that each system stores, by its first node."""
    found = zip(shard.model._shard_units(), shard.model._rls.n_stored, strict=True)
    return {DAG.nodes[unit[0]]: n for unit, n in found}


def shards_of(sharded: Any) -> Any:
    return sharded._running._shards.shards


def labels(shard: Any) -> list[Any]:
    return [DAG.nodes[v] for v in shard.nodes if v]


def test_a_batch_that_comes_twice_is_learned_once_and_none_is_left_out() -> None:
    sharded = distributed.Sharded(linear_model.HPerceptron(DAG), shards=1)
    sharded.learn_one({"x": 1.0}, ["c"])
    (shard,) = shards_of(sharded)
    before = pickle.dumps(shard)
    shard.learn(1, "anything")
    assert pickle.dumps(shard) == before
    with pytest.raises(RuntimeError, match="shard 0 has learned 1 batches and cannot go on with"):
        shard.learn(3, [])


@pytest.mark.parametrize("name", ["HPerceptron", "SHRLS"])
@pytest.mark.parametrize("y", [["d"], ["new"]])
def test_a_batch_that_is_lost_on_its_way_is_missed(
    name: str, y: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One shard has learned it, the others and perhaps the driver have not."""
    sharded = distributed.Sharded(getattr(linear_model, name)(), shards=2)
    sharded.learn_one({"x": 1.0}, ["c", "d"])
    learn, learned = Shard.learn, sharded._running._shards

    def lose(shard: Shard, *batch: Any) -> None:
        if shard.index == 1:
            raise MemoryError("no more")
        learn(shard, *batch)

    with monkeypatch.context() as patch:
        patch.setattr(Shard, "learn", lose)
        with pytest.raises(MemoryError):
            sharded.learn_one({"x": 1.0}, y)
    for call in (
        lambda: sharded.learn_one({"x": 1.0}, ["d"]),
        lambda: sharded.learn_many(pd.DataFrame({"x": [1.0]}), [["d"]]),
        lambda: sharded.predict_one({"x": 1.0}),
        lambda: sharded.predict_proba_one({"x": 1.0}),
        sharded.gathered,
        lambda: pickle.dumps(sharded),
        sharded.close,
    ):
        with pytest.raises(
            RuntimeError, match=r"has not reached all shards \(MemoryError.*go back"
        ):
            call()
    assert learned.n_stopped == 1


# Predictions do not depend on earlier predictions


@both
def test_a_sign_does_not_hang_on_how_many_were_asked_for_before(backend: str) -> None:
    xs = words(20, 400, seed=7)
    with running_on(backend):
        model = linear_model.SHRLS(Taxonomy.flat("ab"), threshold=50.0)
        for x in xs:
            for y in ({"a"}, {"b"}):  # all scores are zero, but for rounding
                model.learn_one(x, y)
                model.learn_one({w: -v for w, v in x.items()}, y)
        assert set(kinds(model._rls)) == {"cholesky"}
        fresh = [pickle.loads(pickle.dumps(model)).predict_one(x) for x in [*xs, *xs]]
        assert [model.predict_one(x) for x in [*xs, *xs]] == fresh


# The plan


@given(taxonomy=taxonomies())
def test_example_shares(taxonomy: Taxonomy) -> None:
    parents = parents_of(taxonomy)
    found = example_shares(taxonomy._arrays)[1:]
    expected = [oracles.reached(parents, v) for v in taxonomy.nodes[1:]]
    assert found.tolist() == pytest.approx(expected)


@given(work=st.lists(st.integers(0, 20).map(float), max_size=7), k=st.integers(1, 3))
def test_the_longest_job_first(work: list[float], k: int) -> None:
    taxonomy = Taxonomy.flat([f"n{j}" for j in range(len(work))])
    units = [[v] for v in range(1, len(taxonomy))]
    plan = Plan(k)
    owners = plan.owners(taxonomy, units, work)
    assert owners[1:] == oracles.longest_first(work, k)
    assert max(plan.loads) <= (4 / 3 - 1 / (3 * k)) * oracles.least_makespan(work, k) + 1e-9


def test_nodes_that_share_a_system_stay_together_and_those_that_have_an_owner_keep_it() -> None:
    plan = Plan(2)
    before = Taxonomy.flat("abc")
    assert plan.owners(before, [[1, 2], [3]], [2.0, 1.0]) == [0, 0, 0, 1]
    after = before.extend([("root", "d"), ("root", "e"), ("c", "f")])
    units = [[1, 2, 4], [3], [5], [6]]
    assert plan.owners(after, units, [9.0, 1.0, 1.0, 1.0]) == [0, 0, 0, 1, 0, 1, 0]


def test_work_is_what_has_been_stored_or_else_expected() -> None:
    tree = Taxonomy([("r", "a"), ("r", "b"), ("a", "c")])._arrays
    assert unit_loads([[1], [2], [3]], [0.0, 0.0, 0.0], tree) == [1.0, 1.0, 0.5]
    assert unit_loads([[1], [2], [3]], [0.0, 4.0, 0.0], tree) == [0.0, 4.0, 0.0]


def test_more_shards_than_nodes() -> None:
    sharded = distributed.Sharded(linear_model.HPerceptron(Taxonomy.flat("ab")), shards=5)
    sharded.learn_one({"x": 1.0}, ["b"])
    assert sharded.predict_one({"x": 1.0}) == {"a": False, "b": True}


# River


def variants() -> list[Any]:
    scaled = preprocessing.StandardScaler() | distributed.Sharded(linear_model.HAROW(GENE_TREE))
    model = linear_model.HPerceptron(GENE_TREE)
    return [distributed.Sharded(model), distributed.Sharded(linear_model.HRLS()), scaled]


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("model", variants(), ids=["tree", "open", "pipeline"])
def test_rivers_checks(model: Any) -> None:
    for check in rivers_checks(model):
        check(model.clone())


def test_progressive_validation() -> None:
    stream = synth.LinearLabels(Taxonomy([("r", "a"), ("a", "b"), ("r", "c")]), seed=1)
    losses = []
    for model in (linear_model.HRLS(stream.taxonomy), linear_model.HRLS(stream.taxonomy)):
        if losses:
            model = compose.Pipeline(distributed.Sharded(model))
        metric = metrics.HLoss(stream.taxonomy)
        evaluate.progressive_val_score(stream.take(100), model, metric)
        losses.append(metric.get())
    assert losses[0] == losses[1] > 0.0


def test_copies_and_clones() -> None:
    model = distributed.Sharded(linear_model.HPerceptron(DAG), shards=2)
    model.learn_one({"x": 1.0}, ["e"])
    twins, fresh = [copy.deepcopy(model), model.clone(include_attributes=True)], model.clone()
    model.learn_one({"x": 1.0}, ["d"])
    for twin in twins:
        assert twin.predict_one({"x": 1.0})["e"]
        assert not twin.predict_one({"x": 1.0})["b"]
    assert all(fresh.predict_one({"x": 1.0}).values())
    assert model.model.weights["a"] == {}, "the given model is unchanged"


def test_close_keeps_what_was_learned() -> None:
    with distributed.Sharded(linear_model.HPerceptron(DAG), shards=2) as model:
        model.learn_one({"x": 1.0}, ["e"])
        answer, shards = model.predict_one({"x": 1.0}), model._running._shards
    assert isinstance(shards, LocalShards)
    assert shards.n_stopped == 1
    model.close()
    assert shards.n_stopped == 1
    assert model.predict_one({"x": 1.0}) == answer


def test_threshold_and_depth() -> None:
    model = linear_model.SHRLS(DAG)
    sharded = distributed.Sharded(model.clone(), shards=2)
    for x, y in zip(words(30, 6, seed=2), [{"c"}, {"d"}, {"e"}] * 10, strict=True):
        model.learn_one(x, y)
        sharded.learn_one(x, y)
        for early in ({"threshold": 0.6}, {"max_depth": 1}):
            assert sharded.predict_one(x, **early) == model.predict_one(x, **early)


# What is wrong


WRONG = [
    ({"x": float("nan")}, ["a"]),
    ({"x": None}, ["a"]),
    ({"x": "red"}, ["a"]),
    ("x", ["a"]),
    ({"x": 1.0}, ["aa"]),
    ({"x": 1.0}, {"c": True, "a": False}),
    ({"x": 1.0, "new": 1e7}, ["a"]),
]


@pytest.mark.parametrize(("x", "y"), WRONG)
def test_what_the_model_refuses_changes_no_shard(x: Any, y: Any) -> None:
    model = linear_model.SHRLS(DAG, l2=1e-6)
    sharded = distributed.Sharded(model.clone(), shards=2)
    sharded.learn_one({"x": 1.0}, ["c"])
    model.learn_one({"x": 1.0}, ["c"])
    before = pickle.dumps([*shards_of(sharded), sharded._running.driver])
    with pytest.raises((TypeError, ValueError)) as expected:
        model.learn_one(x, y)
    with pytest.raises(type(expected.value)) as found:
        sharded.learn_one(x, y)
    assert str(found.value) == str(expected.value)
    if isinstance(x, dict):
        batch = pd.DataFrame([{"x": 1.0}, x]).fillna({"new": 0.0})
        with pytest.raises((TypeError, ValueError), match="row 1: "):
            sharded.learn_many(batch, [["a"], y])
    assert pickle.dumps([*shards_of(sharded), sharded._running.driver]) == before


def test_a_new_label_with_too_large_a_weight_changes_no_shard() -> None:
    sharded = distributed.Sharded(linear_model.HRLS(), shards=2)
    sharded.learn_one({"x": 1.0}, ["a"])
    before = pickle.dumps([*shards_of(sharded), sharded._running.driver])
    with pytest.raises(ValueError, match="lost in rounding"):
        sharded.learn_one({"x": 1e140}, ["new"], w=1e12)
    assert pickle.dumps([*shards_of(sharded), sharded._running.driver]) == before
    sharded.learn_one({"x": 1.0}, ["new"])
    assert sharded.predict_one({"x": 1.0}).keys() == {"a", "new"}


@pytest.mark.parametrize(
    "model",
    [
        linear_model.Hieron(DAG.subset(["a", "b"])),
        linear_model.HMinOver(DAG),
        kernel.SHRLS(DAG),
        linear_model.SHRLS,
        None,
        preprocessing.StandardScaler() | linear_model.SHRLS(DAG),
    ],
)
def test_models_whose_nodes_hang_together(model: Any) -> None:
    with pytest.raises(TypeError, match=r"`model` must learn at each node by itself, .*, got "):
        distributed.Sharded(model)


class OwnUpdate(linear_model.HPerceptron):
    def _learn(self, x: Any, y: Any, w: float) -> None:
        super()._learn(x, y, w)


class OwnBatches(linear_model.SHRLS):
    def _learn_many(self, X: Any, y: Any) -> None:
        super()._learn_many(X, y)


class OwnPredictions(linear_model.HAROW):
    def predict_one(self, x: Any, threshold: Any = None, max_depth: Any = None) -> Any:
        return super().predict_one(x, 0.5)


class OwnParameters(linear_model.HPerceptron):
    def __init__(self, taxonomy: Any) -> None:
        super().__init__(taxonomy, n_features=8)


@pytest.mark.parametrize("cls", [OwnUpdate, OwnBatches, OwnPredictions])
def test_a_class_with_another_way_to_learn_or_predict_is_refused(cls: Any) -> None:
    match = rf"`model` must learn and predict as the library does, but {cls.__name__} overrides `"
    with pytest.raises(TypeError, match=match + r"\w+`, .* `rule` of a base.TopDownLearner"):
        distributed.Sharded(cls(DAG))


def test_a_class_with_other_parameters_is_sharded() -> None:
    model = OwnParameters(DAG)
    sharded = distributed.Sharded(model.clone(), shards=2)
    for x, y in zip(words(30, 8, seed=1), [{"c"}, {"d"}, {"a"}] * 10, strict=True):
        model.learn_one(x, y)
        sharded.learn_one(x, y)
    same(model, sharded, words(5, 8, seed=2))


@pytest.mark.parametrize("name", ["shards", "checkpoint_every"])
def test_counts(name: str) -> None:
    model: Any = linear_model.SHRLS(DAG)
    with pytest.raises(ValueError, match=f"`{name}` must be at least 1, got 0"):
        distributed.Sharded(model, **{name: 0})
    with pytest.raises(TypeError, match=f"`{name}` must be an integer, got '2'"):
        distributed.Sharded(model, **{name: "2"})


@both
def test_a_clone_has_learned_nothing_unless_it_keeps_attributes(backend: str) -> None:
    with running_on(backend):
        x = {"x": 1.0, "y": -0.5}
        sharded = distributed.Sharded(linear_model.HAROW(DAG), shards=2)
        untrained = sharded.score_one(x)
        sharded.learn_one(x, ["c"])
        kept = sharded.clone(include_attributes=True)
        assert kept.score_one(x) == sharded.score_one(x) != untrained
        kept.learn_one({"x": -3.0}, ["d"])
        assert kept.score_one(x) != sharded.score_one(x)
        assert sharded.clone().score_one(x) == untrained
