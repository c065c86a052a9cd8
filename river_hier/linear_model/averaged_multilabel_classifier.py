from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._backend import Vectors, averaged_top_down_answer
from .._backend.reference.paths import top_down
from ..base import MiniBatchMultiLabelModel
from ..base.model import Floats
from ..taxonomy import Label
from .averaging import AveragingModel, check_inside
from .hperceptron import HPerceptron
from .top_down import TopDownModel

__all__ = ["AveragedMultiLabelClassifier"]


class AveragedMultiLabelClassifier(AveragingModel, MiniBatchMultiLabelModel):
    """The average of all hypotheses of a multilabel learner, which learns as it does alone.

    The last hypothesis of a perceptron has just been bent to the last mistakes; the average of all
    of them, $w_1, \\dots, w_{m+1}$ after m examples, forgets such moves. For `HPerceptron` it is
    much the better one, unless the stream drifts.

    A step takes what the model's own step takes, and O(features of x * nodes that moved) more; a
    prediction takes two of the model's. There are twice as many weights.

    Parameters
    ----------
    model
        An `HPerceptron` or an `HAROW`. What it knows is the first hypothesis; it goes on learning
        in here, and `last` is a copy of it.

    Raises
    ------
    TypeError
        If `model` is neither.

    Notes
    -----
    The average is that of voted perceptrons [^1], at every node. `HAROW`, whose steps shrink by
    themselves, has less to gain: where labels are wrong its average is better, but where there is
    still much to learn, as in text, it is worse than the last hypothesis.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import Taxonomy, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> taxonomy = Taxonomy([("all", "news"), ("news", "sport"), ("news", "politics")])
    >>> stream = synth.LinearLabels(taxonomy, n_features=5, seed=42)
    >>> model = linear_model.AveragedMultiLabelClassifier(linear_model.HPerceptron(taxonomy))
    >>> metric = metrics.HLoss(taxonomy)

    >>> evaluate.progressive_val_score(stream.take(2000), model, metric)
    HLoss: 0.5535

    References
    ----------
    [^1]: [Freund, Y. and Schapire, R. E., 1999. Large margin classification using the perceptron
        algorithm. Machine Learning, 37(3), pp. 277-296.](
        https://doi.org/10.1023/A:1007662407062)

    """

    def __init__(self, model: Any) -> None:
        check_inside(model, TopDownModel, "an `HPerceptron` or an `HAROW`")
        super().__init__(model)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": HPerceptron()}

    def _answer(self, x: Mapping[Any, Any]) -> dict[Label, bool]:
        parts = (self.model._w, self._lag._w, self._m, self._features, self._labels)
        return averaged_top_down_answer(*parts, x)

    def _answers(self, X: Vectors) -> NDArray[np.bool_]:
        return top_down(self._scores(X) >= 0.0, self._taxonomy.arrays).T

    def _conditionals(self, scores: Floats) -> Floats:
        likely: Floats = self.model._conditionals(scores)
        return likely
