"""Labels that arrive along the stream: open taxonomies, local classifiers, decoders."""

import copy
import pickle
from itertools import chain, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import evaluate, naive_bayes

from river_hier import OpenTaxonomy, Taxonomy, decision, linear_model, local, metrics, probabilistic
from river_hier.datasets import synth
from support.hypothesis_settings import n_examples
from support.makers import LOGISTIC, SEVERAL, SINGLE
from support.public_api import learners
from support.strategies import features, reals

T = Taxonomy.from_nested({"r": {"a": ["b", "c"], "d": ["e"]}})
EVERY = {**SINGLE, **SEVERAL}
paths = st.lists(st.sampled_from("ab"), max_size=3).map(tuple)


def grown(model: Any, labels: Any) -> None:
    """Grow by explicit adoption, as open taxonomies do by themselves."""
    t = model.taxonomy
    for label in labels:
        t = t.extend(pairwise([label[:end] for end in range(len(label) + 1)]))
    if t != model.taxonomy:
        model.adopt(t)


# Not the calibrated ones and pools: they learn from new nodes only if these had scores before.
DECODERS = ("HFBetaBayes", "HLossBayes", "SymmetricDifferenceBayes", "ZeroOneBayes")
LEFT_OUT = ("Calibrated", "LogarithmicPool", "DensePool", *DECODERS)
LABEL_BY_LABEL = [name for name in EVERY if not name.startswith(LEFT_OUT)]


@pytest.mark.slow(but=9)
@pytest.mark.parametrize("name", LABEL_BY_LABEL)
@given(data=st.data())
@n_examples(4)
def test_open_taxonomies_equal_adoption_label_by_label(name: str, data: Any) -> None:
    labels: Any = paths if name in SINGLE else st.sets(paths)
    examples = data.draw(st.lists(st.tuples(features(reals), labels), max_size=10))
    model = EVERY[name](OpenTaxonomy())
    other = EVERY[name](Taxonomy.flat([], root=()))
    for i, (x, y) in enumerate(examples):
        if len(model.taxonomy_) > 1:  # before, open single-label models predict None
            assert model.predict_one(x) == other.predict_one(x)
        model.learn_one(x, y)
        grown(other, [y] if name in SINGLE else y)
        other.learn_one(x, y)
        if len(model.taxonomy_) > 1:
            assert model.predict_proba_one(x).keys() == other.predict_proba_one(x).keys()
        if i == 4:
            model = pickle.loads(pickle.dumps(model))
    assert model.taxonomy == OpenTaxonomy()
    assert repr(model.clone()) == repr(model)


def test_calibration_is_remapped_with_the_labels() -> None:
    """Labels arrive in another order than that of the taxonomy of the stream."""
    stream = synth.PrototypePaths(T, noise=0.2, seed=1)
    order = {"d": 20, "e": 30, "b": 60, "c": 90}
    late = synth.Appearing(stream, order)
    for name in ("Calibrated", "HLossBayes"):
        model = EVERY[name](OpenTaxonomy("/"))
        loss = metrics.HLoss(T)
        for i, (x, y) in enumerate(late.take(600)):
            named = {"/".join(T.path(label)[1:]) for label in T.closure(y) if label != "r"}
            if i >= 300:
                y_pred = {
                    label.rpartition("/")[2] for label, on in model.predict_one(x).items() if on
                }
                loss.update(y, y_pred)
            model.learn_one(x, named)
        assert loss.get() < 0.35, name


def test_calibration_ignores_the_missing_score_of_a_new_label() -> None:
    """The new label had no score when the example was scored."""
    model = decision.Calibrated(linear_model.HPerceptron(OpenTaxonomy("/")))
    for y in ("a/x", "b", "a", "a/x"):
        model.learn_one({"x": 1.0, y: 2.0}, {y})
    x = {"x": 3.0, "a": 1.0, "a/x": 2.0}
    assert 0.0 not in model.model.score_one(x).values()
    scores, (before, *_) = model.model.score_one(x), model._calibration.saved()
    model.learn_one(x, {"c", "a/x"})
    assert list(model.model.weights) == ["a", "a/x", "b", "c"]
    after, *_ = model._calibration.saved()
    squares, n = (after - before)[:2]  # of the scores
    assert n == 3
    assert squares == pytest.approx(sum(s**2 for s in scores.values()))


def test_the_temperature_ignores_new_labels() -> None:
    model = decision.Tempered(linear_model.Hieron(OpenTaxonomy("/")))
    for y in ("a/x", "a", "a/x", "d"):
        model.learn_one({y: 1.0}, y)
    n = model._temperatures.scale.n
    model.learn_one({"a": 1.0}, "b")  # it comes before "a/x"
    assert model._temperatures.scale.n == n
    model.learn_one({"a": 1.0}, "b")
    assert model._temperatures.scale.n == n + 5  # the root, a, d, b, a/x


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("y", ["a//b", 7, None, ("a", "b/c"), "/"])
def test_labels_that_are_not_paths_change_nothing(name: str, y: Any) -> None:
    model = EVERY[name](OpenTaxonomy("/"))
    model.learn_one({"x": 1.0}, "a/b" if name in SINGLE else {"a/b"})
    before = pickle.dumps(model)
    with pytest.raises(
        (TypeError, ValueError), match=r"no name|not a (tuple|name)|missing value|y is None"
    ):
        model.learn_one({"x": 1.0}, y)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("name", EVERY)
