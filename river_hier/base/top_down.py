"""Multilabel learners with a weight vector at every node, each trained independently."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from .._core import (
    Batch,
    Labels,
    Vectors,
    averaged_scores,
    joined_weights,
    learn_top_down,
    logistic,
    node_probabilities,
    own_weights,
    top_down,
    top_down_answers,
    top_down_nodes,
    weights_of,
)
from ..taxonomy import NodeMapping
from .copies import shallow_copy
from .explanation import Floats
from .linear import LinearLearner
from .multi_label import MultiLabelModel
from .products import pays, score_blocks, scores_by_product


class TopDownLearner(LinearLearner, MultiLabelModel):
    """Base class of multilabel learners with a weight vector at every node.

    A learner is defined by its `rule`. The library does the rest: a node is trained only on
    examples whose parents are truly on, and predicted to be on if its parents are and its score $w
    \\cdot x$ is at least 0. Mini-batches, open taxonomies, `adopt` and `forget`, truncated
    predictions, explanations, pickles, averages, calibration and shards work without further code.

    Parameters
    ----------
    taxonomy
        A tree or a DAG, an `OpenTaxonomy`, or `None` for an open flat taxonomy.
    n_features
        The number of rows, a power of 2, into which names of features are hashed. `None` keeps
        every name.
    dtype
        The type of the stored weights, `"float64"` or `"float32"`; with variances also `"float16"`
        (see `HAROW`).
    intercept
        The value of a constant feature that is added to every x, and whose weights give the
        intercepts of the nodes. The default, 0, adds none.

    Examples
    --------

    The perceptron is two lines:

    >>> from river import evaluate
    >>> from river_hier import Taxonomy, base, metrics
    >>> from river_hier.datasets import synth

    >>> class Perceptron(base.TopDownLearner):
    ...     def rule(self, score, y, norm2):
    ...         return y * ((score >= 0) != (y > 0))

    >>> taxonomy = Taxonomy([("all", "news"), ("news", "sport"), ("news", "politics")])
    >>> stream = synth.PrototypePaths(taxonomy, seed=42)
    >>> metric = metrics.HLoss(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream.take(500), Perceptron(stream.taxonomy), metric)
    HLoss: 0.072

    """

    second_order: ClassVar[bool] = False
    """Whether weights have variances, which the rule is then given."""

    forgetting: float = 1.0
    """The factor by which a second-order step discounts the precision gained before it."""

    _rule_methods = ("rule", "learns", "second_order")
    _learn_by_rule = staticmethod(learn_top_down)

    @abc.abstractmethod
    def rule(self, score: Floats, y: Floats, norm2: float, variance: Floats = ...) -> Any:
        """How far the weights of nodes move along x.

        Parameters
        ----------
        score
            $w \\cdot x$ of each node that is trained, (nodes,).
        y
            +1 where the node is truly on, -1 where it is off, (nodes,).
        norm2
            $\\|x\\|^2$, the constant feature included, above 0.
        variance
            $x^\\top \\Sigma x$ of each node; only a rule of `second_order` takes it.

        Returns
        -------
        The step of each node, (nodes,): $w \\leftarrow w + step \\cdot x$, 0 for nodes that do not
        move. A rule of `second_order` returns a step and a confidence for each node:
        $w \\leftarrow w + step \\cdot \\Sigma x$, $\\Sigma \\leftarrow \\Sigma - confidence \\cdot
        (\\Sigma x)^2$ on the diagonal.

        """

    def learns(self, score: Floats, y: Floats) -> NDArray[np.bool_]:
        """The nodes to which the rule is applied: by default all trained nodes.

        Parameters
        ----------
        score
            $w \\cdot x$ of each node that is trained.
        y
            +1 where the node is truly on, -1 where it is off.

        Returns
        -------
        A mask, (nodes,). A second-order learner leaves nodes as they are by this mask.

        """
        return np.ones(len(score), dtype=bool)

    def _nodes_on(self, x: Mapping[Any, Any]) -> list[int]:
        return top_down_nodes(self._w, self._lag, self._clocks, self._features, self._labels, x)

    def _masks(self, X: Batch) -> NDArray[np.bool_]:
        if pays(self, X):
            arrays = self._labels.taxonomy._arrays  # which are flat in shards
            on = [top_down(s >= 0.0, arrays).T for s in score_blocks(self, X)]
            return np.concatenate(on)
        vectors = Vectors(self._features, X)
        return top_down_answers(self._w, self._lag, self._clocks, self._labels, vectors)

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        return averaged_scores(self._w, self._lag, self._clocks, self._features.find(x))

    def _scores_many(self, X: Batch) -> Floats:
        if pays(self, X):
            return scores_by_product(self, X)
        return averaged_scores(self._w, self._lag, self._clocks, Vectors(self._features, X))

    def _conditionals(self, scores: Floats) -> Floats:
        return logistic(scores)

    def _probabilities_one(
        self, x: Mapping[Any, Any], calibration: Any = None, given: bool = False
    ) -> Any:
        state = self._w, self._lag, self._clocks, self._features, self._labels
        return node_probabilities(*state, x, self._unlearned, calibration, given)

    def _remap(self, change: NodeMapping) -> None:
        onto = own_weights(change.sources, len(change.before))
        self._move_weights(onto, change.sources)

    # Shards, each of which trains some of the nodes

    def _shard(self, nodes: Sequence[int]) -> Self:
        """The shard of these nodes."""
        part = shallow_copy(self)
        part._labels = Labels(self._taxonomy, nodes)
        part._w = weights_of(self._w, nodes, len(self._taxonomy))
        return part

    def _join_shards(self, parts: Sequence[Any], owners: Sequence[int]) -> None:
        """Put the shards together in this model."""
        self._labels = Labels(self._taxonomy)
        self._w = joined_weights([part._w for part in parts])
