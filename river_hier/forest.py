"""Forests: randomised trees that grow with the stream, for columns of numbers."""

import abc
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ._core import Batch, Forest, Labels, Multilabels, Nodes, conditional_probabilities
from ._core.features import by_name, checksum_of
from .base.checks import check_integer
from .base.explanation import Floats
from .base.model import MultiLabelModel, SingleLabelModel
from .probabilistic.dense import DenseFeatures
from .taxonomy import Edit, Taxonomy, TaxonomyLike, closure_mask

__all__ = ["ExtraTrees", "MultilabelExtraTrees"]

RIVAL = 1e-4  # the share that every label has in addition
LEAST = 0.01  # conditional probabilities are at least this far from 0 and 1


class Trees(DenseFeatures):
    """What both forests share."""

    _of_labels: bool  # whether the shares are those of labels, not of nodes and all below them

    def __init__(
        self, taxonomy: TaxonomyLike = None, n_trees: int = 100, budget: int = 10_000, seed: int = 0
    ) -> None:
        super().__init__(taxonomy)
        check_integer("n_trees", n_trees, at_least=1)
        check_integer("budget", budget, at_least=1)
        check_integer("seed", seed, at_least=0)
        self.n_trees = n_trees
        self.budget = budget
        self.seed = seed
        self._forest = Forest(n_trees, budget, seed, self._of_labels)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"n_trees": 10}

    @property
    def _d(self) -> int:
        return len(self._features)

    def _widen(self, d: int) -> None:
        """The forest makes room when it learns."""

    @abc.abstractmethod
    def _on(self, y: Any) -> Nodes:
        """The nodes that are on, the root included."""

    @abc.abstractmethod
    def _multilabels(self, y: Any) -> Multilabels:
        """These nodes for some rows."""

    def _learn(self, x: Mapping[Any, Any], y: Any, w: float) -> None:
        self._check(x, w)
        on = self._on(y)
        self._make_room(by_name(x))
        row = self._features.insert(x).dense(self._d)
        self._add(row[None, :], Multilabels(np.array([0, len(on)]), on), np.array([w], np.float64))

    def _learn_slice(self, X: Batch, y: Any) -> None:
        for some, rows, w in self._blocks(X):
            self._add(rows, self._multilabels(y[some]), w)
            X.n_learned += len(rows)

    def _add(self, X: Floats, y: Multilabels, w: Floats) -> None:
        if self._forest.d < self._d:
            self._forest.widen(self._keys())
        X = np.ascontiguousarray(X, dtype=np.float64)
        self._forest.learn(X, y.start, y.nodes, w)

    def _keys(self) -> Nodes:
        """The order in which features are drawn."""
        return np.array(list(map(checksum_of, self._features.names())), dtype=np.uint32)

    def _shares_one(self, x: Mapping[Any, Any]) -> Floats:
        return self._shares(self._features.find(x).dense(self._forest.d)[None, :])[0]

    def _shares_many(self, X: Batch) -> Floats:
        return self._shares(self._matrix(X, self._forest.d))

    def _shares(self, X: Floats) -> Floats:
        X = np.ascontiguousarray(X, dtype=np.float64)
        return self._forest.shares(X, len(self._taxonomy))

    def _edit(self, edit: Edit, labels: Labels) -> None:
        """The examples that are stored have the labels that they would have now."""
        *parameters, (n, targets, *rest) = self._forest.saved()
        targets = [edit._closed(on) for on in targets]
        parameters.append((n, targets, *rest))
        self._forest = type(self._forest)(*parameters)

    def _forget(self, nodes: Nodes) -> None:
        """Take the examples of these nodes out of their leaves."""
        self._forest.forget(np.sort(nodes).astype(np.uint32))

    def _add_nodes(self, before: int, after: Taxonomy) -> None:
        """There is nothing to make room for."""


