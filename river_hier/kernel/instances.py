"""Where the examples are stored that a kernel compares."""

from __future__ import annotations

from .._backend import DotProducts, FeatureIndex, KernelInstances, Pairs
from .functions import Function, Kernel, Linear


def check_kernel(kernel: object) -> None:
    """Raise an error if a parameter `kernel` is neither a kernel nor a function nor `None`."""
    if kernel is not None and (isinstance(kernel, type) or not callable(kernel)):
        raise TypeError(
            "`kernel` must be a kernel, e.g. kernel.RBF(sigma=1.0), or a function of two "
            f"dicts, got {kernel!r}"
        )


def instances_of(kernel: Kernel | Function | None) -> KernelInstances:
    """A store without instances; `None` is the linear kernel."""
    function = Linear() if kernel is None else kernel
    if isinstance(function, Kernel):
        return DotProducts(function.from_dots, FeatureIndex())
    return Pairs(function)
