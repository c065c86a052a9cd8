"""Batch label rankers, compared with plain loops, a generic QP solver and the paper's bounds."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import optimize

import oracles
from river_hier import Taxonomy, batch, kernel
from river_hier.batch.hierarchical_multilabel_svm import ascend_simplex
from river_hier.datasets import synth
from support.hypothesis_settings import n_examples
from support.rankings import BAD_CANDIDATES, candidates_of, listed, separable
from support.strategies import features, multilabels, parents_of, reals, taxonomies

TREE = Taxonomy([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])
FORK = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])
NEWS = Taxonomy.from_nested({"a": {"b": ["c", "d"], "e": ["f", "g"]}, "h": ["i", "j"]})
RANKERS = [batch.BatchHMinOver, batch.HierarchicalMultilabelSVM]

# --- Minover ------------------------------------------------------------------------------------


@given(data=st.data())
@n_examples(40)
def test_minover(data):
    taxonomy = data.draw(taxonomies())
    asked = data.draw(candidates_of(taxonomy))
    t = data.draw(st.dictionaries(st.sampled_from(taxonomy.nodes), st.sampled_from([0.0, 2.0])))
    example = st.tuples(features(), multilabels(taxonomy))
    examples = data.draw(st.lists(example, min_size=1, max_size=6))
    ours = batch.BatchHMinOver(taxonomy, 2.0, t, asked, max_steps=12).fit(examples)
    theirs = oracles.BatchHMinOver(parents_of(taxonomy), 2.0, t, listed(taxonomy, asked))
    assert theirs.fit(examples, 12) == ours.n_steps
    for x, y in examples:
        assert ours.score_one(x) == theirs.scores(x)  # sums of halves are exact
        scores = theirs.ranked(x)
        true = oracles.relevant(parents_of(taxonomy), scores, y)
        best = oracles.best_threshold(scores, true)
        theirs.thresholds.append((theirs.summary(scores), best, 1.0))
    for x, _ in examples:
        threshold = theirs.threshold(x)
        assert ours.threshold_one(x) == pytest.approx(threshold, rel=1e-6, abs=1e-6)
        if all(abs(s - threshold) > 1e-6 * (1 + abs(s)) for s in theirs.ranked(x).values()):
            assert ours.predict_one(x) == theirs.predict(x)


@given(data=st.data())
@n_examples(12)
def test_a_linear_kernel_is_no_kernel(data):
    taxonomy = data.draw(taxonomies(3))
    example = st.tuples(features(), multilabels(taxonomy))
    examples = data.draw(st.lists(example, min_size=1, max_size=6))
    probe = {**data.draw(features()), "never": 2.0}
    for cls, parameters, near in (
        (batch.BatchHMinOver, {"max_steps": 20}, 0.0),
        (batch.HierarchicalMultilabelSVM, {"tol": 1e-6}, 0.05),  # ties may differ
    ):
        models = [
            cls(taxonomy, kernel=same, **parameters).fit(examples)
            for same in (None, kernel.Linear(), oracles.dot)
        ]
        for x in [probe, {}, *(x for x, _ in examples)]:
            one, *others = (model.score_one(x) for model in models)
            for other in others:
                assert one == pytest.approx(other, abs=near)


# --- The support vector machine -----------------------------------------------------------------


@st.composite
def problems(draw):
    taxonomy = draw(taxonomies(3, 7))
    example = st.tuples(features(numbers=reals), multilabels(taxonomy))
    examples = draw(st.lists(example, min_size=1, max_size=3))
    t = draw(st.dictionaries(st.sampled_from(taxonomy.nodes), st.sampled_from([0.5, 2.0])))
    c = draw(st.sampled_from([0.1, 1.0, 10.0]))
    volumes = draw(st.dictionaries(st.sampled_from(taxonomy.nodes), st.sampled_from([0.5, 3.0])))
    costs = draw(st.sampled_from([(None, 0.5, 0.5), (None, 1.0, 1.0), (volumes, 2.0, 1.0)]))
    return taxonomy, examples, t, c, costs


@pytest.mark.parametrize(
    ("given_kernel", "product"),
    [
        (None, oracles.dot),
        (kernel.RBF(), oracles.rbf_kernel(1.0)),
        (oracles.polynomial_kernel(2, 1.0), oracles.polynomial_kernel(2, 1.0)),
    ],
)
@given(problem=problems())
@n_examples(12)
def test_a_generic_qp_solver_agrees(given_kernel, product, problem):
    """The full dual of the paper, solved by SLSQP."""
    taxonomy, examples, t, c, costs = problem
    parents = parents_of(taxonomy)
    pairs, deltas, q = oracles.label_ranking_dual(
        parents, examples, oracles.leaves(parents), t, product, costs
    )
    while len(pairs) > 12:  # an example has at most 9 pairs; SLSQP solves small problems
        examples = examples[:-1]
        pairs, deltas, q = oracles.label_ranking_dual(
            parents, examples, oracles.leaves(parents), t, product, costs
        )
    model = batch.HierarchicalMultilabelSVM(
        taxonomy, c, t, None, *costs, kernel=given_kernel, tol=1e-9, max_passes=20_000
    ).fit(examples)
    if not pairs:
        assert model.gap == 0.0
        assert model.primal == 0.0, "no example has both a relevant and an irrelevant leaf"
        return
    # In alpha / Delta, so that all variables have the same scale.
    solved = optimize.minimize(
        lambda b: 0.5 * (b * deltas) @ q @ (b * deltas) - (b * deltas).sum(),
        np.zeros(len(pairs)),
        jac=lambda b: deltas * (q @ (b * deltas) - 1.0),
        bounds=[(0.0, c)] * len(pairs),
        constraints=[
            {"type": "ineq", "fun": lambda b, i=i: c - sum_of(b, pairs, i)}
            for i in range(len(examples))
        ],
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 1000},
    )
    scale = max(1.0, abs(solved.fun))
    assert model.gap >= -1e-9 * scale, "no dual value is above a primal one"
    assert model.gap <= 1e-8 * model.primal + 1e-9
    assume(solved.success)  # SLSQP sometimes fails
    assert model.dual == pytest.approx(-solved.fun, rel=1e-4, abs=1e-5 * scale)
    # The weights are unique: <w, dPhi> of each pair is that of the solver.
    alpha = solved.x * deltas
    for (i, y, ybar), theirs in zip(pairs, q @ alpha, strict=True):
        scores = model.score_one(examples[i][0])
        size = 1.0 + np.abs(q).max() ** 0.5
        assert scores[y] - scores[ybar] == pytest.approx(theirs, abs=3e-2 * size)


@given(data=st.data())
@n_examples(30)
def test_attributes_of_norm_1(data):
    taxonomy = data.draw(taxonomies(3, 7))
    parents = parents_of(taxonomy)
    example = st.tuples(features(numbers=reals), multilabels(taxonomy))
    examples = data.draw(st.lists(example, min_size=1, max_size=3))
    t = data.draw(st.dictionaries(st.sampled_from(taxonomy.nodes), st.sampled_from([0.0, 2.0])))
    leaves = oracles.leaves(parents)
    unit = oracles.unit_attributes(parents, t, leaves)
    for y in leaves:
        above = oracles.closure(parents, [y]) - {taxonomy.root}
        assert sum(unit[v] ** 2 for v in above) == pytest.approx(1.0)
    ours = batch.HierarchicalMultilabelSVM(taxonomy, t=t, tol=1e-6, unit_norm=True)
    theirs = batch.HierarchicalMultilabelSVM(taxonomy, t=unit, tol=1e-6)
    assert ours.fit(examples).dual == pytest.approx(theirs.fit(examples).dual, rel=1e-5, abs=1e-9)
    for x, _ in examples:
        assert ours.score_one(x) == pytest.approx(theirs.score_one(x), abs=0.05)


def test_attributes_of_norm_1_in_a_ragged_tree():
    """Own attributes sqrt(1 - (d - 1) / D): 1 at depth 1, sqrt(1 / 2) at depth 2 of 2."""
    model = batch.HierarchicalMultilabelSVM(TREE, unit_norm=True)
    t = dict(zip(TREE.nodes, model._ranking.t, strict=True))
    assert t == pytest.approx({"r": 0.0, "a": 0.5**0.5, "d": 1.0, "b": 0.5**0.5, "c": 0.5**0.5})
    match = "no candidate may be above another, but 'a' is above 'b'; leave `candidates` out"
    with pytest.raises(ValueError, match=match):
        batch.HierarchicalMultilabelSVM(TREE, candidates=["a", "b"], unit_norm=True)


def sum_of(values, pairs, i):
    return sum(value for value, pair in zip(values, pairs, strict=True) if pair[0] == i)


@given(
    n=st.integers(1, 5), seed=st.integers(0, 999), c=st.sampled_from([0.5, 2.0]), flat=st.booleans()
)
@n_examples(40)
def test_the_subproblem_is_solved(n, seed, c, flat):
    """Compared with projected gradient ascent, including directions without curvature."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(n, 1 if flat else n))
    q, h = a @ a.T, rng.normal(size=n)
    start = rng.dirichlet(np.ones(n + 1))[:n] * c
    b = ascend_simplex(q, h, start, c, 1e-10)
    assert (b >= 0.0).all()
    assert b.sum() <= c + 1e-12
    slope = h - q @ (b - start)
    least = min([*slope[b > 1e-12], *([0.0] if b.sum() < c - 1e-12 else [])])
    assert max(slope.max(), 0.0) - least <= 1e-8, "no direction leads upwards"


