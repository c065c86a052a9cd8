"""What `HSVM` and `SVM` share: LIBLINEAR."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from .machines import Floats, LinearMachines
from .scikit_learn import solvers
from .support_vectors import SupportVectorModel


class LinearSupportVectorModel(SupportVectorModel):
    """Linear machines with a hinge loss. LIBLINEAR regularises their biases, too."""

    def _solver(self) -> Callable[[], Any]:
        linear = solvers().LinearSVC
        return partial(linear, loss="hinge", C=self.C, max_iter=20_000, random_state=0)

    def _together(
        self, constant: Floats, trained: dict[int, Any], n_features: int
    ) -> LinearMachines:
        return LinearMachines(constant, trained, n_features)
