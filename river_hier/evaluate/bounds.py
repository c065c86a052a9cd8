"""The bounds of the papers on the loss of online learners, for the examples of a stream.

Those of `linear_model.Hieron` are of Dekel, Keshet and Singer (2004), the others of Cesa-Bianchi,
Gentile and Zaniboni (2006), each in its learner's References. What they take:

* `taxonomy`, which must be a tree.
* `weights`, `{label: {feature: weight}}`, of a comparator; missing ones are 0. Hieron's are the
  differences between the prototypes of a node and of its parent, as in the `weights` of a model.
* `examples`, pairs of features and label, read once.
* `costs` of the H-loss, `{label: cost}`, positive and finite; other labels cost 1. As the zero-one
  loss is at most the H-loss, a bound on the latter holds for both; if each label costs as much as
  there are nodes below it, itself included, also for the symmetric difference.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._core import distances_from
from ..base.checks import check_cap, check_probability
from ..metrics.costs import Costs, by_node
from ..taxonomy import Label, Taxonomy, check_taxonomy, closure_mask
from .regret import check_ends

NORM_ROUNDING = 1e-6  # tolerance of norms, which must be 1
Floats = NDArray[np.float64]
Weights = Mapping[Label, Mapping[Any, float]]
Examples = Iterable[tuple[Mapping[Any, float], Any]]


def hieron_bound(
    taxonomy: Taxonomy, weights: Weights, examples: Examples, C: float = math.inf
) -> float:
    r"""Hieron's worst-case error on these examples, by Theorem 1 of its paper, and without margins.

    Let $\ell_t(r)$ be the loss (Eq. 5) of weights $\omega$ on example t for a label r. The
    cumulative tree-induced error of online Hieron is at most

    $$\gamma_{\max} R^2 \left(L + \sqrt{L^2 + \|\omega\|^2}\right)^2 \quad \textrm{with} \quad
    L^2 = \sum_t \max_r \frac{\ell_t(r)^2}{\gamma(y_t, r) \|x_t\|^2}$$

    with $\gamma_{\max}$ the largest distance in the taxonomy and $R$ the largest norm of an x. If
    $\omega$ meets all margins (Eq. 4), $L = 0$: Corollary 1. It then also bounds the squared loss.
    Otherwise the proof is the paper's, with losses left in. If steps are at most `C`, the error is
    at most

    $$\max\left(\gamma_{\max} R^2, \sqrt{\gamma_{\max}} / C\right)
    \left(\|\omega\|^2 + 2 C \sum_t \max_r \ell_t(r)\right)$$

    as that of PA-I (Crammer et al., 2006, Theorem 4). Both hold for every $\omega$: its norm is a
    price, and so is its loss. For n nodes and weights of d features, it takes $O(n d)$ memory, and
    $O(n)$ time for each feature of each example.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate

    >>> t = Taxonomy([("animal", "wolf"), ("animal", "owl")])
    >>> weights = {"wolf": {"howls": 1.0, "hoots": -1.0}, "owl": {"howls": -1.0, "hoots": 1.0}}
    >>> examples = [({"howls": 1.0}, "wolf"), ({"hoots": 1.0}, "owl")]
    >>> evaluate.hieron_bound(t, weights, examples)
    8.0
    >>> evaluate.hieron_bound(t, weights, [*examples, ({"howls": 1.0}, "owl")], C=1.0)
    21.657

    """
    check_cap("C", C)
    _, gamma_max, R2, norms2, hinge, squares = _losses(taxonomy, weights, examples)
    norm2 = float(norms2.sum())
    if math.isinf(C):
        return gamma_max * R2 * (math.sqrt(squares) + math.sqrt(squares + norm2)) ** 2  # Eq. 10
    return max(gamma_max * R2, math.sqrt(gamma_max) / C) * (norm2 + 2 * C * hinge)


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

    >>> t = Taxonomy([("animal", "wolf"), ("animal", "owl")])
    >>> weights = {"wolf": {"howls": 1.0, "hoots": -1.0}, "owl": {"howls": -1.0, "hoots": 1.0}}
    >>> examples = [({"howls": 1.0}, "wolf"), ({"hoots": 1.0}, "owl")] * 50_000
    >>> evaluate.hieron_risk_bound(t, weights, examples, loss=8.0)
    0.0931

    """
    check_probability("delta", delta)
    m, gamma_max, R2, norms2, _, squares = _losses(taxonomy, weights, examples)
    if squares > NORM_ROUNDING:
        return math.inf
    lambda_ = len(taxonomy) * float(norms2.max()) * R2 * gamma_max
    return (loss + lambda_) / (m + 1) + lambda_ * math.sqrt(2 * math.log(1 / delta) / m)


