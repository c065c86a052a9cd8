"""Shards as actors on a cluster of several Ray nodes, including actors that die."""

from __future__ import annotations

import contextlib
import copy
import doctest
import os
import pickle
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from river import evaluate
from scipy import sparse

from river_hier import Taxonomy, _core, checkpoint, distributed, linear_model, metrics
from river_hier.datasets import synth
from support.distributed_page import files, run, scored
from support.requirements import require_module

ray: Any = require_module("ray", "ray")
cluster_utils: Any = require_module("ray.cluster_utils", "ray")

pytestmark = pytest.mark.slow

DEEP = Taxonomy.from_nested({"r": {"a": ["c", "d", "e"], "b": {"f": ["g", "h"], "i": []}}})
# Lambdas are pickled by value: the actors cannot import this file.
where = lambda actor: __import__("ray").get_runtime_context().get_node_id()  # noqa: E731
MEMORY = 100_000_000  # bytes of each node's object store
# A node of a busy machine may take long to answer; one that is gone refuses the connection at once.
PATIENT = {"health_check_timeout_ms": 120_000, "health_check_period_ms": 500}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    head = {"num_cpus": 2, "object_store_memory": MEMORY, "include_dashboard": False}
    cluster = cluster_utils.Cluster(
        initialize_head=True, head_node_args=head | {"_system_config": PATIENT}
    )
    cluster.add_node(num_cpus=2, object_store_memory=MEMORY)
    connect(cluster, tmp_path_factory.mktemp("elsewhere"))
    try:
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()


def connect(cluster: Any, folder: Path) -> None:
    # Actors import modules from this process's folder first, whose sources have no native backend.
    with contextlib.chdir(folder):
        ray.init(address=cluster.address, log_to_driver=False, logging_level="critical")


