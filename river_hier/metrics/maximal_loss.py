from __future__ import annotations

from typing import Any

from .. import losses
from ..losses.costs import Costs, check_factor
from ..taxonomy import OpenTaxonomy, Taxonomy
from ..taxonomy.candidates import Candidates
from .base import RankingMetric


class MaximalLoss(RankingMetric):
    r"""Maximal loss: the mean distance between the labels of the worst misordered pair.

    The largest $\Delta(y, \bar y) = |anc(y) \,\triangle\, anc(\bar y)|$ of a relevant candidate y
    and an irrelevant one that does not rank below it, 0 if there is none, as in section 3 of the
    paper[^1], with the volumes and costs of its section 2. Its experiments use half the loss, which
    is `missed=0.5, spurious=0.5`. Equal scores are misordered. An update takes
    O(misordered pairs * depth).

    It takes scores as predictions: `evaluate.Ranked(model)` makes a model return them.

    Parameters
    ----------
    taxonomy
        The taxonomy. Unknown labels raise an `UnknownLabelError`; an update that raises leaves the
        metric unchanged.
    candidates
        The labels to rank; `None` for the leaves. A candidate is relevant if it is true.
    volumes
        `{label: volume}`, positive and finite; the default is 1.
    missed
        The weight of ancestors of the relevant candidate only, at least 0.
    spurious
        The weight of ancestors of the irrelevant candidate only, at least 0.

    Examples
    --------

    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> y_true = ["wolf", {"wolf", "whale"}, "owl"]
    >>> scores = [
    ...     {"wolf": 0.5, "whale": 1.0, "owl": 0.75},
    ...     {"wolf": 1.5, "whale": 1.0, "owl": 0.75},
    ...     {"wolf": 0.5, "whale": 0.25, "owl": 0.75},
    ... ]

    >>> metric = metrics.MaximalLoss(t)
    >>> for yt, yp in zip(y_true, scores):
    ...     metric.update(yt, yp)

    >>> metric
    MaximalLoss: 1.333333

    References
    ----------
    [^1]: Cai, L. and Hofmann, T., 2007. Exploiting known taxonomies in learning overlapping
        concepts. IJCAI.

    """

    bigger_is_better: bool = False

    def __init__(
        self,
        taxonomy: Taxonomy | OpenTaxonomy,
        candidates: Candidates | None = None,
        volumes: Costs | None = None,
        missed: float = 1.0,
        spurious: float = 1.0,
    ) -> None:
        super().__init__(taxonomy, candidates)
        self._check_costs(volumes, "volumes")
        check_factor("missed", missed)
        check_factor("spurious", spurious)
        self.volumes = volumes
        self.missed = missed
        self.spurious = spurious

    def _eval(self, y_true: Any, y_pred: Any) -> float:
        return losses.maximal_loss(
            self.taxonomy_,
            y_true,
            y_pred,
            self.candidates,
            self.volumes,
            self.missed,
            self.spurious,
        )
