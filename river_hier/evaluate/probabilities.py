"""Models that answer with probabilities, so that River's loop can measure these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from river import base

from .output_wrapper import OutputWrapper

__all__ = ["Probabilities"]


class Probabilities(OutputWrapper):
    """A multilabel model that answers with probabilities of labels in place of labels.

    River evaluates multilabel models by `predict_one`; here that is how likely each label is on,
    `{label: p}`, by the `predict_proba_one` of the model, which `PooledAUPRC` and the other metrics
    of rankings read. Learning is left to the model, and costs what it costs there.

    Parameters
    ----------
    model
        A multilabel classifier with a `predict_proba_one` that gives `{label: {True: p, ...}}`; or
        a pipeline that ends in one. Else a `TypeError`.

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
        last = getattr(model, "_last_step", model)
        if not isinstance(last, base.MultiLabelClassifier):
            raise TypeError(f"`model` must be a multilabel classifier, got {model!r}")
        super().__init__(model)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from .. import linear_model

        yield {"model": linear_model.HPerceptron()}

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:
        """The probabilities of x.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: probability that it is on}`.

        """
        likely = self.model.predict_proba_one(x, **kwargs)
        return {label: p.get(True, 0.0) for label, p in likely.items()}
