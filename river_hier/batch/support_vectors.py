"""What the support vector models share: a machine a node, trained where its parents are on."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np

from .._kernels import Features
from .._kernels.paths import top_down
from ..base import check_positive
from ..taxonomy import Label, Taxonomy
from .examples import Examples, matrix, read_examples
from .frozen import Frozen
from .machines import Floats, Machines
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
        self._trained: tuple[Features, Machines] | None = None

    def fit(self, examples: Examples) -> Self:
        fresh = self._solver()
        features, vectors, on = read_examples(examples, self.taxonomy)
        X = matrix(vectors, max(len(features), 1))  # LIBLINEAR wants a column
        constant, trained = np.ones(len(self.taxonomy)), {}
        for v in Progress(range(1, len(self.taxonomy)), "nodes"):
            seen = on[:, self._structure.parent_indices[v]].all(axis=1)
            yes = on[seen, v]
            if yes.all():
                continue
            if yes.any():
                trained[v] = fresh().fit(X[seen], yes)
            else:
                constant[v] = -1.0
        self._trained = features, self._together(constant, trained, X.shape[1])
        return self

    def predict_one(self, x: Mapping[Any, Any], **kwargs: Any) -> dict[Label, bool]:
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
        features, machines = self._trained
        return machines.scores(features.find(x))

    @property
    def _fitted(self) -> bool:
        return self._trained is not None

    # What an algorithm fills in

    @abc.abstractmethod
    def _solver(self) -> Callable[[], Any]:
        """Gives a fresh machine of scikit-learn's."""

    @abc.abstractmethod
    def _together(self, constant: Floats, trained: dict[int, Any], n_features: int) -> Machines:
        """The machines of all nodes."""
