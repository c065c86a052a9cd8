"""The bounds of the papers on the loss of online learners, for the examples of a stream."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._core import distances_from
from ..metrics.costs import Costs, by_node
from ..taxonomy import Label, Taxonomy, check_taxonomy, closure_mask
from .regret import check_ends

MARGIN_ROUNDING = 1e-9  # tolerance of Hieron's margins, relative to the scores
NORM_ROUNDING = 1e-6  # tolerance of norms, which must be 1


def hieron_bound(
    taxonomy: Taxonomy,
    weights: Mapping[Label, Mapping[Any, float]],
    examples: Iterable[tuple[Mapping[Any, float], Label]],
) -> float:
    r"""Hieron's worst-case error on these examples, by Theorem 1 of its paper.

    If weights $\omega$ separate the examples with the margins

    $$\sum_{v \in P(y)} \omega^v \cdot x - \sum_{v \in P(r)} \omega^v \cdot x
    \ge \sqrt{\gamma(y, r)} \quad \textrm{for every label } r \ne y$$

    (Eq. 4), then the cumulative tree-induced error of online Hieron with `C=math.inf` on them,
    and the cumulative squared loss above it, are at most

    $$\sum_v \|\omega^v\|^2 \; \gamma_{\max} \; R^2$$

    with $\gamma_{\max}$ the largest distance in the taxonomy and $R$ the largest norm of an $x$.

    The paper is that of `linear_model.Hieron`. With $n$ nodes and weights for $d$ features, it
    takes $O(n d)$ memory, and $O(n)$ time for each feature of each example.

    Parameters
    ----------
    taxonomy
        A tree.
    weights
        $\omega$ as `{label: {feature: weight}}`: for each node, the difference of its prototype
        from its parent's, as in the `weights` of a model. Missing ones are 0.
    examples
        Pairs of features and a label, which may be any node.

    Raises
    ------
    ValueError
        If the weights do not meet the margins; the message names the first such example.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate

    >>> t = Taxonomy([("animal", "wolf"), ("animal", "owl")])
    >>> weights = {"wolf": {"howls": 1.0, "hoots": -1.0}, "owl": {"howls": -1.0, "hoots": 1.0}}
    >>> examples = [({"howls": 1.0}, "wolf"), ({"hoots": 1.0}, "owl")]
    >>> evaluate.hieron_bound(t, weights, examples)
    8.0

    """
    check_taxonomy(taxonomy)
    taxonomy._arrays.check_tree()
    check_ends(examples)
    columns, omega = _weight_matrix(taxonomy, weights)
    W = omega.copy()
    for v, parents in enumerate(taxonomy._arrays.parents):
        for parent in parents:
            W[v] += W[parent]  # Eq. 2, from the root downwards
    R2 = 0.0
    for number, (x, y, *_) in enumerate(examples):
        node = taxonomy.index(y)
        gamma = distances_from(node, taxonomy._arrays)
        known = {columns[name]: value for name, value in x.items() if name in columns}
        scores = W[:, list(known)] @ np.fromiter(known.values(), float, len(known))
        margins = scores[node] - scores
        slack = margins - np.sqrt(gamma)  # Eq. 4
        r = int(slack.argmin())
        if not slack[r] >= -MARGIN_ROUNDING * (1 + np.abs(scores).max()):
            raise ValueError(
                f"the weights do not separate example {number} ({y!r}): its score exceeds that "
                f"of {taxonomy.nodes[r]!r} by {margins[r]:.6g}, but Eq. 4 asks for "
                f"{np.sqrt(gamma[r]):.6g}, the root of their distance"
            )
        R2 = max(R2, sum(value * value for value in x.values()))
    # The last node is one of the deepest, so it is an end of a longest path in the tree.
    gamma_max = distances_from(len(taxonomy) - 1, taxonomy._arrays).max()
    return float((omega**2).sum() * gamma_max * R2)  # Corollary 1, Eq. 10


def hrls_bound(
    taxonomy: Taxonomy,
    weights: Mapping[Label, Mapping[Any, float]],
    examples: Iterable[tuple[Mapping[Any, float], Any]],
    costs: Costs | None = None,
) -> float:
    r"""H-RLS's worst-case regret on these examples, by Theorem 2 of its paper.

    If labels are drawn with the probabilities $(1 + u_i^\top x) / 2$, as in
    `datasets.synth.LinearLabels`, the cumulative regret of H-RLS against the reference classifier,
    in H-loss, is at most the expectation of

    $$16 \left(1 + \frac{1}{e}\right) \sum_i \frac{C_i}{\Delta_i^2} \sum_j \log(1 + \lambda_{ij})$$

    with $C_i$ the costs of the subtree of node $i$, $\Delta_i = \min_t |u_i^\top x_t|$ over all the
    examples, and $\lambda_{ij}$ the eigenvalues of $S_i S_i^\top$, where $S_i$ holds the $x$ whose
    label has the parent of $i$ on. Here the observed labels replace the expectation. If an example
    lies on the decision boundary of a node, the bound is infinite.

    The paper is that of `linear_model.HRLS`. For a node with $m$ instances of $d$ features it takes
    $O(\min(m, d)^2)$ memory and $O(\min(m, d)^3)$ time, shared by siblings.

    Parameters
    ----------
    taxonomy
        A tree.
    weights
        The true weights $u_i$ as `{label: {feature: weight}}`, of norm 1, without the root's.
    examples
        Pairs of features, of norm 1, and a multilabel.
    costs
        `{label: cost}`, positive and finite; other labels cost 1.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy([("animal", "mammal"), ("animal", "bird"), ("mammal", "wolf")])
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)
    >>> evaluate.hrls_bound(t, stream.weights, stream.take(100)) > 1e6  # a worst case
    True

    """
    check_taxonomy(taxonomy)
    taxonomy._arrays.check_tree()
    check_ends(examples)
    columns, U = _weight_matrix(taxonomy, weights)
    for label, u in zip(taxonomy.nodes[1:], U[1:], strict=True):
        _check_norm(f"the weights of {label!r}", float(np.linalg.norm(u)))
    at: list[int] = []
    values: list[float] = []
    ends, closures = [0], []
    for number, (x, y, *_) in enumerate(examples):
        at += (columns.setdefault(name, len(columns)) for name in x)
        values += x.values()
        ends.append(len(at))
        _check_norm(f"example {number}", math.sqrt(sum(v * v for v in values[ends[-2] :])))
        closures.append(closure_mask(taxonomy, y))
    if not closures:
        return 0.0
    X: Any = sparse.csr_array((values, at, ends), shape=(len(closures), len(columns)))
    on = np.array(closures)
    Delta = np.abs(X[:, : U.shape[1]] @ U.T).min(axis=0)
    cost = by_node(taxonomy, costs, "costs")
    C = np.array([0.0, *(cost(v) for v in range(1, len(taxonomy)))])
    for v in range(len(taxonomy) - 1, 0, -1):
        C[taxonomy._arrays.parents[v][0]] += C[v]  # Remark 5, from the leaves upwards
    bound = 0.0
    for siblings in taxonomy._arrays.groups:  # they share S
        S = X[on[:, taxonomy._arrays.parents[siblings[0]][0]]]
        if S.shape[0]:
            gram = S @ S.T if S.shape[0] < S.shape[1] else S.T @ S  # the same eigenvalues, 0 apart
            logs = float(np.linalg.slogdet(np.eye(gram.shape[0]) + gram.toarray())[1])
            with np.errstate(divide="ignore"):
                bound += logs * float((C[siblings] / Delta[siblings] ** 2).sum())
    return 16 * (1 + 1 / math.e) * bound  # Theorem 2


def _check_norm(what: str, norm: float) -> None:
    if not abs(norm - 1) <= NORM_ROUNDING:
        raise ValueError(f"{what} must have norm 1, got {norm:.6g}; the theorem needs it")


def _weight_matrix(
    taxonomy: Taxonomy, weights: Mapping[Label, Mapping[Any, float]]
) -> tuple[dict[Any, int], NDArray[np.float64]]:
    """The column of each feature, and a matrix with the weights of each node as a row."""
    names = dict.fromkeys(name for w in weights.values() for name in w)
    columns = {name: j for j, name in enumerate(names)}
    matrix = np.zeros((len(taxonomy), len(columns)))
    for label, w in weights.items():
        v = taxonomy.index(label)
        for name, value in w.items():
            matrix[v, columns[name]] = value
    return columns, matrix
