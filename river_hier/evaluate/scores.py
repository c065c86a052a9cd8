"""Models whose predictions are scores or probabilities, as River's loop passes them to metrics."""

import abc
from collections.abc import Iterator
from typing import Any

from .. import linear_model
from ..base.classifiers import SEVERAL, is_multilabel, last_step, shown
from ..base.dataframes import ColumnNames, answer_frame, frame_like
from ..base.explanation import Floats
from ..base.predictor import open_for_river
from ..base.wrapper import ModelWrapper


class Numbers(ModelWrapper):
    """Base class of models whose predictions are numbers of labels, which metrics read."""

    _predicts_labels = False
    _kind: Any = SEVERAL
    _last_step: Any = SEVERAL

    @open_for_river
    def predict_many(self, X: Any, columns: ColumnNames = None) -> Any:
        """The number of each label, for each row; see `predict_proba_many`."""
        first = int(is_multilabel(last_step(self.model)))
        cells = self._numbers_of(self._answers(self._read_batch(X, columns)))[:, first:]
        return answer_frame(frame_like(X), cells, self._taxonomy.nodes[first:])

    @abc.abstractmethod
    def _numbers_of(self, rows: Any) -> Floats:
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

    @open_for_river
    def predict_one(self, x: dict[Any, Any]) -> Any:
        """The `{label: score}` of x, a dictionary of features."""
        return self.model.score_one(x)

    def _numbers_of(self, rows: Any) -> Floats:
        return rows.scores().T


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
        if isinstance(model, type) or not is_multilabel(last_step(model)):
            raise TypeError(
                f"`model` must be a multilabel classifier, got {shown(model)}; for single labels, "
                "`TopLabelCalibrationError` and River's `CrossEntropy` take the model itself"
            )
        super().__init__(model)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": linear_model.HPerceptron()}

    @open_for_river
    def predict_one(self, x: dict[Any, Any]) -> Any:
        """The `{label: probability}` of x, a dictionary of features."""
        proba = self.model.predict_proba_one(x)
        return {label: p.get(True, 0.0) for label, p in proba.items()}

    def _numbers_of(self, rows: Any) -> Floats:
        return rows.p()
