"""If memory runs out at the first example of a new label, the label is not added."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
import pytest
from river import base

from river_hier import OpenTaxonomy, kernel, linear_model, probabilistic
from support.backends import both, running_on

LEARNERS = [
    linear_model.HPerceptron,
    linear_model.HAROW,
    linear_model.HMinOver,
    linear_model.HRLS,
    linear_model.SHRLS,
    linear_model.Hieron,
    linear_model.AveragedHieron,
    linear_model.PathSoftmax,
    kernel.HRLS,
    kernel.SHRLS,
    kernel.Hieron,
    kernel.AveragedHieron,
    probabilistic.LinearDiscriminant,
]


def example(model: Any, rng: random.Random, new: bool = False) -> tuple[dict[str, float], Any]:
    x = {f"x{rng.randrange(30)}": rng.gauss(0, 1) for _ in range(5)}
    path = rng.choice("abc") + rng.choice(["", "/d", "/e", "/e/f"])
    labels = [f"{path}/new", "new/label"] if new else [path]
    return x, set(labels) if isinstance(model, base.MultiLabelClassifier) else labels[0]


@both
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("taxonomy", [None, OpenTaxonomy("/")], ids=["none", "open"])
def test_no_memory_for_the_first_example_of_a_label(
    backend: str, learner: Any, taxonomy: OpenTaxonomy | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(1)
    with running_on(backend):
        model = learner(taxonomy)
        for _ in range(60):
            model.learn_one(*example(model, rng))
        other = pickle.loads(pickle.dumps(model))

        def fail(*_: Any) -> None:
            raise MemoryError

        x, y = example(model, rng, new=True)
        with monkeypatch.context() as patch:
            patch.setattr(type(model), "_learn", fail)
            with pytest.raises(MemoryError):
                model.learn_one(x, y)
        assert model.score_one(x) == pytest.approx(other.score_one(x), rel=1e-12)
        for _ in range(5):
            x, y = example(model, rng, new=True)
            for each in (model, other):
                each.learn_one(x, y)
        assert model.taxonomy_ == other.taxonomy_
        scores = [np.array(list(each.score_one(x).values())) for each in (model, other)]
        np.testing.assert_allclose(*scores, rtol=1e-12)
