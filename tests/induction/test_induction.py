"""Hierarchical decompositions: error bounds, tree builders and classifiers."""

import copy
import math
import pickle
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import base, drift, linear_model, multiclass, naive_bayes, preprocessing
from scipy.special import entr

import oracles
from river_hier import Taxonomy, induction
from river_hier.induction import bayes_error_bounds, tree_recursions
from river_hier.induction.binary_tree import BinaryTree
from river_hier.induction.divergence import divergences, joints, merge
from river_hier.induction.jensen_shannon_tree import LeaveOneOut, agglomerate, all_costs
from support.hypothesis_settings import n_examples
from support.strategies import LABELS

DECOMPOSITIONS = [induction.BinaryDecomposition, induction.SoftBinaryDecomposition]
LABELLED = Taxonomy.from_nested({"all": {"ab": ["a", "b"], "c": None}})

each_decoding = pytest.mark.parametrize("cls", DECOMPOSITIONS, ids=["hard", "soft"])


# --- Classes, trees and streams for hypothesis ---------------------------------------------------


@st.composite
def problems(draw, min_classes=1):
    """Priors and conditionals as counts; some tokens occur in one class, some in all."""
    k = draw(st.integers(min_classes, 6))
    classes = draw(st.permutations(LABELS))[:k]
    counts = st.dictionaries(st.sampled_from("uvwxyz"), st.integers(0, 9), min_size=1)
    some = counts.filter(lambda p: any(p.values()))
    return {c: draw(st.integers(1, 20)) for c in classes}, {c: draw(some) for c in classes}


def normalised(p):
    whole = sum(p.values())
    return {x: value / whole for x, value in p.items()}


def nested(taxonomy, label):
    """The subtree of a label in the format of the oracles."""
    below = taxonomy.children(label)
    return tuple(nested(taxonomy, child) for child in below) if below else (label,)


def taxonomy_of(tree):
    """A tree of the oracles as a taxonomy; inner nodes are frozen sets, unlike any class."""
    names = {}

    def name(v):
        return v[0] if len(v) == 1 else names.setdefault(id(v), ("inner", len(names)))

    def edges(v):
        if len(v) == 2:
            for child in v:
                yield name(v), name(child)
                yield from edges(child)

    return Taxonomy(edges(tree)) if len(tree) == 2 else Taxonomy.flat([], root=tree[0])


@st.composite
def streams(draw):
    classes = draw(st.permutations(LABELS))[: draw(st.integers(1, 5))]
    x = st.dictionaries(st.sampled_from("uvwxyz"), st.integers(0, 5), max_size=4)
    return draw(st.lists(st.tuples(x, st.sampled_from(classes)), min_size=1, max_size=30))


def random_tree(classes, rng):
    forest = [(c,) for c in classes]
    while len(forest) > 1:
        i = int(rng.integers(len(forest) - 1))
        forest[i : i + 2] = [(forest[i], forest[i + 1])]
    return forest[0]


# --- Bounds --------------------------------------------------------------------------------------


@given(problem=problems(min_classes=2))
def test_lins_bounds_against_the_definition_and_the_bayes_error(problem):
    priors, conditionals = problem
    lower, upper = bayes_error_bounds(priors, conditionals)
    pi, ps = list(normalised(priors).values()), [normalised(p) for p in conditionals.values()]
    assert (lower, upper) == pytest.approx(oracles.lin_bounds(pi, ps), abs=1e-12)
    assert lower - 1e-12 <= oracles.bayes_error(pi, ps) <= upper + 1e-12


def test_one_class_is_never_mistaken():
    assert bayes_error_bounds({"a": 3}, {"a": {"x": 2, "y": 1}}) == (0.0, 0.0)
    one = Taxonomy.flat([], root="a")
    assert tree_recursions(one, {"a": 3}, {"a": {"x": 2}}) == (0.0, 0.0)


@given(problem=problems(min_classes=2), seed=st.integers(0, 10_000))
def test_the_recursions_against_the_definition(problem, seed):
    priors, conditionals = problem
    tree = random_tree(list(priors), np.random.default_rng(seed))
    found = tree_recursions(taxonomy_of(tree), priors, conditionals)
    p = normalised(priors), {c: normalised(conditionals[c]) for c in priors}
    slow = [1.0 - oracles.recursion(tree, *p, bound) for bound in (0, 1)]
    assert found == pytest.approx(slow, abs=1e-12)


