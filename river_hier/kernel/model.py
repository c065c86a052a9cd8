"""What all kernel learners share: their arguments, and the examples that they have stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..base import TaxonomyModel, check_integer
from ..taxonomy import Start
from .functions import Function, Kernel
from .instances import check_kernel, instances_of


class KernelModel(TaxonomyModel):
    """A model whose weight vectors are sums over stored examples."""

    def __init__(
        self, taxonomy: Start, kernel: Kernel | Function | None, budget: int | None
    ) -> None:
        super().__init__(taxonomy)
        check_kernel(kernel)
        if budget is not None:
            check_integer("budget", budget, 2)
        self.kernel = kernel
        self.budget = budget
        self._budget = budget and int(budget)
        self._instances = instances_of(kernel)

    def _weighed(self, v: int, x: Mapping[Any, Any]) -> str:
        return ""
