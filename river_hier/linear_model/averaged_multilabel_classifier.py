from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from .._core import Batch, Clocks, Weights
from ..base import TopDownLearner
from ..base.classifiers import shown
from ..base.explanation import Floats
from .hperceptron import HPerceptron


def of_inner_model(name: str) -> Any:
    """An attribute that the average shares with its inner model."""

    def get(self: Any) -> Any:
        return getattr(self.model, name)

    def put(self: Any, value: Any) -> None:
        setattr(self.model, name, value)
        if name == "_taxonomy":
            self._lag_taxonomy = value

    return property(get, put)


class AveragedMultiLabelClassifier(TopDownLearner):
    """The average of all hypotheses of a multilabel learner, whose learning stays the same.

    The last hypothesis of a perceptron depends heavily on its last mistakes; the average of all
    hypotheses, $w_1, \\dots, w_{m+1}$ after m examples, evens out such steps. For `HPerceptron` the
    average is much better, unless the stream drifts. The average of a node starts again with the
    first example that has its label, so late labels are learned as fast as early ones.

    A step costs what a step of the model costs, plus O(features of x * updated nodes); a prediction
    costs two predictions of the model. Memory is twice that of the model.

    Parameters
    ----------
    model
        A `TopDownLearner`, such as `HPerceptron`, `HAROW` or one of your own. Its current weights
        are the first hypothesis. It continues to learn inside the average; `last` returns a copy of
        it.

    Raises
    ------
    TypeError
        If `model` is not a `TopDownLearner`.

    Notes
    -----
    The average is that of voted perceptrons [^1], at every node. `HAROW`, whose steps shrink over
    time, gains less: its average is better where labels are noisy, but worse than the last
    hypothesis where there is still much to learn, as in text.

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
    HLoss: 0.553

    References
    ----------
    [^1]: [Freund, Y. and Schapire, R. E., 1999. Large margin classification using the perceptron
        algorithm. Machine Learning, 37(3), pp. 277-296.](
        https://doi.org/10.1023/A:1007662407062)

    """

    model: Any
    taxonomy: Any = of_inner_model("taxonomy")
    n_features: Any = of_inner_model("n_features")
    dtype: Any = of_inner_model("dtype")
    rule: Any = of_inner_model("rule")
    _taxonomy: Any = of_inner_model("_taxonomy")
    _labels: Any = of_inner_model("_labels")
    _features: Any = of_inner_model("_features")
    _w: Any = of_inner_model("_w")
    _may_refuse: Any = of_inner_model("_may_refuse")

    def __init__(self, model: Any) -> None:
        # A pipeline is an instance of its last step's class.
        if not issubclass(type(model), TopDownLearner) or model._lag is not None:
            raise TypeError(
                "`model` must be a `TopDownLearner`, such as `HPerceptron` or `HAROW`, whose "
                f"weights move in steps, got {shown(model)}; put the average into the pipeline: "
                "`scaler | AveragedMultiLabelClassifier(model)`. Least squares solve for their "
                "weights, and `HMinOver` fits a threshold to those of the last hypothesis"
            )
        self.model = model
        dtype = "float64" if model.dtype == "float64" else "float32"
        self._lag = Weights(len(model._taxonomy), dtype)
        self._clocks = Clocks(len(model._taxonomy))
        self._lag_taxonomy = model._taxonomy

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": HPerceptron()}

    @property
    def _learner(self) -> Any:
        """The inner model; an error if its taxonomy alone has changed."""
        if self._lag_taxonomy is not self.model._taxonomy:
            raise RuntimeError(
                "the model inside has learned new labels by itself, which its average lacks; "
                "let it learn through the average only, or start a new average of it"
            )
        return self.model

    def _learn_compiled(self, x: Any, y: Any, w: float, learner: Any = None) -> bool:
        return super()._learn_compiled(x, y, w, self._learner)

    def _learn(self, x: Any, y: Any, w: float, learner: Any = None) -> None:
        super()._learn(x, y, w, self._learner)

    def _learn_many(self, X: Batch, y: Any, learner: Any = None) -> Iterator[int]:
        yield from super()._learn_many(X, y, self._learner)

    def _take_over(self, learner: Any) -> None:
        super()._take_over(learner)
        self.model._take_over(learner.model)

    @property
    def last(self) -> Any:
        """The last hypothesis $w_{m+1}$ without the average: a copy of the inner model."""
        return copy.deepcopy(self.model)

    def _conditionals(self, scores: Floats) -> Floats:
        p: Floats = self.model._conditionals(scores)
        return p
