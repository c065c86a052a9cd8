"""A machine of scikit-learn's for some of the examples, as weights and a bias."""

from __future__ import annotations

import abc
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernel.functions import Function, Kernel
from ..taxonomy import Taxonomy
from .examples import Examples, Floats, Mask, read_gram, read_matrix
from .machines import KernelMachines, LinearMachines, Machines
from .scikit_learn import solvers

Ints = NDArray[np.intp]


class Problem(abc.ABC):
    """The examples, and the solver that separates any of them."""

    n_weights: int
    on: Mask  # the closed masks of all y

    @abc.abstractmethod
    def solve(self, seen: Ints, yes: Mask) -> tuple[Floats, float]:
        """The weights and the bias that separate the examples seen."""

    @abc.abstractmethod
    def machines(self, w: Floats, bias: Floats) -> Machines:
        """What has been found at all nodes."""


class LinearProblem(Problem):
    """Solved by LIBLINEAR, with a hinge loss; it regularises the bias, too. Weights of features."""

    def __init__(self, examples: Examples, taxonomy: Taxonomy, C: float) -> None:
        linear = solvers().LinearSVC
        self.fresh = partial(linear, loss="hinge", C=C, max_iter=20_000, random_state=0)
        self.features, self.X, self.on = read_matrix(examples, taxonomy)
        self.n_weights = self.X.shape[1]

    def solve(self, seen: Ints, yes: Mask) -> tuple[Floats, float]:
        machine: Any = self.fresh().fit(self.X[seen], yes)
        return machine.coef_[0], machine.intercept_[0]

    def machines(self, w: Floats, bias: Floats) -> Machines:
        return LinearMachines(self.features, w, bias)


class KernelProblem(Problem):
    """Solved by LIBSVM from the kernel's values. Weights, i.e. coefficients, of instances."""

    def __init__(
        self, examples: Examples, taxonomy: Taxonomy, kernel: Kernel | Function | None, C: float
    ) -> None:
        # It asks for a random number and has no use for it: not for one that others count on.
        self.fresh = partial(solvers().SVC, kernel="precomputed", C=C, random_state=0)
        self.instances, self.gram, self.on = read_gram(examples, taxonomy, kernel)
        self.n_weights = len(self.gram)

    def solve(self, seen: Ints, yes: Mask) -> tuple[Floats, float]:
        machine: Any = self.fresh().fit(self.gram[np.ix_(seen, seen)], yes)
        b = np.zeros(self.n_weights)
        b[seen[machine.support_]] = machine.dual_coef_[0]
        return b, machine.intercept_[0]

    def machines(self, w: Floats, bias: Floats) -> Machines:
        return KernelMachines(self.instances, w, bias)