def batches(n: int, size: int, seed: int) -> list[tuple[pd.DataFrame, list[set[Any]]]]:
    """Batches with changing words; each example has two topics."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        columns = [f"w{j}" for j in rng.choice(40, 15, replace=False)]
        X = pd.DataFrame(rng.normal(size=(size, 15)), columns=columns)
        found.append((X, [set(rng.choice(DEEP.nodes[1:], 2)) for _ in range(size)]))
    return found


def handles(sharded: Any) -> Any:
    return sharded._running._shards._actors


def same(sharded: Any, model: Any, X: pd.DataFrame) -> None:
    assert sharded.predict_many(X).equals(model.predict_many(X))
    assert sharded.predict_proba_many(X).equals(model.predict_proba_many(X))
    assert sharded.gathered().weights == model.weights


def test_the_same_on_several_nodes_and_two_are_killed(cluster: Any) -> None:
    stream, model = batches(12, 15, seed=1), linear_model.SHRLS(DEEP, threshold=2.0)
    model.learn_many(*stream[0])
    sharded = distributed.Sharded(copy.deepcopy(model), shards=2, checkpoint_every=4)
    with sharded:
        for i, (X, y) in enumerate(stream[1:]):
            model.learn_many(X, y)
            sharded.learn_many(X, y)
            if i == 5:
                same(sharded, model, X)
                ray.kill(handles(sharded)[0].actor)
            if i == 6:
                pid = handles(sharded)[1].actor.__ray_call__.remote(lambda actor: os.getpid())
                os.kill(ray.get(pid), signal.SIGKILL)
        same(sharded, model, stream[0][0])
        nodes = [h.actor.__ray_call__.remote(where) for h in handles(sharded)]
        assert len(set(ray.get(nodes))) == 2, "each actor has a machine of its own"


def test_shards_of_subtrees_are_killed(cluster: Any) -> None:
    """Each batch is learned and predicted in parts, of which a new actor gets those it has lost."""
    rng = np.random.default_rng(8)
    edges = [(str(int(rng.integers(max(1, v // 3)))), str(v)) for v in range(1, 200)]
    taxonomy = Taxonomy(edges, "0")
    model = linear_model.HAROW(taxonomy)
    with distributed.Sharded(model.clone(), shards=2, checkpoint_every=3) as sharded:
        for i in range(7):
            names = [f"w{j}" for j in rng.choice(400, 150, replace=False)]
            X = sparse.random_array((60, 150), density=0.1, rng=rng, format="csr")
            y = [{taxonomy.nodes[int(v)]} for v in rng.integers(1, 200, 60)]
            model.learn_many(X, y, columns=names)
            sharded.learn_many(X, y, columns=names)
            if i in (1, 4, 5):
                handle = handles(sharded)[i % 2]
                pid = handle.actor.__ray_call__.remote(lambda actor: os.getpid())
                os.kill(ray.get(pid), signal.SIGKILL)
            if i in (2, 5):
                expected = model.predict_many(X, columns=names)
                assert sharded.predict_many(X, columns=names).equals(expected)
        assert sharded.gathered().weights == model.weights


def test_a_machine_goes_down(cluster: Any) -> None:
    third = cluster.add_node(num_cpus=1, resources={"third": 1}, object_store_memory=MEMORY)
    stream = batches(5, 10, seed=2)
    model = linear_model.HAROW(DEEP)
    with distributed.Sharded(model.clone(), shards=3, checkpoint_every=2) as sharded:
        for i, (X, y) in enumerate(stream):
            model.learn_many(X, y)
            sharded.learn_many(X, y)
            if i == 2:
                cluster.remove_node(third, allow_graceful=False)
        same(sharded, model, stream[0][0])
    cluster.wait_for_nodes(timeout=120)  # until then Ray may still place actors on the lost node


def test_what_is_refused_changes_no_shard(cluster: Any) -> None:
    with distributed.Sharded(linear_model.HPerceptron(DEEP, dtype="float32"), shards=2) as sharded:
        (X, y), *_ = batches(1, 10, seed=3)
        sharded.learn_many(X, y)
        before = pickle.dumps(sharded.gathered())
        with pytest.raises(ValueError, match="row 3: label 'aa' is not in the taxonomy"):
            sharded.learn_many(X, [*y[:3], {"aa"}, *y[4:]])
        with pytest.raises(ValueError, match=r"row 0: feature 'w\d+' is nan"):
            sharded.learn_many(X * np.nan, y)
        with pytest.raises(ValueError, match='too large for weights of dtype "float32"'):
            sharded.predict_one({"x": 1e20})  # the error is raised in a shard
        assert pickle.dumps(sharded.gathered()) == before


def test_rivers_loop_copies_and_pickles(cluster: Any) -> None:
    stream = synth.LinearLabels(Taxonomy([("r", "a"), ("a", "b"), ("r", "c")]), seed=1)
    model = linear_model.HRLS(stream.taxonomy)
    with distributed.Sharded(model.clone(), shards=1) as sharded:
        losses = [metrics.HLoss(stream.taxonomy), metrics.HLoss(stream.taxonomy)]
        for each, loss in zip([model, sharded], losses, strict=True):
            evaluate.progressive_val_score(stream.take(60), each, loss)
        assert losses[0].get() == losses[1].get()
        twin = pickle.loads(pickle.dumps(sharded))
    x, y = next(iter(stream))
    with twin:
        model.learn_one(x, y)
        twin.learn_one(x, y)
        assert twin.score_one(x) == model.score_one(x)


def test_a_shard_that_will_not_live(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed.actors, "_MAX_RESTARTS", 2)
    sharded = distributed.Sharded(linear_model.HPerceptron(DEEP), shards=1)
    sharded.learn_one({"x": 1.0}, ["a"])
    (handle,) = handles(sharded)
    handle.data = ray.put(b"no checkpoint")
    ray.kill(handle.actor)
    with pytest.raises(RuntimeError, match="shard 0 has died 2 times in a row and is given up"):
        sharded.predict_one({"x": 1.0})


def test_no_room_for_a_shard(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed.actors, "_PLACEMENT_TIMEOUT", 0.0)
    sharded = distributed.Sharded(linear_model.HPerceptron(DEEP), shards=2)
    with pytest.raises(RuntimeError, match="2 shards need a free processor each, and have not"):
        sharded.predict_one({"x": 1.0})


def test_another_core(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = _core.name
    monkeypatch.setattr(_core, "name", "other")
    sharded = distributed.Sharded(linear_model.HPerceptron(DEEP), shards=1)
    with pytest.raises(RuntimeError, match=f"shard 0 runs the {backend} backend and this"):
        sharded.predict_one({"x": 1.0})


def test_ray_is_shut_down_under_the_shards(cluster: Any, tmp_path: Path) -> None:
    sharded = distributed.Sharded(linear_model.HPerceptron(DEEP), shards=2)
    X, y = batches(1, 10, seed=7)[0]
    sharded.learn_many(X, y)
    ray.shutdown()
    calls = (
        lambda: sharded.predict_many(X),
        lambda: sharded.learn_one({"w1": 1.0}, {"c"}),
        sharded.gathered,
        sharded.close,
    )
    for again in (False, True):
        if again:
            connect(cluster, tmp_path)
        for call in calls:
            with pytest.raises(RuntimeError, match="Ray was shut down while these shards were"):
                call()
    with distributed.Sharded(linear_model.HPerceptron(DEEP), shards=2) as sharded:
        sharded.learn_many(X, y)


def test_the_example_of_the_docstring(cluster: Any) -> None:
    names: dict[str, Any] = {}
    wanted = 0
    for example in doctest.DocTestParser().get_examples(distributed.Sharded.__doc__ or ""):
        if example.want:
            assert repr(eval(example.source, names)) == example.want.strip()
            wanted += 1
        else:  # Ray may print messages about nodes that died before
            exec(example.source, names)
    assert wanted == 1


def test_the_page(cluster: Any, tmp_path: Path) -> None:
    model, expected = files(tmp_path)
    run("Training in shards", tmp_path)
    learned = checkpoint.load(tmp_path / "model.checkpoint")
    assert learned.weights == model.weights
    run("Ray Data", tmp_path)
    assert scored(tmp_path / "scored_by_ray").equals(expected)
