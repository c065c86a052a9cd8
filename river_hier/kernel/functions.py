"""Kernels: inner products of two examples in a space that may be larger than the feature space."""

import abc
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import FeatureIndex
from ..base.checks import check_integer, check_positive, number

Floats = NDArray[np.float64]
Function = Callable[[Mapping[Any, Any], Mapping[Any, Any]], float]


class Kernel(abc.ABC):
    """Base class of kernels that depend on dot products and norms only.

    Such kernels are evaluated for many examples at once by `from_dots`. They must be positive
    semi-definite, and equal kernels must have the same `repr`, as frozen dataclasses do. Any other
    kernel can be given to the learners as a function of two feature dicts.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from river_hier import kernel

    >>> @dataclass(frozen=True)
    ... class RationalQuadratic(kernel.Kernel):
    ...     scale: float = 1.0
    ...
    ...     def from_dots(self, dots, norm2, norms2):
    ...         return 1.0 / (1.0 + (norm2 + norms2 - 2.0 * dots) / self.scale)

    >>> RationalQuadratic(2.0)({"x": 1.0}, {"x": 2.0, "y": 1.0})
    0.5
    """

    @abc.abstractmethod
    def from_dots(self, dots: Floats, norm2: float, norms2: Floats) -> Floats:
        """The kernel of x with many z, as an array of as many numbers.

        `dots` are $x \\cdot z$ for every z, `norm2` is $\\|x\\|^2$, and `norms2` are $\\|z\\|^2$.
        """

    def __call__(self, x: Mapping[Any, Any], z: Mapping[Any, Any]) -> float:
        """The kernel of two feature dicts."""
        features = FeatureIndex()
        first, second = features.insert(x), features.insert(z)
        dense = np.zeros((2, len(features)))
        dense[0, first.rows], dense[1, second.rows] = first.values, second.values
        dots = np.array([dense[0] @ dense[1]])
        return float(self.from_dots(dots, first.norm2, np.array([second.norm2]))[0])


@dataclass(frozen=True)
class Linear(Kernel):
    """The linear kernel, $x \\cdot z$: the learners are then those of `linear_model`.

    Examples
    --------
    >>> from river_hier import kernel

    >>> kernel.Linear()({"x": 2.0, "y": 1.0}, {"x": 3.0})
    6.0
    """

    def from_dots(self, dots: Floats, norm2: float, norms2: Floats) -> Floats:
        """The kernel of x with many z; see `Kernel`."""
        return dots


@dataclass(frozen=True)
class RBF(Kernel):
    """The Gaussian kernel, $\\exp(-\\|x - z\\|^2 / (2 \\sigma^2))$.

    River's `feature_extraction.RBFSampler` and scikit-learn write $\\gamma = 1 / (2 \\sigma^2)$.
    Precision is lost if norms are many times $\\sigma$: centre the features, by `StandardScaler`.

    Parameters
    ----------
    sigma
        The width, positive, in the units of the features.

    Examples
    --------
    >>> from river_hier import kernel

    >>> kernel.RBF(sigma=2.0)({"x": 1.0, "y": 1.0}, {"x": 3.0, "y": 1.0})
    0.606531
    """

    sigma: float = 1.0

    def __post_init__(self) -> None:
        check_positive("sigma", self.sigma)

    def from_dots(self, dots: Floats, norm2: float, norms2: Floats) -> Floats:
        """The kernel of x with many z; see `Kernel`."""
        distances2 = np.maximum(norm2 + norms2 - 2.0 * dots, 0.0)  # not negative by rounding
        # Divided by sigma twice, as sigma^2 may overflow or underflow.
        return np.exp(distances2 / float(self.sigma) / (-2.0 * float(self.sigma)))


@dataclass(frozen=True)
class Polynomial(Kernel):
    """The polynomial kernel, $(x \\cdot z + c)^d$: all products of up to d features.

    Parameters
    ----------
    degree
        The degree d, an integer of at least 1.
    coef0
        The constant c, at least 0. With 0 only products of exactly d features count.

    Examples
    --------
    >>> from river_hier import kernel

    >>> kernel.Polynomial(degree=2, coef0=1.0)({"x": 2.0}, {"x": 1.0, "y": 5.0})
    9.0
    """

    degree: int = 3
    coef0: float = 1.0

    def __post_init__(self) -> None:
        check_integer("degree", self.degree, 1)
        if not 0.0 <= number(self.coef0) < math.inf:
            raise ValueError(f"`coef0` must be a number, at least 0, got {self.coef0!r}")

    def from_dots(self, dots: Floats, norm2: float, norms2: Floats) -> Floats:
        """The kernel of x with many z; see `Kernel`."""
        return (dots + float(self.coef0)) ** int(self.degree)
