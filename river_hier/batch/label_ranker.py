"""What the batch rankers share: reading examples, and answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels import FreeWeights, Names, Threshold, vector_of
from ..base import Attributes, ranking_of
from ..taxonomy import Label, Taxonomy
from ..taxonomy.candidates import Candidates
from .examples import Examples, matrix, read_examples
from .expansions import Expansion, Kernel, KernelExpansion, KernelWeights, LinearExpansion
from .frozen import Frozen

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Trained(NamedTuple):
    """What `fit` has found."""

    features: Names
    weights: FreeWeights | KernelWeights
    threshold: Threshold


class LabelRanker(Frozen):
    """Ranks candidates by F(x, y) = sum_{v in anc(y)} t_v <w_v, x>, trained on a list of examples.

    A threshold on the scores, learned as `linear_model.HMinOver` learns it, tells how many are on.
    """

    def __init__(
        self,
        taxonomy: Taxonomy,
        t: Attributes,
        candidates: Candidates | None,
        kernel: Kernel | None,
    ) -> None:
        super().__init__(taxonomy)
        if kernel is not None and not callable(kernel):
            raise TypeError(f"`kernel` must be a function K(X, Z) -> matrix, got {kernel!r}")
        self.t = t
        self.candidates = candidates
        self.kernel = kernel
        self._ranking = ranking_of(taxonomy, t, candidates)
        self._trained: Trained | None = None

    def score_one(self, x: Mapping[Any, Any]) -> dict[Label, float]:
        """The scores F(x, y) of all labels, candidates or not.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: score}` for all nodes but the root.

        """
        return dict(zip(self.taxonomy.nodes[1:], self._scores(x)[1:].tolist(), strict=True))

    def threshold_one(self, x: Mapping[Any, Any]) -> float:
        """The score from which on candidates are switched on.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self._found.threshold.at(self._scores(x)[self._ranking.candidates])

    def predict_one(self, x: Mapping[Any, Any], **kwargs: Any) -> dict[Label, bool]:
        """The candidates that reach the threshold, and their ancestors.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: bool}` for all nodes but the root.

        """
        scores = self._scores(x)
        threshold = self._found.threshold.at(scores[self._ranking.candidates])
        on = self._ranking.answer(scores, threshold)
        return dict(zip(self.taxonomy.nodes[1:], on[1:].tolist(), strict=True))

    @property
    def _fitted(self) -> bool:
        return self._trained is not None

    @property
    def _found(self) -> Trained:
        self._check_fitted()
        assert self._trained is not None
        return self._trained

    def _scores(self, x: Mapping[Any, Any]) -> Floats:
        found = self._found
        return self._ranking.scores(found.weights.scores(vector_of(found.features.find(x))))

    def _read(self, examples: Examples) -> tuple[Names, Expansion, Mask]:
        """The names of features, the instances, and which candidates are relevant to each."""
        features, vectors, on = read_examples(examples, self.taxonomy)
        X = matrix(vectors, len(features) + 1)  # and one for all that is never trained on
        n = len(self.taxonomy)
        expansion: Expansion = LinearExpansion(X, n)
        if self.kernel is not None:
            expansion = KernelExpansion(X.toarray(), self.kernel, n)
        return features, expansion, on[:, self._ranking.candidates]

    def _freeze(self, features: Names, expansion: Expansion, relevant: Mask) -> Trained:
        """The trained state, with the threshold that the training examples ask for."""
        threshold = Threshold()
        scores = self._ranking.scores(expansion.all_scores().T)[self._ranking.candidates].T
        for one, truth in zip(scores, relevant, strict=True):
            threshold.learn(one, truth)
        return Trained(features, expansion.frozen(), threshold)
