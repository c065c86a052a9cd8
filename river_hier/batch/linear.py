"""What `HSVM` and `SVM` share: LIBLINEAR."""

from __future__ import annotations

from .examples import Examples
from .problems import LinearProblem
from .support_vectors import SupportVectorModel


class LinearSupportVectorModel(SupportVectorModel):
    """Linear machines with a hinge loss."""

    def _problem(self, examples: Examples) -> LinearProblem:
        return LinearProblem(examples, self.taxonomy, self.C)
