"""Shards of subtrees: which rows each one gets, and that the result is that of one process."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import oracles
from river_hier import Taxonomy, base, distributed, linear_model
from river_hier.distributed.plan import subtrees, visits_by_place
from support.backends import both, running_on
from support.hypothesis_settings import n_examples
from support.local_shards import LocalShards, local_shards
from support.strategies import parents_of, taxonomies


class Passive(base.TopDownLearner):
    """A rule without a compiled policy."""

    def rule(self, score: Any, y: Any, norm2: float) -> Any:
        return y * np.maximum(0.0, 1.0 - y * score) / norm2


MODELS: dict[str, Any] = {
    "HPerceptron": linear_model.HPerceptron,
    "HAROW": linear_model.HAROW,
    "HAROW that forgets": lambda t: linear_model.HAROW(t, forgetting=0.9, dtype="float32"),
    "HAROW, hashed": lambda t: linear_model.HAROW(t, n_features=64),
    "a rule in Python": Passive,
    "SHRLS": linear_model.SHRLS,
}
DAG = [("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("c", "d"), ("b", "e"), ("d", "f")]


@pytest.fixture(autouse=True)
def here() -> Iterator[None]:
    with local_shards():
        yield


def tree(n: int, seed: int = 0) -> Taxonomy:
    rng = np.random.default_rng(seed)
    return Taxonomy([(str(int(rng.integers(max(1, v // 3)))), str(v)) for v in range(1, n)], "0")


Rows = tuple[Any, list[str], list[set[Any]]]


def batches(taxonomy: Taxonomy, n: int, size: int, seed: int) -> list[Rows]:
    """Sparse rows whose words depend on the label; each batch has columns of its own."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(n):
        names = [f"w{j}" for j in rng.choice(300, 200, replace=False)]
        X = sparse.random_array((size, 200), density=0.05, rng=rng, format="lil")
        ys = []
        for i in range(size):
            v = int(rng.integers(1, len(taxonomy)))
            ys.append({taxonomy.nodes[v]} if rng.random() < 0.9 else set())
            X[i, v % 200] = 1.0
        found.append((X.tocsr(), names, ys))
    return found


@both
@pytest.mark.slow(but=5)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("edges", ["tree", "DAG"])
def test_the_same_in_shards_of_subtrees(backend: str, name: str, edges: str) -> None:
    n = 150 if backend == "native" else 40  # more than 128 nodes have sparse rows
    taxonomy = tree(n) if edges == "tree" else Taxonomy(DAG)
    with running_on(backend):
        model = MODELS[name](taxonomy)
        sharded = distributed.Sharded(model.clone(), shards=3)
        for X, names, ys in batches(taxonomy, 4, 50, seed=1):
            expected = model.predict_many(X, columns=names)
            assert sharded.predict_many(X, columns=names).equals(expected)
            model.learn_many(X, ys, columns=names)
            sharded.learn_many(X, ys, columns=names)
        on = expected.to_numpy()
        assert on.any()
        assert not on.all()
        p = model.predict_proba_many(X, columns=names)
        assert sharded.predict_proba_many(X, columns=names).equals(p)
        gathered = sharded.gathered()
        assert gathered.weights == model.weights
        x, y = {"w3": 1.0, "a new word": -2.0}, {taxonomy.nodes[-1]}
        for learner in (model, gathered, sharded):
            learner.learn_one(x, y)
        assert sharded.score_one(x) == gathered.score_one(x) == model.score_one(x)


@given(taxonomy=taxonomies(), k=st.integers(1, 3), seed=st.integers(0, 9))
@n_examples(30)
def test_a_shard_gets_the_rows_that_train_its_nodes(taxonomy: Any, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = taxonomy.nodes
    ys = [set(rng.choice(len(labels), rng.integers(3))) for _ in range(20)]
    ys = [{labels[v] for v in y} for y in ys]
    sharded = distributed.Sharded(linear_model.HPerceptron(taxonomy), shards=k)
    sent: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LocalShards, "learn", lambda _, number, stages: sent.extend(stages))
        sharded.learn_many(np.arange(20.0)[:, None] + 1.0, ys)
    owners = sharded._running._owners
    owner = {labels[v]: owners[v] for v in range(1, len(labels))}
    parents = parents_of(taxonomy)
    for index, [(_, X, y)] in enumerate(sent):
        got = X.values[:, 0].astype(int) - 1
        trains = [oracles.in_turns(parents, owner, set(taxonomy.closure(one))) for one in ys]
        needed = {i for i in range(20) if trains[i].get(index)}
        assert needed <= set(got.tolist())
        if taxonomy.is_tree:
            assert needed == set(got.tolist())
        assert [set(found) for found in y.labels(linear_model.HPerceptron(taxonomy)._labels)] == [
            taxonomy.closure(ys[i]) for i in got
        ]