def hieron_weights(
    taxonomy: Taxonomy, examples: Examples, C: float = math.inf, n_passes: int = 100
) -> dict[Label, dict[Any, float]]:
    r"""Weights for the bounds on Hieron's error: a comparator in hindsight, of bounded norm.

    They approach the $\omega$ for which `hieron_bound` with this `C` is least, the minimum of
    $\|\omega\|^2 / 2 + C \sum_t \max_r \ell_t(r)$. If `C` is infinite, they meet all margins at the
    least norm, if any do. A small `C` gives a small norm. Each pass takes coordinate steps in the
    dual: from the label whose margin is met best to the one with the largest loss. For m examples
    of d features and n nodes, it takes $O(n (m + n + d))$ memory, and $O(n (n + d))$ time for each
    example and pass.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate

    >>> t = Taxonomy([("animal", "wolf"), ("animal", "owl")])
    >>> examples = [({"howls": 1.0}, "wolf"), ({"hoots": 1.0}, "owl")]
    >>> weights = evaluate.hieron_weights(t, examples)
    >>> evaluate.hieron_bound(t, weights, examples)
    4.686

    """
    rows, labels = list[Mapping[Any, float]](), list[int]()
    for x, y, *_ in examples:
        rows.append(x)
        labels.append(taxonomy.index(y))
    columns = {name: j for j, name in enumerate(dict.fromkeys(n for x in rows for n in x))}
    n = len(taxonomy)
    gammas = np.array([distances_from(v, taxonomy._arrays) for v in range(n)])
    paths = np.array([closure_mask(taxonomy, label) for label in taxonomy.nodes], dtype=float)
    omega, alpha = np.zeros((n, len(columns))), np.zeros((len(rows), n))
    alpha[np.arange(len(rows)), labels] = C  # that of y stands for what is left of C
    for _ in range(n_passes):
        for a, x, y in zip(alpha, rows, labels, strict=True):
            at, values = [columns[name] for name in x], np.fromiter(x.values(), float, len(x))
            scores = paths @ (omega[:, at] @ values)
            losses = scores - scores[y] + np.sqrt(gammas[y])  # Eq. 5
            r, s = int(losses.argmax()), int(np.where(a > 0, losses, math.inf).argmin())
            if losses[r] > losses[s]:
                step = min(a[s], (losses[r] - losses[s]) / (gammas[r, s] * (values @ values)))
                a[r] += step
                a[s] -= step
                omega[:, at] += np.outer(paths[s] - paths[r], step * values)
    return {
        label: dict(zip(columns, w.tolist(), strict=True))
        for label, w in zip(taxonomy.nodes[1:], omega[1:], strict=True)
    }


def _losses(
    taxonomy: Taxonomy, weights: Weights, examples: Examples
) -> tuple[int, float, float, Floats, float, float]:
    """m, gamma_max, R^2, the squared norm of each node, the sum of the largest losses, and L^2."""
    check_taxonomy(taxonomy)
    taxonomy._arrays.check_tree()
    check_ends(examples)
    columns, omega = _weight_matrix(taxonomy, weights)
    W = omega.copy()
    for v, parents in enumerate(taxonomy._arrays.parents):
        for parent in parents:
            W[v] += W[parent]  # Eq. 2, from the root downwards
    m, R2, hinge, squares = 0, 0.0, 0.0, 0.0
    for x, y, *_ in examples:
        m += 1
        node = taxonomy.index(y)
        gamma = distances_from(node, taxonomy._arrays)
        known = {columns[name]: value for name, value in x.items() if name in columns}
        scores = W[:, list(known)] @ np.fromiter(known.values(), float, len(known))
        losses = np.maximum(scores - scores[node] + np.sqrt(gamma), 0.0)  # Eq. 5
        norm2 = sum(value * value for value in x.values())
        worst = float((losses**2 / np.maximum(gamma, 1)).max())
        squares += worst / norm2 if norm2 else math.inf
        hinge += float(losses.max())
        R2 = max(R2, norm2)
    # The last node is one of the deepest, so it is an end of a longest path in the tree.
    gamma_max = float(distances_from(len(taxonomy) - 1, taxonomy._arrays).max())
    return m, gamma_max, R2, (omega**2).sum(axis=1), hinge, squares


