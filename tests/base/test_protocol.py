"""A pipeline offers to wrappers what the model at its end offers."""

import pickle

import numpy as np
import pytest
from river import base, preprocessing

from river_hier import Taxonomy, drift, ensemble, linear_model, stream
from river_hier.base.dataframes import read_batch
from river_hier.base.protocol import Foreign, inner
from support.public_api import estimators


@pytest.mark.parametrize("name", ["linear_model.HAROW", "linear_model.Hieron", "local.PerNode"])
def test_a_pipeline_answers_as_the_model_at_its_end(name: str) -> None:
    model = estimators()[name].clone({"taxonomy": Taxonomy.flat(["a", "b"])})
    rng = np.random.default_rng(1)
    for y in "abab":
        model.learn_one(dict(enumerate(rng.normal(size=3).tolist())), y)
    pipeline = preprocessing.StandardScaler() | model
    own, adapted = inner(model), inner(pipeline)
    assert own is model
    assert isinstance(adapted, Foreign)
    assert adapted._taxonomy is model.taxonomy
    assert adapted._labels.taxonomy is model.taxonomy
    X = read_batch(np.zeros((2, 3)), None)  # the scaler has learned nothing
    np.testing.assert_allclose(adapted._probabilities(X), own._probabilities(X))
    if isinstance(model, base.MultiLabelClassifier):
        np.testing.assert_array_equal(adapted._masks(X), own._masks(X))
    else:
        assert adapted._labels_of(X) == own._labels_of(X)


def test_a_wrapper_is_of_the_kind_of_its_model() -> None:
    one, several = linear_model.Hieron(), linear_model.HAROW()
    for model, kind in ((one, base.Classifier), (several, base.MultiLabelClassifier)):
        for wrapper in (
            drift.BranchReset(model),
            stream.Replayed(buffer_size=20, model=model),
            drift.BranchReset(preprocessing.StandardScaler() | model),
            ensemble.LogarithmicPool(models=[model]),
        ):
            assert isinstance(wrapper, kind)
            assert type(pickle.loads(pickle.dumps(wrapper))) is type(wrapper)
    other = drift.BranchReset(one).clone({"model": several})
    assert isinstance(other, base.MultiLabelClassifier)
    assert not isinstance(other, base.Classifier)
