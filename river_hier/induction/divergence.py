"""Class distributions, their Jensen-Shannon divergence, and bounds on the Bayes error, in bits.

A class c is represented by the row of its joint probabilities `pi_c p_c(x)`, and a set of classes
by the sum of their rows. With f the sum of `p log2 p` over a row, for the rows a, b and their
total weight w,

    w J = f(a + b) - f(a) - f(b),

where J is the entropy of "a or b?" that remains when x is known.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._core import read
from ..metrics.costs import is_positive
from ..taxonomy import Taxonomy, check_taxonomy
from .binary_tree import BinaryTree, Children

# Mapping[Label, float] would refuse a dict[str, float]: the type of the keys is invariant.
Priors = Mapping[Any, float]
Conditionals = Mapping[Any, Mapping[Any, float]]
Floats = NDArray[np.float64]


class Joint(NamedTuple):
    """The joint probabilities of one or more classes with each x."""

    row: sparse.csr_array  # (1, d), without the zeros
    weight: float  # their sum, the prior of these classes
    terms: Floats  # p log2 p of each x in the row
    plogp: float  # their sum

    @classmethod
    def of(cls, row: sparse.csr_array) -> Joint:
        p = row.data
        terms = p * np.log2(p)
        return cls(row, float(p.sum()), terms, float(terms.sum()))


class Split(NamedTuple):
    """How hard the two sides of an inner node are to tell apart."""

    q: float  # the prior of the left side, given that it is one of the two
    J: float  # H_b(q) - JS


def merge(left: Joint, right: Joint) -> tuple[Joint, Split]:
    """The union of two sets of classes, and the split between them: O(features of both)."""
    both = Joint.of(left.row + right.row)
    J = (both.plogp - left.plogp - right.plogp) / both.weight
    return both, Split(left.weight / both.weight, max(J, 0.0))


def divergences(one: Joint, others: Sequence[Joint]) -> tuple[Floats, Floats]:
    """JS of one set of classes and each of the others, and the prior of both: O(features of all).

    Where only one of the rows a, b is above 0, f(a + b) = f(a) + f(b).
    """
    if not others:
        return np.empty(0), np.empty(0)
    a, a_terms = np.zeros((2, one.row.shape[1]))
    a[one.row.indices], a_terms[one.row.indices] = one.row.data, one.terms
    indices = np.concatenate([other.row.indices for other in others])
    owners = np.repeat(np.arange(len(others)), [len(other.terms) for other in others])
    shared = np.flatnonzero(a[indices])
    indices, owners = indices[shared], owners[shared]
    b = np.concatenate([other.row.data for other in others])[shared]
    b_terms = np.concatenate([other.terms for other in others])[shared]
    both = a[indices] + b
    terms = both * np.log2(both) - a_terms[indices] - b_terms
    left, right = one.weight, np.array([other.weight for other in others])
    weights = left + right
    q, J = left / weights, np.bincount(owners, terms, len(others)) / weights
    JS = -q * np.log2(q) - (1.0 - q) * np.log2(1.0 - q) - J.clip(0.0)
    return JS.clip(0.0), weights


def lower_bound(J: float, k: int = 2) -> float:
    """Lin's lower bound on the Bayes error of k classes (Eq. 4 and 5)."""
    return J**2 / (4.0 * (k - 1)) if k > 1 else 0.0


def upper_bound(J: float) -> float:
    """Lin's upper bound on the Bayes error (Eq. 4 and 5)."""
    return J / 2.0


def joints(priors: Priors, conditionals: Conditionals) -> list[Joint]:
    """Check and normalise; `pi_c p_c` of each class, in the order of the priors."""
    _check(priors, conditionals)
    total = float(sum(priors.values()))
    columns: dict[Any, int] = {}
    found: list[tuple[list[int], Floats]] = []
    for label, prior in priors.items():
        p = conditionals[label]
        try:
            values = read_counts(p)
        except (TypeError, ValueError) as error:
            raise type(error)(f"`conditionals[{label!r}]`: {error}") from None
        if not values.any():
            raise ValueError(f"`conditionals[{label!r}]` has no feature above 0")
        indices = [columns.setdefault(name, len(columns)) for name in p]
        found.append((indices, values * (prior / total / values.sum())))
    return [Joint.of(_row(indices, values, len(columns))) for indices, values in found]


