"""H-RLS and SH-RLS in the space of a kernel, which differ only in what nodes store."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._core import LARGEST_RATIO, Example, LeastSquares
from ..base.checks import check_positive
from ..base.explanation import Contribution
from ..linear_model.least_squares import LeastSquaresRule, rescaled
from ..taxonomy import TaxonomyLike, closure_mask
from .functions import Function, Kernel
from .instances import Row, contributions, four_fifths, instances_of, pivoted_cholesky_projection

FEW = 64  # instances, too few to look for those that no node uses


class KernelLeastSquares(LeastSquaresRule):
    """Regularised least squares at the nodes of a taxonomy in the space of a kernel; see `HRLS`."""

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        kernel: Kernel | Function | None = None,
        l2: float = 1.0,
        budget: int | None = None,
    ) -> None:
        super().__init__(taxonomy)
        self._instances = instances_of(kernel, budget)
        self.kernel = kernel
        self.budget = budget
        check_positive("l2", l2)
        self.l2: float = l2
        self._many = FEW
        self._rls = LeastSquares(float(l2), kernel=True)
        self._add_nodes(1, self._taxonomy)

    @property
    def n_stored(self) -> dict[object, float]:
        """The weight of the examples that each node has stored, including dropped ones."""
        systems = zip(self._rls.nodes, self._rls.n_stored, strict=True)
        stored = {v: n for nodes, n in systems for v in nodes}
        return {label: stored[v] for v, label in enumerate(self._taxonomy.nodes) if v}

    def _learn(self, x: Mapping[Any, Any], y: Any, w: float, chosen: Any = None) -> None:
        row, t = self._row(x, w), self._t + w
        if row.norm2 == 0.0:
            closure_mask(self._taxonomy, y)  # an error if y is invalid
        else:
            chosen = self._chosen(x, t) if chosen is None else chosen
            step = Example(*row, w), y, self._limit(t), chosen
            if self._rls.learn_example(self._labels, *step):
                self._instances.append(x)
        self._t = t
        self._drop()

    def _drop(self) -> None:
        """Drop instances of the nodes that hold too many, and then those that no node uses."""
        if self.budget is not None:
            for s, size in enumerate(self._rls.sizes):
                if size > self.budget:
                    self._absorb(s, four_fifths(self.budget))
        if self._instances.n >= self._many:
            used = self._rls.used()
            self._instances.keep(used.astype(np.intp))
            self._rls.renumber(used)
            self._many = max(FEW, 2 * len(used))

    def _absorb(self, s: int, n: int) -> None:
        """Keep at most n instances of a system; w changes as little as possible."""
        ids, ones, y, c, w0 = self._rls.instances_of(s)
        K = np.outer(ones, ones) * self._instances.gram(ids.astype(np.intp))
        sizes = ((c * np.sqrt(K.diagonal())[:, None]) ** 2).sum(axis=1)
        kept, P = pivoted_cholesky_projection(K, sizes, n)
        # The part of the others in w is projected onto those that are kept, and added to w0.
        w0 = np.pad(w0, ((0, len(ids) - len(w0)), (0, 0)))[kept] + P @ np.delete(c, kept, axis=0)
        K = K[np.ix_(kept, kept)]
        self._rls.replace(s, ids[kept], ones[kept], y[kept], w0, y[kept] - K @ w0, K)

    def _example(self, x: Mapping[Any, Any]) -> Example:
        return Example(*self._instances.row(x))

    def _contributions(
        self, x: Mapping[Any, Any], nodes: Sequence[int]
    ) -> list[list[Contribution]]:
        scores, rows = self._scores_one(x), {v: i for i, v in enumerate(nodes)}
        coefficients = np.zeros((len(nodes), self._instances.n))
        for s, of_system in enumerate(self._rls.nodes):
            if columns := [i for i, v in enumerate(of_system) if v in rows]:
                mine = [of_system[i] for i in columns]
                ids, ones, _, c, _ = self._rls.instances_of(s)
                coefficients[np.ix_([rows[v] for v in mine], ids)] = ones * c[:, columns].T
        whole = contributions(self._instances, coefficients, x)
        return [rescaled(float(scores[v]), parts) for v, parts in zip(nodes, whole, strict=True)]

    _edits = False

    def _check_forget(self, v: int) -> None:
        if v:
            raise TypeError(
                f"kernel.{type(self).__name__} cannot forget a branch; "
                f"linear_model.{type(self).__name__} can"
            )

    def _check(self, x: Mapping[Any, Any], w: float = 1.0) -> None:
        self._row(x, w)

    def _row(self, x: Mapping[Any, Any], w: float) -> Row:
        row = self._instances.row(x)
        if w * row.norm2 > LARGEST_RATIO * self.l2:
            raise ValueError(
                f"`l2` = {self.l2} is lost in rounding beside K(x, x) = {w * row.norm2:.3g}; "
                "scale x, e.g. with river's preprocessing.Normalizer, or choose a larger `l2`"
            )
        return row


class HRLS(KernelLeastSquares):
    r"""H-RLS with a kernel: regularised least squares at every node, from the top down.

    It is `linear_model.HRLS` in the space of a kernel K. With the labels $v = \pm 1$ of the
    examples that a node has seen and their matrix $K_{ij} = K(x_i, x_j)$, the score of an x is

    $$\frac{k^\top (\lambda I + K)^{-1} v}{1 + r}, \quad k_i = K(x_i, x), \quad
    r = \frac{K(x, x) - k^\top (\lambda I + K)^{-1} k}{\lambda},$$

    where the denominator counts x in, as in the paper.

    All children of a node share one Cholesky factor of the Q examples that they see. Learning takes
    one row of the kernel, shared by all nodes, and $O(Q^2)$ for each node that is truly on and has
    children; memory is $Q^2 / 2$ numbers for each of them. Predicting takes a row of the kernel and
    O(Q) a node visited; scores and probabilities take $O(Q^2)$.

    For an endless stream, set a `budget`. Once the children of a node hold more examples, they keep
    at most four fifths of it, chosen as in `Hieron` by the squared coefficients of all children.
    The contribution of the others to w is projected onto those; w is regularised towards this
    $w_0$, as in `linear_model.HRLS`, which keeps the latest examples.

    Parameters
    ----------
    taxonomy
        A tree or a DAG; `None` or an `OpenTaxonomy` takes labels as they arrive.
    l2
        The weight $\lambda$ of the regularisation; 1 in the paper.
    kernel
        A kernel, such as `kernel.RBF(sigma)`, or a function of two feature dicts.
    budget
        The maximum number of examples that the children of a node hold, at least 2, or `None`.

    Notes
    -----
    Figure 3, Eq. (1) and Remark 3 of the paper [^1], which has no budget.
    Learning from an x with $K(x, x) = 0$ changes nothing. $K(x, x) / \lambda$ may be $10^{12}$ at
    most.

    Examples
    --------
    >>> from river import datasets, evaluate, preprocessing
    >>> from river_hier import Taxonomy, kernel, metrics

    >>> nature, built = ["sky", "foliage", "grass"], ["brickface", "cement", "window", "path"]
    >>> t = Taxonomy.from_nested({"nature": nature, "built": built})
    >>> model = preprocessing.StandardScaler() | kernel.HRLS(t, kernel.RBF(2.0), budget=100)
    >>> evaluate.progressive_val_score(datasets.ImageSegments().take(500), model, metrics.HLoss(t))
    HLoss: 0.328

    References
    ----------
    [^1]: [Cesa-Bianchi et al., 2006. JMLR 7.](https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)
    """


class SHRLS(KernelLeastSquares):
    r"""SH-RLS with a kernel: H-RLS that stores examples only at nodes whose score is small.

    It is `linear_model.SHRLS` with a kernel. A node holds $N_i$ examples and a Cholesky factor.

    A step takes one row of the kernel and, for each node whose parents are truly on, $O(N_i)$, or
    $O(N_i^2)$ where it stores x or comes close to it; memory is $N_i^2 / 2$ numbers a node.
    Predicting takes the row and $O(N_i)$ a node visited; scores and probabilities take $O(N_i^2)$.

    Parameters
    ----------
    taxonomy
        A tree or a DAG; `None` or an `OpenTaxonomy` takes labels as they arrive.
    threshold
        The constant c of the rule; 5 in the paper.
    kernel
        A kernel, such as `kernel.RBF(sigma)`, or a function of two feature dicts.
    l2
        The weight $\lambda$ of the regularisation; 1 in the paper.
    budget
        The maximum number of examples that a node holds, at least 2, or `None`; $N_i$ still counts
        the dropped ones.

    Notes
    -----
    Section 8 and Remark 3 of the paper [^1], which has no budget. Learning from an x with
    $K(x, x) = 0$ only counts as a round.

    Examples
    --------
    >>> from river import datasets, evaluate, preprocessing
    >>> from river_hier import Taxonomy, kernel, metrics

    >>> nature, built = ["sky", "foliage", "grass"], ["brickface", "cement", "window", "path"]
    >>> t = Taxonomy.from_nested({"nature": nature, "built": built})
    >>> model = preprocessing.StandardScaler() | kernel.SHRLS(t, kernel.RBF(sigma=2.0))
    >>> evaluate.progressive_val_score(datasets.ImageSegments().take(500), model, metrics.HLoss(t))
    HLoss: 0.34

    References
    ----------
    [^1]: [Cesa-Bianchi et al., 2006. JMLR 7.](https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)
    """

    _shared = False

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        kernel: Kernel | Function | None = None,
        threshold: float = 5.0,
        l2: float = 1.0,
        budget: int | None = None,
    ) -> None:
        check_positive("threshold", threshold)
        self.threshold = threshold
        super().__init__(taxonomy, kernel, l2, budget)
