"""The learners in dual form: equal to their oracles, to the linear learners, to their budgets."""

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from river_hier import Taxonomy, kernel, linear_model
from support.comparison import assert_coherent, assert_near, decided, near_the_top
from support.hypothesis_settings import n_examples
from support.strategies import (
    features,
    multilabel_streams,
    parents_of,
    reals,
    sample_weights,
    single_label_streams,
)

SINGLE = ["Hieron", "AveragedHieron"]
MULTI = ["HRLS", "SHRLS"]
TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])


def laplacian(x, z):
    """A kernel of one's own."""
    return math.exp(-sum(abs(x.get(n, 0.0) - z.get(n, 0.0)) for n in {**x, **z}))


def in_common(x, z):
    """For features that are no numbers."""
    return float(len(set(x.items()) & set(z.items())))


def broken(x, z):
    """Answers badly where x asks for it."""
    return z.get("answer", x.get("answer", 1.0))


KERNELS = {  # ours, and the oracle's
    "linear": (kernel.Linear(), oracles.linear_kernel),
    "rbf": (kernel.RBF(sigma=1.5), oracles.rbf_kernel(1.5)),
    "polynomial": (kernel.Polynomial(degree=2, coef0=0.5), oracles.polynomial_kernel(2, 0.5)),
    "function": (laplacian, laplacian),
}
each_kernel = pytest.mark.parametrize("which", KERNELS)
ORACLES = {
    "Hieron": oracles.KernelHieron,
    "AveragedHieron": oracles.KernelAveragedHieron,
    "Averaged": oracles.KernelAveraged,
}


# --- Step by step beside the oracles


def made(name, taxonomy, *args, all_rounds=False, **kwargs):
    """A learner of one label, of which "Averaged" is the average of online Hieron."""
    if name == "Averaged":
        return linear_model.Averaged(kernel.Hieron(taxonomy, *args, **kwargs), all_rounds)
    if name == "AveragedHieron":
        kwargs["from_first_round"] = all_rounds
    return getattr(kernel, name)(taxonomy, *args, **kwargs)


def last(model):
    """The last hypothesis."""
    return getattr(model, "last", model)


@each_kernel
@pytest.mark.parametrize("name", ORACLES)
@given(
    data=single_label_streams(),
    pickle_at=st.integers(0, 25),
    C=st.sampled_from([math.inf, 1.0, 0.1]),
    all_rounds=st.booleans(),
)
@n_examples(25)
def test_single_label(name, which, data, pickle_at, C, all_rounds):
    taxonomy, stream = data
    ours_kernel, theirs_kernel = KERNELS[which]
    ours = made(name, taxonomy, ours_kernel, C, all_rounds=all_rounds)
    theirs = ORACLES[name](parents_of(taxonomy), theirs_kernel, math.inf, C, all_rounds)
    for step, (x, y) in enumerate(stream):
        scores, current = theirs.scores(x), theirs.current(x)
        assert_near(ours.score_one(x), scores)
        assert_near(last(ours).score_one(x), current)
        if len(near_the_top(scores)) == 1:
            assert ours.predict_one(x) == oracles.argmax(scores)
        if name == "AveragedHieron":
            current = {v: s + taxonomy.distance(y, v) ** 0.5 for v, s in current.items()}
        rivals = near_the_top(current)
        touched = {v for _, a in theirs.hypotheses[-1] for v in a}
        if len(rivals) > 1 and any(touched.intersection(taxonomy.path(v)) for v in rivals):
            return  # rounding decides whom the step is for: from here on both may be right
        ours.learn_one(x, y)
        theirs.learn(x, y)
        assert last(ours).n_stored == len(theirs.hypotheses[-1])
        if step == pickle_at:
            ours = pickle.loads(pickle.dumps(ours))


def test_the_papers_average_counts_rounds_before_a_label_arrives():
    model = kernel.AveragedHieron(from_first_round=True)
    for label in "aaabc":
        model.learn_one({0: 1.0}, label)
    w = model.last.score_one({0: 1.0})["c"] - model.last.score_one({0: 1.0})["root"]
    score = model.score_one({0: 1.0})
    assert score["c"] - score["root"] == pytest.approx(w / 6)  # of six hypotheses


