"""Models that follow one path from the root to the label, by parents or by levels."""

import abc
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from river import base
from river import linear_model as river_linear_model

from ..base.answer import LabelAnswer
from ..base.classifiers import ONE, probabilities
from ..base.targets import read_label
from ..taxonomy import Label, Taxonomy, TaxonomyLike
from .model import EstimatorSpec, LocalModel, Position, Threshold

Probabilities = dict[Label, float]


@dataclass(frozen=True, slots=True)
class Ending:
    """The class of the examples that end at an inner node; River sorts it after labels."""

    node: Any

    def __lt__(self, other: Any) -> bool:
        return isinstance(other, Ending) and self.node < other.node

    def __gt__(self, other: Any) -> bool:
        return not isinstance(other, Ending) or self.node > other.node


class RoutingModel(LocalModel, base.Classifier):
    """A classifier whose labels are the nodes of a tree: a path goes on to a child, or ends."""

    _kind = ONE
    _multiclass: bool = True

    def __init__(
        self,
        classifier: EstimatorSpec,
        taxonomy: TaxonomyLike = None,
        threshold: Threshold = 0.0,
        leaves_only: bool = False,
    ) -> None:
        super().__init__(classifier, taxonomy, threshold)
        self.leaves_only = leaves_only
        self._taxonomy._arrays.check_tree()

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"classifier": river_linear_model.SoftmaxRegression()}

    def _targets(self, y: Label) -> tuple[Taxonomy, list[tuple[Position, Any]]]:
        taxonomy, v = read_label(self, y)
        path = taxonomy.path(taxonomy.nodes[v])
        steps: list[tuple[Label, Any]] = list(pairwise(path))
        if taxonomy.children(path[-1]) and not self.leaves_only:
            steps.append((path[-1], Ending(path[-1])))
        return taxonomy, [(self._position_below(taxonomy, node), child) for node, child in steps]

    def _answer(self, x: Mapping[Any, Any]) -> LabelAnswer:
        def own() -> int | None:
            node, proba = self._path(x)[-1]
            return None if self._is_no_answer(proba) else self._taxonomy.index(node)

        def p() -> Any:
            ended = self._distributions(x)[1]
            return None if self._is_no_answer(ended) else np.array(list(ended.values()))

        return LabelAnswer(self._labels, None, p, own, self._first_label)

    def predict_marginals_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """The probability, for each node, that the label is the node or below it.

        `{label: probability}`; the root's is 1, and none is above its parent's. Pipelines do not
        forward this method: call it on the last step with transformed features.
        """
        return self._distributions(x)[0]

    def _debug_lines(self, x: Mapping[Any, Any], decimals: int) -> Iterator[str]:
        path = self._path(x)
        rule = "the path continues to the likeliest child if it is likely enough"
        yield f"Prediction: {path[-1][0]!r}; {rule}"
        for depth, (node, proba) in enumerate(path):
            if not self._taxonomy.children(node):
                break
            order = sorted(proba, key=lambda label: -proba[label])
            shares = ", ".join(f"{label!r} {proba[label]:.{decimals}f}" for label in order)
            yield f"{'  ' * depth}{node!r}: {shares}"

    def _is_no_answer(self, proba: Probabilities) -> bool:
        """Whether the path certainly ends at the root, although that is not a label."""
        no_label = self.taxonomy is None or self._first_label
        return bool(no_label) and proba.get(self._taxonomy.root, 0.0) == 1.0

    @property
    def _first_label(self) -> int:
        """1 as long as an open taxonomy has no labels."""
        return int(len(self._taxonomy) == 1 and self.taxonomy is not self._taxonomy)

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

        If nothing is known, the path ends here; in a model of leaves, all children are as likely.
        """
        children = self._taxonomy.children(node)
        position = self._position_below(self._taxonomy, node)
        if children and position in self._local:
            proba: Mapping[Any, float] = local(position)
            shares = {} if self.leaves_only else {node: float(proba.get(Ending(node), 0.0))}
            shares |= {label: float(proba.get(label, 0.0)) for label in children}
            shares = {label: p for label, p in shares.items() if p > 0.0}
            if total := sum(shares.values()):
                return {label: p / total for label, p in shares.items()}
        if children and self.leaves_only:
            return dict.fromkeys(children, 1.0 / len(children))
        return {node: 1.0}

    @staticmethod
    def _check_classifier(classifier: Any) -> None:
        LocalModel._check_classifier(classifier)
        if not classifier._multiclass:
            raise ValueError(
                f"`classifier` must be multiclass, got {classifier}; wrap it, e.g. in "
                "river's multiclass.OneVsRestClassifier"
            )

    @abc.abstractmethod
    def _position_below(self, taxonomy: Taxonomy, node: Label) -> Position:
        """The position of the classifier that chooses the next node after this one."""


class PerLevel(RoutingModel):
    """A multiclass classifier for each level of the taxonomy.

    The classes of the classifier at depth d are the nodes of that depth, and one for each node
    above at which examples have ended. Its probabilities q are conditioned on the node u that the
    level above has reached, so that levels cannot contradict each other:

    $$P(v \\mid u) = \\frac{q_d(v)}{\\sum_{v'} q_d(v')},$$

    where v' runs over the children of u and ending there; if all are 0, the path ends at u.
    Predicting evaluates each classifier at most once.

    Parameters
    ----------
    classifier
        A multiclass classifier or pipeline, cloned for each level; or a mapping from depths to
        classifiers, in which a depth without one takes that of the nearest one above it, so depth 1
        must be named; or a function from depths to classifiers.
    taxonomy
        A tree; `None` or an `OpenTaxonomy` takes labels as they arrive.
    threshold
        The path continues to the most probable child only if P(child | parent reached) is at least
        this, or if this function of child and probability returns True.
    leaves_only
        Whether paths never end at an inner node, except for the threshold: there is no class for
        examples that end, and where nothing is known the path continues to the first child.

    Notes
    -----
    A local classifier per level in the terms of the survey [^1]. The conditioning is ours.

    Examples
    --------
    >>> from river import evaluate
    >>> from river import linear_model as river_linear_model
    >>> from river_hier import local, metrics
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=2, noise=0.09, seed=42)
    >>> model = local.PerLevel(river_linear_model.SoftmaxRegression(), stream.taxonomy)
    >>> metric = metrics.TreeInducedError(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream.take(1000), model, metric)
    TreeInducedError: 0.601

    References
    ----------
    [^1]: [Silla and Freitas, 2011. A survey of hierarchical classification across different
        application domains. Data Min. Knowl. Discov. 22.](https://doi.org/10.1007/s10618-010-0175-9)
    """

    @property
    def _top(self) -> Position:
        return 1

    def _lineage(self, taxonomy: Taxonomy, position: Any) -> Iterable[Position]:
        return range(position, 0, -1)

    def _check_position(self, taxonomy: Taxonomy, position: Position) -> None:
        height = max(taxonomy.height, 1)  # depth 1 must be named, even if the taxonomy is empty
        if position not in range(1, height + 1):
            raise ValueError(
                f"`classifier` names depth {position!r}; the taxonomy has 1 to {height}"
            )

    def _position_below(self, taxonomy: Taxonomy, node: Label) -> Position:
        return taxonomy.depth(node) + 1


class PerParent(RoutingModel):
    """A multiclass classifier at each inner node, which routes an example to one of the children.

    If labels may be inner nodes, ending at a node is one more class of its classifier, so that

    $$P(v) = P(v \\text{ is next} \\mid \\text{parent reached}) \\, P(\\text{parent reached}).$$

    At a node whose classifier has learned nothing the path ends. Learning and predicting use the
    classifiers on the path; `predict_proba_one` those of all inner nodes that can be reached.

    Parameters
    ----------
    classifier
        A multiclass classifier or pipeline, cloned for each inner node; or a mapping from inner
        nodes to classifiers, in which a node without one takes that of its nearest ancestor, so the
        root must be named; or a function from inner nodes to classifiers.
    taxonomy
        A tree; `None` or an `OpenTaxonomy` takes labels as they arrive.
    threshold
        The path continues to the most probable child only if P(child | parent reached) is at least
        this, or if this function of child and probability returns True.
    leaves_only
        Whether paths never end at an inner node, except for the threshold: there is no class for
        examples that end, and where nothing is known the path continues to the first child.

    Notes
    -----
    The baseline "greedy" of section 5 of the paper [^1], with any classifier in
    place of its flat Hieron; `leaves_only=True` is the paper's form. Probabilities are restricted
    to the nodes that can be next, and normalised. Predictions without probabilities and weights are
    treated as in `PerNode`.

    Examples
    --------
    >>> from river import evaluate, naive_bayes
    >>> from river_hier import local, metrics
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=2, noise=0.09, seed=42)
    >>> model = local.PerParent(naive_bayes.GaussianNB(), stream.taxonomy)
    >>> metric = metrics.TreeInducedError(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream.take(1000), model, metric)
    TreeInducedError: 0.242

    References
    ----------
    [^1]: [Dekel, Keshet and Singer, 2004. ICML 21.](https://doi.org/10.1145/1015330.1015374)
    """

    def _check_position(self, taxonomy: Taxonomy, position: Position) -> None:
        super()._check_position(taxonomy, position)
        if not taxonomy.children(position) and position != taxonomy.root:
            raise ValueError(
                f"`classifier` names {position!r}, a leaf: it has no children to choose from; "
                f"its parent is {taxonomy.parent(position)!r}"
            )

    def _position_below(self, taxonomy: Taxonomy, node: Label) -> Position:
        return node
