"""What all kernel learners share: their arguments, and the examples that they have stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._kernels import DotProducts, Features, KernelInstances, Pairs
from ..base import TaxonomyModel, check_integer
from ..taxonomy import Taxonomy
from .functions import Function, Kernel, Linear


class KernelModel(TaxonomyModel):
    """A model whose weight vectors are sums over stored examples."""

    def __init__(
        self, taxonomy: Taxonomy | None, kernel: Kernel | Function | None, budget: int | None
    ) -> None:
        super().__init__(taxonomy)
        function = Linear() if kernel is None else kernel
        if isinstance(function, type) or not callable(function):
            raise TypeError(
                "`kernel` must be a kernel, e.g. kernel.RBF(sigma=1.0), or a function of two "
                f"dicts, got {kernel!r}"
            )
        if budget is not None:
            check_integer("budget", budget, 2)
        self.kernel = kernel
        self.budget = budget
        self._budget = budget and int(budget)
        self._instances: KernelInstances
        if isinstance(function, Kernel):
            self._instances = DotProducts(function.from_dots, Features())
        else:
            self._instances = Pairs(function)

    def _weighed(self, v: int, x: Mapping[Any, Any]) -> str:
        return ""
