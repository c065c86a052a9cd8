"""The base class of models that follow one path from the root to the label."""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from river import base
from river import linear_model as river_linear_model

from ..base.checks import check_single_label, checked_weight
from ..base.classifiers import probabilities
from ..base.predictor import refuse_unknown, without_labels
from ..taxonomy import Label, Taxonomy, TaxonomyLike, UnknownLabelError
from ..taxonomy.open import with_labels
from .model import EstimatorSpec, LocalModel, Position, Threshold, check_multiclass

Probabilities = dict[Label, float]


class RoutingModel(LocalModel, base.Classifier):
    """A classifier whose labels are the nodes of a tree, including the root and inner nodes.

    At an inner node the path of an example continues to one of the children, or ends there, for
    which the class is the node itself. So a node at which no example has ended is predicted only
    because of the threshold, or if nothing is known about its children.
    """

    def __init__(
        self, classifier: EstimatorSpec, taxonomy: TaxonomyLike = None, threshold: Threshold = 0.0
    ) -> None:
        super().__init__(classifier, taxonomy, threshold)
        self._taxonomy._check_tree()

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"classifier": river_linear_model.SoftmaxRegression()}

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: Mapping[Any, Any], y: Label, w: float = 1.0, **kwargs: Any) -> None:
        """Learn from one example.

        Parameters
        ----------
        x
            A dictionary of features, as the classifiers take it.
        y
            The label, any node of the taxonomy.
        w
            The weight of the example, at least 0. An example of weight 0 changes nothing.
        kwargs
            Passed on to the classifiers.

        """
        if w != 1.0 and not (w := checked_weight(w)):
            return
        taxonomy = self._taxonomy
        try:
            if not isinstance(self.taxonomy, Taxonomy):
                taxonomy = with_labels(self.taxonomy, taxonomy, [y])
            path = taxonomy.path(y)
        except (TypeError, UnknownLabelError):
            check_single_label(self, y)
            raise
        steps = list(pairwise(path))
        if taxonomy.children(path[-1]):
            steps.append((path[-1], path[-1]))  # it ends at an inner node
        targets = [(self._position_below(taxonomy, node), child) for node, child in steps]
        self._fit_local(taxonomy, targets, x, w, kwargs)

    def _predict(self, x: Mapping[Any, Any]) -> Any:
        node, proba = self._path(x)[-1]
        return None if self._is_no_answer(proba) else node

    def predict_proba_one(self, x: Mapping[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """A distribution over all nodes: the probability that the label is this very node.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: probability}`, including the root; the sum is 1. Empty where `predict_one` predicts
        `None`.

        """
        refuse_unknown(self.predict_proba_one, kwargs)
        p = self._distributions(x)[1]
        return {} if self._is_no_answer(p) else p

    def predict_marginals_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """The probability, for each node, that the label is the node or below it.

        Pipelines do not forward this method: call it on the last step with transformed features,
        or let the classifier be a pipeline itself.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: probability}`; the root's is 1, and none is above its parent's.

        """
        return self._distributions(x)[0]

    def debug_one(self, x: Mapping[Any, Any], decimals: int = 3) -> str:
        """Explain the prediction for x.

        Parameters
        ----------
        x
            A dictionary of features.
        decimals
            How many decimals to print.

        Returns
        -------
        A text with the nodes on the path and, for each, the probabilities of the next node; its own
        is that of ending there.

        """
        path = self._path(x)
        rule = "the path continues to the likeliest child if it is likely enough"
        lines = [f"Prediction: {path[-1][0]!r}; {rule}"]
        for depth, (node, proba) in enumerate(path):
            if not self._taxonomy.children(node):
                break
            order = sorted(proba, key=lambda label: -proba[label])
            shares = ", ".join(f"{label!r} {proba[label]:.{decimals}f}" for label in order)
            lines.append(f"{'  ' * depth}{node!r}: {shares}")
        return "\n".join(lines)

    def _is_no_answer(self, proba: Probabilities) -> bool:
        """Whether the path certainly ends at the root, although that is not a label."""
        no_label = self.taxonomy is None or without_labels(self)
        return no_label and proba.get(self._taxonomy.root, 0.0) == 1.0

    def _path(self, x: Mapping[Any, Any]) -> list[tuple[Label, Probabilities]]:
        """The nodes from the root to the prediction, each with the probabilities of the next."""
        local = self._local_probabilities(x)
        node = self._taxonomy.root
        path = []
        while True:
            proba = self._transitions(node, local)
            path.append((node, proba))
            likeliest = max(proba, key=proba.__getitem__)
            if likeliest == node or not self._is_enough(likeliest, proba[likeliest]):
                return path
            node = likeliest

    def _distributions(self, x: Mapping[Any, Any]) -> tuple[Probabilities, Probabilities]:
        """The probabilities that the path reaches each node, and that it ends there."""
        local = self._local_probabilities(x)
        reached, ended = dict.fromkeys(self._taxonomy, 0.0), dict.fromkeys(self._taxonomy, 0.0)
        reached[self._taxonomy.root] = 1.0
        for node, p in reached.items():  # parents come before their children
            if p:
                for next_node, share in self._transitions(node, local).items():
                    (ended if next_node == node else reached)[next_node] = p * share
        return reached, ended

    def _local_probabilities(self, x: Mapping[Any, Any]) -> Callable[[Position], Probabilities]:
        """A function from a position to the probabilities of its classifier, computed once."""
        return functools.cache(lambda position: probabilities(self._local[position].model, x))

    def _transitions(
        self, node: Label, local: Callable[[Position], Probabilities]
    ) -> Probabilities:
        """The probabilities of the next node, given that the path has reached this one.

        The probabilities of all other nodes are ignored. The path ends here if none is left or the
        classifier has learned nothing.
        """
        children = self._taxonomy.children(node)
        position = self._position_below(self._taxonomy, node)
        if children and position in self._local:
            proba = local(position)
            shares = {label: float(proba.get(label, 0.0)) for label in (node, *children)}
            shares = {label: p for label, p in shares.items() if p > 0.0}
            if total := sum(shares.values()):
                return {label: p / total for label, p in shares.items()}
        return {node: 1.0}

    @staticmethod
    def _check_classifier(classifier: Any) -> None:
        check_multiclass(classifier)

    # Implemented by each kind of model

    @abc.abstractmethod
    def _position_below(self, taxonomy: Taxonomy, node: Label) -> Position:
        """The position of the classifier that chooses the next node after this one."""