def test_the_papers_figures_are_not_bounds():
    """Both trees have an error of 0.25."""
    priors = {"a": 0.25, "b": 0.25, "c": 0.5}
    conditionals = {"a": {1: 0.4, 2: 0.6}, "b": {2: 0.6, 3: 0.4}, "c": {1: 0.2, 4: 0.8}}
    assert tree_recursions(LABELLED, priors, conditionals)[1] == pytest.approx(0.235)
    assert bayes_error_bounds(priors, conditionals)[1] == pytest.approx(0.25)
    tree = Taxonomy.from_nested({"r": {"a": None, "s": {"t": ["b", "c"], "u": ["d", "e"]}}})
    priors = {"a": 0.75, "b": 0.0625, "c": 0.0625, "d": 0.0625, "e": 0.0625}
    lower, _ = tree_recursions(tree, priors, {label: {"x": 1} for label in priors})
    assert lower == pytest.approx(0.256, abs=5e-4)


def test_bad_trees():
    dag = Taxonomy([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
    for taxonomy, message in (
        (Taxonomy.flat("abc"), r"node 'root' has 3 children; .* two under every"),
        (Taxonomy([("a", "b")]), r"node 'a' has 1 child; .* two under every"),
        (dag, "node 'c' has 2 parents"),
    ):
        with pytest.raises(ValueError, match=message):
            induction.BinaryDecomposition(linear_model.LogisticRegression(), taxonomy)


# --- The tree that is grown ----------------------------------------------------------------------


def counted(problem, **parameters):
    """A builder with these priors and conditionals as counts."""
    builder = induction.JensenShannonTree(**parameters)
    for label, n in problem[0].items():
        for _ in range(n):
            builder.learn_one(problem[1][label], label)
    return builder


def n_tokens(problem):
    return sum(n * sum(problem[1][c].values()) for c, n in problem[0].items())


@given(problem=problems(), seed=st.integers(0, 10_000), sharpness=st.sampled_from([0.0, 0.1, 1.0]))
@n_examples(50)
def test_the_tree_against_the_naive_agglomeration(problem, seed, sharpness):
    builder = counted(problem, n_restarts=3, sharpness=sharpness, n_recent=0, seed=seed)
    p = normalised(problem[0]), {c: normalised(problem[1][c]) for c in problem[0]}
    rng = np.random.default_rng(seed)
    n = n_tokens(problem)
    trees = [oracles.agglomerate(*p, n, sharpness, rng.random) for _ in range(3)]
    R = [oracles.recursion(tree, *p, bound=1) for tree in trees]
    t = builder.taxonomy()
    found = nested(t, t.root)
    assert found in trees
    assert R[trees.index(found)] == pytest.approx(max(R), abs=1e-12)
    clear = [r for r in R if r > max(R) - 1e-9]  # trees with the same R but for rounding
    assert len(clear) > 1 or found == trees[R.index(max(R))]


@given(problem=problems(min_classes=2))
@n_examples(50)
def test_the_greedy_tree_loses_the_least_information(problem):
    p = normalised(problem[0]), {c: normalised(problem[1][c]) for c in problem[0]}
    classes = joints(*problem)
    children, _ = agglomerate(classes, all_costs(classes, math.inf), math.inf, np.random)
    forest = {~c: (label,) for c, label in enumerate(problem[0])}
    clear = True  # but for rounding, which decides among equals
    for v, pair in enumerate(children):
        lost = [oracles.lost_information(two, *p) for two in combinations(forest.values(), 2)]
        clear &= sum(each < min(lost) + 1e-9 for each in lost) == 1
        merged = forest.pop(pair[0]), forest.pop(pair[1])
        assert oracles.lost_information(merged, *p) == pytest.approx(min(lost), abs=1e-9)
        forest[v] = merged
    t = counted(problem).taxonomy()
    assert not clear or nested(t, t.root) == forest[len(children) - 1]
    # The information lost in all merges is all that x says about the class, whatever the tree.
    whole = list(problem[0])
    JS = oracles.jensen_shannon([p[0][c] for c in whole], [p[1][c] for c in whole])
    inner, total = [forest[len(children) - 1]], 0.0
    for v in inner:
        if len(v) == 2:
            total += oracles.lost_information(v, *p)
            inner += v
    assert total == pytest.approx(JS, abs=1e-9)


@given(stream=streams(), seed=st.integers(0, 10_000))
@n_examples(50)
def test_errors_of_a_tree_on_examples_that_are_left_out(stream, seed):
    stream = [({name: v for name, v in x.items() if v}, y) for x, y in stream if any(x.values())]
    builder = induction.JensenShannonTree(sharpness=0.0)
    for x, y in stream:
        builder.learn_one(x, y)
    classes = list(builder.class_counts)
    if len(classes) > 1:
        tree = random_tree(classes, np.random.default_rng(seed))
        children = BinaryTree.of(taxonomy_of(tree)).splits
        order = {label: c for c, label in enumerate(taxonomy_of(tree).leaves)}
        counts = {label: builder.class_counts[label] for label in order}
        held_out = LeaveOneOut(builder.feature_counts, counts, [(x, y, 1) for x, y in stream])
        errors, ties = oracles.left_out_errors(tree, stream)
        assert errors <= held_out.errors(children) <= errors + ties


@given(stream=streams(), weights=st.lists(st.integers(0, 3), min_size=30, max_size=30))
@n_examples(30)
def test_a_weight_of_two_is_the_example_twice(stream, weights):
    weighted, repeated = (induction.JensenShannonTree(5, 0.0, seed=1) for _ in range(2))
    for (x, y), w in zip(stream, weights, strict=False):
        weighted.learn_one(x, y, w=w)
        for _ in range(w):
            repeated.learn_one(x, y)
    assert weighted.class_counts == repeated.class_counts
    if weighted.class_counts:
        held_out = [
            LeaveOneOut(b.feature_counts, b.class_counts, b._recent) for b in (weighted, repeated)
        ]
        tree = BinaryTree.of(weighted.taxonomy()).splits
        classes = BinaryTree.of(weighted.taxonomy()).classes
        assert weighted.taxonomy() == repeated.taxonomy()
        order = {label: c for c, label in enumerate(weighted.class_counts)}
        tree = tuple(tuple(v if v >= 0 else ~order[classes[~v]] for v in pair) for pair in tree)
        errors = [one.errors(tree) for one in held_out]
        assert errors[0] == errors[1]


def test_the_tree_with_the_fewest_errors_is_kept():
    rng = np.random.default_rng(2)
    words = {c: rng.dirichlet(np.full(6, 0.3)) for c in range(5)}
    stream = []
    for i in range(60):
        drawn = Counter(rng.choice(6, size=5, p=words[i % 5]).tolist())
        stream.append((dict(drawn), i % 5))
    p = normalised(Counter(y for _, y in stream)), {}
    for c in range(5):
        counts = Counter()
        for x, y in stream:
            counts.update(x if y == c else {})
        p[1][c] = normalised(counts)
    trees = []
    for n_recent in (60, 0):
        builder = induction.JensenShannonTree(12, 0.0, n_recent, seed=3)
        for x, y in stream:
            builder.learn_one(x, y)
        t = builder.taxonomy()
        trees.append(nested(t, t.root))
    random = np.random.default_rng(3)
    draws = [oracles.agglomerate(*p, 0.0, 0.0, random.random) for _ in range(12)]
    errors = [oracles.left_out_errors(tree, stream)[0] for tree in draws]
    R = [oracles.recursion(tree, *p, bound=1) for tree in draws]
    assert trees == [
        max(draws, key=lambda tree: (-errors[draws.index(tree)], R[draws.index(tree)])),
        draws[R.index(max(R))],
    ]
    assert trees[0] != trees[1], "or else nothing has been chosen"


@given(problem=problems(), seed=st.integers(0, 100))
@n_examples(50)
def test_the_tree_is_full_and_binary_and_its_leaves_are_the_classes(problem, seed):
    t = counted(problem, seed=seed).taxonomy()
    assert set(t.leaves) == set(problem[0])
    assert all(len(t.children(v)) == 2 for v in t._arrays.inner)
    assert len(t) == 2 * len(problem[0]) - 1
    assert t._arrays.inner == tuple(f"split {i}" for i in range(1, len(problem[0])))
    assert t == counted(problem, seed=seed).taxonomy()


@given(problem=problems())
@n_examples(50)
def test_the_builder_counts(problem):
    builder = counted(problem)
    assert builder.class_counts == problem[0]
    for label, n in problem[0].items():
        counts = {x: n * value for x, value in problem[1][label].items() if value}
        assert builder.feature_counts[label] == pytest.approx(counts)


def divergence(split):
    """JS of the two sides, weighted by their priors: between 0 and 1."""
    return max(float(entr([split.q, 1.0 - split.q]).sum()) / math.log(2.0) - split.J, 0.0)


@given(problem=problems(min_classes=2))
def test_divergences_of_many_are_those_of_each(problem):
    first, *others = joints(*problem)
    JS, weights = divergences(first, others)
    splits = [merge(first, other) for other in others]
    assert pytest.approx([divergence(split) for _, split in splits], abs=1e-12) == JS
    assert weights == pytest.approx([both.weight for both, _ in splits])


def test_a_class_may_be_called_like_a_split():
    builder = induction.JensenShannonTree(seed=1)
    for label in ("split 1", "split 3", "other"):
        builder.learn_one({"x": 1}, label)
    t = builder.taxonomy()
    assert set(t.leaves) == {"split 1", "split 3", "other"}
    assert set(t._arrays.inner) == {"split 2", "split 4"}


def test_a_thousand_classes_in_a_row():
    """The deepest possible tree causes no recursion error."""
    model = induction.BinaryDecomposition(linear_model.Perceptron())
    for label in range(1000):
        model.learn_one({"x": 1}, label)
    assert model.taxonomy_.height == 999
    assert pickle.loads(pickle.dumps(model)).predict_one({"x": 1}) == model.predict_one({"x": 1})
    assert copy.deepcopy(model).taxonomy_ == model.taxonomy_
    builder = induction.JensenShannonTree(n_restarts=1, seed=1)
    for label in range(300):
        builder.learn_one({label % 7: 1}, label)
    assert len(builder.taxonomy()) == 599


def test_empty_examples_are_not_counted():
    builder = induction.JensenShannonTree()
    for x in ({}, {"x": 0}, {"x": 0.0, "y": False}):
        builder.learn_one(x, "a")
    assert builder.class_counts == builder.feature_counts == {}
    with pytest.raises(ValueError, match="no example with features has been learned"):
        builder.taxonomy()


@pytest.mark.parametrize(
    ("x", "y", "error", "message"),
    [
        ({"x": -1}, "a", ValueError, "feature 'x' is -1; a count must be at least 0"),
        ({"new": 1, "x": math.nan}, "a", ValueError, "feature 'x' is nan"),
        ({"new": 1, "x": math.inf}, "new", ValueError, "feature 'x' is inf"),
        ({"x": "red"}, "a", ValueError, r"feature 'x' is 'red' \(str\), not a number"),
        ({"x": None}, "a", ValueError, r"feature 'x' is None"),
        (None, "a", TypeError, "x must be a dict of features, got NoneType"),
        ({"x": 1}, None, ValueError, "None cannot be a label"),
        ({"x": 1}, math.nan, ValueError, "nan cannot be a label"),
        ({"x": 1}, ["a"], TypeError, r"label \['a'\] is not hashable"),
    ],
)
def test_what_is_refused_changes_nothing(x, y, error, message):
    builder = induction.JensenShannonTree(seed=1)
    models = [builder, *(cls(naive_bayes.MultinomialNB(), builder) for cls in DECOMPOSITIONS)]
    for model in models:
        model.learn_one({"x": 1, "z": 2}, "a")
        model.learn_one({"x": 2}, True)
        before = pickle.dumps(model)
        with pytest.raises(error, match=message):
            model.learn_one(x, y)
        assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_restarts": 0}, ValueError, "`n_restarts` must be at least 1, got 0"),
        ({"sharpness": -1.0}, ValueError, "`sharpness` must be at least 0, or math.inf to .*-1.0"),
        ({"sharpness": math.nan}, ValueError, "`sharpness` must be at least 0, .* got nan"),
        ({"sharpness": "n"}, ValueError, "`sharpness` must be at least 0, .* got 'n'"),
        ({"n_recent": -1}, ValueError, "`n_recent` must be at least 0, got -1"),
        ({"n_restarts": 2.5}, TypeError, "`n_restarts` must be an integer, got 2.5"),
        ({"seed": -1}, ValueError, "`seed` must be at least 0, got -1"),
        ({"seed": "x"}, TypeError, "`seed` must be an integer, got 'x'"),
    ],
)
def test_bad_builders(parameters, error, message):
    with pytest.raises(error, match=message):
        induction.JensenShannonTree(**parameters)
    induction.JensenShannonTree(n_recent=10**400)  # all are kept


