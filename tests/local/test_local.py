"""Local classifiers against oracles, general laws, and equivalent models of River."""

import math
import pickle
from collections import Counter, defaultdict
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import base, datasets, drift, multioutput, naive_bayes, preprocessing
from river import linear_model as river_linear_model
from river import tree as river_tree

import oracles
from river_hier import Taxonomy, linear_model, local
from river_hier.datasets import synth
from support.hypothesis_settings import n_examples
from support.strategies import features, multilabel_streams, parents_of, single_label_streams

ROUTING = ["PerParent", "PerLevel"]
NAMES = ["PerNode", *ROUTING]
TREE = Taxonomy.from_nested({"r": {"a": ["b", "c"], "d": {"e": ["f"]}, "g": []}})
DAG = Taxonomy([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])


class Frequencies(base.Classifier):
    """Counts how often a class occurs with a feature. Counts are integers, so ties are exact."""

    def __init__(self, most=10**6):
        self.most = most
        self.seen = defaultdict(Counter)

    @property
    def _multiclass(self):
        return True

    def learn_one(self, x, y):
        self.seen[y].update(list(x))

    def predict_proba_one(self, x, **kwargs):
        return {
            y: 1 + min(self.most, sum(count[name] for name in x)) for y, count in self.seen.items()
        }


class WithoutProbabilities(Frequencies):
    """The same without `predict_proba_one`."""

    def predict_proba_one(self, x, **kwargs):
        raise NotImplementedError

    def predict_one(self, x, **kwargs):
        said = super().predict_proba_one(x)
        return max(said, key=said.__getitem__, default=None)


class Weighted(Frequencies):
    """The same with sample weights."""

    def learn_one(self, x, y, w=1.0):
        for name in x:
            self.seen[y][name] += w


thresholds = st.sampled_from([0.0, 0.3, 0.5, 0.75, 1.0])

# --- Oracles ------------------------------------------------------------------------------------


@given(data=multilabel_streams(), x=features(), threshold=thresholds, pickle_at=st.integers(0, 25))
@n_examples(60)
def test_per_node(data, x, threshold, pickle_at):
    taxonomy, stream = data
    ours = local.PerNode(Frequencies(), taxonomy, threshold)
    theirs = oracles.PerNode(parents_of(taxonomy), lambda position: Frequencies())
    for step, (seen, y) in enumerate([*stream, ({}, set())]):
        probe = x if step % 2 else seen
        assert ours.predict_one(probe) == theirs.predict(probe, threshold)
        for label, p in ours.predict_proba_one(probe).items():
            assert p[True] == pytest.approx(theirs.probability(label, probe))
            assert p[False] == 1.0 - p[True]
        ours.learn_one(seen, y)
        theirs.learn(seen, y)
        if step == pickle_at:
            ours = pickle.loads(pickle.dumps(ours))


@pytest.mark.parametrize("name", ROUTING)
@given(
    data=single_label_streams(), x=features(), threshold=thresholds, pickle_at=st.integers(0, 25)
)
@n_examples(60)
def test_routing(name, data, x, threshold, pickle_at):
    taxonomy, stream = data
    ours = getattr(local, name)(Frequencies(), taxonomy, threshold)
    theirs = getattr(oracles, name)(parents_of(taxonomy), lambda position: Frequencies())
    for step, (seen, y) in enumerate([*stream, ({}, taxonomy.root)]):
        probe = x if step % 2 else seen
        assert ours.predict_one(probe) == theirs.predict(probe, threshold)
        marginals, ends = ours.predict_marginals_one(probe), ours.predict_proba_one(probe)
        assert list(marginals) == list(ends) == list(taxonomy)
        for label in taxonomy:
            assert marginals[label] == pytest.approx(theirs.marginal(label, probe))
            assert ends[label] == pytest.approx(theirs.probability(label, probe))
        ours.learn_one(seen, y)
        theirs.learn(seen, y)
        if step == pickle_at:
            ours = pickle.loads(pickle.dumps(ours))


