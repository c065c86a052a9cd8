"""`threshold=` and `max_depth=`: predictions that stop at inner nodes.

The two keywords mean the same for every model, so they are implemented here only. A model has its
own rule, `_predict`.
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
from .classifiers import is_multilabel, probabilities

Floats = NDArray[np.float64]


class Predictor(abc.ABC):
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

    @abc.abstractmethod
    def _predict(self, x: Mapping[Any, Any]) -> Any:
        """The prediction by the model's own rule."""


def predicted(
    model: Any, x: Mapping[Any, Any], threshold: float | None, max_depth: int | None
) -> Any:
    """The prediction for x, truncated as the keywords say."""
    if threshold is None and max_depth is None:
        return model._predict(x)
    check_keywords(threshold, max_depth)
    truncate = truncate_multilabel if is_multilabel(model) else truncate_label
    return truncate(model, x, taxonomy_of(model), threshold, max_depth)


def check_keywords(threshold: float | None, max_depth: int | None) -> None:
    """Raise an error unless both keywords are valid."""
    if threshold is not None:
        check_probability("threshold", threshold)
    if max_depth is not None:
        check_integer("max_depth", max_depth, at_least=0)


def taxonomy_of(model: Any) -> Taxonomy:
    """The taxonomy of a model as it is now."""
    taxonomy: Taxonomy = getattr(model, "_taxonomy", None) or model.taxonomy
    return taxonomy


def labels_in(model: Any) -> Labels:
    """The labels of the taxonomy of a model, which grow with it."""
    labels: Labels | None = getattr(model, "_labels", None)
    return labels_of(taxonomy_of(model)) if labels is None else labels


def without_labels(model: Any) -> bool:
    """Whether a single-label model in an open taxonomy has not seen a label.

    As in River, it then predicts `None`, and no probabilities.
    """
    return len(taxonomy_of(model)) == 1 and not isinstance(model.taxonomy, Taxonomy)


def truncate_multilabel(
    model: Any,
    x: Any,
    taxonomy: Taxonomy,
    threshold: float | None,
    max_depth: int | None,
) -> dict[Label, bool]:
    """The nodes with enough probability or, without a threshold, those of the rule."""
    if threshold is None:
        on = getattr(model, "_learned_nodes_on", None)
        nodes = true_nodes(taxonomy, model._predict(x)) if on is None else on(x)
        nodes = connected_nodes(taxonomy, nodes, max_depth)
    else:
        nodes = likely_nodes(model, x, threshold, max_depth)
    return labels_in(model).dictionary(nodes)


def true_nodes(taxonomy: Taxonomy, y_pred: Mapping[Label, bool]) -> list[int]:
    """The nodes that are True in a prediction, in taxonomy order."""
    return [v for v, label in enumerate(taxonomy.nodes) if v and y_pred[label]]


def likely_nodes(model: Any, x: Any, threshold: float, max_depth: int | None) -> list[int]:
    """The nodes with at least this probability, like their ancestors, in order."""
    return connected(labels_in(model), _marginals(model, x, threshold), threshold, max_depth)


def _marginals(model: Any, x: Any, threshold: float) -> Any:
    """P(on) of each node, in the form that `connected` expects."""
    if hasattr(model, "_probabilities_one"):  # without building dicts
        return model._probabilities_one(x)
    try:
        p = model.predict_proba_one(x)
    except NotImplementedError:
        raise ValueError(
            f"`threshold` must be None, as {type(model).__name__} gives scores and no "
            f"probabilities, got {threshold!r}; calibrate it, e.g. decision.Calibrated(model)"
        ) from None
    return np.array([1.0, *(p[label][True] for label in taxonomy_of(model).nodes[1:])])


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
    model: Any,
    x: Any,
    taxonomy: Taxonomy,
    threshold: float | None,
    max_depth: int | None,
) -> Label | None:
    """The deepest node with enough probability or, without a threshold, that of the rule."""
    if threshold is None or (p := _shares(model, x, taxonomy)) is None:
        if (label := model._predict(x)) is None:
            return None
        v = taxonomy.index(label)
    else:
        p = subtree_sums(p[: len(taxonomy)], taxonomy._arrays)
        v = deepest(p, taxonomy._arrays.depth, float(threshold))
    while max_depth is not None and taxonomy._arrays.depth[v] > max_depth:
        v = taxonomy._parent_indices[v][0]
    return taxonomy.nodes[v]


def _shares(model: Any, x: Any, taxonomy: Taxonomy) -> Floats | None:
    """P(label) of each node; `None` if the model predicts `None`."""
    if hasattr(model, "_softmax"):  # without building dicts
        return None if without_labels(model) else model._softmax(x)
    p = np.zeros(len(taxonomy))
    found = probabilities(model, x)
    for label, value in found.items():
        p[taxonomy.index(label)] = value
    return p if found else None


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