# --- Both ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", RANKERS)
@pytest.mark.parametrize("y", [set(), {"b", "c", "d"}])
def test_without_a_pair_there_is_nothing_to_learn(cls, y):
    model = cls(TREE).fit([({"x": 1.0}, y), ({}, y)])
    assert set(model.score_one({"x": 1.0}).values()) == {0.0}


@pytest.mark.parametrize("cls", RANKERS)
def test_bad_parameters(cls):
    for candidates, error, message in BAD_CANDIDATES:
        with pytest.raises(error, match=message):
            cls(TREE, candidates=candidates)
    with pytest.raises(TypeError, match="`taxonomy` must be a Taxonomy, got NoneType"):
        cls(None)
    match = r"`kernel` must be a kernel, .*RBF\(sigma=1.0\), or a function of two dicts, got"
    for wrong in ("rbf", 1.0, kernel.RBF):
        with pytest.raises(TypeError, match=match):
            cls(TREE, kernel=wrong)
    with pytest.raises(ValueError, match="`t` must be a finite number of at least 0"):
        cls(TREE, t=-1.0)


def test_bad_parameters_of_their_own():
    for parameters, message in (
        ({"C": 0.0}, "`C` must be positive, got 0.0"),
        ({"tol": math.nan}, "`tol` must be positive, got nan"),
        ({"max_passes": 0}, "`max_passes` must be at least 1"),
        ({"missed": -1.0}, "`missed` must be a finite number of at least 0"),
        ({"volumes": {"b": 0.0}}, r"`volumes\['b'\]` must be a positive finite number"),
    ):
        with pytest.raises(ValueError, match=message):
            batch.HierarchicalMultilabelSVM(TREE, **parameters)
    with pytest.raises(ValueError, match="`margin` must be positive"):
        batch.BatchHMinOver(TREE, margin=0.0)
    with pytest.raises(TypeError, match="`max_steps` must be an integer"):
        batch.BatchHMinOver(TREE, max_steps=2.0)