# --- Laws ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ROUTING)
@given(data=single_label_streams(), x=features())
@n_examples(20)
def test_a_model_of_leaves_always_reaches_one(name, data, x):
    taxonomy, stream = data
    model = getattr(local, name)(Frequencies(), taxonomy, leaves_only=True)
    for example in [*stream, ({}, taxonomy.root)]:
        ends = model.predict_proba_one(x)
        assert model.predict_one(x) in taxonomy.leaves
        assert {label for label, p in ends.items() if p} <= set(taxonomy.leaves)
        assert sum(ends.values()) == pytest.approx(1.0)
        model.learn_one(*example)
        assert all(set(m.seen) < set(taxonomy) for m in model.classifiers.values())


@pytest.mark.parametrize("learner", [linear_model.AveragedHieron, linear_model.Hieron])
def test_the_greedy_of_the_papers(learner):
    """Hieron without the classes' tree at each inner node, which ranks the children by score."""
    stream = synth.PrototypeTree(branching=3, depth=2, noise=0.16, seed=1)
    t = stream.taxonomy
    routers = {v: learner(Taxonomy.flat(t.children(v), root="none")) for v in t._arrays.inner}
    model = local.PerParent(
        lambda v: learner(Taxonomy.flat(t.children(v), root="none")), t, leaves_only=True
    )
    for x, y in stream.take(400):
        answer = t.root
        while answer in routers:
            scores = routers[answer].score_one(x)
            answer = max(t.children(answer), key=scores.__getitem__)
        assert model.predict_one(x) == answer
        model.learn_one(x, y)
        for node, child in pairwise(t.path(y)):
            routers[node].learn_one(x, child)


@pytest.mark.parametrize("name", ROUTING)
@pytest.mark.parametrize("nodes", [("root", "a", "b"), (0, 1, 2)])
def test_no_label_is_the_name_of_ending(name, nodes):
    """Open models have a root of their own, and trees of River sort their classes."""
    root, a, b = nodes
    for classifier in (linear_model.Hieron(), river_tree.HoeffdingTreeClassifier()):
        model = getattr(local, name)(classifier, Taxonomy([(root, a), (root, b)]))
        for y in nodes * 10:
            model.learn_one({node: 1.0 * (node == y) for node in nodes}, y)
        for y in nodes:
            p = model.predict_proba_one({node: 1.0 * (node == y) for node in nodes})
            assert 0.0 < p[y] == max(p.values())


# --- Equivalent models of River -----------------------------------------------------------------


def test_per_node_in_a_flat_taxonomy_is_a_classifier_per_output():
    stream = list(datasets.Yeast().take(80))
    logistic = preprocessing.StandardScaler() | river_linear_model.LogisticRegression()
    theirs = multioutput.PerOutputClassifier(logistic)
    closed = local.PerNode(logistic, Taxonomy.flat(stream[0][1]))
    opened = local.PerNode(logistic)
    for i, (x, y) in enumerate(stream):
        if i:
            probabilities = theirs.predict_proba_one(x)
            for ours in (closed, opened):
                ours_ = ours.predict_proba_one(x)
                assert {k: p[True] for k, p in ours_.items()} == pytest.approx(
                    {k: p[True] for k, p in probabilities.items()}
                )
                answers, ties = theirs.predict_one(x), {True: 0.5, False: 0.5}
                for label, on in ours.predict_one(x).items():
                    assert on == answers[label] or probabilities[label] == ties
        for model in (theirs, closed, opened):
            model.learn_one(x, y)


@pytest.mark.parametrize("name", ROUTING)
def test_routing_in_a_flat_taxonomy_is_the_classifier_itself(name):
    stream = list(datasets.ImageSegments().take(200))
    theirs = naive_bayes.GaussianNB()
    labels = list(dict.fromkeys(y for _, y in stream))
    cls = getattr(local, name)
    closed, opened = cls(theirs.clone(), Taxonomy.flat(labels)), cls(theirs.clone())
    for i, (x, y) in enumerate(stream):
        if i:
            said = theirs.predict_proba_one(x)
            for ours in (closed, opened):
                shares = {k: p for k, p in ours.predict_proba_one(x).items() if k in said}
                assert shares == pytest.approx(said)
                assert ours.predict_one(x) == theirs.predict_one(x)
        for model in (theirs, closed, opened):
            model.learn_one(x, y)