def read_counts(x: Mapping[Any, Any]) -> Floats:
    """The values of x, which must be numbers of at least 0."""
    values, _ = read(x)
    if len(values) and values.min() < 0.0:
        name = list(x)[int(values.argmin())]
        raise ValueError(
            f"feature {name!r} is {x[name]!r}; a count must be at least 0, as those of river's "
            "feature_extraction.BagOfWords and preprocessing.MinMaxScaler are"
        )
    return values


def _check(priors: Priors, conditionals: Conditionals) -> None:
    for name, given in (("priors", priors), ("conditionals", conditionals)):
        if not isinstance(given, Mapping):
            raise TypeError(f"`{name}` must be a dict by class, got {type(given).__name__}")
    if not priors:
        raise ValueError("`priors` is empty; give at least one class")
    for label, prior in priors.items():
        if not is_positive(prior):
            raise ValueError(f"`priors[{label!r}]` must be positive and finite, got {prior!r}")
        if label not in conditionals:
            raise ValueError(f"class {label!r} has a prior, but is not in `conditionals`")
    for label in conditionals:
        if label not in priors:
            raise ValueError(f"class {label!r} is in `conditionals`, but has no prior")


def _row(indices: list[int], values: Floats, d: int) -> sparse.csr_array:
    nonzero = values > 0.0
    arrays = (values[nonzero], np.array(indices)[nonzero], [0, int(nonzero.sum())])
    row = sparse.csr_array(arrays, shape=(1, d))
    row.sort_indices()  # makes sums faster
    return row


def bayes_error_bounds(priors: Priors, conditionals: Conditionals) -> tuple[float, float]:
    r"""Return Lin's bounds on the Bayes error, the smallest error of any classifier.

    With the priors $\pi$ of k classes, their conditionals $p_1, \dots, p_k$ and

    $$J = H(\pi) - JS_\pi(p_1, \dots, p_k),$$

    the entropy of the class given x, in bits, the Bayes error is at least $J^2 / (4 (k - 1))$ and
    at most $J / 2$. Computing the bounds takes O(features of all classes).

    Parameters
    ----------
    priors
        `{class: prior}`, counts or probabilities; they are normalised.
    conditionals
        `{class: {x: probability of x in that class}}`, counts or probabilities; each is
        normalised. An x that is missing has probability 0.

    Returns
    -------
    The lower and the upper bound, as `(float, float)`.

    Raises
    ------
    ValueError
        If a prior is not positive, a class is missing on one side, a conditional is all zero, or
        a value is negative or not a finite number.

    Notes
    -----
    Theorems 1 and 2 of the paper [^1], from Lin [^2]. Both also bound the error of any binary
    decomposition, hard or soft, whose inner nodes decide for the larger posterior. If the x are
    words of documents, the bounds are for the class of a single word.

    Examples
    --------

    >>> from river_hier import induction

    >>> priors = {"sport": 2, "culture": 1}
    >>> conditionals = {
    ...     "sport": {"ball": 6, "stage": 1, "play": 3},
    ...     "culture": {"ball": 1, "stage": 7, "play": 2},
    ... }
    >>> lower, upper = induction.bayes_error_bounds(priors, conditionals)
    >>> round(lower, 3), round(upper, 3)  # the Bayes error is 0.167
    (0.095, 0.308)

    References
    ----------
    [^1]: El-Yaniv, R. and Etzion-Rosenberg, N., 2002. Hierarchical multiclass decompositions with
        application to authorship determination.
    [^2]: [Lin, J., 1991. Divergence measures based on the Shannon entropy. IEEE Transactions on
        Information Theory, 37(1), pp. 145-151.](https://doi.org/10.1109/18.61115)

    """
    classes = joints(priors, conditionals)
    row = functools.reduce(operator.add, (joint.row for joint in classes))
    J = max(Joint.of(row).plogp - sum(joint.plogp for joint in classes), 0.0)
    return lower_bound(J, len(classes)), upper_bound(J)


