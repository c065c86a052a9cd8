from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from river import base

from ..base.checks import check_integer, checked_weight
from ..taxonomy import Label, Taxonomy
from ..taxonomy.graph import check_label, check_spelling
from .binary_tree import BinaryTree, Children
from .divergence import Joint, Split, divergence, joints, merge, read_counts, upper_bound
from .tree_recursions import recursion

__all__ = ["JensenShannonTree"]


class JensenShannonTree(base.Estimator):
    r"""Build a full binary tree over classes from their feature counts.

    `learn_one` counts the features of each class. `taxonomy` starts from the classes and merges
    two trees at a time. The pair is drawn with probability proportional to $2^{-JS}$, where $JS$
    is the Jensen-Shannon divergence of their feature distributions in bits, weighted by their
    priors; the merged tree has the mixture of both. This is repeated, and the tree with the
    largest $R(root)$ is kept, the paper's estimate of the accuracy: see `tree_recursions`.

    Learning takes O(features of x), memory O(features of all classes). Building a tree of k
    classes with d features takes O(k d) per restart: ten restarts with a thousand classes and
    thousands of words take seconds.

    Parameters
    ----------
    n_restarts
        The number of trees drawn; the one with the largest R is kept.
    seed
        Random seed. With a seed, `taxonomy` returns the same tree for the same counts.

    Attributes
    ----------
    class_counts : dict
        The number of examples of each class; priors are proportional to it.
    feature_counts : dict
        The sum of each feature over the examples of a class: `{class: {feature: count}}`.

    Raises
    ------
    ValueError
        From `learn_one`, if a value of x is negative or not a finite number; from `taxonomy`, if
        nothing has been learned.

    Notes
    -----
    The procedure after Proposition 4 of the paper [^1]. As there, priors are relative frequencies
    of examples and conditionals relative frequencies of features, without smoothing. An x that is
    empty or zero is ignored.

    The paper computes the divergences of all $O(k^2)$ pairs for each merge. As $JS \le 1$, the
    weights $2^{-JS}$ lie between 1/2 and 1, so here a pair is drawn uniformly and accepted with
    probability $2^{-JS}$. The distribution is the same, with fewer than two divergences per merge
    on average. It also shows how little the weights matter: no pair is drawn more than twice as
    often as another, and the trees are close to random ones. The choice among them matters more,
    and R prefers skewed trees with the hard splits at the top. Do not expect a tree like a
    taxonomy made by hand.

    Examples
    --------

    >>> from river import feature_extraction
    >>> from river_hier import induction

    >>> texts = [
    ...     ("goal match goal referee", "football"),
    ...     ("match racket serve serve", "tennis"),
    ...     ("aria stage tenor", "opera"),
    ...     ("stage dancer dancer", "ballet"),
    ... ]
    >>> bag = feature_extraction.BagOfWords()
    >>> builder = induction.JensenShannonTree(seed=42)
    >>> for text, label in texts:
    ...     builder.learn_one(bag.transform_one(text), label)

    >>> tree = builder.taxonomy()
    >>> tree
    Taxonomy(root='split 1', 7 nodes, 4 leaves, height 3)

    >>> tree.path("opera")
    ('split 1', 'opera')

    Bounds on the error of predicting the class from one word:

    >>> lower, upper = induction.bayes_error_bounds(builder.class_counts, builder.feature_counts)
    >>> round(lower, 3), round(upper, 3)
    (0.007, 0.146)

    References
    ----------
    [^1]: El-Yaniv, R. and Etzion-Rosenberg, N., 2002. Hierarchical multiclass decompositions with
        application to authorship determination.

    """

    def __init__(self, n_restarts: int = 10, seed: int | None = None) -> None:
        check_integer("n_restarts", n_restarts, at_least=1)
        if seed is not None:
            check_integer("seed", seed, at_least=0)
        self.n_restarts = n_restarts
        self.seed = seed
        self.class_counts: dict[Label, float] = {}
        self.feature_counts: dict[Label, dict[Any, float]] = {}
        self._spelling: dict[Label, Label] = {}

    def learn_one(self, x: Mapping[Any, Any], y: Label, w: float = 1) -> None:
        """Count the features of an example.

        Parameters
        ----------
        x
            A dictionary of counts, e.g. of `feature_extraction.BagOfWords`, or of other
            non-negative weights.
        y
            The class.
        w
            The weight of the example, at least 0: how often it counts.

        """
        if w != 1 and not (w := checked_weight(w)):
            return
        check_label(y)
        check_spelling(y, self._spelling.get(y, y))
        values = read_counts(x)
        if not values.any():
            return
        self._spelling.setdefault(y, y)
        self.class_counts[y] = self.class_counts.get(y, 0) + w
        counts = self.feature_counts.setdefault(y, {})
        for name, value in zip(x, values.tolist(), strict=True):
            if value:
                counts[name] = counts.get(name, 0.0) + w * value

    def taxonomy(self) -> Taxonomy:
        """Build the tree from what has been counted so far.

        At the end of a pipeline it is called as `pipeline["JensenShannonTree"].taxonomy()`.

        Returns
        -------
        A full binary tree. Its leaves are the classes, its inner nodes `"split 1"`, the root,
        `"split 2"` and so on, except where a class has such a name.

        """
        if not self.class_counts:
            raise ValueError("no example with features has been learned, so there is no class yet")
        classes = joints(self.class_counts, self.feature_counts)
        rng = np.random.default_rng(self.seed)
        draws = (agglomerate(classes, rng) for _ in range(self.n_restarts))
        children, _ = max(draws, key=lambda draw: recursion(draw[0], draw[1], upper_bound))
        return BinaryTree.build(tuple(self.class_counts), tuple(children)).taxonomy()


def agglomerate(
    classes: Sequence[Joint], rng: np.random.Generator
) -> tuple[list[Children], list[Split]]:
    """Merge two trees at a time, drawn with probability proportional to 2^-JS.

    JS is at most one bit, so these weights lie between 1/2 and 1. Therefore a pair is drawn
    uniformly and accepted with probability 2^-JS. The distribution is the same, and a merge takes
    fewer than two divergences on average instead of O(k^2): O(k d) for a tree.
    """
    forest = [(~c, joint) for c, joint in enumerate(classes)]
    children: list[Children] = []
    splits: list[Split] = []
    while len(forest) > 1:
        i, j = _pair(len(forest), rng)
        (left, a), (right, b) = forest[i], forest[j]
        both, split = merge(a, b)
        if rng.random() < 2.0 ** -divergence(split):
            forest[i] = len(children), both  # the mutual source, with the weight of both
            del forest[j]
            children.append((left, right))
            splits.append(split)
    return children, splits


def _pair(n: int, rng: np.random.Generator) -> tuple[int, int]:
    """Two of n indices, each pair with the same probability."""
    i, j = int(rng.integers(n)), int(rng.integers(n - 1))
    j += j >= i
    return min(i, j), max(i, j)