# --- The learners --------------------------------------------------------------------------------


def make():
    return linear_model.LogisticRegression()


def same(model, oracle, x):
    if not isinstance(model, induction.SoftBinaryDecomposition):
        assert model.predict_one(x) == oracle.hard(x)
        assert model.predict_proba_one(x)[model.predict_one(x)] == 1.0
    else:
        assert model.predict_proba_one(x) == pytest.approx(oracle.soft(x), abs=1e-12)
    p = model.predict_proba_one(x)
    assert sum(p.values()) == pytest.approx(1.0)
    assert model.predict_one(x) == max(p, key=p.__getitem__)


@each_decoding
@given(stream=streams(), builds=st.booleans(), grace_period=st.integers(1, 20))
@n_examples(40)
def test_the_learner_against_the_naive_one(cls, stream, builds, grace_period):
    builder = induction.JensenShannonTree(n_restarts=2, seed=7) if builds else None
    model, oracle = cls(make(), builder, grace_period), oracles.Decomposition(make)
    for n, (x, y) in enumerate(stream, start=1):
        model.learn_one(x, y)
        oracle.learn(x, y)
        if builder:
            builder.learn_one(x, y)  # the model has its own clone
            if n >= grace_period and builder.class_counts:
                t = builder.taxonomy()
                oracle.rebuild(nested(t, t.root))
                builder = None
        assert nested(model.taxonomy_, model.taxonomy_.root) == oracle.tree
        same(model, oracle, x)


