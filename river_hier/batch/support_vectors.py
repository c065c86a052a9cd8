"""Base class of the support vector machines: one at each node, trained where its parents are on."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from .._core.paths import top_down
from ..base.checks import check_positive
from ..base.predictor import masked_nodes
from ..taxonomy import Taxonomy
from .estimator import BatchEstimator, Progress
from .examples import Examples, Floats
from .solvers import BinarySolver


class SupportVectorModel(BatchEstimator):
    """A support vector machine at every node but the root.

    `structure` gives the parents of each node: it is the taxonomy, or its flat form. A node whose
    examples are all on, or that has none, has the score 1; one whose examples are all off, -1.
    """

    def __init__(self, taxonomy: Taxonomy, structure: Taxonomy, C: float) -> None:
        super().__init__(taxonomy)
        check_positive("C", C)
        self.C = C
        self._structure = structure

    def fit(self, examples: Examples) -> Self:
        solver, n_nodes = self._solver(examples), len(self.taxonomy)
        w, bias = np.zeros((solver.n_weights, n_nodes)), np.ones(n_nodes)
        for v in Progress(range(1, n_nodes), "nodes"):
            seen = np.flatnonzero(solver.on[:, self._structure._parent_indices[v]].all(axis=1))
            yes = solver.on[seen, v]
            if yes.all():
                continue
            if yes.any():
                w[:, v], bias[v] = solver.solve(seen, yes)
            else:
                bias[v] = -1.0
        self._trained = solver.scorers(w, bias)
        return self

    def _nodes_on(self, x: Mapping[Any, Any]) -> list[int]:
        return masked_nodes(top_down(self._scores(x) >= 0.0, self._structure._arrays))

    def _scores(self, x: Mapping[Any, Any]) -> Floats:
        self._check_fitted()
        scores: Floats = self._trained.scores(x)
        return scores

    @abc.abstractmethod
    def _solver(self, examples: Examples) -> BinarySolver:
        """The solver of the model, with the examples read."""