def test_features_are_numbers_and_only_columns_with_entries_are_sent() -> None:
    taxonomy = tree(150)
    model = linear_model.HAROW(taxonomy)
    sharded = distributed.Sharded(model.clone(), shards=2)
    X, names, ys = batches(taxonomy, 1, 40, seed=2)[0]
    model.learn_many(X, ys, columns=names)
    sharded.learn_many(X, ys, columns=names)
    assert sharded._running.driver._features.names() == model._features.names()
    stages = sharded._running._stages(None, read(X, names), closed(model, ys))
    for _, rows, _ in stages:
        assert rows.names.dtype.kind == "i"
        assert set(rows.columns.tolist()) == set(range(len(rows.names)))
    assert max(len(pickle.dumps(stage, 5)) for stage in stages) < 12 * X.nnz + 10_000


def read(X: Any, names: list[str]) -> Any:
    return base.dataframes.read_batch(X, names)[0]


def closed(model: Any, ys: Any) -> Any:
    return base.targets.multilabels_of(model._labels, ys, None, 0, len(ys))  # type: ignore[arg-type]


# Units


@given(taxonomy=taxonomies(), k=st.integers(1, 4))
def test_units_divide_the_nodes_and_are_small_or_the_children_of_one(taxonomy: Any, k: int) -> None:
    visits = visits_by_place(taxonomy._arrays)
    units, loads = subtrees(taxonomy._arrays, visits, k)
    assert sorted(v for unit in units for v in unit) == list(range(1, len(taxonomy)))
    if loads:
        n_children = np.zeros(len(taxonomy))
        last = [max(p) for p in taxonomy._parent_indices[1:]]
        np.add.at(n_children, last, 1)
        total = sum((visits * np.where(n_children > 0, 100 + n_children, 0)).tolist())
        assert sum(loads) == pytest.approx(total)
        for unit, load in zip(units, loads, strict=True):
            assert load <= total / k + 1e-9 or len({last[v - 1] for v in unit}) == 1


def test_many_children_of_one_node_are_divided() -> None:
    flat = Taxonomy.flat([str(i) for i in range(500)])
    units, loads = subtrees(flat._arrays, visits_by_place(flat._arrays), 4)
    assert [len(unit) for unit in units] == [125] * 4
    assert loads == pytest.approx([600 / 4] * 4)
    units, _ = subtrees(flat._arrays, visits_by_place(flat._arrays), 100)
    assert max(map(len, units)) == 64


def test_the_first_batch_shows_where_the_work_is() -> None:
    branches = {str(i): [f"{i}.{j}" for j in range(40)] for i in range(6)}
    taxonomy = Taxonomy.from_nested({"r": branches})
    for learns in (False, True):
        sharded = distributed.Sharded(linear_model.HPerceptron(taxonomy), shards=4)
        if learns:
            sharded.learn_many(np.ones((40, 2)), [{"0.0", "3.0"}] * 40)
        else:
            sharded.predict_one({})
        owner = dict(zip(taxonomy.nodes, sharded._running._owners, strict=True))
        assert (owner["0.0"] != owner["3.0"]) == learns


# Nodes without an example


@both
@pytest.mark.parametrize("name", ["HPerceptron", "SHRLS"])
def test_an_adopted_node_is_off_until_its_first_example(backend: str, name: str) -> None:
    x = {"a": 1.0}
    with running_on(backend):
        model = MODELS[name](Taxonomy([("r", "b"), ("b", "c")]))
        model.learn_one(x, {"c"})
        model.adopt(model.taxonomy.extend([("b", "d")]))
        sharded = distributed.Sharded(model.clone(include_attributes=True), shards=2)
        for step in ({"c"}, {"d"}):
            assert sharded.predict_one(x) == model.predict_one(x)
            assert sharded.predict_proba_one(x) == model.predict_proba_one(x)
            assert sharded.predict_many(np.ones((40, 1))).tolist() == (
                model.predict_many(np.ones((40, 1))).tolist()
            )
            model.learn_one(x, step)
            sharded.learn_one(x, step)
        assert model.predict_one(x)["d"]
        assert sharded.predict_one(x) == model.predict_one(x)
        assert sharded.gathered().predict_one(x) == model.predict_one(x)
