"""Models that answer with scores, so that River's loop can measure how they rank labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .output_wrapper import OutputWrapper

__all__ = ["Ranked"]


class Ranked(OutputWrapper):
    """A model that answers with the scores of labels in place of labels.

    River evaluates multilabel models by `predict_one`; here that is the `score_one` of the model,
    `{label: score}`, which the metrics of rankings read: `OneAccuracy`, `AveragePrecision`,
    `RankingLoss`, `MaximalLoss`, `ParentOneAccuracy`. Learning is left to the model, and costs
    what it costs there.

    Parameters
    ----------
    model
        Any model with a `score_one` that gives `{label: score}`, for one label or for several; or
        a pipeline that ends in one. Else a `TypeError`.

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
        last = getattr(model, "_last_step", model)  # a pipeline has a `score_one` in any case
        if isinstance(model, type) or not callable(getattr(last, "score_one", None)):
            raise TypeError(
                f"`model` must have a `score_one`, as the models of linear_model do, got {model!r}"
            )
        super().__init__(model)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from .. import linear_model

        yield {"model": linear_model.HMinOver()}

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:
        """The scores of x.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: score}`.

        """
        return self.model.score_one(x, **kwargs)
