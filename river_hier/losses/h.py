"""The H-loss: the cost of the wrong nodes whose ancestors are all right."""

from __future__ import annotations

import math
from typing import Any

from .._core import reader_of
from ..taxonomy import Taxonomy
from .costs import Costs, by_node


def h_loss(taxonomy: Taxonomy, y_true: Any, y_pred: Any, costs: Costs | None = None) -> float:
    r"""H-loss: the cost of the wrong nodes whose ancestors are all right.

    $$\ell_H(\hat{y}, v) = \sum_i c_i\,
    \{\hat{y}_i \neq v_i \wedge \hat{y}_j = v_j,\ j \in ANC(i)\}$$

    as in section 3 of the paper[^1], with the costs of its Remark 5. Nodes below a wrong node cost
    nothing. With unit costs and predictions that respect the taxonomy, zero-one loss <= H-loss <=
    symmetric difference loss.

    Takes O(nodes that differ and their ancestors), plus the time to parse the labels and to look up
    the labels of `costs`. The paper defines it for trees; in a DAG, $ANC(i)$ is the set of all
    ancestors.

    Parameters
    ----------
    taxonomy
        The taxonomy, a tree or a DAG.
    y_true
        The truth: a label, an iterable of labels or `{label: bool}`. A label that is True while an
        ancestor is explicitly False raises a `ValueError`, an unknown label an `UnknownLabelError`.
    y_pred
        The prediction, in the same forms. An ancestor that is explicitly False stays False. `None`,
        no answer, counts as the root: no label is on.
    costs
        `{label: cost}`, positive and finite; the default is 1. Only the costs of wrong nodes are
        checked here; `metrics.HLoss` checks all of them once.

    Examples
    --------

    >>> from river_hier import Taxonomy, losses

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})

    >>> losses.h_loss(t, "wolf", "whale")
    2.0
    >>> losses.h_loss(t, "wolf", "owl")  # mammal is missed and bird is wrong: no more is charged
    2.0
    >>> losses.h_loss(t, "wolf", "owl", costs={"mammal": 5})
    6.0

    References
    ----------
    [^1]: Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. JMLR 7, 31-54.

    """
    cost = by_node(taxonomy, costs, "costs")
    labels = reader_of(taxonomy)
    charged = mistakes(taxonomy, labels.closure(y_true), labels.predicted(y_pred))
    return math.fsum(map(cost, charged))


def mistakes(taxonomy: Taxonomy, true: set[int], pred: set[int]) -> list[int]:
    """The wrong nodes whose ancestors are right, in taxonomy order; the root is in both sets."""
    differing = true ^ pred
    return [i for i in sorted(differing) if _right_above(taxonomy, i, differing)]


def _right_above(taxonomy: Taxonomy, i: int, differing: set[int]) -> bool:
    """Whether yhat_j = v_j for all j in ANC(i)."""
    parents = taxonomy.parent_rows
    seen: set[int] = set()  # in a DAG several paths may lead to the same ancestor
    above = list(parents[i])
    while above:
        j = above.pop()
        if j in differing:
            return False
        if j not in seen:
            seen.add(j)
            above += parents[j]
    return True
