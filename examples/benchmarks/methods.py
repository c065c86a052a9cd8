"""The models of this library in the benchmark, and the interface of all methods.

A method learns from a split and returns a function of rows. This function returns an `Answer`:
labels, or rows of booleans, and the scores or probabilities of all nodes if the method has some.
Nothing is tuned.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import normalize
from splits import Split

from river_hier import (
    decision,
    ensemble,
    feature_extraction,
    forest,
    linear_model,
    probabilistic,
    stream,
)
from river_hier._core import learned_before

Floats = NDArray[np.float64]


class Answer(NamedTuple):
    """What a method predicts for the rows to validate.

    `scores` has a column for each node, without the root for several labels. They are probabilities
    if `calibrated` is set; for one label, those of the node itself, without its descendants.
    """

    answers: Any
    scores: Floats | None = None
    calibrated: bool = True


Predict = Callable[[Any], Answer]


class Method(NamedTuple):
    """A method, and the splits to which it can be applied."""

    learn: Callable[[Split], Predict]
    applies: Callable[[Split], bool]
    one_pass: bool = False
    ours: bool = False
    needs: str = "sklearn"

    @property
    def missing(self) -> bool:
        return importlib.util.find_spec(self.needs) is None


def single(s: Split) -> bool:
    return s.single


def several(s: Split) -> bool:
    return not s.single


# %% This library
def rows(s: Split, X: Any) -> Any:
    """Rows of norm 1."""
    return normalize(X) if s.dense else X


def ours(
    make: Callable[[Split], Any],
    passes: int = 1,
    raw: bool = False,
    threshold: float | None = None,
) -> Callable[[Split], Predict]:
    """A model of this library, which learns the rows in the order of the split."""

    def learn(s: Split) -> Predict:
        columns = {} if s.dense else {"columns": range(s.X.shape[1])}
        labels = {} if s.single else {"labels": s.taxonomy.nodes[1:]}
        truncated = {} if threshold is None else {"threshold": threshold}
        model = make(s)

        def read(X: Any) -> Any:
            return X if raw else rows(s, X)

        for _ in range(passes):
            for first in range(0, len(s.y), 1_000):
                here = slice(first, first + 1_000)
                model.learn_many(read(s.X[here]), s.y[here], **columns, **labels)

        def predict(X: Any) -> Answer:
            answers = model.predict_many(read(X), **columns, **truncated)
            scores = np.asarray(model.predict_proba_many(read(X), **columns))
            return Answer(list(answers) if s.single else np.asarray(answers), scores)

        return predict

    return learn


def in_passes(s: Split) -> Predict:
    """Three passes as those of `HierarchicalClassifier`: the temperature learns in the first."""
    model, rng = linear_model.PathSoftmax(s.taxonomy), np.random.RandomState(0)
    learn_X, y = rows(s, s.X), np.asarray(s.y)
    for k in range(3):
        order = rng.permutation(len(y))
        with learned_before if k else nullcontext():
            model.learn_many(learn_X[order], y[order])

    def predict(X: Any) -> Answer:
        X = rows(s, X)
        return Answer(list(model.predict_many(X)), np.asarray(model.predict_proba_many(X)))

    return predict


def decoded(decoder: Callable[..., Any]) -> Callable[[Split], Any]:
    return lambda s: decoder(decision.Calibrated(linear_model.HAROW(s.taxonomy)))


def fourier(make: Callable[[Split], Any]) -> Callable[[Split], Any]:
    return lambda s: feature_extraction.RandomFourierFeatures() | make(s)


TREES = "MultilabelExtraTrees"


def trees(s: Split) -> Any:
    return forest.MultilabelExtraTrees(s.taxonomy)


OURS = {
    "PathSoftmax": Method(ours(lambda s: linear_model.PathSoftmax(s.taxonomy)), single, True),
    "HierarchicalSoftmax": Method(
        ours(lambda s: linear_model.HierarchicalSoftmax(s.taxonomy)), single, True
    ),
    "TreeBayes(PathSoftmax)": Method(
        ours(lambda s: decision.TreeBayes(linear_model.PathSoftmax(s.taxonomy), s.taxonomy)),
        single,
        True,
    ),
    "PathSoftmax, 3 passes": Method(in_passes, single),
    "Replayed(PathSoftmax)": Method(
        ours(lambda s: stream.Replayed(linear_model.PathSoftmax(s.taxonomy))),
        lambda s: s.single and not s.dense,
        True,
    ),
    "AveragedHieron": Method(ours(lambda s: linear_model.AveragedHieron(s.taxonomy)), single, True),
    "Tempered(AveragedHieron)": Method(
        ours(lambda s: decision.Tempered(linear_model.AveragedHieron(s.taxonomy))), single, True
    ),
    "LinearDiscriminant": Method(
        ours(lambda s: probabilistic.LinearDiscriminant(s.taxonomy), raw=True),
        lambda s: s.single and s.dense,
        True,
    ),
    "TreeBayes(LinearDiscriminant)": Method(
        ours(
            lambda s: decision.TreeBayes(probabilistic.LinearDiscriminant(s.taxonomy), s.taxonomy),
            raw=True,
        ),
        lambda s: s.single and s.dense,
        True,
    ),
    "Fourier, PathSoftmax": Method(
        ours(fourier(lambda s: linear_model.PathSoftmax(s.taxonomy))),
        lambda s: s.single and s.dense,
        True,
    ),
    "DensePool": Method(
        ours(lambda s: ensemble.DensePool(s.taxonomy), raw=True),
        lambda s: s.single and s.dense,
        True,
    ),
    "DensePool, threshold=0.5": Method(
        ours(lambda s: ensemble.DensePool(s.taxonomy), raw=True, threshold=0.5),
        lambda s: s.single and s.dense,
        True,
    ),
    "HAROW": Method(ours(lambda s: linear_model.HAROW(s.taxonomy)), several, True),
    "ZeroOneBayes(Calibrated(HAROW))": Method(ours(decoded(decision.ZeroOneBayes)), several, True),
    "HLossBayes(Calibrated(HAROW))": Method(ours(decoded(decision.HLossBayes)), several, True),
    "HAROW, 3 passes": Method(ours(lambda s: linear_model.HAROW(s.taxonomy), passes=3), several),
    "HPerceptron": Method(ours(lambda s: linear_model.HPerceptron(s.taxonomy)), several, True),
    "Fourier, HAROW": Method(
        ours(fourier(lambda s: linear_model.HAROW(s.taxonomy))),
        lambda s: s.dense and not s.single,
        True,
    ),
    "Fourier, ZeroOneBayes(Calibrated(HAROW))": Method(
        ours(fourier(decoded(decision.ZeroOneBayes))), lambda s: s.dense and not s.single, True
    ),
    "Fourier, HLossBayes(Calibrated(HAROW))": Method(
        ours(fourier(decoded(decision.HLossBayes))), lambda s: s.dense and not s.single, True
    ),
    "Fourier, HRLS(l2=3)": Method(
        ours(fourier(lambda s: linear_model.HRLS(s.taxonomy.flatten(), 3.0, intercept=1.0))),
        lambda s: s.dense and not s.single,
        True,
    ),
    "forest.ExtraTrees": Method(
        ours(lambda s: forest.ExtraTrees(s.taxonomy), raw=True),
        lambda s: s.single and s.dense,
        True,
    ),
    **{
        name: Method(ours(make, raw=True), lambda s: s.dense and not s.single, True)
        for name, make in {
            TREES: trees,
            f"ZeroOneBayes({TREES})": lambda s: decision.ZeroOneBayes(trees(s)),
            f"ZeroOneBayes(Calibrated({TREES}))": lambda s: decision.ZeroOneBayes(
                decision.Calibrated(trees(s))
            ),
            f"HLossBayes(Calibrated({TREES}))": lambda s: decision.HLossBayes(
                decision.Calibrated(trees(s))
            ),
        }.items()
    },
}
OURS = {name: method._replace(ours=True, needs="river_hier") for name, method in OURS.items()}
H_LOSS = "HLossBayes(Calibrated(HAROW))"
DEFAULTS = {  # the recommendations of docs/choosing.md for each measure
    "one label, words": {"zero-one": "PathSoftmax", "tree error": "TreeBayes(PathSoftmax)"},
    "one label, dense": {
        "zero-one": "DensePool",
        "tree error": "DensePool, threshold=0.5",
    },
    "several labels, words": {
        "zero-one": "ZeroOneBayes(Calibrated(HAROW))",
        "H-loss": H_LOSS,
        "AU(PRC)": H_LOSS,
    },
    "several labels, dense": {
        "zero-one": f"ZeroOneBayes(Calibrated({TREES}))",
        "H-loss": f"HLossBayes(Calibrated({TREES}))",
        "AU(PRC)": TREES,
    },
    "several labels, dense, in a DAG": {
        "zero-one": f"ZeroOneBayes({TREES})",
        "H-loss": f"HLossBayes(Calibrated({TREES}))",
        "AU(PRC)": TREES,
    },
}
