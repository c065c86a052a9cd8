"""Every model implements the protocol between wrappers and models, also inside a pipeline."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from river import base, preprocessing

from river_hier import Taxonomy
from river_hier.base.dataframes import read_batch
from river_hier.base.predictor import Predictor
from river_hier.base.protocol import Foreign, Inner, inner
from support.public_api import estimators

MEMBERS = {name for name in (*vars(Inner), *Inner.__annotations__) if name.startswith("_")}
MEMBERS = {name for name in MEMBERS if not name.startswith(("__", "_abc", "_is_"))}


def models() -> dict[str, Any]:
    return {name: m for name, m in estimators().items() if isinstance(m, Predictor)}


def test_every_model_has_all_members() -> None:
    assert len(models()) > 20
    for name, model in models().items():
        if not name.startswith(("batch.", "evaluate.")):  # which are not put into wrappers
            others = {"_predict", "_learned_nodes_on"}  # of the other kind, or only for `self`
            assert {member for member in MEMBERS if not hasattr(model, member)} <= others, name


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
    X = read_batch(np.zeros((2, 3)), None)[0]  # the scaler has learned nothing
    np.testing.assert_allclose(adapted._probabilities(X), own._probabilities(X))
    if isinstance(model, base.MultiLabelClassifier):
        np.testing.assert_array_equal(adapted._masks(X), own._masks(X))
    else:
        assert adapted._labels_of(X) == own._labels_of(X)