def hperceptron_bound(
    taxonomy: Taxonomy, weights: Weights, examples: Examples, costs: Costs | None = None
) -> float:
    r"""H-PERC's worst-case H-loss on these examples, however they are labelled.

    A perceptron bound (Freund and Schapire, 1999; Gentile, 2003) at each node: for all weights u,

    $$\sum_i c_i \left(\tfrac{1}{2} R_i \|u_i\| + \sqrt{\tfrac{1}{4} R_i^2 \|u_i\|^2 + L_i}\right)^2
    \quad \textrm{with} \quad L_i = \sum_t [1 - v_{i,t} u_i \cdot x_t]_+$$

    over the t in which the parent of i is on, with $R_i$ their largest norm. The first example, for
    which no label is predicted, is not included.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate

    >>> t = Taxonomy([("animal", "mammal"), ("animal", "bird"), ("mammal", "wolf")])
    >>> examples = [({"fur": 1.0}, "wolf"), ({"wings": 1.0}, "bird")] * 100
    >>> weights = {"mammal": {"fur": 1.0, "wings": -1.0}, "bird": {"fur": -1.0, "wings": 1.0}}
    >>> evaluate.hperceptron_bound(t, weights | {"wolf": {"fur": 1.0}}, examples)
    5.0

    """
    X, on, U = _rows(taxonomy, weights, examples)
    R2, margins = X.multiply(X).sum(axis=1), X @ U.T
    bound, cost = 0.0, by_node(taxonomy, costs, "costs")
    for i, (parent,) in enumerate(taxonomy._arrays.parents[1:], start=1):
        if (seen := on[:, parent]).any():
            v = np.where(on[seen, i], 1.0, -1.0)
            L = float(np.maximum(1 - v * margins[seen, i], 0.0).sum())
            half = math.sqrt(R2[seen].max()) * float(np.linalg.norm(U[i])) / 2
            bound += cost(i) * (half + math.sqrt(half**2 + L)) ** 2
    return bound


