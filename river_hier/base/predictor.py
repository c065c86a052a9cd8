"""`predict_one` and `predict_labels_one`, with `threshold=` and `max_depth=`.

The two keywords mean the same for every model, so they are implemented here only. A model has its
own rule, `_predict`, or `_nodes_on` if it is a multilabel model.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import Labels, connected, labels_of, subtree_sums
from ..taxonomy import Label, Taxonomy
from .checks import check_integer, check_probability
from .classifiers import is_multilabel
from .explanation import Floats
from .protocol import RowByRow


class Predictor(RowByRow, abc.ABC):
    """Base class of wrappers, local classifiers and batch models: their `predict_one`."""

    def predict_one(
        self,
        x: Mapping[Any, Any],
        threshold: float | None = None,
        max_depth: int | None = None,
        **kwargs: Any,
    ) -> Any:
        """Predict x.

        Parameters
        ----------
        x
            A dictionary of features.
        threshold
            Predict from `predict_proba_one` instead of by the model's own rule: a multilabel has
            the nodes with at least this probability; a single label is the deepest node whose
            subtree has at least this probability (of several, the most probable, then the first).
            `None` for the model's own rule.
        max_depth
            The maximum depth of a prediction: deeper nodes are off, and a deeper label is replaced
            by its ancestor at this depth. `None` for no limit.
        kwargs
            Not used: River requires wrappers to accept them. Any that is given raises an error.

        Returns
        -------
        The label, or `None` if an open taxonomy has none; for multilabels `{label: bool}` for all
        nodes but the root.

        """
        refuse_unknown(self.predict_one, kwargs)
        return predicted(self, x, threshold, max_depth)

    @property
    def _labels(self: Any) -> Labels:
        return labels_of(self._taxonomy)

    @abc.abstractmethod
    def _predict(self, x: Mapping[Any, Any]) -> Any:
        """The prediction by the model's own rule."""


class LabelPredictor(Predictor):
    """Base class of multilabel models: `predict_one` and `predict_labels_one`."""

    def predict_labels_one(
        self: Any,
        x: Mapping[Any, Any],
        threshold: float | None = None,
        max_depth: int | None = None,
    ) -> list[Label]:
        """Predict the labels that are on, from the top down: those that `predict_one` maps to True.

        The linear learners score only the children of nodes that are on, so the cost does not grow
        with the number of the other nodes. Pipelines do not forward this method: call it on the
        last step, with `pipeline.transform_one(x)`.

        Parameters
        ----------
        x
            A dictionary of features.
        threshold
            As in `predict_one`; takes O(nodes).
        max_depth
            As in `predict_one`.

        Returns
        -------
        The labels in taxonomy order, so that parents come before their children. The root, which is
        always on, is left out: an empty list means that nothing else is on.

        """
        nodes = self._taxonomy.nodes
        check_keywords(threshold, max_depth)
        return [nodes[v] for v in truncate_multilabel(self, x, threshold, max_depth)]

    def _predict(self: Any, x: Mapping[Any, Any]) -> dict[Label, bool]:
        answer: dict[Label, bool] = self._labels.dictionary(self._learned_nodes_on(x))
        return answer

    def _learned_nodes_on(self: Any, x: Mapping[Any, Any]) -> list[int]:
        unseen, nodes = self._never_predicted, self._nodes_on(x)
        return [v for v in nodes if v not in unseen] if unseen else nodes

    @abc.abstractmethod
    def _nodes_on(self, x: Mapping[Any, Any]) -> list[int]:
        """The nodes that are on, without the root, in taxonomy order."""


def predicted(
    model: Any, x: Mapping[Any, Any], threshold: float | None, max_depth: int | None
) -> Any:
    """The prediction for x, truncated as the keywords say."""
    if threshold is None and max_depth is None:
        return model._predict(x)
    check_keywords(threshold, max_depth)
    if not is_multilabel(model):
        return truncate_label(model, x, threshold, max_depth)
    return model._labels.dictionary(truncate_multilabel(model, x, threshold, max_depth))


def check_keywords(threshold: float | None, max_depth: int | None) -> None:
    """Raise an error unless both keywords are valid."""
    if threshold is not None:
        check_probability("threshold", threshold)
    if max_depth is not None:
        check_integer("max_depth", max_depth, at_least=0)


def without_labels(model: Any) -> bool:
    """Whether a single-label model in an open taxonomy has not seen a label.

    As in River, it then predicts `None`, and no probabilities.
    """
    return len(model._taxonomy) == 1 and not isinstance(model.taxonomy, Taxonomy)


def truncate_multilabel(
    model: Any, x: Any, threshold: float | None, max_depth: int | None
) -> list[int]:
    """The nodes with enough probability or, without a threshold, those of the rule."""
    taxonomy = model._taxonomy
    if threshold is None:
        nodes: list[int] = model._learned_nodes_on(x)
        return nodes if max_depth is None else connected_nodes(taxonomy, nodes, max_depth)
    try:
        p = model._probabilities_one(x)
    except NotImplementedError:
        raise ValueError(
            f"`threshold` must be None, as {type(model).__name__} gives scores and no "
            f"probabilities, got {threshold!r}; calibrate it, e.g. decision.Calibrated(model)"
        ) from None
    return connected(model._labels, p, threshold, max_depth)


def connected_nodes(taxonomy: Taxonomy, nodes: Iterable[int], max_depth: int | None) -> list[int]:
    """Those of some nodes, in order, that are not too deep and whose ancestors are among them.

    Predictions of wrappers of flat models need not be coherent.
    """
    kept = {0: None}
    depth, parents = taxonomy._arrays.depth, taxonomy._parent_indices
    for v in nodes:
        if (max_depth is None or depth[v] <= max_depth) and all(p in kept for p in parents[v]):
            kept[v] = None
    return list(kept)[1:]


def truncate_label(
    model: Any, x: Any, threshold: float | None, max_depth: int | None
) -> Label | None:
    """The deepest node with enough probability or, without a threshold, that of the rule."""
    taxonomy: Taxonomy = model._taxonomy
    if threshold is not None:
        p = None if without_labels(model) else model._softmax(x)
    if threshold is None or p is None:
        if (label := model._predict(x)) is None:
            return None
        v = taxonomy.index(label)
    else:
        p = subtree_sums(np.nan_to_num(p[: len(taxonomy)]), taxonomy._arrays)
        v = deepest(p, taxonomy._arrays.depth, float(threshold))
    while max_depth is not None and taxonomy._arrays.depth[v] > max_depth:
        v = taxonomy._parent_indices[v][0]
    return taxonomy.nodes[v]


def deepest(probabilities: Floats, depth: NDArray[np.intp], threshold: float) -> int:
    """The deepest node with at least this much mass in its subtree, or the root: O(nodes).

    Of several such nodes, the one with the largest mass, and of these the first. Above one half
    there is never more than one, as subtrees of the same depth are disjoint.
    """
    reached = np.flatnonzero(probabilities >= threshold)
    reached = reached[depth[reached] == depth[reached].max(initial=0)]
    return int(reached[probabilities[reached].argmax()]) if len(reached) else 0


def refuse_unknown(method: Callable[..., Any], kwargs: Mapping[str, Any]) -> None:
    """Raise an error for unknown keywords, which the methods of River's wrappers must accept."""
    for name in kwargs:
        raise TypeError(f"{method.__qualname__}() got an unexpected keyword argument {name!r}")


def masked_nodes(on: NDArray[np.bool_]) -> list[int]:
    """The nodes of a mask, without the root."""
    nodes: list[int] = (np.flatnonzero(on[1:]) + 1).tolist()
    return nodes
