"""The base class of the decoders of multilabels.

In a tree, decoding takes two passes: `candidates` goes down to all nodes that can be on, then the
decoder goes back up and decides for each whether to switch it on if its parent is on.
"""

from __future__ import annotations

import abc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river import base

from .._backend import Batch
from ..base.classifiers import shown
from ..base.predict_labels import LabelPredictor
from ..base.truncation import refuse_unknown, truncatable
from ..base.turns import reads
from ..base.wrapper import BatchWrapper, check_model
from ..taxonomy import Label


class Decoder(BatchWrapper, LabelPredictor, base.MultiLabelClassifier):
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
            raise TypeError(f"`model` must predict multilabels, got {shown(model)}")

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from .. import linear_model

        yield {"model": linear_model.HAROW()}

    @truncatable
    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Label, bool]:
        """Predict the multilabel of x with the least expected loss.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: bool}` for all nodes but the root.

        """
        return self._dictionary(x)

    @reads
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
        return [v for v in self._decide(self._marginals(x)) if v]

    def _masks(self, X: Batch) -> NDArray[np.bool_]:
        on = np.zeros((X.n, len(self._taxonomy)), dtype=bool)
        on[:, 0] = True
        for row, marginals in zip(on, self._probabilities(X), strict=True):
            row[list(self._decide(self._checked_marginals(marginals.tolist())))] = True
        return on

    def _marginals(self, x: Mapping[Any, Any]) -> list[float]:
        """P(on) of each node, in taxonomy order."""
        if hasattr(self.model, "_node_probabilities"):  # without building dicts
            marginals: list[float] = self.model._node_probabilities(x).tolist()
            return marginals
        proba = self.model.predict_proba_one(x)
        return self._checked_marginals([1.0, *(proba[v][True] for v in self._taxonomy.nodes[1:])])

    def _checked_marginals(self, marginals: list[float]) -> list[float]:
        for label, p in zip(self._taxonomy.nodes, marginals, strict=True):
            if not 0.0 <= p <= 1.0:
                raise ValueError(f"the model gives {label!r} the probability {p!r}")
        return marginals

    @abc.abstractmethod
    def _decide(self, marginals: Sequence[float]) -> Iterable[int]:
        """The nodes that are on; no marginal is above that of a parent, and the root's is 1."""


def candidates(
    marginals: Sequence[float], children: Sequence[Sequence[int]]
) -> list[tuple[int, int]]:
    """The nodes below the root that can be on, and their parents, from the root down.

    A node whose probability given its parent is below one half is off, whatever is below it.
    """
    found: list[tuple[int, int]] = []
    reached = [0]
    for v in reached:
        may_be = [i for i in children[v] if marginals[i] and 2.0 * marginals[i] >= marginals[v]]
        found += [(i, v) for i in may_be]
        reached += may_be
    return found


def top_down(candidates: Iterable[tuple[int, int]], better: set[int]) -> set[int]:
    """The nodes of `better` whose parents are on."""
    on = {0}
    for v, parent in candidates:
        if v in better and parent in on:
            on.add(v)
    return on
