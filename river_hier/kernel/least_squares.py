"""The base class of kernel H-RLS and SH-RLS, which differ only in which examples nodes store."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import linear_model
from .._core import LARGEST_RATIO, Example, LeastSquares, Nodes
from ..base.checks import check_positive
from ..base.explanation import Contribution, Floats, rescaled
from ..base.multi_label import MultiLabelModel
from ..taxonomy import TaxonomyLike
from .budget import four_fifths, pivoted_cholesky_projection
from .functions import Function, Kernel
from .instances import Row, contributions, instances_of

FEW = 64  # instances, too few to look for those that no node uses


class KernelLeastSquares(MultiLabelModel):
    """Regularised least squares at the nodes of a taxonomy, in the space of a kernel.

    With `B = l2 I + K` over the examples stored at a node, `alpha = B^-1 v` and `k_i = K(x_i, x)`,
    the paper's score of an x that is counted in, Eq. (1), is `k . alpha / (1 + r)` with
    `r = (K(x, x) - k^T B^-1 k) / l2`.
    """

    _margin = staticmethod(linear_model.HRLS._margin)  # Eq. (1)
    _conditionals = linear_model.HRLS._conditionals  # Eq. (3)

    @property
    def _may_refuse(self) -> bool:
        return True  # a custom kernel function may raise

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
        self._t = 0.0  # the weight of all examples
        self._many = FEW
        self._below: dict[tuple[int, ...], int] = {}
        self._rls: Any = LeastSquares(float(l2), kernel=True)
        self._add_nodes(1, self._taxonomy)

    @property
    def n_stored(self) -> dict[object, float]:
        """The weight of the examples that each node has stored, including dropped ones."""
        systems = zip(self._rls.nodes, self._rls.n_stored, strict=True)
        stored = {v: n for nodes, n in systems for v in nodes}
        return {label: stored[v] for v, label in enumerate(self._taxonomy.nodes) if v}

    @abc.abstractmethod
    def _limit(self, t: float) -> float:
        """What N_i times the squared margin may be where node i stores x_t."""

    def _learn(self, x: Mapping[Any, Any], y: Any, w: float) -> None:
        row, t = self._row(x, w), self._t + w
        if row.norm2 == 0.0:
            self._taxonomy._closure_mask(y)  # an error if y is invalid
        elif self._rls.learn_example(self._labels, Example(*row, w), y, self._limit(t)):
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

    def _nodes_on(self, x: Mapping[Any, Any]) -> list[int]:
        nodes: list[int] = self._rls.nodes_on(self._labels, Example(*self._instances.row(x)))
        return nodes

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        example = Example(*self._instances.row(x))
        return self._margin(*self._rls.solve(example, len(self._taxonomy)))

    def _contributions(
        self, x: Mapping[Any, Any], nodes: Sequence[int]
    ) -> list[list[Contribution]]:
        scores, rows = self._scores_one(x), {v: i for i, v in enumerate(nodes)}
        coefficients = np.zeros((len(nodes), self._instances.n))
        for s, of_system in enumerate(self._rls.nodes):
            if mine := [v for v in of_system if v in rows]:
                ids, ones, _, c, _ = self._rls.instances_of(s)
                columns = [of_system.index(v) for v in mine]
                coefficients[np.ix_([rows[v] for v in mine], ids)] = ones * c[:, columns].T
        whole = contributions(self._instances, coefficients, x)
        return [rescaled(float(scores[v]), parts) for v, parts in zip(nodes, whole, strict=True)]

    def _forget(self, nodes: Nodes) -> None:
        raise TypeError(
            f"kernel.{type(self).__name__} cannot forget a branch; "
            f"linear_model.{type(self).__name__} can"
        )

    def _check(self, x: Mapping[Any, Any], w: float = 1.0) -> None:
        self._row(x, w)

    def _row(self, x: Mapping[Any, Any], w: float) -> Row:
        """An example to learn from."""
        row = self._instances.row(x)
        if w * row.norm2 > LARGEST_RATIO * self.l2:
            raise ValueError(
                f"`l2` = {self.l2} is lost in rounding beside K(x, x) = {w * row.norm2:.3g}; "
                "scale x, e.g. with river's preprocessing.Normalizer, or choose a larger `l2`"
            )
        return row
