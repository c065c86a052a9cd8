"""Hieron's mistake bound, for any weights that meet its margins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .._core import distances_from
from ..taxonomy import Label, Taxonomy, check_taxonomy
from .inputs import check_ends, weight_matrix

ROUNDING = 1e-9  # tolerance of the margins, relative to the scores


def hieron_bound(
    taxonomy: Taxonomy,
    weights: Mapping[Label, Mapping[Any, float]],
    examples: Iterable[tuple[Mapping[Any, float], Label]],
) -> float:
    r"""Hieron's worst-case error on these examples, by the paper's Theorem 1.

    If weights $\omega$ separate the examples with the margins

    $$\sum_{v \in P(y)} \omega^v \cdot x - \sum_{v \in P(r)} \omega^v \cdot x
    \ge \sqrt{\gamma(y, r)} \quad \textrm{for every label } r \ne y$$

    (Eq. 4), then the cumulative tree-induced error of online Hieron on them, and the cumulative
    squared loss above it, are at most[^1]

    $$\sum_v \|\omega^v\|^2 \; \gamma_{\max} \; R^2$$

    with $\gamma_{\max}$ the largest distance in the taxonomy and $R$ the largest norm of an $x$.

    With $n$ nodes and weights for $d$ features, it takes $O(n d)$ memory, and $O(n)$ time for each
    feature of each example.

    Parameters
    ----------
    taxonomy
        A tree.
    weights
        $\omega$ as `{label: {feature: weight}}`: for each node, the difference of its prototype
        from its parent's, as in the `weights` of a model. Missing ones are 0.
    examples
        Pairs of features and a label, which may be any node.

    Raises
    ------
    ValueError
        If the weights do not meet the margins. The message names the first such example and the
        label that is too close.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate

    >>> t = Taxonomy([("animal", "wolf"), ("animal", "owl")])
    >>> weights = {"wolf": {"howls": 1.0, "hoots": -1.0}, "owl": {"howls": -1.0, "hoots": 1.0}}
    >>> examples = [({"howls": 1.0}, "wolf"), ({"hoots": 1.0}, "owl")]
    >>> evaluate.hieron_bound(t, weights, examples)
    8.0

    >>> evaluate.hieron_bound(t, weights, [*examples, ({"howls": 0.7}, "wolf")])
    Traceback (most recent call last):
    ...
    ValueError: the weights do not separate example 2 ('wolf'): ...

    References
    ----------
    [^1]: [Dekel, O., Keshet, J. and Singer, Y., 2004. Large margin hierarchical classification.
        ICML 21.](https://doi.org/10.1145/1015330.1015374)

    """
    check_taxonomy(taxonomy)
    taxonomy._check_tree()
    check_ends(examples)
    columns, omega = weight_matrix(taxonomy, weights)
    W = omega.copy()
    for v, parents in enumerate(taxonomy._parent_indices):
        for parent in parents:
            W[v] += W[parent]  # Eq. 2, from the root downwards
    R2 = 0.0
    for number, (x, y, *_) in enumerate(examples):
        node = taxonomy.index(y)
        gamma = distances_from(node, taxonomy._arrays)
        known = {columns[name]: value for name, value in x.items() if name in columns}
        scores = W[:, list(known)] @ np.fromiter(known.values(), float, len(known))
        margins = scores[node] - scores
        slack = margins - np.sqrt(gamma)  # Eq. 4
        r = int(slack.argmin())
        if not slack[r] >= -ROUNDING * (1 + np.abs(scores).max()):
            raise ValueError(
                f"the weights do not separate example {number} ({y!r}): its score exceeds that "
                f"of {taxonomy.nodes[r]!r} by {margins[r]:.6g}, but Eq. 4 asks for "
                f"{np.sqrt(gamma[r]):.6g}, the root of their distance"
            )
        R2 = max(R2, sum(value * value for value in x.values()))
    # The last node is one of the deepest, so it is an end of a longest path in the tree.
    gamma_max = distances_from(len(taxonomy) - 1, taxonomy._arrays).max()
    return float((omega**2).sum() * gamma_max * R2)  # Corollary 1, Eq. 10
