"""The synthetic streams: what they promise, counted and measured."""

import copy
import itertools
import math
import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from river_hier import Taxonomy
from river_hier.datasets import synth
from river_hier.datasets.base import TaxonomyDataset
from support.hypothesis_settings import n_examples
from support.public_api import STREAMS as EACH
from support.strategies import parents_of, taxonomies

TREE = Taxonomy.from_nested({"animal": {"mammal": {"dog": ["wolf", "fox"]}, "bird": ["owl"]}})
DAG = Taxonomy([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("d", "e"), ("a", "e")])
STREAMS = [
    synth.PrototypeTree(branching=2, depth=2, seed=1),
    synth.PrototypeTree(branching=2, depth=2),
    synth.LinearLabels(TREE, seed=1),
    synth.LinearLabels(TREE),
    synth.LinearLabels(DAG, n_features=2, seed=2, drift_at=100, drift_width=400),
    synth.LinearLabels(TREE, seed=1, drift_at=100, drift_in="mammal"),
    synth.PrototypePaths(TREE, seed=1),
    synth.PrototypePaths(DAG, paths=3, exponent=0, noise=0.5),
]


def rows(examples):
    return np.array([list(x.values()) for x, _ in examples])


# --- What both promise --------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [*STREAMS, *(make(1) for make in EACH.values())])
def test_iterating_twice_gives_the_same_stream(stream):
    first = list(stream.take(700))
    assert list(stream.take(700)) == first
    for same in (pickle.loads(pickle.dumps(stream)), copy.deepcopy(stream)):
        assert list(same.take(300)) == first[:300]
    left, right = iter(stream), iter(stream)
    assert [next(left) for _ in range(300)] == first[:300]
    assert [next(right) for _ in range(600)] == first[:600]
    assert [next(left) for _ in range(300)] == first[300:600]


@pytest.mark.parametrize("stream", STREAMS)
def test_examples_are_plain_python(stream):
    for x, y in stream.take(20):
        assert list(x) == list(range(stream.n_features))
        assert {type(i) for i in x} == {int}
        assert {type(value) for value in x.values()} == {float}
        if isinstance(y, dict):
            assert tuple(y) == stream.taxonomy.nodes[1:]
            assert {type(on) for on in y.values()} == {bool}
        else:
            assert type(y) is str
            assert y in stream.taxonomy


@pytest.mark.parametrize("stream", STREAMS)
def test_repr_shows_the_parameters_as_given(stream):
    text = repr(stream)
    for name, value in stream._get_params().items():
        assert f"{name}  {value}" in text
    assert "∞" in text
    assert stream.desc


# --- PrototypeTree ------------------------------------------------------------------------------


def test_the_tree_of_the_paper():
    stream = synth.PrototypeTree(seed=0)
    t = stream.taxonomy
    assert (len(t), t.height, len(t.leaves)) == (121, 4, 81)
    assert t.nodes[:6] == ("root", "1", "2", "3", "1.1", "1.2")
    assert t.path("1.2.3.1") == ("root", "1", "1.2", "1.2.3", "1.2.3.1")
    assert all(len(t.children(label)) == 3 for label in t._arrays.inner)
    assert (stream.n_features, stream.n_classes) == (121, 121)
    assert stream.task == "Multi-class classification"


@pytest.mark.parametrize(("branching", "depth"), [(3, 4), (12, 1), (1, 3), (2, 3)])
def test_prototypes_are_sums_of_orthonormal_vectors(branching, depth):
    stream = synth.PrototypeTree(branching, depth, seed=3)
    t, W = stream.taxonomy, stream.prototypes
    assert tuple(W) == t.nodes
    w = np.array([list(W_v.values()) for W_v in W.values()])
    for v in range(len(t) - 1, 0, -1):
        w[v] -= w[t.index(t.parent(t.nodes[v]))]
    assert w @ w.T == pytest.approx(np.eye(len(t)))
    assert not np.allclose(np.abs(w).max(axis=1), 1)  # a rotation, not the axes
    for u, v in itertools.product(t.nodes[:9], t.nodes[-9:]):
        assert math.dist(W[u].values(), W[v].values()) ** 2 == pytest.approx(t.distance(u, v))


@pytest.mark.parametrize("noise", [0.16, 2, 0])
def test_noise_is_a_variance(noise):
    stream = synth.PrototypeTree(branching=3, depth=3, noise=noise, seed=4)
    examples = list(stream.take(4000))
    W = {label: list(W_v.values()) for label, W_v in stream.prototypes.items()}
    residuals = rows(examples) - np.array([W[y] for _, y in examples])
    m, n = residuals.shape
    assert np.abs(residuals.mean(axis=0)).max() <= 5 * math.sqrt(noise / m)
    assert residuals.var() == pytest.approx(noise, rel=5 * math.sqrt(2 / (m * n)))
    covariance = residuals.T @ residuals / m
    assert np.abs(covariance - noise * np.eye(n)).max() <= 6 * noise * math.sqrt(2 / m)