@each_decoding
@given(stream=streams(), seed=st.integers(0, 10_000))
@n_examples(40)
def test_the_learner_in_a_given_tree(cls, stream, seed):
    classes = list(dict.fromkeys(y for _, y in stream))
    tree = random_tree(classes, np.random.default_rng(seed))
    model, oracle = cls(make(), taxonomy_of(tree)), oracles.Decomposition(make, tree)
    for x, y in stream:
        same(model, oracle, x)
        model.learn_one(x, y)
        oracle.learn(x, y)
    assert model.taxonomy_ is model.taxonomy


@each_decoding
def test_before_the_first_example(cls):
    model = cls(make())
    assert model.predict_one({"x": 1}) is None
    assert model.predict_proba_one({"x": 1}) == {}
    assert model.taxonomy_.nodes == ("root",)
    assert cls(make(), LABELLED).predict_one({"x": 1}) == ("c" if "Soft" in cls.__name__ else "a")
    silent = cls(naive_bayes.GaussianNB(), LABELLED).predict_proba_one({"x": 1})
    assert silent == (
        {"a": 0.25, "b": 0.25, "c": 0.5} if "Soft" in cls.__name__ else {"a": 1, "b": 0, "c": 0}
    )
    one = cls(make(), Taxonomy.flat([], root="only"))
    one.learn_one({"x": 1}, "only")
    assert one.predict_proba_one({"x": 1}) == {"only": 1.0}


