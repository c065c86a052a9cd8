"""`clone` beyond the law of `tests/test_joints.py`: batch models, parameters, shared parts."""

import inspect
import pickle
import random
from typing import Any

import pandas as pd
import pytest
from river import drift

from river_hier import Taxonomy, linear_model
from river_hier import drift as our_drift
from river_hier.batch.estimator import BatchEstimator
from river_hier.feature_extraction import LogTFIDF
from support.public_api import LABELS, dense, estimators, one_label, public, step

TREE = Taxonomy.from_nested({"up": ["sky"], "down": {"ground": ["path", "grass"], "cement": []}})
METHODS = ["predict_one", "predict_proba_one", "predict_labels_one", "score_one", "transform_one"]


def examples(model: Any, n: int, seed: int) -> list[tuple[Any, Any]]:
    rng = random.Random(seed)
    return [dense(model, rng) for _ in range(n)]


def rounded(answer: Any) -> Any:
    """Numbers to ten digits: a copy may solve again for what the model has in store."""
    if isinstance(answer, dict):
        return {name: rounded(value) for name, value in answer.items()}
    return float(f"{answer:.10g}") if isinstance(answer, float) else answer


def answers(model: Any, xs: Any) -> list[Any]:
    """All that a model says, its complaints included."""
    said = []
    for x in xs:
        for name in METHODS:
            if hasattr(model, name) and not (name == "predict_labels_one" and one_label(model)):
                asked = " ".join(map(str, x)) if isinstance(model, LogTFIDF) else x
                try:
                    said.append(rounded(getattr(model, name)(asked)))
                except (NotImplementedError, AttributeError) as error:  # of a wrapped classifier
                    said.append(str(error))
    return said


def test_predictions_change_nothing() -> None:
    for name, model in estimators().items():  # River's pipelines have a cache
        for x, y in examples(model, 10, seed=1):
            step(model, x, y)
        before = pickle.dumps(model)
        x: Any = {0: 2.0, 99: 1.0}
        if name == "feature_extraction.Embedding":  # which reads texts only
            x = "blue"
        answers(model, [x])
        if hasattr(model, "debug_one"):
            model.debug_one(x)
        assert pickle.dumps(model) == before, name


@pytest.mark.slow
def test_clones_of_batch_estimators_are_trained_if_they_keep_attributes() -> None:
    n = 0
    for name, cls in public():
        if not inspect.isclass(cls) or not issubclass(cls, BatchEstimator):
            continue
        if inspect.isabstract(cls):
            continue
        n += 1
        model = cls(**next(cls._unit_test_params()) | {"taxonomy": TREE})
        rows = examples(model, 40, seed=1)
        model.fit(rows)
        xs = [x for x, _ in rows]
        clone = model.clone(include_attributes=True)
        assert answers(clone, xs) == answers(model, xs), name
        assert answers(clone, xs)[0].keys() == set(TREE.nodes[1:])
        with pytest.raises(Exception, match="fit"):
            model.clone().predict_one(xs[0])
    assert n == 3


def test_a_clone_may_keep_what_was_learned_and_change_a_parameter() -> None:
    model = our_drift.BranchReset(linear_model.HPerceptron(TREE))
    for x, y in examples(model, 40, seed=1):
        model.learn_one(x, y)
    x = {0: 1.0, 2: 0.3}
    clone = model.clone({"detector": drift.binary.DDM()}, include_attributes=True)
    assert isinstance(clone.detector, drift.binary.DDM)
    assert clone.model.score_one(x) == model.model.score_one(x) != {}
    assert model.detector is None
    harow = linear_model.HAROW(TREE)
    harow.learn_many(pd.DataFrame([x]), [{LABELS[1]}])
    other = harow.clone({"r": 3.0}, include_attributes=True)
    assert (other.r, harow.r) == (3.0, 1.0)
    assert other.weights == harow.weights


@pytest.mark.parametrize("taxonomy", [TREE, None])
def test_the_parts_of_a_cloned_average_belong_together(taxonomy: Any) -> None:
    for inner in (linear_model.Hieron(taxonomy), linear_model.HAROW(taxonomy)):
        model = linear_model.Averaged(inner)
        for x, y in examples(inner, 40, seed=1):
            model.learn_one(x, y)
        clone = model.clone(include_attributes=True)
        for one in (model, clone):
            for x, y in examples(inner, 40, seed=2):
                one.learn_one(x, y)
        assert clone.model is not model.model
        assert clone.last.weights == model.last.weights != model.model.weights == model.weights
