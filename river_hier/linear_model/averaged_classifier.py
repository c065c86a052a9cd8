from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._backend import Vector, Vectors, averaged_hieron_answer, path_sums
from ..base import MiniBatchSingleLabelModel
from ..base.model import Floats
from ..taxonomy import Label
from .averaging import AveragingModel, check_inside
from .hieron import Hieron

__all__ = ["AveragedClassifier"]


class AveragedClassifier(AveragingModel, MiniBatchSingleLabelModel):
    """The average of all hypotheses of a learner of one label, which learns as it does alone.

    The last hypothesis of an online learner has just been bent to the last mistakes, whose labels
    may be wrong. The average of all of them, $w_1, \\dots, w_{m+1}$ after m examples, forgets such
    moves, and errs less, unless the stream drifts.

    A step takes what the model's own step takes, and O(features of x * nodes that moved) more; a
    prediction takes two of the model's. There are twice as many weights.

    Parameters
    ----------
    model
        A `Hieron`. What it knows is the first hypothesis; it goes on learning in here, and `last`
        is a copy of it.

    Raises
    ------
    TypeError
        If `model` is none.

    Notes
    -----
    The average of voted perceptrons [^1], for the updates of online Hieron, which come after
    mistakes only. `AveragedHieron` averages too, and learns from every example that is not right by
    its margin, against the label of the largest loss; where both were compared it errs less.

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

    def __init__(self, model: Any) -> None:
        check_inside(model, Hieron, "a `Hieron`")
        super().__init__(model)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": Hieron()}

    def _answer(self, x: Mapping[Any, Any]) -> Label:
        parts = (self.model._w, self._lag._w, self._m, self._features, self._labels)
        return averaged_hieron_answer(*parts, x)

    def _scores(self, x: Vector | Vectors) -> Floats:
        return path_sums(super()._scores(x), self._taxonomy.arrays)

    def _answers(self, X: Vectors) -> NDArray[np.intp]:
        best: NDArray[np.intp] = self._scores(X).argmax(axis=0)
        return best