@each_decoding
def test_bad_labels_and_arguments(cls):
    model = cls(make(), LABELLED)
    for y, message in (("ab", "'ab' is an inner node of the taxonomy"), ("d", "label 'd' is not")):
        before = pickle.dumps(model)
        with pytest.raises(ValueError, match=message):
            model.learn_one({"x": 1}, y)
        assert pickle.dumps(model) == before
    for arguments, error, message in (
        ((linear_model.LinearRegression(),), TypeError, "`classifier` must be a binary classifier"),
        ((linear_model.Perceptron,), TypeError, "`classifier` must be a binary classifier"),
        ((make(), "flat"), TypeError, "must be a Taxonomy, a JensenShannonTree or None, got str"),
        ((make(), Taxonomy.flat("abc")), ValueError, "node 'root' has 3 children"),
        ((make(), None, 0), ValueError, "`grace_period` must be at least 1, got 0"),
    ):
        with pytest.raises(error, match=message):
            cls(*arguments)


@each_decoding
def test_what_the_classifier_refuses_changes_nothing(cls):
    for builder in (None, induction.JensenShannonTree()):
        model = cls(linear_model.PAClassifier(), builder)
        model.learn_one({"x": 1}, "a")
        model.learn_one({"x": 2}, "b")
        before = pickle.dumps(model)
        for y in ("a", "new"):
            with pytest.raises(TypeError, match="unexpected keyword"):
                model.learn_one({"x": 3}, y, colour="red")
            assert pickle.dumps(model) == before


