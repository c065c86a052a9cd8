"""What the batch rankers share: reading examples, and answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from river import base
from scipy import sparse

from .._kernels import Features, FreeWeights, Names, Threshold, Vector, vector_of
from ..base import Attributes, ranking_of
from ..base.batches import at_row
from ..taxonomy import Label, Taxonomy, check_taxonomy
from ..taxonomy.candidates import Candidates
from .base import Examples, Frozen
from .expansions import Expansion, Kernel, KernelExpansion, KernelWeights, LinearExpansion

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Trained(NamedTuple):
    """What `fit` has found."""

    features: Names
    weights: FreeWeights | KernelWeights
    threshold: Threshold


class LabelRanker(Frozen, base.MultiLabelClassifier):
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
        check_taxonomy(taxonomy)
        if kernel is not None and not callable(kernel):
            raise TypeError(f"`kernel` must be a function K(X, Z) -> matrix, got {kernel!r}")
        self.taxonomy = taxonomy
        self.t = t
        self.candidates = candidates
        self.kernel = kernel
        self._ranking = ranking_of(taxonomy, t, candidates)
        self._trained: Trained | None = None

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"taxonomy": Taxonomy.flat(["wolf", "owl"])}

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
    def _found(self) -> Trained:
        if self._trained is None:
            raise RuntimeError(f"{type(self).__name__} is not trained yet: call `fit(examples)`")
        return self._trained

    def _scores(self, x: Mapping[Any, Any]) -> Floats:
        found = self._found
        return self._ranking.scores(found.weights.scores(vector_of(found.features.find(x))))

    def _read(self, examples: Examples) -> tuple[Names, Expansion, Mask]:
        """The names of features, the instances, and which candidates are relevant to each."""
        features, relevant = Features(), []
        vectors: list[Vector] = []
        for i, (x, y) in enumerate(examples):
            with at_row(i):
                relevant.append(self.taxonomy.multilabel(y)[self._ranking.candidates])
                vectors.append(vector_of(features.insert(x)))
        if not vectors:
            raise ValueError("`examples` must hold at least one example, got none")
        shape = (len(vectors), len(features) + 1)  # and one for all that is never trained on
        X = _rows(vectors, shape)
        n = len(self.taxonomy)
        expansion: Expansion = LinearExpansion(X, n)
        if self.kernel is not None:
            expansion = KernelExpansion(X.toarray(), self.kernel, n)
        return features, expansion, np.array(relevant)

    def _freeze(self, features: Names, expansion: Expansion, relevant: Mask) -> Trained:
        """The trained state, with the threshold that the training examples ask for."""
        threshold = Threshold()
        scores = self._ranking.scores(expansion.all_scores().T)[self._ranking.candidates].T
        for one, truth in zip(scores, relevant, strict=True):
            threshold.learn(one, truth)
        return Trained(features, expansion.frozen(), threshold)


def _rows(vectors: list[Vector], shape: tuple[int, int]) -> Any:
    start = np.cumsum([0, *(len(x.rows) for x in vectors)])
    rows = np.concatenate([np.empty(0, np.intp), *(x.rows for x in vectors)])
    values = np.concatenate([np.empty(0), *(x.values for x in vectors)])
    return sparse.csr_array((values, rows, start), shape=shape)