@each_kernel
@pytest.mark.parametrize("name", MULTI)
@given(data=multilabel_streams(), pickle_at=st.integers(0, 25), l2=st.sampled_from([0.5, 1.0, 3.0]))
@n_examples(20)
def test_multilabel(name, which, data, pickle_at, l2):
    taxonomy, stream = data
    ours_kernel, theirs_kernel = KERNELS[which]
    ours = getattr(kernel, name)(taxonomy, ours_kernel, l2=l2)
    threshold = math.inf if name == "HRLS" else 5.0
    theirs = oracles.KernelRLS(parents_of(taxonomy), theirs_kernel, threshold, l2)
    for step, (x, y) in enumerate(stream):
        scores = theirs.scores(x)
        assert_near(ours.score_one(x), scores)
        assert_near({v: theirs.equation_1(v, x) for v in scores}, scores)
        answer = ours.predict_one(x)
        if decided(scores, lambda v: theirs.n_stored[v]):
            assert answer == theirs.predict(x)
        assert_coherent(ours.predict_proba_one(x), taxonomy)
        ours.learn_one(x, y)
        theirs.learn(x, y)
        assert ours.n_stored == theirs.n_stored
        if step == pickle_at:
            ours = pickle.loads(pickle.dumps(ours))


@pytest.mark.parametrize("name", ORACLES)
@given(
    data=single_label_streams(),
    weights=sample_weights,
    sparse=st.booleans(),
    opened=st.booleans(),
    known=st.integers(0, 5),
)
@n_examples(60)
def test_a_linear_kernel_is_the_linear_learner(name, data, weights, sparse, opened, known):
    """Also in an open taxonomy; what an averaged model knows is its first hypothesis."""
    taxonomy, stream = data
    given_ = None if opened and name != "AveragedHieron" else taxonomy
    kind = "Hieron" if name == "Averaged" else name
    dual, primal = getattr(kernel, kind)(given_), getattr(linear_model, kind)(given_)
    for step, ((x, y), w) in enumerate(zip(stream, weights, strict=False)):
        if step == known and name == "Averaged":
            dual, primal = linear_model.Averaged(dual), linear_model.Averaged(primal)
        if sparse:  # features that never come again: the matrix is all but empty
            x = {**x, **{f"{step} {j}": 0.5 for j in range(200)}}
        scores = primal.score_one(x)
        assert_near(dual.score_one(x), scores)
        if len(near_the_top(scores)) == 1:
            assert dual.predict_one(x) == primal.predict_one(x)
        rivals = now = last(primal).score_one(x)
        if name == "AveragedHieron":
            rivals = {v: s + taxonomy.distance(y, v) ** 0.5 for v, s in now.items()}
        tied = near_the_top(rivals)
        if len(tied) > 1 and any(now[v] != 0.0 for v in tied):
            return  # a tie that rounding may break: from here on both may be right
        dual.learn_one(x, y, w=w)
        primal.learn_one(x, y, w=w)


@pytest.mark.parametrize("name", MULTI)
@given(data=multilabel_streams(), weights=sample_weights, l2=st.sampled_from([0.1, 1.0]))
@n_examples(60)
def test_a_linear_kernel_is_linear_least_squares(name, data, weights, l2):
    taxonomy, stream = data
    dual = getattr(kernel, name)(taxonomy, l2=l2)
    primal = getattr(linear_model, name)(taxonomy, l2=l2)
    for (x, y), w in zip([*stream, *stream], weights * 2, strict=False):
        scores = primal.score_one(x)
        assert_near(dual.score_one(x), scores)
        learned = dual.n_stored
        if decided(scores, lambda v, learned=learned: learned[v]):
            assert dual.predict_one(x) == primal.predict_one(x)
        dual.learn_one(x, y, w=w)
        primal.learn_one(x, y, w=w)
        if name == "SHRLS":
            assert dual.n_stored == primal.n_stored


# --- Budgets


def cloud(n, seed, d=4):
    rng = np.random.default_rng(seed)
    labels = [TREE.nodes[int(v)] for v in rng.integers(1, 4, size=n)]
    X = rng.normal(size=(n, d)).tolist()
    return [(dict(enumerate(row)), y) for row, y in zip(X, labels, strict=True)]


