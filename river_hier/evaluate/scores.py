"""Models whose predictions are scores or probabilities, as River's loop passes them to metrics."""

import abc
from collections.abc import Iterator, Mapping
from typing import Any

from river import base

from .. import linear_model
from .._core import Batch
from ..base.classifiers import is_multilabel, last_step, shown
from ..base.dataframes import ColumnNames, Frame, answer_frame, frame_like
from ..base.explanation import Floats
from ..base.predictor import open_for_river
from ..base.protocol import inner
from ..base.wrapper import ModelWrapper


class Numbers(ModelWrapper, base.MultiLabelClassifier):
    """Base class of models whose predictions are numbers of labels, which metrics read."""

    _predicts_labels = False

    @open_for_river
    def predict_one(self, x: dict[Any, Any]) -> Any:
        """The `{label: number}` of x, a dictionary of features."""
        return self._predict(x)

    @open_for_river
    def predict_many(self, X: Any, columns: ColumnNames = None) -> Any:
        """The number of each label, for each row; see `predict_proba_many`."""
        return self._answers_like(self._read_batch(X, columns), frame_like(X), None, None)

    def _answers_like(
        self, X: Batch, like: Frame | None, threshold: float | None, max_depth: int | None
    ) -> Any:
        first = int(is_multilabel(self.model))
        cells = self._numbers_of(X)[:, first:]
        return answer_frame(like, cells, self._taxonomy.nodes[first:])

    @abc.abstractmethod
    def _numbers_of(self, X: Batch) -> Floats:
        """The numbers of all nodes, (rows, nodes)."""


class Ranked(Numbers):
    """A model whose predictions are the scores of the labels.

    `predict_one`, by which River evaluates multilabel models, returns `{label: score}`, the
    `score_one` of the model, for `AveragePrecision` and the other ranking metrics.

    Parameters
    ----------
    model
        A model whose `score_one` returns `{label: score}`, or a pipeline that ends in one.

    Examples
    --------

    >>> from river_hier import evaluate, linear_model, metrics
    >>> from river_hier.datasets import synth
    >>> from river.evaluate import progressive_val_score

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.04, seed=42)
    >>> model = linear_model.Hieron(stream.taxonomy)
    >>> labels = stream.taxonomy.nodes[1:]
    >>> metric = metrics.AveragePrecision(stream.taxonomy, candidates=labels)
    >>> progressive_val_score(stream.take(500), evaluate.Ranked(model), metric)
    AveragePrecision: 68.20%

    """

    def __init__(self, model: Any) -> None:
        last = last_step(model)  # a pipeline always has a `score_one`
        if isinstance(model, type) or not callable(getattr(last, "score_one", None)):
            raise TypeError(
                f"`model` must have a `score_one`, as the models of linear_model do, got {model!r}"
            )
        super().__init__(model)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": linear_model.HMinOver()}

    def _predict(self, x: Mapping[Any, Any]) -> Any:
        return self.model.score_one(x)

    def _numbers_of(self, X: Batch) -> Floats:
        scores: Floats = inner(self.model)._scores_many(X)
        return scores.T


class Probabilities(Numbers):
    """A multilabel model whose predictions are the probabilities of the labels.

    `predict_one`, by which River evaluates multilabel models, returns `{label: p}`, from the
    `predict_proba_one` of the model, for `PooledAUPRC` and the other ranking metrics.

    Parameters
    ----------
    model
        A multilabel classifier with probabilities, `{label: {True: p, ...}}`, or a pipeline of one.

    Examples
    --------

    >>> from river import linear_model as river_linear_model
    >>> from river.evaluate import progressive_val_score
    >>> from river_hier import Taxonomy, evaluate, local, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy([("all", "news"), ("news", "sport"), ("news", "politics")])
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)
    >>> model = local.PerNode(river_linear_model.LogisticRegression(), t)
    >>> metric = metrics.PooledAUPRC(t)
    >>> progressive_val_score(stream.take(1000), evaluate.Probabilities(model), metric)
    PooledAUPRC: 55.54%

    """

    def __init__(self, model: Any) -> None:
        if not isinstance(last_step(model), base.MultiLabelClassifier):
            raise TypeError(
                f"`model` must be a multilabel classifier, got {shown(model)}; for single labels, "
                "`TopLabelCalibrationError` and River's `CrossEntropy` take the model itself"
            )
        super().__init__(model)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": linear_model.HPerceptron()}

    def _predict(self, x: Mapping[Any, Any]) -> Any:
        proba = self.model.predict_proba_one(x)
        return {label: p.get(True, 0.0) for label, p in proba.items()}

    def _numbers_of(self, X: Batch) -> Floats:
        return self._probabilities(X)
