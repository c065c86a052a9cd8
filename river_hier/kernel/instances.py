"""The stored examples of kernel learners."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._backend import DotProducts, FeatureIndex, KernelInstances, Pairs
from ..base.explanation import Contribution, Floats
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


def contributions(
    instances: KernelInstances,
    coefficients: Callable[[int], Floats],
    x: Mapping[Any, Any],
    nodes: Sequence[int],
) -> list[list[Contribution]]:
    """What each stored example adds to the scores of these nodes."""
    k = instances.row(x).values
    each: list[NDArray[np.float64]] = [k * coefficients(v) for v in nodes]
    which = np.flatnonzero(np.any(each, axis=0)) if nodes else np.zeros(0, dtype=np.intp)
    examples = instances.examples(which)
    return [list(zip(examples, terms[which].tolist(), strict=True)) for terms in each]