def tree_recursions(
    taxonomy: Taxonomy, priors: Priors, conditionals: Conditionals
) -> tuple[float, float]:
    r"""Return the paper's lower and upper figure for the error of a binary decomposition.

    At an inner node v let $q_L$ and $q_R$ be the priors of the classes on its two sides, given
    that it is one of them, and $J_v = H_b(q_L) - JS$ of the two mixtures. The upper figure is
    $1 - R(root)$ with

    $$R(v) = \left(1 - J_v / 2\right) (q_L R(L) + q_R R(R)), \qquad R(leaf) = 1,$$

    and the lower figure the same with $J_v^2 / 4$ in place of $J_v / 2$. `JensenShannonTree`
    keeps the tree with the lowest upper figure. Computing them takes O(features of all nodes).

    **They are not bounds, although the paper says so.** For bounds, see `bayes_error_bounds`.

    Parameters
    ----------
    taxonomy
        A full binary tree whose leaves are the classes.
    priors, conditionals
        As in `bayes_error_bounds`.

    Returns
    -------
    The lower and the upper figure, as `(float, float)`.

    Raises
    ------
    ValueError
        If the taxonomy is not a full binary tree or its leaves are not the classes; otherwise as in
        `bayes_error_bounds`.

    Notes
    -----
    Propositions 3 and 4 of the paper of `bayes_error_bounds`. If errors exclude each other, the
    true error is larger than the upper figure; if they are nested, it is smaller than the lower
    one. Both examples below are of trees with an error of 0.25.

    Examples
    --------

    >>> from river_hier import Taxonomy, induction

    >>> t = Taxonomy([("all", "ab"), ("all", "c"), ("ab", "a"), ("ab", "b")])
    >>> priors = {"a": 0.25, "b": 0.25, "c": 0.5}
    >>> conditionals = {"a": {1: 0.4, 2: 0.6}, "b": {2: 0.6, 3: 0.4}, "c": {1: 0.2, 4: 0.8}}
    >>> _, upper = induction.tree_recursions(t, priors, conditionals)
    >>> upper
    0.235

    >>> t = Taxonomy([(0, "a"), (0, 1), (1, 2), (1, 3), (2, "b"), (2, "c"), (3, "d"), (3, "e")])
    >>> priors = {"a": 0.75, "b": 0.0625, "c": 0.0625, "d": 0.0625, "e": 0.0625}
    >>> lower, _ = induction.tree_recursions(t, priors, {label: {"x": 1} for label in priors})
    >>> lower
    0.256

    """
    check_taxonomy(taxonomy)
    tree = BinaryTree.of(taxonomy)
    for label in priors:
        if label not in tree.number:
            raise ValueError(f"class {label!r} has a prior, but is not a leaf of the taxonomy")
    for label in tree.classes:
        if label not in priors:
            raise ValueError(f"leaf {label!r} of the taxonomy has no prior")
    classes = joints({label: priors[label] for label in tree.classes}, conditionals)
    nodes: list[Joint] = []
    splits: list[Split] = []
    for pair in tree.splits:
        both, split = merge(*(nodes[v] if v >= 0 else classes[~v] for v in pair))
        nodes.append(both)
        splits.append(split)
    R_lower, R_upper = (recursion(tree.splits, splits, e) for e in (lower_bound, upper_bound))
    return 1.0 - R_lower, 1.0 - R_upper


def recursion(
    children: Sequence[Children], splits: Sequence[Split], error: Callable[[float], float]
) -> float:
    """R(root), with R(leaf) = 1 and R(v) = (1 - error(J_v)) (q_L R(L) + q_R R(R)) (Eq. 6)."""
    R: list[float] = []
    for (left, right), (q, J) in zip(children, splits, strict=True):
        R_L, R_R = (R[v] if v >= 0 else 1.0 for v in (left, right))
        R.append((1.0 - error(J)) * (q * R_L + (1.0 - q) * R_R))
    return R[-1] if R else 1.0
