from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from river import base

from ..base.classifiers import last_step, shown
from ..base.truncation import refuse_unknown
from ..base.wrapper import ModelWrapper


class Probabilities(ModelWrapper, base.MultiLabelClassifier):
    """A multilabel model whose predictions are the probabilities of the labels.

    River evaluates multilabel models by `predict_one`. Here it returns `{label: p}`, from the
    `predict_proba_one` of the model, for `PooledAUPRC` and the other ranking metrics. The model
    learns as it does without the wrapper.

    Parameters
    ----------
    model
        A multilabel classifier whose `predict_proba_one` returns `{label: {True: p, ...}}`, or a
        pipeline that ends in one.

    Raises
    ------
    TypeError
        If `model` is not a multilabel classifier.

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

    _predicts_labels = False

    def __init__(self, model: Any) -> None:
        if not isinstance(last_step(model), base.MultiLabelClassifier):
            raise TypeError(
                f"`model` must be a multilabel classifier, got {shown(model)}; for single labels, "
                "`TopLabelCalibrationError` and River's `CrossEntropy` take the model itself"
            )
        super().__init__(model)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from .. import linear_model

        yield {"model": linear_model.HPerceptron()}

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:
        """The probability of each label.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: probability that it is on}`.

        """
        refuse_unknown(self.predict_one, kwargs)
        proba = self.model.predict_proba_one(x)
        return {label: p.get(True, 0.0) for label, p in proba.items()}
