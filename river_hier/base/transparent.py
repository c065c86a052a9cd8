"""The base class of wrappers that predict as the model inside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from river import base

from ..taxonomy import Label
from .predict_labels import LabelPredictor, nodes_on
from .truncation import refuse_unknown
from .wrapper import BatchWrapper


class TransparentWrapper(BatchWrapper, LabelPredictor, base.MultiLabelClassifier, base.Classifier):
    """Base class of wrappers, of models of either kind, that predict as the model inside."""

    def _predict(self, x: Mapping[Any, Any]) -> Any:
        return self._predictor.predict_one(x)

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:
        """The model's probabilities.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        refuse_unknown(self.predict_proba_one, kwargs)
        return self._predictor.predict_proba_one(x)

    def score_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Label, float]:
        """The model's scores.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        refuse_unknown(self.score_one, kwargs)
        scores: dict[Label, float] = self._predictor.score_one(x)
        return scores

    def _nodes_on(self, x: Mapping[Any, Any]) -> list[int]:
        if not isinstance(self._last, base.MultiLabelClassifier):
            raise TypeError(
                f"`predict_labels_one` is for multilabel models; {type(self._last).__name__} "
                "predicts one label: call `predict_one`"
            )
        return nodes_on(self._predictor, x)