def test_every_model_adopts(name: str) -> None:
    """Also if pickled, copied or cloned; metrics in the new taxonomy accept its predictions."""
    model = EVERY[name](T)
    xs = [{"x": float(i % 3), i % 5: 1.0} for i in range(30)]
    for i, x in enumerate(xs):
        y = T.nodes[1 + i % 5]
        model.learn_one(x, y if name in SINGLE else {y})
    after = T.extend([("c", "x"), ("r", "y"), ("y", "z")])
    model.adopt(after)
    assert model.taxonomy == after
    pair = [model, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    answers = [m.predict_one(xs[4]) for m in pair]
    assert answers[0] == answers[1] == answers[2]
    metrics.HLoss(after).update({"z"}, answers[0])
    model.learn_one(xs[0], "z" if name in SINGLE else {"z", "b"})
    assert list(model.predict_proba_one(xs[0])) == list(after.nodes[name in SEVERAL :])
    assert model.clone().taxonomy == after
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="is not in the new taxonomy; a model keeps"):
        model.adopt(T)
    assert pickle.dumps(model) == before


def test_classifiers_stay_at_their_nodes() -> None:
    for cls, classifier in (
        (local.PerNode, LOGISTIC),
        (local.PerParent, naive_bayes.GaussianNB()),
        (local.PerLevel, naive_bayes.GaussianNB()),
    ):
        model = cls(classifier, T)
        for y in "bce":
            model.learn_one({"x": 1.0, y: 1.0}, {y} if cls is local.PerNode else y)
        old = model.classifiers
        model.adopt(T.extend([("b", "new")]))
        assert model.classifiers == old
        with pytest.raises(ValueError, match="is not where it was in the new taxonomy"):
            model.adopt(T.extend([("b", "new")]).flatten())


def test_a_dag_may_grow_above_the_parents_of_new_nodes() -> None:
    """A new node below an old and a new one, of which the old one is farther from the root."""
    t = Taxonomy([("r", "a"), ("a", "b"), ("b", "c")])
    model = linear_model.HAROW(t)
    model.adopt(t.extend([("r", "new"), ("c", "x"), ("new", "x")]))
    for _ in range(9):
        model.learn_one({"f": 1.0}, {"x"})
    assert all(model.predict_one({"f": 1.0}).values())
    for made in (decision.SymmetricDifferenceBayes(model, 9.0), decision.ZeroOneBayes(model)):
        assert all(made.predict_one({"f": 1.0}).values())


def test_decoders_check_the_new_taxonomy() -> None:
    dag = T.extend([("d", "new"), ("b", "new")])
    for model in (
        decision.HFBetaBayes(linear_model.HAROW(T)),
        decision.TreeBayes(probabilistic.LinearDiscriminant(T), T),
    ):
        with pytest.raises(ValueError, match="node 'new' has 2 parents"):
            model.adopt(dag)
        assert model.taxonomy == T


def test_tree_bayes_adopts_with_its_classifier() -> None:
    model = decision.TreeBayes(probabilistic.LinearDiscriminant(T), T)
    model.learn_one({"x": 1.0}, "b")
    model.adopt(T.extend([("b", "new")]))
    assert "new" in model.predict_proba_one({"x": 1.0})
    plain = decision.TreeBayes(naive_bayes.GaussianNB(), T)
    plain.adopt(T.extend([("b", "new")]))
    plain.learn_one({"x": 1.0}, "new")
    assert plain.predict_one({"x": 1.0}) == "new"


LATE = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d"], "e": ["f", "g"]}, "h": ["i", "j", "k"]}})


# Not HMinOver, whose threshold is one for all nodes.
@pytest.mark.parametrize("name", [v for v in chain(*learners("linear_model")) if v != "HMinOver"])
def test_adopting_beats_a_new_model(name: str) -> None:
    """Four labels appear after 500 examples; the losses are those on the next 100."""
    made: Any = synth.PrototypeTree(branching=3, depth=2, noise=0.09, seed=3)
    t = made.taxonomy if name in SINGLE else LATE
    whole = made if name in SINGLE else synth.PrototypePaths(t, noise=0.04, seed=3)
    late = dict.fromkeys(t.leaves[-4:], 500)
    stream = synth.Appearing(whole, late)
    model, losses = EVERY[name](stream.taxonomy_at(0)), []
    examples = list(stream.take(600))
    for x, y in examples[:500]:
        model.learn_one(x, y)
    model.adopt(t)
    for m in (model, model.clone()):
        loss: Any = metrics.TreeInducedError(t) if name in SINGLE else metrics.HLoss(t)
        losses.append(evaluate.progressive_val_score(examples[500:], m, loss).get())
    assert losses[0] < 0.8 * losses[1]
