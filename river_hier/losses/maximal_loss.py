"""Maximal loss: the distance between the labels of the worst misordered pair."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .._core import reader_of
from ..taxonomy import Taxonomy
from ..taxonomy.candidates import Candidates
from .costs import Costs, by_node, check_factor
from .rankings import read_ranking


def maximal_loss(
    taxonomy: Taxonomy,
    y_true: Any,
    y_pred: Any,
    candidates: Candidates | None = None,
    volumes: Costs | None = None,
    missed: float = 1.0,
    spurious: float = 1.0,
) -> float:
    r"""Maximal loss: the largest symmetric difference between the labels of a misordered pair.

    $$\max \{\Delta(y, \bar y) : y \in Y, \bar y \in \bar Y, F(y) \le F(\bar y)\}, \qquad
    \Delta(y, \bar y) = |anc(y) \,\triangle\, anc(\bar y)|$$

    over the relevant candidates $Y$ and the irrelevant ones $\bar Y$, 0 if none are misordered; in
    a tree $\Delta$ is their distance. This is the loss of section 3 of the paper[^1], with the
    volumes and costs of its section 2, as in `symmetric_difference_loss`; its experiments use half
    the loss, which is `missed=0.5, spurious=0.5`. Equal scores are misordered. Takes
    O(misordered pairs * depth).

    Parameters
    ----------
    taxonomy
        The taxonomy, a tree or a DAG.
    y_true
        The truth: a label, an iterable of labels or `{label: bool}`. A label that is True while an
        ancestor is explicitly False raises a `ValueError`, an unknown label an `UnknownLabelError`.
    y_pred
        `{label: score}`; higher scores rank first. Candidates without a score rank below all
        others; a score that is not a number raises a `ValueError`. With `None`, no answer, all
        candidates tie.
    candidates
        The labels to rank; `None` for the leaves. A candidate is relevant if it is true.
    volumes
        `{label: volume}` ($s_v$), positive and finite; the default is 1. Only the volumes that are
        used are checked here; `metrics.MaximalLoss` checks all of them once.
    missed
        The weight of ancestors of the relevant candidate only ($c^-$), at least 0.
    spurious
        The weight of ancestors of the irrelevant candidate only ($c^+$), at least 0.

    Examples
    --------

    >>> from river_hier import Taxonomy, losses

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> scores = {"wolf": 0.5, "whale": 1.0, "owl": 0.75}

    >>> losses.maximal_loss(t, "wolf", scores)
    4.0
    >>> losses.maximal_loss(t, {"wolf", "owl"}, scores)
    4.0
    >>> losses.maximal_loss(t, {"wolf", "owl"}, scores | {"owl": 2.0}, missed=0.5, spurious=0.5)
    1.0

    References
    ----------
    [^1]: Cai, L. and Hofmann, T., 2007. Exploiting known taxonomies in learning overlapping
        concepts. IJCAI.

    """
    volume = by_node(taxonomy, volumes, "volumes")
    check_factor("missed", missed)
    check_factor("spurious", spurious)
    scores, relevant, nodes = read_ranking(taxonomy, y_true, y_pred, candidates)
    above = functools.cache(lambda i: reader_of(taxonomy).closure([taxonomy.nodes[nodes[i]]]))
    worst = 0.0
    for i in np.flatnonzero(relevant).tolist():
        for j in np.flatnonzero(~relevant & (scores >= scores[i])).tolist():
            delta = missed * math.fsum(map(volume, above(i) - above(j)))
            delta += spurious * math.fsum(map(volume, above(j) - above(i)))
            worst = max(worst, delta)
    return worst
