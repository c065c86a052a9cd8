"""Answers are those of the model at the end of a pipeline, and wrappers are of its kind."""

import inspect
import pickle

import numpy as np
import pytest
from river import base, preprocessing

from river_hier import Taxonomy, decision, drift, ensemble, linear_model, stream
from river_hier.base.answer import answer_of, answers_of
from river_hier.base.dataframes import read_batch
from river_hier.base.wrapper import ModelWrapper
from support.public_api import estimators


@pytest.mark.parametrize("name", ["linear_model.HAROW", "linear_model.Hieron", "local.PerNode"])
def test_a_pipeline_answers_as_the_model_at_its_end(name: str) -> None:
    model = estimators()[name].clone({"taxonomy": Taxonomy.flat(["a", "b"])})
    rng = np.random.default_rng(1)
    for y in "abab":
        model.learn_one(dict(enumerate(rng.normal(size=3).tolist())), y)
    pipeline = preprocessing.StandardScaler() | model  # which has learned nothing
    X = read_batch(np.zeros((2, 3)), None)
    for own, of_pipeline in (
        (model._answers(X), answers_of(pipeline, X)),
        (answer_of(model, X.row(0)), answer_of(pipeline, X.row(0))),
    ):
        assert own.labels is of_pipeline.labels
        np.testing.assert_allclose(np.asarray(own.decided()), np.asarray(of_pipeline.decided()))
    np.testing.assert_allclose(model._answers(X).p(), answers_of(pipeline, X).p())


def test_a_wrapper_is_of_the_kind_of_its_model() -> None:
    one, several = linear_model.Hieron(), linear_model.HAROW()
    for model, kind in ((one, base.Classifier), (several, base.MultiLabelClassifier)):
        for cls, wrapper in (
            (drift.BranchReset, drift.BranchReset(model)),
            (linear_model.Averaged, linear_model.Averaged(model.clone())),
            (stream.Replayed, stream.Replayed(buffer_size=20, model=model)),
            (drift.BranchReset, drift.BranchReset(preprocessing.StandardScaler() | model)),
            (ensemble.LogarithmicPool, ensemble.LogarithmicPool(models=[model])),
            (decision.Selective, decision.Selective(drift.BranchReset(model))),
        ):
            assert type(wrapper) is cls
            assert inspect.getsource(type(wrapper)).startswith(f"class {cls.__name__}(")
            for river_kind in (base.Classifier, base.MultiLabelClassifier):
                assert isinstance(wrapper, river_kind) == (river_kind is kind)
            assert not isinstance(wrapper, type(model))
            assert isinstance(preprocessing.StandardScaler() | wrapper, kind)
            assert type(pickle.loads(pickle.dumps(wrapper))) is cls
    other = drift.BranchReset(one).clone({"model": several})
    assert isinstance(other, base.MultiLabelClassifier)
    assert not isinstance(other, base.Classifier)
    assert isinstance(ModelWrapper(one), base.Classifier)