# --- Mappings and functions ---------------------------------------------------------------------


def test_a_mapping_is_inherited_by_descendants():
    choice = {"r": Frequencies(1), "a": Frequencies(2), "c": Frequencies(3)}
    model = local.PerNode(choice, TREE)
    for label in TREE:
        model.learn_one({"x": 1}, label)
    most = {label: c.most for label, c in model.classifiers.items()}
    assert most == {"a": 2, "b": 2, "c": 3, "d": 1, "g": 1, "e": 1, "f": 1}
    model = local.PerParent({"r": Frequencies(1), "d": Frequencies(2)}, TREE)
    for label in TREE:
        model.learn_one({"x": 1}, label)
    assert {k: c.most for k, c in model.classifiers.items()} == {"r": 1, "a": 1, "d": 2, "e": 2}
    model = local.PerLevel({1: Frequencies(1), 3: Frequencies(3)}, TREE)
    model.learn_one({"x": 1}, "f")
    assert {k: c.most for k, c in model.classifiers.items()} == {1: 1, 2: 1, 3: 3}
    model = local.PerNode({"r": Frequencies(1), "a": Frequencies(2), "b": Frequencies(3)}, DAG)
    model.learn_one({"x": 1}, "c")
    assert model.classifiers["c"].most == 3, "of several, the last in taxonomy order"
    opened = local.PerNode({"root": Frequencies(1), "spam": Frequencies(2)})
    opened.learn_one({"x": 1}, {"spam": True, "news": False})
    assert {k: c.most for k, c in opened.classifiers.items()} == {"spam": 2, "news": 1}


def test_a_function_is_called_for_each_position():
    expected = {"PerNode": set("adgef"), "PerParent": set("rde"), "PerLevel": {1, 2, 3}}
    for name, places in expected.items():
        asked = []

        def choose(place, asked=asked):
            asked.append(place)
            return Frequencies(len(asked))

        model = getattr(local, name)(choose, TREE)
        model.learn_one({"x": 1}, "f")
        assert set(model.classifiers) == places
        assert set(asked[1:]) == places
        assert model.clone().classifier is choose


def test_weights_reach_the_classifiers_that_take_them():
    wrapped = {
        "plain": (Weighted(), True),
        "no weights": (Frequencies(), False),
        "pipeline": (preprocessing.StandardScaler() | Weighted(), True),
        "pipeline without": (preprocessing.StandardScaler() | Frequencies(), False),
        "wrapper": (drift.DriftRetrainingClassifier(Weighted(), train_in_background=False), True),
        "wrapper without": (drift.DriftRetrainingClassifier(Frequencies()), False),
        "wrapped pipeline": (
            drift.DriftRetrainingClassifier(preprocessing.StandardScaler() | Weighted()),
            True,
        ),
    }
    for kind, (classifier, takes) in wrapped.items():
        for name in NAMES:
            model = getattr(local, name)(classifier, TREE)
            if not takes:
                with pytest.raises(TypeError, match=r"`w` is 3.0, but .* takes no weights; "):
                    model.learn_one({"x": 1}, "b", w=3.0)
            model.learn_one({"x": 1}, "b", w=3.0 if takes else 1.0)
            model.learn_one({"x": 1}, "g")
            p = model.predict_proba_one({"x": 1})
            p = p["b"][True] if name == "PerNode" else p["b"]
            # At the root there are 3 of a and 1 of g, each plus 1; below there is one class.
            assert p == pytest.approx(4 / 6 if takes else 1 / 2), (kind, name)


# --- Missing probabilities ----------------------------------------------------------------------