@pytest.mark.parametrize("which", ["rbf", "function"])
@pytest.mark.parametrize("name", ORACLES)
@pytest.mark.parametrize("budget", [2, 7])
def test_a_budget_equals_its_definition(name, which, budget):
    ours = made(name, TREE, KERNELS[which][0], budget=budget)
    theirs = ORACLES[name](parents_of(TREE), KERNELS[which][1], budget)
    for x, y in cloud(40, seed=budget):
        assert_near(ours.score_one(x), theirs.scores(x))
        ours.learn_one(x, y)
        theirs.learn(x, y)
        assert last(ours).n_stored == len(theirs.hypotheses[-1]) <= budget


@pytest.mark.slow(but=2)
@pytest.mark.parametrize("which", ["rbf", "function"])
@pytest.mark.parametrize(("name", "threshold"), [("HRLS", math.inf), ("SHRLS", 5.0)])
@pytest.mark.parametrize("budget", [2, 7])
def test_least_squares_forget_by_definition(name, threshold, which, budget):
    ours = getattr(kernel, name)(TREE, KERNELS[which][0], l2=0.5, budget=budget)
    theirs = oracles.KernelRLS(parents_of(TREE), KERNELS[which][1], threshold, 0.5, budget)
    for step, (x, y) in enumerate(cloud(110, seed=budget)):
        if step % 5 == 0 or step < 20:
            assert_near(ours.score_one(x), theirs.scores(x))
            assert ours.predict_one(x) == theirs.predict(x)
        ours.learn_one(x, y)
        theirs.learn(x, [y])
        if step in (30, 100):
            ours = pickle.loads(pickle.dumps(ours))
    assert ours.n_stored == theirs.n_stored
    assert min(ours.n_stored.values()) > budget
    assert ours._instances.n <= 64 + 1  # those that nobody needs are dropped


@pytest.mark.parametrize("name", SINGLE + MULTI)
def test_a_stream_without_end_takes_bounded_memory(name):
    parameters = {"threshold": 1e6} if name == "SHRLS" else {}
    model = getattr(kernel, name)(TREE, kernel.RBF(3.0), budget=20, **parameters)
    rng = np.random.default_rng(0)
    for step in range(400):
        x = {f"{step} {j}": 1.0 for j in range(3)} | {"a": float(rng.normal())}
        model.learn_one(x, TREE.nodes[1 + step % 3])
    most = 20 if name in SINGLE else 64 + 1
    assert model._instances.n <= most
    assert len(model._instances._features) <= 3 * most + 1
    assert model.score_one({"a": 0.5}) != model.score_one({"a": -2.0})


@pytest.mark.parametrize("name", SINGLE + MULTI)
@pytest.mark.parametrize("which", KERNELS)
def test_forgetting_survives_repeated_examples(name, which):
    model = getattr(kernel, name)(TREE, KERNELS[which][0], budget=4)
    examples = cloud(3, seed=5)
    for step in range(90):
        model.learn_one(*examples[step % 3])
    scores = model.score_one(examples[0][0])
    assert all(math.isfinite(score) and abs(score) < 1e3 for score in scores.values())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", SINGLE + MULTI)
@pytest.mark.parametrize("scale", [2.0**-450, 2.0**-260, 2.0**260, 2.0**450])
def test_a_budget_does_not_depend_on_the_unit(name, scale):
    """What is kept is the same, though coefficients are too large or too small to be squared."""
    parameters = [{"C": math.inf}] * 2 if name in SINGLE else [{"l2": 1.0}, {"l2": scale**2}]
    usual, scaled = (getattr(kernel, name)(TREE, budget=7, **some) for some in parameters)
    for x, y in cloud(60, seed=11):
        z = {j: scale * value for j, value in x.items()}
        assert scaled.score_one(z) == pytest.approx(usual.score_one(x), abs=1e-9)
        usual.learn_one(x, y)
        scaled.learn_one(z, y)
    assert scaled.n_stored == usual.n_stored


@pytest.mark.parametrize("name", SINGLE + MULTI)
def test_forgetting_asks_a_function_nothing_new(name):
    """So what it refuses is refused before anything has changed."""

    def one_way(x, z):
        if x["step"] > z["step"]:
            raise RuntimeError("the newer one first")
        return math.exp(-abs(x["a"] - z["a"]))

    model = getattr(kernel, name)(TREE, one_way, budget=4)
    for step in range(30):
        model.learn_one({"step": step, "a": math.sin(step)}, TREE.nodes[1 + step % 3])
    assert model.n_stored


