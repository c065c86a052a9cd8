"""H-RLS's regret bound, for the true weights and the observed examples."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from ..metrics.costs import Costs, by_node
from ..taxonomy import Label, Taxonomy, check_taxonomy
from .inputs import check_ends, weight_matrix

ROUNDING = 1e-6  # tolerance of norms, which must be 1


def hrls_bound(
    taxonomy: Taxonomy,
    weights: Mapping[Label, Mapping[Any, float]],
    examples: Iterable[tuple[Mapping[Any, float], Any]],
    costs: Costs | None = None,
) -> float:
    r"""H-RLS's worst-case regret on these examples, by the paper's Theorem 2.

    If labels are drawn with the probabilities $(1 + u_i^\top x) / 2$, as in
    `datasets.synth.LinearLabels`, the cumulative regret of H-RLS against the reference classifier,
    in H-loss, is at most[^1] the expectation of

    $$16 \left(1 + \frac{1}{e}\right) \sum_i \frac{C_i}{\Delta_i^2} \sum_j \log(1 + \lambda_{ij})$$

    with $C_i$ the costs of the subtree of node $i$, $\Delta_i = \min_t |u_i^\top x_t|$ over all the
    examples, and $\lambda_{ij}$ the eigenvalues of $S_i S_i^\top$, where $S_i$ holds the $x$ whose
    label has the parent of $i$ on. The eigenvalues depend on the labels; here the observed labels
    replace the expectation. If an example lies on the decision boundary of a node, the bound is
    infinite.

    For a node with $m$ instances of $d$ features it takes $O(\min(m, d)^2)$ memory and
    $O(\min(m, d)^3)$ time, shared by siblings. All examples are kept in memory, as sparse rows.

    Parameters
    ----------
    taxonomy
        A tree.
    weights
        The true weights $u_i$ as `{label: {feature: weight}}`, of norm 1, for every label but the
        root.
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
    >>> bound = evaluate.hrls_bound(t, stream.weights, stream.take(100))

    This is a worst case, far above the regret that is observed:

    >>> bound > 1e6
    True

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. Journal of Machine Learning Research, 7,
        pp.31-54.](https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)

    """
    check_taxonomy(taxonomy)
    taxonomy._check_tree()
    check_ends(examples)
    columns, U = weight_matrix(taxonomy, weights)
    for label, u in zip(taxonomy.nodes[1:], U[1:], strict=True):
        _check_norm(f"the weights of {label!r}", float(np.linalg.norm(u)))
    X, on = _read(taxonomy, columns, examples)
    if not len(on):
        return 0.0
    Delta = np.abs(X[:, : U.shape[1]] @ U.T).min(axis=0)
    cost = by_node(taxonomy, costs, "costs")
    C = np.array([0.0, *(cost(v) for v in range(1, len(taxonomy)))])
    for v in range(len(taxonomy) - 1, 0, -1):
        C[taxonomy._parent_indices[v][0]] += C[v]  # Remark 5, from the leaves upwards
    bound = 0.0
    for siblings in taxonomy._arrays.groups:  # they share S
        S = X[on[:, taxonomy._parent_indices[siblings[0]][0]]]
        if S.shape[0]:
            with np.errstate(divide="ignore"):
                bound += _log_determinant(S) * float((C[siblings] / Delta[siblings] ** 2).sum())
    return 16 * (1 + 1 / math.e) * bound  # Theorem 2


def _log_determinant(S: Any) -> float:
    """`sum_j log(1 + lambda_j) = log det(I + S^T S)`; S has a row for each instance."""
    gram = S @ S.T if S.shape[0] < S.shape[1] else S.T @ S  # the same eigenvalues, 0 apart
    return float(np.linalg.slogdet(np.eye(gram.shape[0]) + gram.toarray())[1])


def _read(
    taxonomy: Taxonomy,
    columns: dict[Any, int],
    examples: Iterable[tuple[Mapping[Any, float], Any]],
) -> tuple[Any, Any]:
    """The features, with a row for each example, and the nodes that are truly on."""
    known = dict(columns)
    at: list[int] = []
    values: list[float] = []
    ends = [0]
    on = []
    for number, (x, y, *_) in enumerate(examples):
        at += (known.setdefault(name, len(known)) for name in x)
        values += x.values()
        ends.append(len(at))
        _check_norm(f"example {number}", math.sqrt(sum(v * v for v in values[ends[-2] :])))
        on.append(taxonomy._closure_mask(y))
    return sparse.csr_array((values, at, ends), shape=(len(on), len(known))), np.array(on)


def _check_norm(what: str, norm: float) -> None:
    if not abs(norm - 1) <= ROUNDING:
        raise ValueError(f"{what} must have norm 1, got {norm:.6g}; the theorem needs it")
