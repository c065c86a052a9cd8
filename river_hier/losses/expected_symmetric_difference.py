"""The expected symmetric difference loss under known probabilities."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .._core import reader_of
from ..taxonomy import Taxonomy
from .costs import Costs, by_node, check_factor
from .probabilities import conditional


def expected_symmetric_difference_loss(
    taxonomy: Taxonomy,
    probabilities: Mapping[Any, float],
    y_pred: Any,
    volumes: Costs | None = None,
    missed: float = 1.0,
    spurious: float = 1.0,
) -> float:
    r"""Expected symmetric difference loss of a prediction under known probabilities of the labels.

    Labels are drawn from the top down: a node is on with probability $p_i$ if its parent is on,
    otherwise it is off (section 5 of the paper[^1]), hence on with probability
    $q_i = \prod_{j \in P(i)} p_j$, where the path P(i) includes i. So

    $$E\,\Delta = c^- \sum_{i\,:\,\hat{y}_i = 0} s_i q_i
    + c^+ \sum_{i\,:\,\hat{y}_i = 1} s_i (1 - q_i),$$

    whether or not the prediction respects the taxonomy. Every node that may be on contributes, so
    this takes O(nodes), unlike the other expected losses.

    Parameters
    ----------
    taxonomy
        The taxonomy, which must be a tree, otherwise a `ValueError` is raised.
    probabilities
        `{label: P(on | parent on)}` for every label but the root. A missing label or a value
        outside [0, 1] raises a `ValueError`.
    y_pred
        The prediction: a label, an iterable of labels or `{label: bool}`. An ancestor that is
        explicitly False stays False.
    volumes
        `{label: volume}` ($s_i$), positive and finite; the default is 1.
    missed
        The weight of nodes that are on in the truth only ($c^-$), at least 0.
    spurious
        The weight of nodes that are on in the prediction only ($c^+$), at least 0.

    Examples
    --------

    >>> from river_hier import Taxonomy, losses

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> p = {"mammal": 0.8, "bird": 0.1, "wolf": 0.5, "whale": 0.3, "owl": 0.9}

    >>> losses.expected_symmetric_difference_loss(t, p, "wolf")  # 0.2 + 0.1 + 0.6 + 0.24 + 0.09
    1.23

    References
    ----------
    [^1]: Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. JMLR 7, 31-54.

    """
    p = conditional(taxonomy, probabilities)
    volume = by_node(taxonomy, volumes, "volumes")
    check_factor("missed", missed)
    check_factor("spurious", spurious)
    on = reader_of(taxonomy).predicted(y_pred)

    q = [1.0]
    charges = []
    for v in range(1, len(taxonomy)):  # parents come before their children
        q.append(q[taxonomy.parent_rows[v][0]] * p(taxonomy.label(v)))
        charges.append(volume(v) * (spurious * (1.0 - q[v]) if v in on else missed * q[v]))
    return math.fsum(charges)