def test_without_probabilities_predictions_have_probability_1():
    for name in ROUTING:
        model = getattr(local, name)(WithoutProbabilities(), TREE)
        assert model.predict_proba_one({"x": 1}) == {k: float(k == "r") for k in TREE}
        for x, y in [({"x": 1}, "b"), ({"y": 1}, "f"), ({"z": 1}, "d")] * 2:
            model.learn_one(x, y)
        assert model.predict_one({"z": 1}) == "d"
        assert model.predict_proba_one({"y": 1}) == {k: float(k == "f") for k in TREE}
    per_node = local.PerNode(WithoutProbabilities(), TREE)
    assert set(per_node.predict_one({}).values()) == {False}
    for x, y in [({"x": 1}, "b"), ({"y": 1}, "f")] * 2:
        per_node.learn_one(x, y)
    on = {label for label, yes in per_node.predict_one({"y": 1}).items() if yes}
    assert on == {"d", "e", "f"}


class Constant(Frequencies):
    """Always has the same probabilities."""

    def __init__(self, said=None):
        super().__init__()
        self.said = said

    def predict_proba_one(self, x, **kwargs):
        return self.said


@pytest.mark.parametrize("said", [None, {}, dict.fromkeys(["b", "a", True, False], math.nan)])
def test_missing_probabilities_are_ignored(said):
    for name in NAMES:
        model = getattr(local, name)(Constant(said), TREE)
        fresh = model.clone()
        model.learn_one({"x": 1}, "b")
        if name in ROUTING:
            assert model.predict_one({"x": 1}) == fresh.predict_one({"x": 1})
        else:
            assert set(model.predict_one({"x": 1}).values()) == {True}
        assert model.predict_proba_one({"x": 1}) == fresh.predict_proba_one({"x": 1})


def test_the_path_ends_where_a_level_has_no_probabilities():
    model = local.PerLevel(Frequencies(), TREE)
    model.learn_one({"x": 1}, "b")
    model.classifiers[1].learn_one({"z": 1}, "d")  # it knows d, and no node below
    assert model.predict_one({"z": 1}) == "d"
    assert model.predict_proba_one({"z": 1})["d"] == pytest.approx(2 / 3)


def test_a_threshold_function_decides_whether_the_path_continues():
    asked = []

    def not_below_a(label, probability):
        asked.append((label, probability))
        return label not in {"b", "c"}

    for name in ROUTING:
        model = getattr(local, name)(Frequencies(), TREE, not_below_a)
        for y in ["b", "b", "f"]:
            model.learn_one({y: 1}, y)
        assert model.predict_one({"b": 1}) == "a"
        assert model.predict_one({"f": 1}) == "f"
    assert ("b", 1.0) in asked
    per_node = local.PerNode(Frequencies(), TREE, not_below_a)
    per_node.learn_one({"x": 1}, ["b", "c"])
    on = {label for label, yes in per_node.predict_one({"x": 1}).items() if yes}
    assert {"a", "d", "e", "f", "g"} >= on >= {"a"}


@pytest.mark.parametrize("name", NAMES)
def test_an_open_taxonomy_grows(name):
    model = getattr(local, name)(Frequencies())
    assert model.predict_one({"x": 1}) == ({} if name == "PerNode" else None)
    labels = [True, ("a", 1), 7, "seven", frozenset({3}), 2.5, b"bytes"]
    for label in labels * 3:
        model.learn_one({str(label): 1}, [label] if name == "PerNode" else label)
    if name == "PerNode":
        assert list(model.predict_one({})) == labels
        model.learn_one({"x": 1}, iter(["late", "later"]))
        assert list(model.predict_one({}))[-2:] == ["late", "later"]
        assert model.predict_proba_one({"x": 1})["later"] == {False: 0.0, True: 1.0}  # on, too
    else:
        assert [model.predict_one({str(label): 1}) for label in labels] == labels
    assert model.taxonomy is None