@each_decoding
def test_weights_reach_the_classifiers_or_are_refused(cls):
    weighted, plain = cls(make()), cls(make())
    bayes = naive_bayes.ComplementNB()  # takes no weights; its wrappers pass them on
    unweighted = [
        cls(classifier)
        for classifier in (
            bayes,
            drift.DriftRetrainingClassifier(bayes),
            preprocessing.StandardScaler() | multiclass.OneVsRestClassifier(bayes),
        )
    ]
    for x, y in [({"u": 1}, "a"), ({"v": 1}, "b"), ({"u": 1}, "a")]:
        plain.learn_one(x, y)
        weighted.learn_one(x, y, w=3.0)
        for model in unweighted:
            with pytest.raises(TypeError, match=r"`w` is 3.0, but .* takes no weights; "):
                model.learn_one(x, y, w=3.0)
            model.learn_one(x, y)
    assert weighted._classifiers[0].weights != plain._classifiers[0].weights
    assert [model.predict_one({"u": 1}) for model in unweighted] == ["a"] * 3


class Saying(base.Classifier):
    """Always returns the same; `NotImplementedError` stands for no probabilities."""

    def __init__(self, said):
        self.said = said

    def learn_one(self, x, y):
        pass

    def predict_one(self, x, **kwargs):
        return True

    def predict_proba_one(self, x, **kwargs):
        if self.said is NotImplementedError:
            raise NotImplementedError
        return self.said


@pytest.mark.parametrize("said", [None, {}, {True: math.nan, False: math.nan}])
def test_what_a_classifier_does_not_say_counts_as_undecided(said):
    model = induction.SoftBinaryDecomposition(Saying(said), LABELLED)
    assert model.predict_proba_one({"x": 1}) == {"a": 0.25, "b": 0.25, "c": 0.5}


def test_a_classifier_without_probabilities_is_sure():
    model = induction.SoftBinaryDecomposition(Saying(NotImplementedError), LABELLED)
    assert model.predict_proba_one({"x": 1}) == {"a": 0.0, "b": 0.0, "c": 1.0}


# --- Balanced trees ------------------------------------------------------------------------------


@n_examples(50)
@given(st.integers(1, 70), st.integers(2, 9), st.integers(0, 3))
def test_balanced_trees(n, branching, seed):
    rng = np.random.default_rng(seed)
    vectors = {i: {int(c): 1.0 for c in rng.integers(9, size=3)} for i in range(n)}
    vectors["group 2"] = {}
    t = induction.balanced_tree(vectors, branching, seed)
    assert set(t.leaves) == set(vectors)
    sizes = [len(t.children(v)) for v in t if t.children(v)]
    assert max(sizes) <= branching
    depths = {t.depth(v) for v in t.leaves}
    assert len(depths) == 1  # below the last groups, which are equally large
    lowest = [len(t.children(t.parent(v))) for v in t.leaves]
    assert max(lowest) - min(lowest) <= 1
    assert t == induction.balanced_tree(vectors, branching, seed)


def test_balanced_trees_find_groups():
    """Eight groups, of which two and two, and four and four, are nearer to each other."""
    rng = np.random.default_rng(0)
    vectors = {}
    for i in rng.permutation(64).tolist():
        g = i % 8
        weights = {f"a{g // 4}": 4.0, f"b{g // 2}": 4.0, f"c{g}": 4.0}
        vectors[i] = weights | {f"own {j}": 1.0 for j in rng.integers(50, size=4)}
    t = induction.balanced_tree(vectors, branching=8)
    groups = [{v % 8 for v in t.children(u)} for u in t if t.children(u) and u != t.root]
    assert sorted(map(sorted, groups)) == [[g] for g in range(8)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(({},), "at least one"), (({"a": {}}, 1), "branching"), (({"a": {"x": math.nan}},), "nan")],
)
def test_balanced_trees_refuse(arguments, message):
    with pytest.raises(ValueError, match=message):
        induction.balanced_tree(*arguments)
