"""Base class of the batch label rankers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._core import Threshold
from ..base.predictor import masked_nodes
from ..base.rankings import Attributes, ranking_of
from ..kernel.functions import Function, Kernel
from ..kernel.instances import check_kernel
from ..taxonomy import Taxonomy
from ..taxonomy.multilabel import Candidates
from .estimator import BatchEstimator
from .examples import Examples, Floats, Mask, read_gram, read_matrix
from .expansions import Expansion, KernelExpansion, LinearExpansion
from .scorers import Scorers


class Trained(NamedTuple):
    """The result of `fit`."""

    scorers: Scorers
    threshold: Threshold


class LabelRanker(BatchEstimator):
    """Ranks the candidates by F(x, y) = sum_{v in anc(y)} t_v <w_v, x>.

    The candidates above a threshold are switched on. It is learned as in `linear_model.HMinOver`.
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

    def threshold_one(self, x: Mapping[Any, Any]) -> float:
        """Return the score at and above which candidates are switched on.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self._threshold(self._scores(x))

    def _nodes_on(self, x: Mapping[Any, Any]) -> list[int]:
        scores = self._scores(x)
        return masked_nodes(self._ranking.answer(scores, self._threshold(scores)))

    def _scores(self, x: Mapping[Any, Any]) -> Floats:
        """F(x, y) of all nodes, candidates or not."""
        self._check_fitted()
        return self._ranking.scores(self._trained.scorers.scores(x))

    def _threshold(self, scores: Floats) -> float:
        threshold: float = self._trained.threshold.at(scores[self._ranking.candidates])
        return threshold

    def _read(self, examples: Examples) -> tuple[Expansion, Mask]:
        """The instances, with all weights at 0, and the relevant candidates of each."""
        expansion: Expansion
        if self.kernel is None:
            features, X, on = read_matrix(examples, self.taxonomy)
            expansion = LinearExpansion(features, X, len(self.taxonomy))
        else:
            instances, gram, on = read_gram(examples, self.taxonomy, self.kernel)
            expansion = KernelExpansion(instances, gram, len(self.taxonomy))
        return expansion, on[:, self._ranking.candidates]

    def _train_threshold(self, expansion: Expansion, relevant: Mask) -> Trained:
        """The trained weights, with a threshold that is learned from the training examples."""
        threshold = Threshold()
        scores = self._ranking.scores(expansion.all_scores().T)[self._ranking.candidates].T
        for one, truth in zip(scores, relevant, strict=True):
            threshold.learn(one, truth)
        return Trained(expansion.scorers(), threshold)
