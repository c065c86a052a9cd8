"""What all batch comparators promise: they learn in `fit` only, and whole or not at all."""

import copy
import pickle
import re
from itertools import islice

import pytest
from river import base
from river import evaluate as river_evaluate

from river_hier import Taxonomy, batch, evaluate, linear_model, metrics
from river_hier.datasets import synth

pytest.importorskip("sklearn", reason="scikit-learn is an extra")

MODELS = {
    "BatchHMinOver": lambda taxonomy: batch.BatchHMinOver(taxonomy, max_steps=300),
    "HierarchicalMultilabelSVM": batch.HierarchicalMultilabelSVM,
    "HSVM": batch.HSVM,
}
TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])
EXAMPLES = [({"x": 1.0, "y": i / 4}, ["b"] if i % 3 else ["c"]) for i in range(-6, 7)]
each = pytest.mark.parametrize("name", MODELS)


@each
def test_before_fit(name):
    model = MODELS[name](TREE)
    match = rf"{name} is trained on a list of examples, by `fit\(examples\)`, and that has not"
    for untrained in (model, MODELS[name](TREE).fit(EXAMPLES).clone()):
        for call in (untrained.predict_one, untrained.score_one, untrained.predict_labels_one):
            with pytest.raises(RuntimeError, match=match):
                call({"x": 1.0})
        with pytest.raises(RuntimeError, match=match):
            untrained.learn_one({"x": 1.0}, "a")


@pytest.mark.slow(but=1)
@each
def test_a_fitted_model_in_rivers_loops(name):
    stream = synth.LinearLabels(TREE, n_features=4, seed=1)
    model = MODELS[name](TREE).fit(stream.take(200))
    before = pickle.dumps(model)
    rest = list(islice(stream, 300, 400))
    by_hand = metrics.HLoss(TREE)
    for x, y in rest:
        answer = model.predict_one(x)
        by_hand.update(y, answer)
        assert list(answer) == list(model.score_one(x)) == list(TREE.nodes[1:])
        assert model.predict_labels_one(x) == [label for label, on in answer.items() if on]
        assert answer["a"] or not answer["b"]
    for delay in (None, 3):
        metric = metrics.HLoss(TREE)
        river_evaluate.progressive_val_score(rest, model, metric, delay=delay)
        assert metric.get() == by_hand.get()
    online, loss = linear_model.HPerceptron(TREE), metrics.HLoss(TREE)
    (state,) = evaluate.iter_regret(stream.take(50), online, model, loss, 50)
    assert state["Regret"] == pytest.approx(state["Loss"] - state["Comparator"])
    assert pickle.dumps(model) == before, "it no longer learns"
    for twin in (pickle.loads(before), copy.deepcopy(model)):
        assert [twin.score_one(x) for x, _ in rest] == [model.score_one(x) for x, _ in rest]
    assert repr(model.clone()) == repr(model)
    assert isinstance(model, base.MultiLabelClassifier)


@pytest.mark.slow(but=1)
@each
def test_fit_replaces_what_was_fitted(name):
    once = MODELS[name](TREE).fit(EXAMPLES)
    twice = MODELS[name](TREE).fit([({"z": 1.0}, "c"), ({"w": 1.0}, "b")])
    assert twice.fit(iter(EXAMPLES)) is twice
    assert twice.score_one({"x": 1.0, "z": 5.0}) == once.score_one({"x": 1.0, "z": 5.0})


BAD = [
    ([], ValueError, "`examples` is empty; there is nothing to train on"),
    ([*EXAMPLES, ({"x": float("nan")}, "a")], ValueError, "row 13: feature 'x' is nan"),
    ([({"x": "red"}, "a")], ValueError, "row 0: feature 'x' is 'red' (str), not a number"),
    ([({"x": 1.0}, "bb")], ValueError, "row 0: label 'bb' is not in the taxonomy"),
    ([({"x": 1.0}, {"b": True, "a": False})], ValueError, "row 0: label 'b' is on but its"),
    ([({"x": 1.0}, None)], ValueError, "row 0: y is None"),
    ([(None, "a")], TypeError, "row 0: x must be a dict of features, got NoneType"),
    ([3], TypeError, "row 0: "),
]


@each
def test_refused_or_interrupted_a_model_stays_what_it_was(name):
    model = MODELS[name](TREE).fit(EXAMPLES)
    before = pickle.dumps(model)
    for examples, error, message in BAD:
        with pytest.raises(error, match=re.escape(message)):
            model.fit(examples)
        assert pickle.dumps(model) == before

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("river_hier.batch.expansions.LinearExpansion.add", interrupted)
        patch.setattr("sklearn.svm.LinearSVC.fit", interrupted)
        patch.setattr("sklearn.svm.SVC.fit", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.fit([({"z": 1.0}, "c"), ({"w": 1.0}, "b")])
    assert pickle.dumps(model) == before
