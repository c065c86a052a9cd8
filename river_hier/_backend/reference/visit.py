"""An example on its way past the nodes."""

from __future__ import annotations

import abc

import numpy as np
from numpy.typing import NDArray

from .feature_map import Vector
from .instances import Instances


class Visit(abc.ABC):
    """What the systems of least squares share about one example: each computed at most once."""

    def __init__(self, x: Vector, instances: Instances) -> None:
        self.x = x
        self.instances = instances

    @property
    @abc.abstractmethod
    def dots(self) -> NDArray[np.float64]:
        """x . every stored instance."""

    @property
    @abc.abstractmethod
    def number(self) -> int:
        """The number of x among the instances; asking for it stores x."""


class SparseVisit(Visit):
    """An example whose instances are sparse vectors. Its features ascend, as theirs do."""

    def __init__(self, x: Vector, instances: Instances) -> None:
        order = np.argsort(x.rows)
        super().__init__(Vector(x.rows[order], x.values[order], x.norm2), instances)
        self._dots: NDArray[np.float64] | None = None
        self._number: int | None = None

    @property
    def dots(self) -> NDArray[np.float64]:
        if self._dots is None or len(self._dots) < self.instances.n:
            self._dots = self.instances.dots(self.x)
        return self._dots

    @property
    def number(self) -> int:
        if self._number is None:
            self._number = self.instances.append(self.x)
            if self._dots is not None and len(self._dots) == self._number:
                self._dots = np.append(self._dots, self.x.norm2)
        return self._number
