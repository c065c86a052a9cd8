"""The pooled precision-recall area: against loops, scikit-learn and its own bounds, in River."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import dummy, preprocessing
from river import metrics as river_metrics

from river_hier import Taxonomy, evaluate, linear_model
from river_hier.metrics.pooled_auprc import bins

TREE = Taxonomy([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])
any_score = st.floats(allow_nan=False) | st.integers(-4, 4).map(lambda i: i / 2)


@given(any_score, any_score)
def test_bins_keep_the_order(a, b):
    bin_a, bin_b = bins(np.array([a, b])).tolist()
    if a <= b:
        assert bin_a <= bin_b
    if a == b:
        assert bin_a == bin_b


def test_bins_are_a_thousandth_wide():
    scores = np.geomspace(1e-9, 1e9, 5000)
    for sign in (1.0, -1.0):
        assert (bins(sign * scores) != bins(sign * scores * 1.001)).all()
        powers = bins(sign * 2.0 ** np.arange(-20, 21))
        assert (abs(np.diff(powers)) == 1024).all()
    assert bins(np.array([-0.0, 0.0])).tolist() == [0, 0]


def test_probabilities_refuses_what_is_not_multilabel():
    for model in (
        dummy.PriorClassifier(),
        preprocessing.Normalizer() | linear_model.Hieron(TREE),
        linear_model.HPerceptron,
        None,
    ):
        with pytest.raises(TypeError, match=r"`model` must be a multilabel .* got .*; for"):
            evaluate.Probabilities(model)
    model = linear_model.Hieron(TREE)
    model.learn_one({"x": 1.0}, "b")
    entropy = river_metrics.CrossEntropy()  # as the message says
    entropy.update("b", model.predict_proba_one({"x": 1.0}))
    assert entropy.get() == pytest.approx(-math.log(model.predict_proba_one({"x": 1.0})["b"]))