def test_debug_one():
    for name in ROUTING:
        model = getattr(local, name)(Frequencies(), TREE, 0.6)
        for y in ["b", "b", "b", "c", "g", "a"]:
            model.learn_one({"x": 1}, y)
        assert model.debug_one({"x": 1}, decimals=2).splitlines() == [
            "Prediction: 'a'; the path continues to the likeliest child if it is likely enough",
            "'r': 'a' 0.75, 'g' 0.25",
            "  'a': 'b' 0.50, 'a' 0.25, 'c' 0.25",
        ]
    per_node = local.PerNode(Frequencies(), DAG)
    per_node.learn_one({"x": 1}, "c")
    assert per_node.debug_one({"x": 1}).splitlines() == [
        "Prediction: ['a', 'b', 'c']; a node is on if its parents are and it is likely enough",
        "  'a': 1.000",
        "    'c': 1.000",
        "  'b': 1.000",
    ]


# --- Bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "classifier",
    [
        None,
        3,
        "LogisticRegression",
        river_linear_model.LogisticRegression,
        river_linear_model.LinearRegression(),
        preprocessing.StandardScaler(),
        lambda position: 3,
        {"r": 3, 1: 3},
    ],
)
def test_not_a_classifier(name, classifier):
    with pytest.raises(TypeError, match="`classifier` must be a River classifier, a mapping"):
        getattr(local, name)(classifier, TREE)


def test_a_message_names_the_classifier_in_a_line():
    with pytest.raises(TypeError, match=r"got StandardScaler \| LinearRegression$"):
        local.PerNode(preprocessing.StandardScaler() | river_linear_model.LinearRegression(), TREE)


@pytest.mark.parametrize("name", ROUTING)
def test_a_binary_classifier_cannot_route(name):
    logistic = river_linear_model.LogisticRegression()
    match = r"must be multiclass, got LogisticRegression; wrap it, .*OneVsRestClassifier"
    for classifier in (logistic, lambda position: logistic, {"r": logistic, 1: logistic}):
        with pytest.raises(ValueError, match=match):
            getattr(local, name)(classifier, TREE)

    def later(place):
        return Frequencies() if place in ("r", 1) else logistic

    model = getattr(local, name)(later, TREE)
    before = pickle.dumps(model._local)
    with pytest.raises(ValueError, match=match):
        model.learn_one({"x": 1}, "f")
    assert pickle.dumps(model._local) == before


def test_mappings():
    with pytest.raises(ValueError, match="`classifier` has none for 'r'; it is needed for all"):
        local.PerNode({"a": Frequencies()}, TREE)
    with pytest.raises(ValueError, match="`classifier` has none for 1;"):
        local.PerLevel({2: Frequencies()}, TREE)
    for name in ("PerNode", "PerParent"):
        with pytest.raises(ValueError, match=r"label 'bb' is not in the taxonomy .* 'b'\?"):
            getattr(local, name)({"r": Frequencies(), "bb": Frequencies()}, TREE)
    with pytest.raises(ValueError, match=r"names 'b', a leaf: .* its parent is 'a'"):
        local.PerParent({"r": Frequencies(), "b": Frequencies()}, TREE)
    only = Taxonomy.flat([], root="r")
    for name, top in (("PerNode", "r"), ("PerParent", "r"), ("PerLevel", 1)):
        assert not getattr(local, name)({top: Frequencies()}, only).classifiers
    for depth in (0, 4, "b"):
        with pytest.raises(ValueError, match=f"names depth {depth!r}; the taxonomy has 1 to 3"):
            local.PerLevel({1: Frequencies(), depth: Frequencies()}, TREE)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan"), "0.5", None, [0.5]])
def test_thresholds_are_probabilities(name, threshold):
    with pytest.raises(ValueError, match="`threshold` must be between 0 and 1, or a function"):
        getattr(local, name)(Frequencies(), TREE, threshold)


@pytest.mark.parametrize("name", NAMES)
def test_taxonomies(name):
    with pytest.raises(TypeError, match="`taxonomy` must be a Taxonomy, got list"):
        getattr(local, name)(Frequencies(), [("r", "a")])
    if name in ROUTING:
        with pytest.raises(ValueError, match=r"node 'c' has 2 parents \('a', 'b'\)"):
            getattr(local, name)(Frequencies(), DAG)
