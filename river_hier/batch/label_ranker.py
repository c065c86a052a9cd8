"""What the batch rankers share: reading examples, and answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._backend import Threshold
from ..base import Attributes, ranking_of
from ..base.truncation import truncatable
from ..kernel.functions import Function, Kernel
from ..kernel.instances import check_kernel
from ..taxonomy import Label, Taxonomy
from ..taxonomy.candidates import Candidates
from .examples import Examples, read_gram, read_matrix
from .expansions import Expansion, KernelExpansion, LinearExpansion
from .frozen import Frozen
from .machines import Machines

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Trained(NamedTuple):
    """What `fit` has found."""

    machines: Machines
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
        kernel: Kernel | Function | None,
    ) -> None:
        super().__init__(taxonomy)
        check_kernel(kernel)
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

    @truncatable
    def predict_one(self, x: Mapping[Any, Any]) -> dict[Label, bool]:
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
        return self._ranking.scores(self._found.machines.scores(x))

    def _read(self, examples: Examples) -> tuple[Expansion, Mask]:
        """The instances, with all weights at 0, and which candidates are relevant to each."""
        expansion: Expansion
        if self.kernel is None:
            features, X, on = read_matrix(examples, self.taxonomy)
            expansion = LinearExpansion(features, X, len(self.taxonomy))
        else:
            instances, gram, on = read_gram(examples, self.taxonomy, self.kernel)
            expansion = KernelExpansion(instances, gram, len(self.taxonomy))
        return expansion, on[:, self._ranking.candidates]

    def _freeze(self, expansion: Expansion, relevant: Mask) -> Trained:
        """The trained state, with the threshold that the training examples ask for."""
        threshold = Threshold()
        scores = self._ranking.scores(expansion.all_scores().T)[self._ranking.candidates].T
        for one, truth in zip(scores, relevant, strict=True):
            threshold.learn(one, truth)
        return Trained(expansion.machines(), threshold)
