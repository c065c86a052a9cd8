"""Binary support vector machines of scikit-learn, trained on subsets of the examples."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

import numpy as np

from ..kernel.functions import Function, Kernel
from ..taxonomy import Taxonomy
from .examples import Examples, Floats, Ints, Mask, read_gram, read_matrix
from .scorers import KernelScorers, LinearScorers


class LinearSolver:
    """LIBLINEAR with the hinge loss, which regularises the bias too. It returns feature weights."""

    def __init__(self, examples: Examples, taxonomy: Taxonomy, C: float) -> None:
        linear = _sklearn_svm().LinearSVC
        self._svm = partial(linear, loss="hinge", C=C, max_iter=20_000, random_state=0)
        self.on: Mask
        self._features, self._X, self.on = read_matrix(examples, taxonomy)
        self.n_weights: int = self._X.shape[1]

    def solve(self, seen: Ints, yes: Mask) -> tuple[Floats, float]:
        """The weights and the bias that separate the examples with the indices `seen`."""
        svm: Any = self._svm().fit(self._X[seen], yes)
        return svm.coef_[0], svm.intercept_[0]

    def scorers(self, w: Floats, bias: Floats) -> LinearScorers:
        """The solutions of all nodes."""
        return LinearScorers(self._features, w, bias)


class KernelSolver:
    """LIBSVM on the kernel matrix. It returns weights, i.e. dual coefficients, of instances."""

    def __init__(
        self, examples: Examples, taxonomy: Taxonomy, kernel: Kernel | Function | None, C: float
    ) -> None:
        # SVC draws a random number that it does not use; a fixed seed spares the global state.
        self._svm = partial(_sklearn_svm().SVC, kernel="precomputed", C=C, random_state=0)
        self.on: Mask
        self._instances, self._gram, self.on = read_gram(examples, taxonomy, kernel)
        self.n_weights: int = len(self._gram)

    def solve(self, seen: Ints, yes: Mask) -> tuple[Floats, float]:
        """The weights and the bias that separate the examples with the indices `seen`."""
        svm: Any = self._svm().fit(self._gram[np.ix_(seen, seen)], yes)
        b = np.zeros(self.n_weights)
        b[seen[svm.support_]] = svm.dual_coef_[0]
        return b, svm.intercept_[0]

    def scorers(self, w: Floats, bias: Floats) -> KernelScorers:
        """The solutions of all nodes."""
        return KernelScorers(self._instances, w, bias)


BinarySolver = LinearSolver | KernelSolver


def _sklearn_svm() -> Any:
    """The module `sklearn.svm`; scikit-learn is imported only when there is something to train."""
    try:
        return importlib.import_module("sklearn.svm")
    except ImportError:
        raise ImportError(
            "support vector machines need scikit-learn: pip install 'river-hier[batch]'"
        ) from None
