from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._core import Nodes
from ..taxonomy import Taxonomy, TaxonomyLike
from .least_squares import LeastSquaresModel


class HRLS(LeastSquaresModel):
    """H-RLS: regularised least squares at every node, trained and evaluated from the top down.

    A node learns from every example whose parents are truly on. With the instances $S = [x_1 \\dots
    x_Q]$ that it has seen and their labels $v = \\pm 1$, its weights for a new instance x, which
    the paper counts in, are

    $$w = (\\lambda I + S S^\\top + x x^\\top)^{-1} S v.$$

    All children of a node see the same instances, so they share one system of equations: in dual
    variables, one for each of the Q instances, until there are as many as features d, then in
    primal ones. An error is raised where $\\|x\\|^2 / \\lambda$ is above $10^{12}$.

    A step takes $O(\\min(Q, d)^2)$ for each node that is truly on, and as much memory. Predicting
    takes, in dual variables, the dot products of x with the stored instances, and O(Q) for each
    visited label; in primal ones O(d). Scores and probabilities take $O(\\min(Q, d)^2)$ for every
    inner node.

    For a long stream with many features, set a `budget`. Once a node holds more instances, it drops
    the oldest, down to half of the budget. From then on, w is regularised towards the contribution
    $w_0$ of the dropped instances instead of towards 0: the system is exactly
    $\\min_w \\lambda \\|w - w_0\\|^2 + \\sum (v - w \\cdot x)^2$ over the kept instances.

    With `forgetting` $f < 1$ the past is discounted in periods of $h = \\lceil \\log_f 1/2 \\rceil$
    examples that the node was trained on: at the end of each period, everything seen so far is
    weighted by $f^h$, one half or slightly less. Of Q examples the i-th, from 0, then has an age
    $a_i$, and the weights are

    $$w = \\Bigl(\\lambda I + \\sum_i f^{a_i} x_i x_i^\\top + x x^\\top\\Bigr)^{-1}
    \\sum_i f^{a_i} v_i x_i, \\qquad
    a_i = h \\lfloor Q / h \\rfloor - h \\lfloor i / h \\rfloor.$$

    The regularisation is not discounted, so the solution stays stable for features that no longer
    occur. In dual variables an instance is dropped once $f^{a_i} \\max(1, \\|x_i\\|^2 / \\lambda) <
    1/1000$, so a `budget` cannot be given as well. The end of a period takes $O(Q^3)$, or $O(d^3)$.
    The flat counterpart is `HRLS(taxonomy.flatten())`.

    Parameters
    ----------
    taxonomy
        As in `HPerceptron`; a new label counts as off in all earlier examples.
    l2
        The weight $\\lambda$ of the regularisation; 1 in the paper.
    budget
        The maximum number of instances that a node holds in dual variables, at least 2; `None` for
        no limit.
    forgetting
        The factor by which one more example reduces the weight of the earlier ones, on average; 1
        forgets nothing.
    intercept
        As in `HPerceptron`.

    Raises
    ------
    ValueError
        If `l2` is not positive, `budget` below 2, `forgetting` not above 0 and at most 1, or below
        1 together with a `budget`; otherwise as in `HPerceptron`.

    Notes
    -----
    Figure 3 and Eq. (1) of the paper [^1]. The text writes the labels as {0, 1}; the paper's own
    analysis needs {-1, +1}. The paper assumes examples of unit norm, as by
    `preprocessing.Normalizer() | HRLS(...)`. `score_one` is the paper's $w \\cdot x$, and
    `predict_proba_one` puts it into the paper's label model, (1 + score) / 2. An x that is empty or
    zero is treated as in `HPerceptron`.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import Taxonomy, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> taxonomy = Taxonomy([("all", "news"), ("news", "sport"), ("news", "politics")])
    >>> stream = synth.LinearLabels(taxonomy, n_features=5, seed=42)
    >>> model = linear_model.HRLS(taxonomy)
    >>> metric = metrics.HLoss(taxonomy)

    >>> evaluate.progressive_val_score(stream.take(2000), model, metric)
    HLoss: 0.5525

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. Journal of Machine Learning Research, 7, pp. 31-54.](
        https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)

    """

    _shared = True

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        l2: float = 1.0,
        budget: int | None = None,
        forgetting: float = 1.0,
        intercept: float = 0.0,
    ) -> None:
        self._below: dict[tuple[int, ...], int] = {}  # the system that new children join
        super().__init__(taxonomy, l2, budget, forgetting, intercept)

    def _limit(self: Any, t: float) -> float:
        """Figure 3: every example is stored."""
        return math.inf

    def _add_nodes(self: Any, before: int, after: Taxonomy) -> None:
        """Add nodes to the systems of their siblings, or new systems.

        The nodes of an open flat taxonomy share one from the start, when there may be no labels.
        """
        groups: dict[tuple[int, ...], list[int]] = {}
        if self.taxonomy is None and before == 1:
            groups[0,] = []
        for v in range(before, len(after)):
            groups.setdefault(after._parent_rows[v], []).append(v)
        n_systems = len(self._rls.n_stored)  # O(systems)
        for above, nodes in groups.items():
            if above in self._below:
                self._rls.add_outputs(self._below[above], nodes)
            else:
                self._below[above] = n_systems
                self._rls.add_system(nodes)
                n_systems += 1

    def _forget(self, nodes: Nodes) -> None:
        super()._forget(nodes)
        self._below = {}
        systems = zip(self._rls.n_stored, self._rls.nodes, strict=True)
        for _, s, of_system in sorted((-n, s, nodes) for s, (n, nodes) in enumerate(systems)):
            for v in of_system:
                self._below.setdefault(self._taxonomy._parent_rows[v], s)

    def _add_up(self: Any, parts: Sequence[tuple[Any, Any, Any]]) -> None:
        """Become the sum of all parts: what they have stored since the first, and that once.

        A part is a model with the places of its nodes and features here.
        """
        d, sums = len(self._features), [self._stored(*part) for part in parts]
        ts = [model._t for model, *_ in parts]
        self._t = ts[0] + sum(t - ts[0] for t in ts[1:])
        *parameters, systems = self._rls.saved()
        above, found = {s: parents for parents, s in self._below.items()}, []
        for s, (_, nodes, *_) in enumerate(systems):
            nothing = 0.0, np.zeros((d, d)), np.zeros((d, len(nodes))), np.zeros(d)
            first, *others = (of.get(above[s], nothing) for of in sums)
            n, squares, products, ones = (
                before + sum(of[i] - before for of in others) for i, before in enumerate(first)
            )
            inverse = np.linalg.inv(self.l2 * np.eye(d) + squares)
            found.append(("primal", nodes, float(n), 0, inverse, inverse @ products, ones))
        self._rls = type(self._rls)(*parameters, found)

    def _stored(self: Any, model: Any, nodes: Any, rows: Any) -> dict[Any, tuple[Any, ...]]:
        """By the parents of its nodes here, the weight, `S S^T`, `S v` and `S 1` of each system."""
        *_, (starts, features, values, _), systems = model._rls.saved()
        if len(systems) != len(model._below):
            raise TypeError(
                f"`HRLS` cannot be merged after `forget`, got {len(systems)} systems for "
                f"{len(model._below)} sets of siblings; merge first"
            )
        d, q, found = len(self._features), len(starts) - 1, {}
        instances = np.zeros((q, d))
        instances[np.repeat(np.arange(q), np.diff(starts).astype(int)), rows[features]] = values
        for parents, s in model._below.items():
            kind, own, n, _, *arrays = systems[s]
            if kind == "primal":
                inverse, w, total = arrays
                r, m = rows[: len(total)], len(own)
                matrix = np.linalg.inv(inverse)
                squares, products, ones = np.zeros((d, d)), np.zeros((d, m)), np.zeros(d)
                squares[np.ix_(r, r)] = matrix - model.l2 * np.eye(len(r))
                products[r], ones[r] = matrix @ w, total
            else:
                ids, roots, y, *_ = arrays
                x = roots[:, None] * instances[ids]
                squares, products, ones = x.T @ x, x.T @ y, roots @ x
            above = tuple(sorted(nodes[list(parents)].tolist()))
            place = {int(nodes[v]): i for i, v in enumerate(own)}
            here = self._rls.nodes[self._below[above]]  # labels that are new elsewhere were off
            labels = [products[:, place[v]] if v in place else -ones for v in here]
            products = np.stack(labels, axis=1) if labels else np.zeros((d, 0))
            found[above] = n, squares, products, ones
        return found