def test_labels_are_uniform_over_all_nodes():
    stream = synth.PrototypeTree(branching=2, depth=3, seed=6)
    n, m = len(stream.taxonomy), 15_000
    counts = Counter(y for _, y in stream.take(m))
    assert counts.keys() == set(stream.taxonomy)
    chi2 = sum((count - m / n) ** 2 / (m / n) for count in counts.values())
    assert abs(chi2 - (n - 1)) < 5 * math.sqrt(2 * (n - 1))


# --- LinearLabels -------------------------------------------------------------------------------


def surprise(stream, examples, steps):
    """The largest z-score of a node's labels against its probabilities, its parents being on."""
    t = stream.taxonomy
    z = []
    known = [
        (y, stream.probabilities(x, step)) for (x, y), step in zip(examples, steps, strict=True)
    ]
    for label in t.nodes[1:]:
        asked = [
            (y[label], p[label]) for y, p in known if all(y.get(j, True) for j in t.parents(label))
        ]
        variance = sum(p * (1 - p) for _, p in asked)
        z.append(abs(sum(v - p for v, p in asked)) / math.sqrt(variance))
    return max(z)


@pytest.mark.parametrize("taxonomy", [TREE, DAG])
@pytest.mark.parametrize("drift", [{}, {"drift_at": 1500}, {"drift_at": 500, "drift_width": 2000}])
def test_labels_follow_the_probabilities(taxonomy, drift):
    stream = synth.LinearLabels(taxonomy, n_features=4, seed=7, **drift)
    assert surprise(stream, list(stream.take(3000)), range(3000)) < 4


def test_x_is_uniform_on_the_sphere():
    X = rows(list(synth.LinearLabels(TREE, n_features=5, seed=10).take(10_000)))
    assert np.linalg.norm(X, axis=1) == pytest.approx(1)
    assert np.abs(X.mean(axis=0)).max() < 5 / math.sqrt(5 * 10_000)
    assert np.abs(X.T @ X / 10_000 - np.eye(5) / 5).max() < 0.02


@given(taxonomy=taxonomies(), seed=st.integers(0, 10**6))
@n_examples(50)
def test_the_truth_is_the_oracle_s(taxonomy, seed):
    stream = synth.LinearLabels(taxonomy, n_features=3, seed=seed)
    parents, u = parents_of(taxonomy), stream.weights
    assert tuple(u) == taxonomy.nodes[1:]
    for u_i in u.values():
        assert math.hypot(*u_i.values()) == pytest.approx(1)
    for x, _ in stream.take(3):
        p = stream.probabilities(x)
        for label, u_i in u.items():
            assert p[label] == pytest.approx((1 + oracles.dot(u_i, x)) / 2)
        reference = stream.reference
        assert reference.predict_one(x) == oracles.reference_classifier(parents, u, x)


@given(taxonomy=taxonomies(max_nodes=6), seed=st.integers(0, 10**6))
@n_examples(25)
def test_the_reference_knows_the_probability_of_every_node(taxonomy, seed):
    stream = synth.LinearLabels(taxonomy, n_features=3, seed=seed)
    parents = parents_of(taxonomy)
    x, _ = next(iter(stream))
    p = stream.probabilities(x)
    for label, odds in stream.reference.predict_proba_one(x).items():
        on = sum(
            oracles.probability(parents, p, multilabel)
            for multilabel in oracles.multilabels(parents)
            if label in multilabel
        )
        assert odds[True] == pytest.approx(on)
        assert odds[False] == pytest.approx(1 - on)


@pytest.mark.parametrize("width", [1, 20])
def test_a_drift_turns_unit_vectors_evenly(width):
    stream = synth.LinearLabels(TREE, n_features=4, seed=13, drift_at=3, drift_width=width)
    axes = [{i: 1.0} for i in range(4)]
    u = np.array(
        [[list(stream.scores(axis, step).values()) for axis in axes] for step in range(30)]
    )  # steps, features, nodes
    assert np.linalg.norm(u, axis=1) == pytest.approx(1)
    turns = np.arccos(np.clip((u[1:] * u[:-1]).sum(axis=1), -1, 1))
    assert turns[:2] == pytest.approx(0, abs=1e-7)
    within = turns[2 : 2 + width]
    assert within == pytest.approx(np.broadcast_to(turns[2], within.shape), abs=1e-7)
    assert turns[2 + width :] == pytest.approx(0, abs=1e-7)
    assert turns[2].min() > 0.01
    assert np.ptp(turns[2]) > 0.01  # each its own way


