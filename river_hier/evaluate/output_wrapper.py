"""Models that answer with something else than labels, for the metrics that want to see it."""

from __future__ import annotations

from typing import Any

from river import base


class OutputWrapper(base.Wrapper[Any], base.MultiLabelClassifier):
    """Mother class of the wrappers that River's loop asks in place of a model.

    River evaluates multilabel models by `predict_one`, which a subclass writes; learning is left to
    the model.

    Parameters
    ----------
    model
        The model, or a pipeline that ends in one.

    """

    def __init__(self, model: Any) -> None:
        self.model = model

    @property
    def _wrapped_model(self) -> Any:
        return self.model

    def learn_one(self, x: dict[Any, Any], y: Any, **kwargs: Any) -> None:
        """Learn from one example, as the model does.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            What the model learns from.

        """
        self.model.learn_one(x, y, **kwargs)
