from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .._core import labels_of
from ..taxonomy import OpenTaxonomy, Taxonomy
from ..taxonomy.multilabel import Candidates
from .costs import Costs, by_node, check_factor
from .rankings import RankingMetric, read_ranking


class MaximalLoss(RankingMetric):
    r"""Maximal loss: the mean distance between the labels of the worst misordered pair.

    The mean over the examples of

    $$\max \{\Delta(y, \bar y) : y \in Y, \bar y \in \bar Y, F(y) \le F(\bar y)\}, \qquad
    \Delta(y, \bar y) = |anc(y) \,\triangle\, anc(\bar y)|$$

    with the relevant candidates $Y$ and the irrelevant ones $\bar Y$, 0 if none are misordered; in
    a tree $\Delta$ is their distance. This is the loss of section 3 of the paper[^1], with the
    volumes and costs of its section 2, as in `SymmetricDifferenceLoss`; its experiments use half
    the loss, which is `missed=0.5, spurious=0.5`. Equal scores are misordered. An update takes
    O(misordered pairs * depth).

    It takes scores as predictions: `evaluate.Ranked(model)` makes a model return them.

    Parameters
    ----------
    taxonomy
        The taxonomy. An unknown label raises an `UnknownLabelError` and changes nothing.
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
    >>> metric = metrics.MaximalLoss(t)
    >>> metric.update("wolf", {"wolf": 0.5, "whale": 1.0, "owl": 0.75})
    >>> metric.update({"wolf", "whale"}, {"wolf": 1.5, "whale": 1.0, "owl": 0.75}, w=0.5)
    >>> metric
    MaximalLoss: 2.666667

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
        return maximal_loss(
            self.taxonomy_,
            y_true,
            y_pred,
            self.candidates,
            self.volumes,
            self.missed,
            self.spurious,
        )


def maximal_loss(
    taxonomy: Taxonomy,
    y_true: Any,
    y_pred: Any,
    candidates: Candidates | None = None,
    volumes: Costs | None = None,
    missed: float = 1.0,
    spurious: float = 1.0,
) -> float:
    """Maximal loss: the largest distance of a misordered pair; see `metrics.MaximalLoss`.

    `losses` says what `y_true` and `y_pred` may be; the other parameters are those of the metric.
    Only the volumes that are used are checked.

    Examples
    --------

    >>> from river_hier import Taxonomy, losses

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> scores = {"wolf": 0.5, "whale": 1.0, "owl": 0.75}
    >>> losses.maximal_loss(t, "wolf", scores)
    4.0
    >>> losses.maximal_loss(t, {"wolf", "owl"}, scores | {"owl": 2.0}, missed=0.5, spurious=0.5)
    1.0

    """
    volume = by_node(taxonomy, volumes, "volumes")
    check_factor("missed", missed)
    check_factor("spurious", spurious)
    scores, relevant, nodes = read_ranking(taxonomy, y_true, y_pred, candidates)
    above = functools.cache(lambda i: labels_of(taxonomy).closure([taxonomy.nodes[nodes[i]]]))
    worst = 0.0
    for i in np.flatnonzero(relevant).tolist():
        for j in np.flatnonzero(~relevant & (scores >= scores[i])).tolist():
            delta = missed * math.fsum(map(volume, above(i) - above(j)))
            delta += spurious * math.fsum(map(volume, above(j) - above(i)))
            worst = max(worst, delta)
    return worst