class ExtraTrees(Trees, SingleLabelModel):
    r"""Extremely randomised trees that grow with the stream.

    Each tree [^1] splits the examples by a threshold of one feature, and each part again, until all
    examples of a leaf have the same label. It takes the best of about $\sqrt{d}$ splits, whose
    features are drawn at random and whose thresholds are drawn uniformly between the smallest and
    the largest value: the split that leaves the smallest variance of the indicators of the path of
    the label, as predictive clustering trees do in taxonomies [^2]. In a flat taxonomy this is the
    Gini impurity. The probability of a label is its share in the leaf of x, the mean over the
    trees; each label has another 0.0001.

    An example is added to its leaf in each tree, which is split if its labels differ. As the first
    splits are made from few examples, each tree is built anew, from those that are stored, when
    half as many again have been learned; the trees take turns. After one pass the forest is nearly
    as good as one that is fitted to all examples at once, up to the `budget`. Trees do not find
    sums of many columns, on which labels depend in embeddings.

    Parameters
    ----------
    taxonomy
        A tree; `None` or an `OpenTaxonomy` takes labels as they arrive.
    n_trees
        The number of trees.
    budget
        The number of examples to store; the oldest is replaced.
    seed
        The seed of the splits.

    Notes
    -----
    With T trees, b stored examples, d features and paths of k nodes, learning takes about
    $O(T (\sqrt{d} k + \log b) \log b)$ and a prediction O(T log b + nodes). Where most columns are
    constant within a leaf, a split also reads what its rows hold. Memory is O(b (T + d)): 30 to
    60 MB for the defaults. Features need no scaling. Examples of weight w count w times. A batch is
    learned as in a loop, except that all its features are known from its first row on.

    Examples
    --------
    >>> from river import datasets, evaluate
    >>> from river_hier import Taxonomy, forest, metrics

    >>> taxonomy = Taxonomy.from_nested({
    ...     "nature": ["sky", "foliage", "grass"],
    ...     "built": ["brickface", "cement", "window", "path"],
    ... })
    >>> model, error = forest.ExtraTrees(taxonomy), metrics.TreeInducedError(taxonomy)
    >>> evaluate.progressive_val_score(datasets.ImageSegments().take(500), model, error)
    TreeInducedError: 0.336

    References
    ----------
    [^1]: [Geurts, P., Ernst, D. and Wehenkel, L., 2006. Extremely randomized trees. Machine
        Learning, 63(1), pp. 3-42.](https://doi.org/10.1007/s10994-006-6226-1)
    [^2]: [Vens et al., 2008. Decision trees for hierarchical multi-label classification. Machine
        Learning 73(2), pp. 185-214.](https://doi.org/10.1007/s10994-008-5077-3)
    """

    _of_labels = True
    _decision_rule = "the likeliest label"

    def _on(self, y: Any) -> Nodes:
        path, above = [int(y)], self._taxonomy._arrays.rows
        while path[-1]:
            path += above[path[-1]]
        return np.array(path[::-1], dtype=np.uint32)

    def _multilabels(self, y: Any) -> Multilabels:
        paths = list(map(self._on, y.tolist()))
        start = np.cumsum([0, *map(len, paths)], dtype=np.int64)
        return Multilabels(start, np.concatenate(paths))

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        return np.log(self._shares_one(x) + RIVAL)

    def _scores_many(self, X: Batch) -> Floats:
        return np.log(self._shares_many(X) + RIVAL).T


class MultilabelExtraTrees(Trees, MultiLabelModel):
    r"""`ExtraTrees` of several labels, in a tree or a DAG.

    The splits leave the smallest variance of the indicators of all nodes that are on. The
    probability of a node is its share among the examples of a part of the tree, the mean over the
    trees. The part is the smallest one around x with at least m examples: its leaf for m = 1, or a
    node above it. Of m = 1, 4, 16 and 64, the one with the smallest logarithmic loss predicts,
    judged on every fourth example before it is learned; each of these losses counts .996 times
    as much at the next one. So the leaves of noisy data are large. A node is on if its parents are
    on and its share is at least half of theirs; a decoder of `decision` predicts what costs least.

    Parameters
    ----------
    taxonomy
        A tree or a DAG, an `OpenTaxonomy`, or `None` for an open flat taxonomy.
    n_trees
        The number of trees.
    budget
        The number of examples to store; the oldest is replaced.
    seed
        The seed of the splits.

    Notes
    -----
    Costs are those of `ExtraTrees`, where k is the number of nodes that are on; a prediction takes
    O(T m k) more. A score is the log-odds of the node given that its parents are on. Shrinking
    leaves towards all nodes above them, as in [^1], has the same aim, but needs sums in every node.

    Examples
    --------
    >>> from river import datasets, evaluate
    >>> from river_hier import Taxonomy, forest, metrics

    >>> taxonomy = Taxonomy.from_nested({
    ...     "nature": ["sky", "foliage", "grass"],
    ...     "built": ["brickface", "cement", "window", "path"],
    ... })
    >>> model, loss = forest.MultilabelExtraTrees(taxonomy), metrics.HLoss(taxonomy)
    >>> evaluate.progressive_val_score(datasets.ImageSegments().take(500), model, loss)
    HLoss: 0.22

    References
    ----------
    [^1]: [Agarwal et al., 2022. Hierarchical shrinkage: improving the accuracy and interpretability
        of tree-based models. ICML 39.](https://proceedings.mlr.press/v162/agarwal22b.html)
    """

    _of_labels = False

    def _on(self, y: Any) -> Nodes:
        return np.flatnonzero(closure_mask(self._taxonomy, y)).astype(np.uint32)

    def _multilabels(self, y: Multilabels) -> Multilabels:
        return y

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        return self._log_odds(self._shares_one(x)[:, None])[:, 0]

    def _scores_many(self, X: Batch) -> Floats:
        return self._log_odds(self._shares_many(X).T)

    def _log_odds(self, shares: Floats) -> Floats:
        """Those of the nodes given that their parents are on; 0 before the first example."""
        given = conditional_probabilities(shares, self._taxonomy._arrays)
        given[:, shares[0] == 0.0] = 0.5
        given = given.clip(LEAST, 1.0 - LEAST)
        return np.log(given) - np.log1p(-given)
