"""What all kernel learners share: their arguments, and the examples that they have stored."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base import Floats, TaxonomyModel, check_integer
from ..base.explanation import Part
from ..taxonomy import Taxonomy, TaxonomyLike
from .functions import Function, Kernel
from .instances import check_kernel, instances_of


class KernelModel(TaxonomyModel):
    """A model whose weight vectors are sums over stored examples."""

    def __init__(
        self, taxonomy: TaxonomyLike, kernel: Kernel | Function | None, budget: int | None
    ) -> None:
        super().__init__(taxonomy)
        check_kernel(kernel)
        if budget is not None:
            check_integer("budget", budget, 2)
        self.kernel = kernel
        self.budget = budget
        self._budget = budget and int(budget)
        self._instances = instances_of(kernel)

    def _parts(self, x: Mapping[Any, Any], nodes: Sequence[int]) -> list[list[Part]]:
        k = self._instances.row(x).values
        each = [k * self._coefficients(v) for v in nodes]
        which = np.flatnonzero(np.any(each, axis=0)) if nodes else np.zeros(0, dtype=np.intp)
        examples = self._instances.examples(which)
        return [list(zip(examples, parts[which].tolist(), strict=True)) for parts in each]

    # What an algorithm fills in

    @abc.abstractmethod
    def _coefficients(self, v: int) -> Floats:
        """The coefficients of the stored examples in the weight vector that scores a node."""


def path_to(taxonomy: Taxonomy, v: int) -> NDArray[np.intp]:
    """The nodes from the root of a tree to v."""
    path = [taxonomy.index(label) for label in taxonomy.path(taxonomy.nodes[v])]
    return np.array(path, dtype=np.intp)