@given(taxonomy=taxonomies(), seed=st.integers(0, 10**6), data=st.data())
@n_examples(25)
def test_a_drift_in_one_branch_is_the_drift_of_its_nodes(taxonomy, seed, data):
    branch = data.draw(st.sampled_from(taxonomy.nodes))
    drift = {"drift_at": 5, "drift_width": data.draw(st.integers(1, 20))}
    steady, everywhere, within = (
        synth.LinearLabels(taxonomy, n_features=3, seed=seed, **kwargs)
        for kwargs in ({}, drift, drift | {"drift_in": branch})
    )
    turning = oracles.children(parents_of(taxonomy), branch)  # the branch, from the top downwards
    inside = {branch} - {taxonomy.root}
    while turning:
        inside.update(turning)
        turning = [c for v in turning for c in oracles.children(parents_of(taxonomy), v)]
    streams = zip(steady, within, strict=False)
    for step, ((x, y), (x_, z)) in enumerate(itertools.islice(streams, 30)):
        assert x_ == x
        assert all(y[label] == z[label] for label in y if label not in inside or step < 5)
        scores = within.scores(x, step)
        for label in scores:
            other = everywhere if label in inside else steady
            assert scores[label] == other.scores(x, step)[label]
    assert within.weights == steady.weights


def test_the_reference_classifier_follows_the_drift():
    stream = synth.LinearLabels(TREE, n_features=3, seed=14, drift_at=50)
    parents = parents_of(TREE)
    for step, (x, y) in enumerate(stream.take(200)):
        scores = stream.scores(x, step)
        model = stream.reference.at(step)
        assert model.predict_one(x) == oracles.top_down(parents, scores)
        model.learn_one(x, y)
        assert model.clone().score_one(x) == model.score_one(x) == scores
    for method in (stream.reference.predict_one, stream.reference.predict_proba_one):
        with pytest.raises(ValueError, match="drift"):
            method(x)


def test_probabilities_of_other_x():
    stream = synth.LinearLabels(TREE, n_features=3, seed=16)
    assert set(stream.probabilities({}).values()) == {0.5}
    u = stream.weights["owl"]
    assert stream.probabilities(u)["owl"] == pytest.approx(1)
    assert stream.probabilities({i: -value for i, value in u.items()})["owl"] == pytest.approx(0)
    with pytest.raises(ValueError, match="x has norm 2; probabilities are known up to norm 1"):
        stream.probabilities({0: 2.0})
    with pytest.raises(ValueError, match="x has norm nan"):
        stream.probabilities({0: math.nan})


# --- PrototypePaths -----------------------------------------------------------------------------


@given(
    taxonomy=taxonomies(),
    seed=st.integers(0, 10**6),
    paths=st.sampled_from([1, 1.5, 4.0]),
    exponent=st.sampled_from([0, 0.7, 2.0]),
)
@n_examples(50)
def test_popularity_and_priors(taxonomy, seed, paths, exponent):
    stream = synth.PrototypePaths(taxonomy, paths, exponent, seed=seed)
    p, n = stream.popularity, len(taxonomy) - 1
    assert tuple(p) == taxonomy.nodes[1:]
    total = sum(r**-exponent for r in range(1, n + 1))
    assert sorted(p.values()) == pytest.approx(
        sorted(r**-exponent / total for r in range(1, n + 1))
    )
    assert stream.priors == pytest.approx(oracles.priors(parents_of(taxonomy), p, paths))
    for _, y in stream.take(10):
        assert all(y.get(a, True) for v, on in y.items() if on for a in taxonomy.parents(v))


@pytest.mark.parametrize("taxonomy", [TREE, DAG])
@pytest.mark.parametrize(("paths", "exponent"), [(1, 1.0), (1.5, 0), (3, 1.0)])
def test_labels_come_as_often_as_the_priors_say(taxonomy, paths, exponent):
    m, stream = 4000, synth.PrototypePaths(taxonomy, paths, exponent, seed=3)
    counts = Counter()
    for _, y in stream.take(m):
        counts.update(label for label, on in y.items() if on)
    for label, p in stream.priors.items():
        assert abs(counts[label] - m * p) <= 4 * math.sqrt(m * p * (1 - p)) + 1e-6


