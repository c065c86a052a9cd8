from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from ..base import PathLearner, linear
from .hieron import Hieron

__all__ = ["AveragedClassifier"]


class AveragedClassifier(PathLearner):
    """The average of all hypotheses of a single-label learner, whose learning stays the same.

    The last hypothesis of an online learner depends heavily on its last mistakes, whose labels may
    be wrong. The average of all hypotheses, $w_1, \\dots, w_{m+1}$ after m examples, evens out such
    steps and has a lower error, unless the stream drifts.

    A step costs what a step of the model costs, plus O(features of x * updated nodes); a prediction
    costs two predictions of the model. Memory is twice that of the model.

    Parameters
    ----------
    model
        A `Hieron`. Its current weights are the first hypothesis. It continues to learn inside the
        average; `last` returns a copy of it.

    Raises
    ------
    TypeError
        If `model` is not a `Hieron`.

    Notes
    -----
    The average of voted perceptrons [^1], applied to online Hieron, which updates after mistakes
    only. `AveragedHieron` averages as well, but updates on every example that falls short of its
    margin, against the label with the largest loss; it had the lower error wherever both were
    compared.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.16, seed=42)
    >>> last = linear_model.Hieron(stream.taxonomy)
    >>> metric = metrics.TreeInducedError(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream.take(2000), last, metric)
    TreeInducedError: 1.4865

    >>> model = linear_model.AveragedClassifier(linear_model.Hieron(stream.taxonomy))
    >>> metric = metrics.TreeInducedError(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metric)
    TreeInducedError: 1.242

    References
    ----------
    [^1]: [Freund, Y. and Schapire, R. E., 1999. Large margin classification using the perceptron
        algorithm. Machine Learning, 37(3), pp. 277-296.](
        https://doi.org/10.1023/A:1007662407062)

    """

    model: Any
    taxonomy: Any = linear.of_inner_model("taxonomy")
    n_features: Any = linear.of_inner_model("n_features")
    dtype: Any = linear.of_inner_model("dtype")
    _taxonomy: Any = linear.of_inner_model("_taxonomy")
    _labels: Any = linear.of_inner_model("_labels")
    _features: Any = linear.of_inner_model("_features")
    _w: Any = linear.of_inner_model("_w")

    def __init__(self, model: Any) -> None:
        linear.average(self, model, PathLearner, "a `Hieron`")

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": Hieron()}

    @property
    def _may_refuse(self) -> bool:
        return False  # a copy would also copy the inner model

    def _learn(self, x: Mapping[Any, Any], y: int, learner: Any = None) -> None:
        super()._learn(x, y, linear.averaged_learner(self))

    @property
    def last(self) -> Any:
        """The last hypothesis $w_{m+1}$ without the average: a copy of the inner model."""
        return copy.deepcopy(self.model)

    def rule(self, margin: float, gamma: float, norm2: float) -> float:
        """The rule of the inner model."""
        step: float = self.model.rule(margin, gamma, norm2)
        return step
