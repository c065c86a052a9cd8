"""The base class of the decoders of multilabels."""

from __future__ import annotations

import abc
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from river import base

from .._core import Batch
from ..base.classifiers import shown
from ..base.predictor import LabelPredictor, Mask, refuse_unknown
from ..base.protocol import inner_and_input
from ..base.wrapper import ModelWrapper, check_model
from ..taxonomy import Label, Taxonomy


class Decoder(ModelWrapper, LabelPredictor, base.MultiLabelClassifier):
    """Base class of decoders, which predict the best multilabel under a model's probabilities.

    Parameters
    ----------
    model
        A multilabel model in a taxonomy, with `predict_proba_one`, or a pipeline that ends in one.

    """

    def __init__(self, model: Any) -> None:
        check_model(model, "predict_proba_one", "predict_one")
        super().__init__(model)
        if not isinstance(self._last, base.MultiLabelClassifier):
            raise TypeError(
                f"`model` must predict multilabels, got {shown(model)}; for single labels use "
                "`TreeBayes`"
            )
        if isinstance(self.taxonomy, Taxonomy):
            self._check_taxonomy(self.taxonomy)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from .. import linear_model

        yield {"model": linear_model.HAROW()}

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Label, dict[bool, float]]:
        """The probability that each node is on, as the model gives it.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: {False: 1 - p, True: p}}` for all nodes but the root.

        """
        refuse_unknown(self.predict_proba_one, kwargs)
        proba: dict[Label, dict[bool, float]] = self.model.predict_proba_one(x)
        return proba

    def _nodes_on(self, x: Mapping[Any, Any]) -> list[int]:
        return self._decide(self._probabilities_one(x))

    def _masks(self, X: Batch) -> Mask:
        on = np.zeros((X.n, len(self._taxonomy)), dtype=bool)
        on[:, 0] = True
        for row, marginals in zip(on, np.ascontiguousarray(self._probabilities(X)), strict=True):
            row[self._decide(marginals)] = True
        return on

    def _probabilities_one(self, x: Mapping[Any, Any]) -> Any:
        model, x = inner_and_input(self.model, x)
        return model._probabilities_one(x)

    @abc.abstractmethod
    def _decide(self, marginals: Any) -> list[int]:
        """The nodes that are on but the root; no marginal is above that of a parent."""
