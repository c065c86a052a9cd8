"""What the metrics of rankings share: the candidates."""

from __future__ import annotations

from ..taxonomy import Taxonomy
from ..taxonomy.candidates import Candidates, candidate_nodes
from .base import MeanScore


class RankingMetric(MeanScore):
    """Mother class of the metrics that read scores, `{label: score}`, and not answers.

    Parameters
    ----------
    taxonomy
        The taxonomy of the labels.
    candidates
        The labels that are ranked; `None` for the leaves.

    """

    def __init__(self, taxonomy: Taxonomy, candidates: Candidates | None = None) -> None:
        super().__init__(taxonomy)
        candidate_nodes(taxonomy, candidates)
        self.candidates = candidates
