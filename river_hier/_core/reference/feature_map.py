"""The interface of mappings from feature names to rows."""

from __future__ import annotations

import abc
import math
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# The range of intercepts, in which their squares neither underflow nor overflow.
SMALLEST, LARGEST = 1e-6, 1e6


class Vector(NamedTuple):
    """A sparse vector over the known features of x; `norm2` counts all its features."""

    rows: NDArray[np.intp]
    values: NDArray[np.float64]
    norm2: float
    weight: float = 1.0  # of the example; x has been multiplied by its root

    def ordered(self, weight: float = 1.0) -> Vector:
        """The same, its rows in ascending order, times the root of the weight of the example.

        A weighted square is the square of x and its label, both times the root.
        """
        order, root = np.argsort(self.rows), math.sqrt(weight)
        return Vector(self.rows[order], root * self.values[order], weight * self.norm2, weight)

    def with_constant(self, value: float) -> Vector:
        """The vector with the constant feature, whose row is 0; unchanged if the value is 0."""
        if value == 0.0:
            return self
        rows, values = np.append(0, self.rows), np.append(value, self.values)
        return Vector(rows, values, self.norm2 + value * value)

    @property
    def root(self) -> float:
        """The root of the weight of the example."""
        return math.sqrt(self.weight)

    @property
    def d(self) -> int:
        """The number of rows up to the last one of x."""
        return 1 + int(self.rows.max(initial=-1))

    def dense(self, n: int) -> NDArray[np.float64]:
        """The first n rows."""
        dense = np.zeros(n)
        known = self.rows < n
        dense[self.rows[known]] = self.values[known]
        return dense


class FeatureMap(abc.ABC):
    """A table from names to rows.

    With an intercept, every x has a constant feature of this value, whose row is 0 and which has no
    name.
    """

    def __init__(self, intercept: float = 0.0) -> None:
        if not (intercept == 0.0 or SMALLEST <= intercept <= LARGEST):
            raise ValueError(f"an intercept of {intercept!r}")
        self.intercept: float = float(intercept)
        self.first_row: int = int(intercept != 0.0)  # the first row of a feature with a name

    @abc.abstractmethod
    def __len__(self) -> int:
        """The number of rows so far."""

    @abc.abstractmethod
    def find(self, x: Mapping[Hashable, Any]) -> Vector:
        """The vector of x over the features already known."""

    def insert(self, x: Mapping[Hashable, Any]) -> Vector:
        """The vector of x; features seen for the first time get the next rows, all or none."""
        return self.find(x)

    @abc.abstractmethod
    def names(self) -> list[Hashable]:
        """The features in the order of their rows, from `first_row` on."""

    @abc.abstractmethod
    def row(self, name: Hashable) -> int | None:
        """The row of one feature, if it is known."""