def hrls_loss_bound(taxonomy: Taxonomy, examples: Examples, costs: Costs | None = None) -> float:
    r"""H-RLS's worst-case H-loss on these examples, however they are labelled.

    A node errs only if its squared error is at least 1, and by the bound of the forward algorithm
    (Vovk, 2001; Azoury and Warmuth, 2001), which H-RLS is at each node, the H-loss is at most

    $$\sum_i c_i \left(\min_u \Bigl(\|u\|^2 + \sum_t (v_{i,t} - u \cdot x_t)^2\Bigr)
    + \sum_j \log(1 + \lambda_{ij})\right)$$

    over the t in which the parent of i is on, as in `hrls_bound`. The best comparator is ridge
    regression, whose norm is its price. The first example, for which no label is predicted, is not
    included. Takes $O(m^2)$ memory and $O(m^3)$ time for a node with m instances.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate

    >>> t = Taxonomy([("animal", "mammal"), ("animal", "bird"), ("mammal", "wolf")])
    >>> examples = [({"fur": 1.0}, "wolf"), ({"wings": 1.0}, "bird")] * 100
    >>> evaluate.hrls_loss_bound(t, examples)
    28.03

    """
    X, on, _ = _rows(taxonomy, {}, examples)
    bound, cost = 0.0, by_node(taxonomy, costs, "costs")
    for siblings, S, seen in _families(taxonomy, X, on):
        A = np.eye(S.shape[0]) + (S @ S.T).toarray()
        v, c = np.where(on[seen][:, siblings], 1.0, -1.0), np.array([*map(cost, siblings)])
        fit = np.einsum("ti,ti->i", v, np.linalg.solve(A, v))
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
    label has the parent of $i$ on. Here the observed labels replace the expectation. If an example
    lies on the decision boundary of a node, the bound is infinite. Instances and weights, without
    the root's, have norm 1. For a node with $m$ instances of $d$ features it takes
    $O(\min(m, d)^2)$ memory and $O(\min(m, d)^3)$ time, shared by siblings.

    With `each_round`, the margin of each round replaces the least one (Remark 6):

    $$16 \left(1 + \frac{1}{e}\right) \sum_i C_i \sum_t \frac{r_{i,t}}{(u_i^\top x_t)^2}$$

    over the rounds in which $x_t$ enters $S_i$, with $r_{i,t} = x_t^\top (I + S_i S_i^\top)^{-1}
    x_t$ then. It takes $O(m^2)$ memory and $O(m^3)$ time.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy([("animal", "mammal"), ("animal", "bird"), ("mammal", "wolf")])
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)
    >>> examples = list(stream.take(100))
    >>> evaluate.hrls_bound(t, stream.weights, examples) > 1e6  # a worst case
    True
    >>> evaluate.hrls_bound(t, stream.weights, examples, each_round=True) < 0.02 * 1e6
    False

    """
    X, on, U = _unit_rows(taxonomy, weights, examples)
    margins, C, bound = (X @ U.T) ** 2, _subtree_costs(taxonomy, costs), 0.0
    least = margins.min(axis=0, initial=math.inf)  # Delta_i^2
    with np.errstate(divide="ignore"):
        for siblings, S, seen in _families(taxonomy, X, on):
            if each_round:
                # The Cholesky factor has the roots of 1 + x^T (I + S S^T)^-1 x, S without x, on its
                # diagonal: r / (1 + r) is that with x in S.
                root = np.diag(np.linalg.cholesky(np.eye(S.shape[0]) + (S @ S.T).toarray()))
                terms = (1 - root**-2)[:, None] / margins[seen][:, siblings]
                bound += float(C[siblings] @ terms.sum(axis=0))
            else:  # the eigenvalues of the smaller product are the same, 0 apart
                gram = S @ S.T if S.shape[0] < S.shape[1] else S.T @ S
                logs = float(np.linalg.slogdet(np.eye(gram.shape[0]) + gram.toarray())[1])
                bound += logs * float((C[siblings] / least[siblings]).sum())  # Theorem 2
    return 16 * (1 + 1 / math.e) * bound


def _unit_rows(taxonomy: Taxonomy, weights: Weights, examples: Examples) -> Any:
    """`_rows`, if all norms are 1, which Theorem 2 needs."""
    X, on, U = _rows(taxonomy, weights, examples)
    whats = [f"the weights of {label!r}" for label in taxonomy.nodes[1:]]
    norms = [*np.linalg.norm(U[1:], axis=1), *np.sqrt(X.multiply(X).sum(axis=1))]
    whats += [f"example {number}" for number in range(len(on))]
    for what, norm in zip(whats, norms, strict=True):
        if not abs(norm - 1) <= NORM_ROUNDING:
            raise ValueError(f"{what} must have norm 1, got {norm:.6g}; the theorem needs it")
    return X, on, U


def _rows(taxonomy: Taxonomy, weights: Weights, examples: Examples) -> Any:
    """The instances as sparse rows, the closed masks of their labels, and the dense weights."""
    check_taxonomy(taxonomy)
    taxonomy._arrays.check_tree()
    check_ends(examples)
    columns, U = _weight_matrix(taxonomy, weights)
    at: list[int] = []
    values: list[float] = []
    ends, closures = [0], []
    for x, y, *_ in examples:
        at += (columns.setdefault(name, len(columns)) for name in x)
        values += x.values()
        ends.append(len(at))
        closures.append(closure_mask(taxonomy, y))
    X: Any = sparse.csr_array((values, at, ends), shape=(len(closures), len(columns)))
    U = np.pad(U, ((0, 0), (0, len(columns) - U.shape[1])))
    return X, np.array(closures, dtype=bool).reshape(len(closures), len(taxonomy)), U


def _families(taxonomy: Taxonomy, X: Any, on: Any) -> Iterable[Any]:
    """Siblings, the instances that they share, and which ones these are."""
    for siblings in taxonomy._arrays.groups:
        seen = on[:, taxonomy._arrays.parents[siblings[0]][0]]
        if seen.any():
            yield siblings, X[seen], seen


def _subtree_costs(taxonomy: Taxonomy, costs: Costs | None) -> Floats:
    cost = by_node(taxonomy, costs, "costs")
    C = np.array([0.0, *(cost(v) for v in range(1, len(taxonomy)))])
    for v in range(len(taxonomy) - 1, 0, -1):
        C[taxonomy._arrays.parents[v][0]] += C[v]  # Remark 5, from the leaves upwards
    return C


def _weight_matrix(taxonomy: Taxonomy, weights: Weights) -> tuple[dict[Any, int], Floats]:
    """The column of each feature, and a matrix with the weights of each node as a row."""
    names = dict.fromkeys(name for w in weights.values() for name in w)
    columns = {name: j for j, name in enumerate(names)}
    matrix = np.zeros((len(taxonomy), len(columns)))
    for label, w in weights.items():
        v = taxonomy.index(label)
        for name, value in w.items():
            matrix[v, columns[name]] = value
    return columns, matrix
