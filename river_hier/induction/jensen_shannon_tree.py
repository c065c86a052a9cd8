from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from river import base

from ..base import check_integer
from ..taxonomy import Label, Taxonomy
from ..taxonomy.graph import check_label, check_spelling
from .agglomeration import agglomerate, recursion
from .binary_tree import BinaryTree
from .distributions import joints, read_counts
from .divergence import upper_bound

__all__ = ["JensenShannonTree"]


class JensenShannonTree(base.Estimator):
    r"""Grows a full binary tree over classes from the words that they use.

    `learn_one` counts the features of each class. `taxonomy` starts from the classes and merges
    two trees at a time, drawn with probability proportional to $2^{-JS}$, where $JS$ is the
    Jensen-Shannon divergence of their word distributions in bits, weighed by their priors; the
    merged tree has the mixture of both. The whole is repeated, and the tree kept with the
    largest $R(root)$, the share of examples that the paper takes to be right: see
    `tree_recursions`.

    Learning takes O(features of x), memory O(features of all classes). A tree of k classes takes
    O(k d) a restart, with d features in all: a thousand classes and thousands of words take
    seconds, ten restarts included.

    Parameters
    ----------
    n_restarts
        How many trees are drawn; the one with the largest R is kept.
    seed
        Seed of the draws. With a seed, `taxonomy` gives the same tree for the same counts.

    Attributes
    ----------
    class_counts : dict
        How many examples each class has had; priors are proportional to them.
    feature_counts : dict
        The sum of each feature over the examples of a class: `{class: {feature: count}}`.

    Raises
    ------
    ValueError
        From `learn_one`, if a value of x is negative or not a finite number; from `taxonomy`, if
        nothing has been learned.

    Notes
    -----
    The procedure that follows Proposition 4 of the paper [^1]. Priors are shares of examples and
    conditionals shares of counts, without smoothing, as there. An x that is empty or zero changes
    nothing.

    The paper computes the divergences of all $O(k^2)$ pairs for each merger. As $JS \le 1$, the
    weights $2^{-JS}$ lie between 1/2 and 1, so here a pair is proposed evenly and accepted with
    probability $2^{-JS}$: the same law, with fewer than two divergences a merger. It also shows
    how little the weights say: no pair is drawn more than twice as often as another, and the
    trees are near to random ones. What makes a difference is the choice among them, and R
    prefers skewed trees with the hard splits at the top. Do not expect a tree that reads like a
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

    The bounds on the error of telling the class from one word:

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
        self.class_counts: dict[Label, int] = {}
        self.feature_counts: dict[Label, dict[Any, float]] = {}
        self._spelling: dict[Label, Label] = {}

    def learn_one(self, x: Mapping[Any, Any], y: Label) -> None:
        """Count the features of an example.

        Parameters
        ----------
        x
            A dictionary of counts, as those of `feature_extraction.BagOfWords`; other
            non-negative weights will do.
        y
            The class.

        """
        check_label(y)
        check_spelling(y, self._spelling.get(y, y))
        values = read_counts(x)
        if not values.any():
            return
        self._spelling.setdefault(y, y)
        self.class_counts[y] = self.class_counts.get(y, 0) + 1
        counts = self.feature_counts.setdefault(y, {})
        for name, value in zip(x, values.tolist(), strict=True):
            if value:
                counts[name] = counts.get(name, 0.0) + value

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