def test_limits_are_kept():
    examples = separable(NEWS, 30, seed=3)
    assert batch.BatchHMinOver(NEWS, max_steps=3).fit(examples).n_steps == 3
    model = batch.HierarchicalMultilabelSVM(NEWS, tol=1e-9, max_passes=2).fit(examples)
    assert model.n_passes == 2
    assert model.gap > 1e-9 * model.primal


# --- Kernels ------------------------------------------------------------------------------------


def test_support_vectors_are_stored_once():
    stream = synth.LinearLabels(FORK, n_features=4, seed=1)
    examples = list(stream.take(200))
    model = batch.BatchHMinOver(FORK, kernel=kernel.RBF(2.0), max_steps=50).fit(examples)
    scorers, _ = model._trained
    assert (scorers.b != 0.0).any(axis=1).all()
    assert scorers.instances.n == len(scorers.b) < len(examples)
    # A feature that no example has increases the distance of x to all of them.
    x = examples[0][0]
    assert set(model.score_one({**x, "never": 1e3}).values()) == {0.0}
    assert model.score_one({**x, "never": 0.0}) == model.score_one(x)


def test_a_function_of_two_dicts_reads_features_of_any_kind():
    def words_in_common(x, z):
        return float(len(set(x["text"].split()) & set(z["text"].split())))

    texts = [("red berries", "b"), ("red apples", "b"), ("in water", "c"), ("salt water", "c")]
    examples = [({"text": text}, label) for text, label in texts]
    model = batch.BatchHMinOver(FORK, kernel=words_in_common).fit(examples)
    assert model.predict_one({"text": "red leaves"}) == {"a": True, "c": False, "b": True}
    assert model.predict_one({"text": "deep water"}) == {"a": False, "c": True, "b": False}


def test_kernels_without_a_value():
    good = [({"x": 1.0}, "b"), ({"x": 2.0}, "c")]
    model = batch.BatchHMinOver(
        FORK, kernel=lambda x, z: math.exp(-abs(x["x"] - z["x"]) / z["x"])
    ).fit(good)
    before = model.score_one({"x": 1.0})
    with pytest.raises(ValueError, match="row 1: the kernel is inf for this x; it must be"):
        batch.BatchHMinOver(FORK, kernel=lambda x, z: math.inf if x["x"] > 1 else 1.0).fit(good)
    with pytest.raises(TypeError, match="row 0: the kernel of two dicts must be a number, got 'a'"):
        batch.BatchHMinOver(FORK, kernel=lambda x, z: "a").fit(good)
    with pytest.raises(ZeroDivisionError):
        model.fit([*good, ({"x": 0.0}, "b")])
    with pytest.raises(ValueError, match="the kernel is inf for this x"):
        batch.BatchHMinOver(FORK, kernel=kernel.Polynomial(9)).fit(good).score_one({"x": 1e150})
    assert model.score_one({"x": 1.0}) == before
