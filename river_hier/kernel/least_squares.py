"""The base class of kernel H-RLS and SH-RLS, which differ only in which examples nodes store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._core import LARGEST_RATIO, predicted_nodes, update
from ..base.checks import check_positive
from ..base.explanation import Contribution, Floats, rescaled
from ..base.multi_label import MultiLabelModel
from ..base.predict_labels import masked_nodes
from ..base.turns import reads
from ..taxonomy import NodeMapping, Taxonomy, TaxonomyLike
from .functions import Function, Kernel
from .instances import contributions, instances_of
from .systems import ExampleContext, KernelSystems


class LeastSquaresModel(MultiLabelModel):
    """Regularised least squares at the nodes of a taxonomy, in the space of a kernel.

    With `B = l2 I + K` over the examples stored at a node, `alpha = B^-1 v` and `k_i = K(x_i, x)`,
    the paper's score of an x that is counted in, Eq. (1), is `k . alpha / (1 + r)` with
    `r = (K(x, x) - k^T B^-1 k) / l2`.
    """

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
        self._rls = KernelSystems(float(l2), budget and int(budget), self._instances)
        self._add_nodes(1, self._taxonomy)

    @property
    @reads
    def n_stored(self) -> dict[object, float]:
        """The weight of the examples that each node has stored, including dropped ones."""
        stored = {v: s.n_stored for s in self._rls.systems for v in s.nodes}
        return {label: stored[v] for v, label in enumerate(self._taxonomy.nodes) if v}

    def _nodes_on(self, x: Mapping[Any, Any]) -> list[int]:
        return masked_nodes(predicted_nodes(self._rls, self._rls.context(x), self._taxonomy))

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        return self._rls.margins(self._rls.context(x), len(self._taxonomy))  # Eq. (1)

    def _contributions(
        self, x: Mapping[Any, Any], nodes: Sequence[int]
    ) -> list[list[Contribution]]:
        scores = self._scores_one(x)
        whole = contributions(self._instances, self._rls.coefficients(nodes), x)
        return [rescaled(float(scores[v]), parts) for v, parts in zip(nodes, whole, strict=True)]

    def _conditionals(self, scores: Floats) -> Floats:
        return np.clip((1.0 + scores) / 2.0, 0.0, 1.0)  # Eq. (3)

    def _remap(self, change: NodeMapping) -> None:
        raise TypeError(
            f"kernel.{type(self).__name__} cannot carry on with another taxonomy, "
            f"nor without a branch; linear_model.{type(self).__name__} can"
        )

    def _undo_growth(self, taxonomy: Taxonomy, unlearned: frozenset[int]) -> None:
        for system in self._rls.systems:
            system.keep_outputs(sum(v < len(taxonomy) for v in system.nodes))
        self._rls.systems[:] = [s for s in self._rls.systems if s.nodes or s.n_stored]
        super()._undo_growth(taxonomy, unlearned)

    def _update(self, context: ExampleContext, threshold: float, t: float, y: Any) -> None:
        """Round t of SH-RLS or, with an infinite threshold, H-RLS: completely or not at all."""
        on = self._taxonomy._closure_mask(y)
        before = [(system, vars(system).copy(), system.L.n) for system in self._rls.systems]
        try:
            if context.norm2 > 0.0:
                update(self._rls, context, threshold, t, self._taxonomy, on)
        except BaseException:  # there is no memory left
            for system, attributes, n in before:
                vars(system).update(attributes)
                system.L.n = n
            raise

    def _check(self, x: Mapping[Any, Any], w: float = 1.0) -> None:
        self._context(x, w)

    def _context(self, x: Mapping[Any, Any], w: float = 1.0) -> ExampleContext:
        """An example to learn from."""
        context = self._rls.context(x, w)
        if context.norm2 > LARGEST_RATIO * self.l2:
            raise ValueError(
                f"`l2` = {self.l2} is lost in rounding beside K(x, x) = {context.norm2:.3g}; "
                "scale x, e.g. with river's preprocessing.Normalizer, or choose a larger `l2`"
            )
        return context
