"""What the support vector models share: a machine a node, trained where its parents are on."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from .._backend.reference.paths import top_down
from ..base import check_positive
from ..base.truncation import truncatable
from ..taxonomy import Label, Taxonomy
from .examples import Examples, Floats
from .frozen import Frozen
from .machines import Machines
from .problems import Problem
from .progress import Progress


class SupportVectorModel(Frozen):
    """A support vector machine at every node but the root.

    `structure` says which parents count: those of the taxonomy, or of its flat form. Where a node
    has nothing to separate its score is 1 if all of its examples are on, or there are none, and
    -1 if all are off.
    """

    def __init__(self, taxonomy: Taxonomy, structure: Taxonomy, C: float) -> None:
        super().__init__(taxonomy)
        check_positive("C", C)
        self.C = C
        self._structure = structure
        self._trained: Machines | None = None

    def fit(self, examples: Examples) -> Self:
        problem, n_nodes = self._problem(examples), len(self.taxonomy)
        w, bias = np.zeros((problem.n_weights, n_nodes)), np.ones(n_nodes)
        for v in Progress(range(1, n_nodes), "nodes"):
            seen = np.flatnonzero(problem.on[:, self._structure.parent_indices[v]].all(axis=1))
            yes = problem.on[seen, v]
            if yes.all():
                continue
            if yes.any():
                w[:, v], bias[v] = problem.solve(seen, yes)
            else:
                bias[v] = -1.0
        self._trained = problem.machines(w, bias)
        return self

    @truncatable
    def predict_one(self, x: Mapping[Any, Any]) -> dict[Label, bool]:
        """Predict the multilabel of x: a node is on if its parents are and its score is >= 0.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: bool}` for all nodes but the root.

        """
        on = top_down(self._scores(x) >= 0.0, self._structure.arrays)
        return dict(zip(self.taxonomy.nodes[1:], on[1:].tolist(), strict=True))

    def score_one(self, x: Mapping[Any, Any]) -> dict[Label, float]:
        return dict(zip(self.taxonomy.nodes[1:], self._scores(x)[1:].tolist(), strict=True))

    def _scores(self, x: Mapping[Any, Any]) -> Floats:
        self._check_fitted()
        assert self._trained is not None
        return self._trained.scores(x)

    @property
    def _fitted(self) -> bool:
        return self._trained is not None

    # What an algorithm fills in

    @abc.abstractmethod
    def _problem(self, examples: Examples) -> Problem:
        """The examples, as its solver takes them."""