@pytest.mark.parametrize("name", MULTI)
def test_nodes_that_have_learned_nothing_take_no_room(name):
    many = Taxonomy.from_parents({0: None} | {v: (v - 1) // 3 for v in range(1, 400)})
    assert len(pickle.dumps(getattr(kernel, name)(many))) < 1e6


# --- Storage


@pytest.mark.parametrize("ours", [KERNELS[k][0] for k in ("linear", "rbf", "polynomial")])
def test_storage_does_not_show(ours):
    """Stored vectors, dense or sparse, beside the same kernel as a function of dicts."""
    rng = np.random.default_rng(1)
    stored = kernel.Hieron(TREE, ours)._instances
    pairs = kernel.Hieron(TREE, lambda x, z: ours(x, z))._instances
    for step in range(220):
        if step < 60 or step > 90:
            width = 30 if step < 60 else 200
            x = dict(enumerate(rng.normal(size=width).tolist()))
        else:
            x = {int(j): float(rng.normal()) for j in rng.integers(0, 200, 4)}
        if step % 20 == 0:
            theirs = pairs.row(x | {"unheard": 2.0})
            row = stored.row(x | {"unheard": 2.0})
            np.testing.assert_allclose(row.values, theirs.values, rtol=1e-10, atol=1e-12)
            assert row.norm2 == pytest.approx(theirs.norm2)
        stored.append(x)
        pairs.append(x)
    some = np.array([3, 70, 120, 219])
    np.testing.assert_allclose(stored.gram(some), pairs.gram(some), rtol=1e-9, atol=1e-12)
    stored.keep(some)
    pairs.keep(some)
    np.testing.assert_allclose(stored.row(x).values, pairs.row(x).values, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", ["Hieron", "AveragedHieron"])
def test_an_x_far_from_all_examples_has_scores(name):
    model = getattr(kernel, name)(TREE, lambda x, z: 1.0 if x == z else 1e-200)
    model.learn_one({"x": 1.0}, "b")
    near, far = model.score_one({"x": 1.0}), model.score_one({"x": 2.0})
    assert far == {label: pytest.approx(1e-200 * score) for label, score in near.items()}
    assert far["b"] > 0.0


def test_an_example_is_copied():
    for which in KERNELS.values():
        model = kernel.Hieron(TREE, which[0])
        x = {"x": 1.0}
        model.learn_one(x, "b")
        before = model.score_one({"x": 1.0})
        x["x"] = 5.0
        assert model.score_one({"x": 1.0}) == before


# --- Kernels


@given(x=features(numbers=reals), z=features(numbers=reals))
@n_examples(60)
def test_kernels_equal_their_formulas(x, z):
    for ours, theirs in KERNELS.values():
        assert ours(x, z) == pytest.approx(theirs(x, z), rel=1e-9, abs=1e-9)
        assert ours(x, z) == pytest.approx(ours(z, x))


def test_kernels_are_values():
    for make in (kernel.Linear, lambda: kernel.RBF(2.0), lambda: kernel.Polynomial(2, 0.0)):
        one = make()
        assert one == make() == copy.deepcopy(one) == pickle.loads(pickle.dumps(one))
        assert hash(one) == hash(make())
        with pytest.raises(AttributeError):
            one.sigma = 3.0
    assert repr(kernel.RBF(2.0)) == "RBF(sigma=2.0)"
    assert repr(kernel.Polynomial()) == "Polynomial(degree=3, coef0=1.0)"
    assert kernel.RBF(1.0) != kernel.RBF(2.0)


def test_features_of_any_kind_for_a_kernel_of_ones_own():
    model = kernel.Hieron(TREE, in_common)
    for _ in range(3):
        model.learn_one({"colour": "red", "legs": 4}, "b")
        model.learn_one({"colour": "grey", "legs": None}, "c")
    assert model.predict_one({"colour": "red"}) == "b"
    assert model.predict_one({"legs": None}) == "c"
    assert model.predict_one({"colour": "unheard"}) == "r"


@pytest.mark.parametrize("name", SINGLE + MULTI)
def test_zero_examples(name):
    """K(x, x) = 0 changes nothing; under an RBF kernel zero is a point like any other."""
    for ours in (kernel.Linear(), kernel.Polynomial(2, 0.0), oracles.linear_kernel):
        model = getattr(kernel, name)(TREE, ours)
        model.learn_one({"a": 1.0}, "b")
        before = model.score_one({"a": 1.0, "b": 0.5})
        for x in ({}, {"a": 0.0}, {"unheard": 0}, {"a": 1e-200}):
            answer = model.predict_one(x)
            assert answer == ("r" if name in SINGLE else dict.fromkeys("acb", True))
            model.learn_one(x, "c")
        if name != "AveragedHieron":  # rounds of the average
            assert model.score_one({"a": 1.0, "b": 0.5}) == before
    model = getattr(kernel, name)(TREE, kernel.RBF())
    for _ in range(3):
        model.learn_one({}, "b")
    assert model.score_one({})["b"] > model.score_one({})["c"]


# --- Bad input


def refuses(model, x, y, error, message):
    before = pickle.dumps(model)
    for call in (model.predict_one, model.predict_proba_one, model.score_one):
        with pytest.raises(error, match=message):
            call(x)
    with pytest.raises(error, match=message):
        model.learn_one(x, y)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("name", SINGLE + MULTI)
def test_bad_values_of_a_kernel(name):
    model = getattr(kernel, name)(TREE, broken)
    model.learn_one({"x": 1.0}, "b")
    model.learn_one({"x": 2.0}, "c")
    for value in (math.nan, math.inf):
        refuses(model, {"answer": value}, "b", ValueError, "the kernel is .* for this x; it must")
    refuses(model, {"answer": -1.0}, "b", ValueError, r"the kernel is -1.0 .* not\s+negative")
    for value in ("1.0", None, np.ones(1), 1j):
        refuses(
            model, {"answer": value}, "b", TypeError, "the kernel of two dicts must be a number"
        )
    refuses(model, [1.0], "b", TypeError, "x must be a dict of features, got list")
    model = getattr(kernel, name)(TREE, kernel.Polynomial(9))
    refuses(model, {"x": 1e60}, "b", ValueError, "the kernel is inf for this x; .* scale x")


@pytest.mark.parametrize("name", SINGLE + MULTI)
def test_bad_answers_of_from_dots(name):
    class Bad(kernel.Kernel):
        answer: Any = staticmethod(lambda dots: dots)

        def from_dots(self, dots, norm2, norms2):
            return self.answer(dots)

    model = getattr(kernel, name)(TREE, Bad())
    model.learn_one({"x": 1.0}, "b")
    before = pickle.dumps(model.score_one({"x": 2.0}))
    for answer in (sum, list, repr, lambda d: d[1:], lambda d: np.append(d, 1.0), lambda d: d + 1j):
        Bad.answer = staticmethod(answer)
        for call in (model.score_one, lambda x: model.learn_one(x, "c")):
            with pytest.raises(TypeError, match="`from_dots` must answer with an array of 2 numbe"):
                call({"x": 2.0})
    Bad.answer = staticmethod(lambda dots: dots.astype(int))
    assert pickle.dumps(model.score_one({"x": 2.0})) == before


def test_a_kernel_that_is_wrong_between_two_examples():
    for value in (math.nan, -math.inf):
        model = kernel.Hieron(TREE, lambda x, z, value=value: 1.0 if x == z else value)
        model.learn_one({"x": 1.0}, "b")
        with pytest.raises(ValueError, match=f"the kernel is {value} for this x"):
            model.learn_one({"x": 2.0}, "c")
        assert model.n_stored == 1


@pytest.mark.parametrize("name", SINGLE + MULTI)
def test_bad_arguments(name):
    cls = getattr(kernel, name)
    for bad in ("rbf", 3, kernel.RBF, kernel.Kernel):
        with pytest.raises(TypeError, match="`kernel` must be a kernel"):
            cls(TREE, bad)
    for bad in (1, 0, -3, 2.5, True, "4"):
        with pytest.raises((TypeError, ValueError), match="`budget` must be"):
            cls(TREE, budget=bad)


@pytest.mark.parametrize("bad", [0, -1.0, math.nan, math.inf, "5", None])
def test_bad_parameters(bad):
    with pytest.raises(ValueError, match="`sigma` must be positive, got"):
        kernel.RBF(bad)
    with pytest.raises((TypeError, ValueError), match="`degree` must be"):
        kernel.Polynomial(bad)
    if bad != 0:
        with pytest.raises(ValueError, match="`coef0` must be a number, at least 0, got"):
            kernel.Polynomial(2, bad)
