"""Bugs of River that docs/river.md lists. Once one is mended, its row and its test can go."""

import inspect

import pytest
from river import base, compose, evaluate, linear_model, metrics, model_selection
from river import multioutput as multioutput_models
from river.metrics import multioutput

LOGISTIC = linear_model.LogisticRegression


def test_weights_in_a_list_are_taken_out():
    examples = [({"a": 1.0}, True, {"w": 2.0})]
    evaluate.progressive_val_score(examples, LOGISTIC(), metrics.Accuracy())
    assert examples == [({"a": 1.0}, True, {})]


def test_two_metrics_of_one_class_are_one_result():
    both = metrics.FBeta(1) + metrics.FBeta(2)
    [state] = evaluate.iter_progressive_val_score([({}, True)], LOGISTIC(), both, step=1)
    assert list(state) == ["FBeta", "Step"]
    assert state["FBeta"] is both[1]


def test_a_sum_changes_its_left_operand():
    both = metrics.Accuracy() + metrics.F1()
    assert both + metrics.Recall() is both
    assert len(both) == 3
    again = both.clone() + metrics.MCC()
    assert (len(both), len(again)) == (3, 4)


def test_revert_of_a_multilabel_confusion_matrix_adds():
    matrix = multioutput.MultiLabelConfusionMatrix()
    matrix.update({"a": True}, {"a": True})
    matrix.revert({"a": True}, {"a": True})
    assert matrix.data["a"].total_weight == 2


def test_100_is_shown_as_1():
    class Whole(metrics.Accuracy):
        _fmt = ",.0f"

        def get(self):
            return 100.0

    assert repr(Whole()) == "Whole: 1"


def test_an_empty_tuple_as_a_parameter_cannot_be_cloned():
    class Empty(base.Base):
        def __init__(self, names=()):
            self.names = names

    with pytest.raises(IndexError):
        Empty().clone()


def test_pipelines_are_annotated_for_dictionaries():
    for name in ("learn_one", "predict_one"):
        parameters = inspect.signature(getattr(compose.Pipeline, name)).parameters
        assert parameters["x"].annotation == "dict"


def test_selectors_compare_dictionaries_of_several_labels():
    chains = [multioutput_models.ClassifierChain(LOGISTIC(), order=["a", "b"]) for _ in "12"]
    exact = multioutput.ExactMatch()
    selector = model_selection.SuccessiveHalvingClassifier(chains, exact, budget=10)
    selector.learn_one({"x": 1.0}, {"a": True, "b": True})
    assert set(selector.best_model.predict_one({"x": 1.0})) == {"a", "b"}
    with pytest.raises(TypeError, match="'dict' and 'dict'"):
        selector.predict_one({"x": 1.0})