@pytest.mark.parametrize("noise", [0.0, 0.04, 1])
def test_vectors_read_whether_nodes_are_on(noise):
    stream = synth.PrototypePaths(DAG, paths=2, noise=noise, seed=5)
    m, n = 4000, len(DAG)
    w = np.array([list(w_v.values()) for w_v in stream.vectors.values()])
    assert tuple(stream.vectors) == DAG.nodes
    assert w @ w.T == pytest.approx(np.eye(n))
    assert not np.allclose(np.abs(w).max(axis=1), 1)  # a rotation, not the axes
    examples = list(stream.take(m))
    on = np.array([[True, *y.values()] for _, y in examples])
    off_by = rows(examples) @ w.T - on
    covariance = off_by.T @ off_by / m
    assert np.abs(covariance - noise * np.eye(n)).max() <= 6 * noise * math.sqrt(2 / m) + 1e-9
    assert np.abs(off_by.mean(axis=0)).max() <= 5 * math.sqrt(noise / m) + 1e-9


# --- Errors -------------------------------------------------------------------------------------


WRONG_TYPES = [
    (lambda: synth.PrototypeTree(branching=2.0), "`branching` must be an integer, got 2.0"),
    (lambda: synth.PrototypeTree(depth=True), "`depth` must be an integer, got True"),
    (lambda: synth.PrototypeTree(seed="a"), "`seed` must be an integer, got 'a'"),
    (lambda: synth.LinearLabels({"a": "b"}), "`taxonomy` must be a Taxonomy, got dict"),
    (lambda: synth.LinearLabels(TREE, 2.5), "`n_features` must be an integer, got 2.5"),
    (lambda: synth.LinearLabels(TREE, drift_at=1.5), "`drift_at` must be an integer"),
    (lambda: synth.PrototypePaths(["dog"]), "`taxonomy` must be a Taxonomy, got list"),
    (lambda: synth.PrototypePaths(TREE, seed=0.5), "`seed` must be an integer"),
]
WRONG_VALUES = [
    (lambda: synth.PrototypeTree(branching=0), "`branching` must be at least 1, got 0"),
    (lambda: synth.PrototypeTree(depth=0), "`depth` must be at least 1, got 0"),
    (lambda: synth.PrototypeTree(noise=-0.1), "`noise` must be a variance, .*got -0.1"),
    (lambda: synth.PrototypeTree(noise=math.nan), "`noise` must be .*got nan"),
    (lambda: synth.PrototypeTree(noise="x"), "`noise` must be .*got 'x'"),
    (lambda: synth.PrototypeTree(seed=-1), "`seed` must be at least 0, got -1"),
    (lambda: synth.LinearLabels(Taxonomy.flat([])), "a node besides the root"),
    (lambda: synth.LinearLabels(TREE, 1), "`n_features` must be at least 2, got 1"),
    (lambda: synth.LinearLabels(TREE, seed=-3), "`seed` must be at least 0, got -3"),
    (lambda: synth.LinearLabels(TREE, drift_at=-1), "`drift_at` must be at least 0"),
    (lambda: synth.LinearLabels(TREE, 9, 1, 5, 0), "`drift_width` must be at least 1, got 0"),
    (lambda: synth.LinearLabels(TREE, drift_width=5), "`drift_width` is 5, but there is no"),
    (lambda: synth.LinearLabels(TREE, drift_in="dog"), "`drift_in` is 'dog', but there is no"),
    (lambda: synth.LinearLabels(TREE, 9, 1, 5, 1, "dogs"), "taxonomy .* did you mean 'dog'"),
    (lambda: synth.PrototypePaths(Taxonomy.flat([])), "a node besides the root"),
    (lambda: synth.PrototypePaths(TREE, 0.5), "`paths` must be a number of at least 1, got 0.5"),
    (lambda: synth.PrototypePaths(TREE, paths=math.inf), "`paths` must be .*inf"),
    (lambda: synth.PrototypePaths(TREE, exponent=-1), "`exponent` must be .*-1"),
    (lambda: synth.PrototypePaths(TREE, noise=10**400), "`noise` must be a var"),
]


def test_wrong_parameters():
    for error, wrong in (TypeError, WRONG_TYPES), (ValueError, WRONG_VALUES):
        for make, message in wrong:
            with pytest.raises(error, match=message):
                make()


def test_a_large_tree_costs_nothing_until_it_is_iterated():
    assert len(synth.PrototypeTree(branching=10, depth=4).taxonomy) == 11_111


def test_a_stream_must_know_its_taxonomy():
    class Ignorant(TaxonomyDataset):
        def __iter__(self):
            return iter(())

    with pytest.raises(TypeError, match="taxonomy"):
        Ignorant("Multi-class classification", 3)
