"""The expected H-loss under known probabilities."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .._core import reader_of
from ..taxonomy import Taxonomy
from .costs import Costs, by_node
from .probabilities import conditional


def expected_h_loss(
    taxonomy: Taxonomy,
    probabilities: Mapping[Any, float],
    y_pred: Any,
    costs: Costs | None = None,
) -> float:
    r"""Expected H-loss of a prediction under known probabilities of the labels.

    Labels are drawn from the top down: a node is on with probability $p_i$ if its parent is on,
    otherwise it is off (section 5 of the paper[^1]). A node whose ancestors are all predicted on
    contributes if these are truly on and its own prediction is wrong:

    $$E\,\ell_H = \sum_{i\,:\,\hat{y}_j = 1,\ j \in ANC(i)} c_i
    \prod_{j \in ANC(i)} p_j \cdot (1 - p_i \text{ if } \hat{y}_i = 1 \text{ else } p_i).$$

    A prediction need not respect the taxonomy. A node predicted on below nodes predicted off
    contributes if these are truly off, in which case its own prediction is wrong; if k is the
    topmost node predicted off, this has probability $\prod_{j \in ANC(k)} p_j (1 - p_k)$. A node
    predicted on below another such node never contributes.

    Takes O(nodes that are on, their children and their ancestors), plus the time to parse the
    labels.

    Parameters
    ----------
    taxonomy
        The taxonomy, which must be a tree, otherwise a `ValueError` is raised.
    probabilities
        `{label: P(on | parent on)}` for every label but the root. A missing label or a value
        outside [0, 1] raises a `ValueError`; only the labels that contribute are checked.
    y_pred
        The prediction: a label, an iterable of labels or `{label: bool}`. An ancestor that is
        explicitly False stays False.
    costs
        `{label: cost}`, positive and finite; the default is 1.

    Examples
    --------

    >>> from river_hier import Taxonomy, losses

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> p = {"mammal": 0.8, "bird": 0.1, "wolf": 0.5, "whale": 0.3, "owl": 0.9}

    >>> losses.expected_h_loss(t, p, "wolf")  # 0.2 + 0.1 + 0.8 * (0.5 + 0.3)
    0.94
    >>> losses.expected_h_loss(t, p, {"mammal": False, "wolf": True})  # 0.8 + 0.1 + 0.2
    1.1

    References
    ----------
    [^1]: Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. JMLR 7, 31-54.

    """
    p = conditional(taxonomy, probabilities)
    cost = by_node(taxonomy, costs, "costs")
    nodes, parents = taxonomy.nodes, taxonomy.parent_rows
    on = reader_of(taxonomy).predicted(y_pred)

    reach = {0: 1.0}  # P(V_i = 1) of the nodes that are predicted on like all their ancestors
    charges = []
    for v in sorted(on):  # parents come before their children
        if v in reach:
            for i, p_i in ((i, p(nodes[i])) for i in taxonomy.children_of(v)):
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
