"""What was said of labels, and what they were: counted by how likely they were said to be."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from ..base.checks import check_integer
from ..losses.rankings import read_ranking
from ..taxonomy import Taxonomy
from ..taxonomy.candidates import Candidates, candidate_nodes
from .base import SumMetric


class SaidMetric(SumMetric):
    """Mother class of the metrics that compare probabilities with frequencies.

    Parameters
    ----------
    taxonomy
        The taxonomy in which labels are on or off.
    n_bins
        The number of bins.
    candidates
        The labels that count; `None` for all but the root.

    """

    def __init__(
        self, taxonomy: Taxonomy, n_bins: int = 10, candidates: Candidates | None = None
    ) -> None:
        super().__init__(taxonomy)
        check_integer("n_bins", n_bins, 1)
        candidate_nodes(taxonomy, candidates)
        self.n_bins = n_bins
        self.candidates = candidates

    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        counted = self.candidates
        if counted is None and len(self.taxonomy) > 1:
            counted = self.taxonomy.nodes[1:]
        ranked = read_ranking(self.taxonomy, y_true, y_pred, counted)
        labels = [self.taxonomy.nodes[v] for v in ranked.nodes]
        said = np.array([y_pred.get(label, 0.0) for label in labels], dtype=float)
        if len(outside := np.flatnonzero((said < 0.0) | (said > 1.0))):
            i = outside[0]
            raise ValueError(
                f"{labels[i]!r} is said to be {float(said[i])!r} likely, not between 0 and 1; does "
                "the model answer with probabilities? evaluate.Probabilities(model) does"
            )
        bins = np.minimum((said * self.n_bins).astype(int), self.n_bins - 1)
        for i in np.unique(bins).tolist():
            here = bins == i
            yield (i, "labels"), float(here.sum())
            yield (i, "said"), math.fsum(said[here])
            yield (i, "on"), float(ranked.relevant[here].sum())
