"""A parameter can take the place of scaling x, as the page on choosing a model says."""

from typing import Any

import pytest

from river_hier.datasets import synth
from river_hier.feature_extraction import RandomFourierFeatures
from river_hier.linear_model import HAROW, PathSoftmax

STREAM = synth.PrototypeTree(branching=2, depth=2, noise=0.2, seed=1)
T = STREAM.taxonomy
C = 6.0


@pytest.mark.parametrize(
    ("plain", "scaled"),
    [
        (PathSoftmax(T), PathSoftmax(T, prior_variance=32 / C**2, intercept=0.1 * C)),
        (HAROW(T), HAROW(T, r=C**2, intercept=C)),
        (RandomFourierFeatures(1.5) | HAROW(T), RandomFourierFeatures(1.5 * C) | HAROW(T)),
    ],
)
def test_scaled_features_and_parameters_give_the_same_model(plain: Any, scaled: Any) -> None:
    models = plain.clone(), scaled.clone()
    for x, y in STREAM.take(60):
        larger = {name: C * value for name, value in x.items()}
        answers = [m.predict_proba_one(v) for m, v in zip(models, (x, larger), strict=True)]
        for label, p in answers[0].items():
            assert answers[1][label] == pytest.approx(p, abs=1e-7)
        models[0].learn_one(x, y)
        models[1].learn_one(larger, y)
