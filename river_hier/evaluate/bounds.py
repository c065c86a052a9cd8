"""The bounds of the papers on the loss of online learners, for the examples of a stream.

Those of `linear_model.Hieron` are of Dekel, Keshet and Singer (2004), the others of Cesa-Bianchi,
Gentile and Zaniboni (2006). The taxonomy must be a tree. `weights`, `{label: {feature: weight}}`,
are those of a comparator; missing ones are 0. Hieron's are the differences between the prototypes
of a node and of its parent, as in the `weights` of a model. Examples are pairs of features and
label, read once. `costs` are those of the H-loss, `{label: cost}`, positive and finite; other
labels cost 1. As the zero-one loss is at most the H-loss, a bound on the latter holds for both; if
each label costs as much as there are nodes below it, itself included, also for the symmetric
difference. Bounds on the H-loss omit the first example, for which no label is predicted.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from .._core import distances_from
from .._core.batch import sparse_rows
from ..base.checks import check_cap, check_probability
from ..metrics.costs import Costs, by_node
from ..taxonomy import Label, Taxonomy, check_taxonomy, closure_mask
from .regret import check_ends

NORM_ROUNDING = 1e-6  # tolerance of norms, which must be 1
Weights = Mapping[Label, Mapping[Any, float]]
Examples = Iterable[tuple[Mapping[Any, float], Any]]


def hieron_bound(
    taxonomy: Taxonomy, weights: Weights, examples: Examples, C: float = math.inf
) -> float:
    r"""Hieron's worst-case error on these examples, by Theorem 1 of its paper, and without margins.

    With the loss $\ell_t(r)$ (Eq. 5) of weights $\omega$ on example t for a label r, the largest
    distance $\gamma_{\max}$ in the taxonomy, and the largest norm $R$ of an x, the cumulative
    tree-induced error of online Hieron is at most

    $$\gamma_{\max} R^2 \left(L + \sqrt{L^2 + \|\omega\|^2}\right)^2 \quad \textrm{with} \quad
    L^2 = \sum_t \max_r \frac{\ell_t(r)^2}{\gamma(y_t, r) \|x_t\|^2}$$

    If $\omega$ meets all margins (Eq. 4), $L = 0$: Corollary 1. It then also bounds the squared
    loss. Else the proof is the paper's, with losses left in. If steps are at most `C`, it is at
    most $\max(\gamma_{\max} R^2, \sqrt{\gamma_{\max}} / C) (\|\omega\|^2 + 2 C \sum_t \max_r
    \ell_t(r))$, as that of PA-I (Crammer et al., 2006, Theorem 4). Both hold for every $\omega$.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate

    >>> t, weights = Taxonomy.flat("ab"), {"a": {"x": 1.0, "y": -1.0}, "b": {"x": -1.0, "y": 1.0}}
    >>> examples = [({"x": 1.0}, "a"), ({"y": 1.0}, "b")]
    >>> evaluate.hieron_bound(t, weights, examples)
    8.0
    >>> evaluate.hieron_bound(t, weights, [*examples, ({"x": 1.0}, "b")], C=1.0)
    21.657

    """
    check_cap("C", C)
    _, norms2, far, R2, squares, hinge = _losses(taxonomy, weights, examples)
    norm2 = float(norms2.sum())
    if math.isinf(C):
        total = (math.sqrt(squares) + math.sqrt(squares + norm2)) ** 2
        return far * R2 * total if squares < math.inf else squares  # Eq. 10
    return max(far * R2, math.sqrt(far) / C) * (norm2 + 2 * C * hinge)


def hieron_risk_bound(
    taxonomy: Taxonomy, weights: Weights, examples: Examples, loss: float, delta: float = 0.05
) -> float:
    r"""Batch Hieron's expected tree-induced error after these examples, by Theorem 2 of its paper.

    If the m examples are independent, it is at most

    $$\frac{\mathcal{L} + \lambda}{m + 1} + \lambda \sqrt{\frac{2 \ln(1 / \delta)}{m}}
    \quad \textrm{with} \quad \lambda = k B^2 R^2 \gamma_{\max}$$

    with a probability of at least $1 - \delta$, for k labels, and $B$ the largest norm of an
    $\omega^v$. `loss` is the cumulative squared loss $\mathcal{L}$ of
    `AveragedHieron(C=math.inf, from_first_round=True)`, or `hieron_bound`, which is larger. If
    $\omega$ does not meet all margins, there is no bound: `inf`.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate

    >>> t, weights = Taxonomy.flat("ab"), {"a": {"x": 1.0, "y": -1.0}, "b": {"x": -1.0, "y": 1.0}}
    >>> examples = [({"x": 1.0}, "a"), ({"y": 1.0}, "b")] * 50_000
    >>> evaluate.hieron_risk_bound(t, weights, examples, loss=8.0)
    0.0931

    """
    check_probability("delta", delta)
    m, norms2, far, R2, squares, _ = _losses(taxonomy, weights, examples)
    if squares > NORM_ROUNDING:
        return math.inf
    lambda_ = len(taxonomy) * float(norms2.max()) * R2 * far
    return (loss + lambda_) / (m + 1) + lambda_ * math.sqrt(2 * math.log(1 / delta) / m)


def hieron_weights(
    taxonomy: Taxonomy, examples: Examples, C: float = math.inf, n_passes: int = 100
) -> dict[Label, dict[Any, float]]:
    r"""Weights for the bounds on Hieron's error: a comparator in hindsight, of bounded norm.

    They approach the $\omega$ for which `hieron_bound` with this `C` is least, the minimum of
    $\|\omega\|^2 / 2 + C \sum_t \max_r \ell_t(r)$. If `C` is infinite, they meet all margins at the
    least norm, if any do. A small `C` gives a small norm. Each pass takes coordinate steps in the
    dual: from the label whose margin is met best to the one with the largest loss. For n nodes, it
    takes $O(n^2)$ time for each example, and $O(n)$ for each of its features.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate

    >>> t, examples = Taxonomy.flat("ab"), [({"x": 1.0}, "a"), ({"y": 1.0}, "b")]
    >>> weights = evaluate.hieron_weights(t, examples)
    >>> evaluate.hieron_bound(t, weights, examples)
    4.686

    """
    names, omega, X, given = _read(taxonomy, {}, examples)
    labels, n = [*map(taxonomy.index, given)], len(taxonomy)
    gammas = np.array([distances_from(v, taxonomy._arrays) for v in range(n)])
    paths = np.array([closure_mask(taxonomy, label) for label in taxonomy.nodes], dtype=float)
    alpha = np.zeros((len(labels), n))
    alpha[np.arange(len(labels)), labels] = C  # that of y stands for what is left of C
    for _ in range(n_passes):
        for a, y, (at, values) in zip(alpha, labels, _cells(X), strict=True):
            scores = paths @ (omega[:, at] @ values)
            losses = scores - scores[y] + np.sqrt(gammas[y])  # Eq. 5
            r, s = int(losses.argmax()), int(np.where(a > 0, losses, math.inf).argmin())
            if losses[r] > losses[s]:
                step = min(a[s], (losses[r] - losses[s]) / (gammas[r, s] * (values @ values)))
                a[r] += step
                a[s] -= step
                omega[:, at] += np.outer(paths[s] - paths[r], step * values)
    return _named(taxonomy, names, omega)


def hperceptron_bound(
    taxonomy: Taxonomy, weights: Weights, examples: Examples, costs: Costs | None = None
) -> float:
    r"""H-PERC's worst-case H-loss on these examples, however they are labelled.

    A perceptron bound (Freund and Schapire, 1999; Gentile, 2003) at each node: for all weights u,

    $$\sum_i c_i \left(\tfrac{1}{2} R_i \|u_i\| + \sqrt{\tfrac{1}{4} R_i^2 \|u_i\|^2 + L_i}\right)^2
    \quad \textrm{with} \quad L_i = \sum_t [1 - v_{i,t} u_i \cdot x_t]_+$$

    over the t in which the parent of i is on, with $R_i$ their largest norm.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate

    >>> examples = [({"fur": 1.0}, "wolf"), ({"wings": 1.0}, "owl")] * 100
    >>> weights = {"wolf": {"fur": 1.0, "wings": -1.0}, "owl": {"fur": -1.0, "wings": 1.0}}
    >>> evaluate.hperceptron_bound(Taxonomy.flat(["wolf", "owl"]), weights, examples)
    4.0

    """
    (_, U, X, labels), bound = _read(taxonomy, weights, examples), 0.0
    for siblings, c, seen, v in _families(taxonomy, costs, labels, False):
        S, u = X[seen], U[siblings]
        L = np.maximum(1 - v * (S @ u.T), 0.0).sum(axis=0)
        half = math.sqrt((S**2).sum(axis=1).max()) * np.linalg.norm(u, axis=1) / 2
        bound += float(c @ (half + np.sqrt(half**2 + L)) ** 2)
    return bound


def hperceptron_weights(
    taxonomy: Taxonomy, examples: Examples, C: float = math.inf, n_passes: int = 100
) -> dict[Label, dict[Any, float]]:
    r"""Weights for the bound on H-PERC's H-loss: a comparator in hindsight, of bounded norm.

    Those of each node i approach the minimum of $\tfrac{1}{2} \|u_i\|^2 + C L_i$, with the hinge
    loss $L_i$ of `hperceptron_bound`: support vector machines without a bias. If `C` is infinite,
    they meet all margins, if any do. Each pass takes a coordinate step in the dual for each
    example, in O(its features * nodes that learn it) time.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate

    >>> t, x = Taxonomy.flat(["wolf", "owl"]), {"fur": 1.0}
    >>> examples = [(x, "wolf"), (x, "owl"), ({"fur": 0.8, "wings": 1.0}, "owl")] * 50
    >>> for C in (0.01, 1.0):
    ...     weights = evaluate.hperceptron_weights(t, examples, C)
    ...     print(evaluate.hperceptron_bound(t, weights, examples))
    235.808
    221.025

    """
    check_cap("C", C)
    names, U, X, labels = _read(taxonomy, {}, examples)
    cells, norms2 = _cells(X), np.maximum((X**2).sum(axis=1), 1e-300)
    for siblings, _, seen, v in _families(taxonomy, None, labels, False):
        alpha = np.zeros_like(v)
        for _ in range(n_passes):
            for a, signs, t in zip(alpha, v, np.flatnonzero(seen), strict=True):
                at, values = np.ix_(siblings, cells[t][0]), cells[t][1]
                new = np.clip(a + (1 - signs * (U[at] @ values)) / norms2[t], 0, C)
                U[at] += np.outer(signs * (new - a), values)
                a[:] = new
    return _named(taxonomy, names, U)


def hrls_loss_bound(taxonomy: Taxonomy, examples: Examples, costs: Costs | None = None) -> float:
    r"""H-RLS's worst-case H-loss on these examples, however they are labelled.

    By the bound of the forward algorithm (Vovk, 2001; Azoury and Warmuth, 2001), which H-RLS is at
    each node, and as a node errs only if its squared error is at least 1, the H-loss is at most

    $$\sum_i c_i \left(\min_u \Bigl(\|u\|^2 + \sum_t (v_{i,t} - u \cdot x_t)^2\Bigr)
    + \sum_j \log(1 + \lambda_{ij})\right)$$

    over the t in which the parent of i is on, as in `hrls_bound` with `each_round`. The best
    comparator is ridge regression, whose norm is its price.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate

    >>> examples = [({"fur": 1.0}, "wolf"), ({"wings": 1.0}, "owl")] * 100
    >>> evaluate.hrls_loss_bound(Taxonomy.flat(["wolf", "owl"]), examples)
    22.420

    """
    (_, _, X, labels), bound = _read(taxonomy, {}, examples), 0.0
    for _, c, seen, v in _families(taxonomy, costs, labels, False):
        A = np.eye(len(v)) + (X[seen] @ X[seen].T).toarray()
        fit = (v * np.linalg.solve(A, v)).sum(axis=0)
        bound += float(c @ (fit + np.linalg.slogdet(A)[1]))
    return bound


def hrls_bound(
    taxonomy: Taxonomy,
    weights: Weights,
    examples: Examples,
    costs: Costs | None = None,
    each_round: bool = False,
) -> float:
    r"""H-RLS's worst-case regret on these examples, by Theorem 2 of its paper.

    If labels are drawn with the probabilities $(1 + u_i^\top x) / 2$, as in
    `datasets.synth.LinearLabels`, the cumulative regret of H-RLS against the reference classifier,
    in H-loss, is at most the expectation of

    $$16 \left(1 + \frac{1}{e}\right) \sum_i \frac{C_i}{\Delta_i^2} \sum_j \log(1 + \lambda_{ij})$$

    with $C_i$ the costs of the subtree of node $i$, $\Delta_i = \min_t |u_i^\top x_t|$ over all the
    examples, and $\lambda_{ij}$ the eigenvalues of $S_i S_i^\top$, where $S_i$ holds the $x$ whose
    label has the parent of $i$ on: infinite if one lies on the decision boundary. Here the observed
    labels replace the expectation. Instances and weights have norm 1, apart from the root's. With m
    instances of d features siblings take $O(\min(m, d)^2)$ memory and $O(\min(m, d)^3)$ time.

    With `each_round`, $C_i \sum_t r_{i,t} / (u_i^\top x_t)^2$ replaces the term of i (Remark 6),
    with $r_{i,t} = x_t^\top (I + S_i S_i^\top)^{-1} x_t$ in the round in which $x_t$ enters $S_i$.
    It takes $O(m^2)$ memory and $O(m^3)$ time.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate

    >>> examples = [({"fur": 0.6, "wings": 0.8}, "owl"), ({"fur": 0.8, "wings": 0.6}, "wolf")]
    >>> weights = {"wolf": {"fur": 1.0}, "owl": {"wings": 1.0}}
    >>> given = Taxonomy.flat(["wolf", "owl"]), weights, examples
    >>> evaluate.hrls_bound(*given), evaluate.hrls_bound(*given, each_round=True)
    (136.716, 80.772)

    """
    (_, U, X, labels), bound = _read(taxonomy, weights, examples), 0.0
    whats = [f"the weights of {label!r}" for label in taxonomy.nodes[1:]]
    whats += [f"example {number}" for number in range(len(labels))]
    norms = np.sqrt([*(U[1:] ** 2).sum(axis=1), *(X**2).sum(axis=1)])
    for what, norm in zip(whats, norms, strict=True):
        if not abs(norm - 1) <= NORM_ROUNDING:
            raise ValueError(f"{what} must have norm 1, got {norm:.6g}; the theorem needs it")
    with np.errstate(divide="ignore"):
        for siblings, C, seen, _ in _families(taxonomy, costs, labels, True):
            S, margins = X[seen], (X @ U[siblings].T) ** 2
            product = S @ S.T if each_round or S.shape[0] < S.shape[1] else S.T @ S
            A = np.eye(product.shape[0]) + product.toarray()  # the same eigenvalues, 1 apart
            if each_round:
                # The Cholesky factor has the roots of 1 + x^T (I + S S^T)^-1 x, S without x, on its
                # diagonal: r / (1 + r) is that with x in S.
                root = np.diag(np.linalg.cholesky(A))
                bound += float((1 - root**-2) @ (1 / margins[seen]) @ C)
            else:
                bound += float(np.linalg.slogdet(A)[1] * (C / margins.min(axis=0)).sum())
    return 16 * (1 + 1 / math.e) * bound


def _read(taxonomy: Taxonomy, weights: Weights, examples: Examples) -> tuple[Any, Any, Any, Any]:
    """The features, dense weights of all nodes, sparse examples of the same columns, and labels."""
    check_taxonomy(taxonomy)
    taxonomy._arrays.check_tree()
    check_ends(examples)
    w = {taxonomy.index(label): row for label, row in weights.items()}
    rows, labels, n = [w.get(v, {}) for v in range(len(taxonomy))], [], len(taxonomy)
    for x, y, *_ in examples:
        rows.append(x)
        labels.append(y)
    columns = {name: j for j, name in enumerate(dict.fromkeys(n for row in rows for n in row))}
    both = sparse_rows(rows, columns)
    return list(columns), both[:n].toarray(), both[n:], labels


def _named(taxonomy: Taxonomy, names: list[Any], w: Any) -> dict[Label, dict[Any, float]]:
    """Weights of all nodes but the root, by label and feature."""
    pairs = zip(taxonomy.nodes[1:], w[1:].tolist(), strict=True)
    return {label: dict(zip(names, row, strict=True)) for label, row in pairs}


def _losses(taxonomy: Taxonomy, weights: Weights, examples: Examples) -> tuple[Any, ...]:
    """m, the squared norms of nodes, gamma_max, R^2, L^2, and the sum of the largest losses."""
    _, omega, X, labels = _read(taxonomy, weights, examples)
    W, norms2, squares, hinge = omega.copy(), (X**2).sum(axis=1), 0.0, 0.0
    for v, (parent,) in enumerate(taxonomy._arrays.parents[1:], start=1):
        W[v] += W[parent]  # Eq. 2, from the root downwards
    for label, norm2, (at, values) in zip(labels, norms2.tolist(), _cells(X), strict=True):
        y, scores = taxonomy.index(label), W[:, at] @ values
        gamma = distances_from(y, taxonomy._arrays)
        losses = np.maximum(scores - scores[y] + np.sqrt(gamma), 0.0)  # Eq. 5
        worst = float((losses**2 / np.maximum(gamma, 1)).max())
        if worst:
            squares += worst / norm2 if norm2 else math.inf
        hinge += float(losses.max())
    # The last node is one of the deepest, so it is an end of a longest path in the tree.
    far = float(distances_from(len(taxonomy) - 1, taxonomy._arrays).max())
    return len(labels), (omega**2).sum(axis=1), far, max([0.0, *norms2.tolist()]), squares, hinge


def _families(t: Taxonomy, costs: Costs | None, labels: Any, subtrees: bool) -> Iterator[Any]:
    """Siblings, their costs, which examples they learn, and their labels in these, +1 or -1."""
    parents, c = t._arrays.parents, np.array([*map(by_node(t, costs, "costs"), range(len(t)))])
    for v in range(len(t) - 1, 0, -1) if subtrees else ():
        c[parents[v][0]] += c[v]  # Remark 5, from the leaves upwards
    on = np.array([closure_mask(t, y) for y in labels]).reshape(-1, len(t))
    for siblings in t._arrays.groups:
        if (seen := on[:, parents[siblings[0]][0]]).any():
            yield siblings, c[siblings], seen, np.where(on[seen][:, siblings], 1.0, -1.0)


def _cells(X: Any) -> list[tuple[Any, Any]]:
    """The columns and the values of each row."""
    return [(X.indices[start:end], X.data[start:end]) for start, end in pairwise(X.indptr)]
