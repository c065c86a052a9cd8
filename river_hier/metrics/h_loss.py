from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .._core import labels_of
from ..taxonomy import OpenTaxonomy, Taxonomy
from .base import MeanLoss
from .costs import Costs, by_node
from .probabilities import conditional


def h_loss(taxonomy: Taxonomy, y_true: Any, y_pred: Any, costs: Costs | None = None) -> float:
    """H-loss: the cost of the wrong nodes whose ancestors are all right; see `metrics.HLoss`.

    `losses` says what `y_true` and `y_pred` may be. Only the costs of wrong nodes
    are checked. With unit costs and predictions that respect the taxonomy, zero-one loss <= H-loss
    <= symmetric difference loss.

    Examples
    --------

    >>> from river_hier import Taxonomy, losses

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> losses.h_loss(t, "wolf", "owl")  # mammal is missed and bird is wrong: no more is charged
    2.0
    >>> losses.h_loss(t, "wolf", "owl", costs={"mammal": 5})
    6.0

    """
    cost = by_node(taxonomy, costs, "costs")
    labels = labels_of(taxonomy)
    charged = mistakes(taxonomy, labels.closure(y_true), labels.predicted(y_pred))
    return math.fsum(map(cost, charged))


def mistakes(taxonomy: Taxonomy, true: set[int], pred: set[int]) -> list[int]:
    """The wrong nodes whose ancestors are right, in taxonomy order; the root is in both sets."""
    differing = true ^ pred
    return [i for i in sorted(differing) if _right_above(taxonomy, i, differing)]


def _right_above(taxonomy: Taxonomy, i: int, differing: set[int]) -> bool:
    """Whether yhat_j = v_j for all j in ANC(i)."""
    parents = taxonomy._parent_rows
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


def expected_h_loss(
    taxonomy: Taxonomy,
    probabilities: Mapping[Any, float],
    y_pred: Any,
    costs: Costs | None = None,
) -> float:
    r"""Expected H-loss of a prediction under known probabilities of the labels.

    The taxonomy is a tree, labels are drawn as in `expected_zero_one_loss`, and `costs` are those
    of `metrics.HLoss`. A node whose ancestors are all predicted on contributes if these are truly
    on and its own prediction is wrong:

    $$E\,\ell_H = \sum_{i\,:\,\hat{y}_j = 1,\ j \in ANC(i)} c_i
    \prod_{j \in ANC(i)} p_j \cdot (1 - p_i \text{ if } \hat{y}_i = 1 \text{ else } p_i).$$

    A prediction need not respect the taxonomy. A node predicted on below nodes predicted off
    contributes if these are truly off, in which case its own prediction is wrong; if k is the
    topmost node predicted off, this has probability $\prod_{j \in ANC(k)} p_j (1 - p_k)$. A node
    predicted on below another such node never contributes.

    Takes O(nodes that are on, their children and their ancestors), plus the time to parse the
    labels.

    Examples
    --------

    >>> from river_hier import Taxonomy, losses

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> p = {"mammal": 0.8, "bird": 0.1, "wolf": 0.5, "whale": 0.3, "owl": 0.9}

    >>> losses.expected_h_loss(t, p, "wolf")  # 0.2 + 0.1 + 0.8 * (0.5 + 0.3)
    0.94
    >>> losses.expected_h_loss(t, p, {"mammal": False, "wolf": True})  # 0.8 + 0.1 + 0.2
    1.1

    """
    p = conditional(taxonomy, probabilities)
    cost = by_node(taxonomy, costs, "costs")
    nodes, parents = taxonomy.nodes, taxonomy._parent_rows
    on = labels_of(taxonomy).predicted(y_pred)

    reach = {0: 1.0}  # P(V_i = 1) of the nodes that are predicted on like all their ancestors
    charges = []
    for v in sorted(on):  # parents come before their children
        if v in reach:
            for i, p_i in ((i, p(nodes[i])) for i in taxonomy._children_of(v)):
                charges.append(cost(i) * reach[v] * (1.0 - p_i if i in on else p_i))
                if i in on:
                    reach[i] = reach[v] * p_i
        else:
            k = v
            while (parent := parents[k][0]) not in on:
                k = parent
            if parent in reach:
                charges.append(cost(v) * reach[parent] * (1.0 - p(nodes[k])))
    return math.fsum(charges)


class HLoss(MeanLoss):
    r"""H-loss: the mean cost of the wrong nodes whose ancestors are all right.

    $$\ell_H(\hat{y}, v) = \sum_i c_i\,
    \{\hat{y}_i \neq v_i \wedge \hat{y}_j = v_j,\ j \in ANC(i)\}$$

    as in section 3 of the paper[^1], with the costs of its Remark 5. Nodes below a wrong node cost
    nothing.

    An update takes O(nodes that differ and their ancestors), plus the time to parse the labels.
    The paper defines the loss for trees; in a DAG, $ANC(i)$ is the set of all ancestors.

    Parameters
    ----------
    taxonomy
        The taxonomy. An unknown label raises an `UnknownLabelError` and changes nothing.
    costs
        `{label: cost}`, positive and finite; the default is 1.

    Examples
    --------

    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.HLoss(t)
    >>> metric.update("wolf", "owl")
    >>> metric.update({"wolf", "owl"}, {"mammal", "owl"})
    >>> metric
    HLoss: 1.5

    Errors can be given different costs:

    >>> metric = metrics.HLoss(t, costs={"wolf": 2.5, "mammal": 5.5})
    >>> metric.update("wolf", "owl")
    >>> metric
    HLoss: 6.5

    References
    ----------
    [^1]: Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. JMLR 7, 31-54.

    """

    _loss = staticmethod(h_loss)
    _expected_loss = staticmethod(expected_h_loss)
    _options = ("costs",)

    def __init__(self, taxonomy: Taxonomy | OpenTaxonomy, costs: Costs | None = None) -> None:
        super().__init__(taxonomy)
        self._check_costs(costs, "costs")
        self.costs = costs
