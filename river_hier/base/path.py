"""Single-label learners in a tree, whose scores add up along paths."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import (
    Batch,
    Clocks,
    Vectors,
    Weights,
    averaged_scores,
    distances_from,
    learn_on_paths,
    own_prototypes,
    path_answer,
    path_answers,
    path_scores,
    path_sums,
    ranked_paths,
)
from ..taxonomy import Label, NodeMapping
from .explanation import Floats
from .linear import LinearLearner
from .products import pays, score_blocks, scores_by_product
from .single_label import SingleLabelModel


class PathModel(LinearLearner, SingleLabelModel):
    """Base class of linear learners in a tree whose scores are sums along paths."""

    def _answer(self, x: Mapping[Any, Any]) -> Label:
        return path_answer(self._w, self._lag, self._clocks, self._features, self._labels, x)

    def _answers(self, X: Batch) -> NDArray[np.uint32]:
        if pays(self, X):
            tree = self._taxonomy._arrays
            best = [path_sums(s, tree, in_place=True).argmax(axis=0) for s in score_blocks(self, X)]
            return np.concatenate(best).astype(np.uint32)
        vectors = Vectors(self._features, X)
        return path_answers(self._w, self._lag, self._clocks, self._labels, vectors)

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        state = self._w, self._lag, self._clocks, self._features, self._labels
        return path_scores(*state, x)

    def _scores_many(self, X: Batch) -> Floats:
        if pays(self, X):
            return path_sums(scores_by_product(self, X), self._taxonomy._arrays, in_place=True)
        scores = averaged_scores(self._w, self._lag, self._clocks, Vectors(self._features, X))
        return path_sums(scores, self._taxonomy._arrays)

    def _remap(self, change: NodeMapping) -> None:
        onto = own_prototypes(change.sources, change.before._arrays, change.after._arrays)
        self._move_weights(onto, change.sources)


class PathLearner(PathModel):
    """Base class of single-label learners in a tree, with a weight vector at every node.

    The prototype of a node is the sum of the weight vectors on its path, $W^v = \\sum_{u \\in P(v)}
    w^u$, and the label with the largest score $W^v \\cdot x$ is predicted. A learner is defined by
    its `rival`, the label that the true one must beat, and its `rule`, which determines how far
    their paths move apart. The library does the rest, as for `TopDownLearner`.

    Parameters
    ----------
    taxonomy
        A tree, an `OpenTaxonomy`, or `None` for an open flat taxonomy.
    n_features
        The number of rows, a power of 2, into which names of features are hashed. `None` keeps
        every name.
    dtype
        The type of the stored weights, `"float64"` or `"float32"`.
    intercept
        The value of a constant feature that is added to every x, and whose weights give the
        intercepts of the nodes. The default, 0, adds none.

    Raises
    ------
    ValueError
        If the taxonomy is a DAG.

    Examples
    --------

    A perceptron, whose steps all have the same size:

    >>> from river import evaluate
    >>> from river_hier import base, metrics
    >>> from river_hier.datasets import synth

    >>> class Perceptron(base.PathLearner):
    ...     def rule(self, margin, gamma, norm2):
    ...         return 1.0

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.04, seed=42)
    >>> metric = metrics.TreeInducedError(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream.take(500), Perceptron(stream.taxonomy), metric)
    TreeInducedError: 0.934

    """

    _rule_methods = ("rule", "rival")
    _learn_by_rule = staticmethod(learn_on_paths)

    def _ranked_one(self, x: Mapping[Any, Any], k: int, leaves: bool) -> list[tuple[int, float]]:
        """The k best nodes and their probabilities, if there are no unlearned nodes."""
        state = self._w, self._lag, self._clocks, self._features, self._labels
        return ranked_paths(*state, x, k, leaves)

    def rival(self, score: Floats, y: int) -> int:
        """The node that y must beat: by default the predicted one.

        Parameters
        ----------
        score
            $W^v \\cdot x$ of every node, (nodes,); -inf for nodes that `adopt` has added and that
            have had no example, unless they are on the path of y.
        y
            The node of the true label.

        Returns
        -------
        A node. If it is y itself, nothing is learned.

        """
        return int(score.argmax())

    @abc.abstractmethod
    def rule(self, margin: float, gamma: float, norm2: float) -> float:
        """How far the paths of y and of its rival move apart along x.

        Parameters
        ----------
        margin
            The score of y minus that of its rival.
        gamma
            The distance of the two in the tree, above 0.
        norm2
            $\\|x\\|^2$, the constant feature included, above 0.

        Returns
        -------
        The step: $w^u \\leftarrow w^u + step \\cdot x$ for the nodes on the path of y alone,
        $w^u \\leftarrow w^u - step \\cdot x$ for those on the rival's alone. Nothing changes unless
        it is above 0.

        """

    def _distances(self, y: int) -> Floats:
        """The distance of every node from y in the tree, (nodes,)."""
        return distances_from(y, self._taxonomy._arrays)

    def _start_average(self) -> None:
        """Start averaging the hypotheses."""
        self._lag = Weights(len(self._taxonomy), self.dtype)
        self._clocks = Clocks(len(self._taxonomy))
