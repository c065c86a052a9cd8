"""Pickles whose arrays lie in memory that cannot be written to: joblib's, loky's and Ray's."""

import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from river_hier import Taxonomy, linear_model, probabilistic
from support.public_api import dense, estimators, step


@pytest.mark.slow(but=10)
@pytest.mark.parametrize("name", estimators())
def test_read_only_buffers(name: str) -> None:
    """The model goes on as it was, to the last bit."""
    model, rng = estimators()[name], random.Random(1)
    for _ in range(60):
        step(model, *dense(model, rng))
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(model, protocol=5, buffer_callback=buffers.append)
    kept = [bytes(buffer.raw()) for buffer in buffers]
    if name.startswith(("kernel", "linear_model", "probabilistic")):
        assert kept  # else this tests nothing
    other = pickle.loads(data, buffers=kept)
    for _ in range(30):
        x, y = dense(model, rng)
        assert step(other, x, y) == step(model, x, y)
        if hasattr(model, "score_one"):
            assert other.score_one(x) == model.score_one(x)


def large(cls: Any) -> Any:
    """A trained model of more than a megabyte."""
    rng, t = np.random.default_rng(1), Taxonomy([("r", i) for i in range(300)])
    model, X = cls(t), rng.standard_normal((600, 500))
    y = rng.integers(0, 300, 600).tolist()
    model.learn_many(X, [{v} for v in y] if cls is linear_model.HAROW else y)
    return model


def scores_after(model: Any, x: dict[int, float]) -> Any:
    """The scores before and after learning from an example."""
    before = model.score_one(x)
    model.learn_one(x, {1} if isinstance(model, linear_model.HAROW) else 1)
    return before, model.score_one(x)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(
    "cls", [linear_model.PathSoftmax, linear_model.HAROW, probabilistic.LinearDiscriminant]
)
def test_joblib(cls: Any, tmp_path: Path) -> None:
    joblib = pytest.importorskip("joblib")
    model, x = large(cls), {0: 1.0, 7: -2.0}
    joblib.dump(model, tmp_path / "model")
    mapped = joblib.load(tmp_path / "model", mmap_mode="r")
    # Arguments of more than a megabyte are mapped for the workers, which know the library only.
    elsewhere = joblib.Parallel(n_jobs=2)(joblib.delayed(cls.score_one)(model, x) for _ in range(2))
    expected = scores_after(model, x)
    assert scores_after(mapped, x) == expected
    assert elsewhere == [expected[0], expected[0]]
