"""The symmetric difference loss: the volume of all wrong nodes."""

from __future__ import annotations

import math
from typing import Any

from .._core import reader_of
from ..taxonomy import Taxonomy
from .costs import Costs, by_node, check_factor


def symmetric_difference_loss(
    taxonomy: Taxonomy,
    y_true: Any,
    y_pred: Any,
    volumes: Costs | None = None,
    missed: float = 1.0,
    spurious: float = 1.0,
) -> float:
    r"""Symmetric difference loss: the volume of all wrong nodes.

    $$\Delta(Y, \hat{Y}) = c^- \sum_{i \in Y \setminus \hat{Y}} s_i
    + c^+ \sum_{i \in \hat{Y} \setminus Y} s_i$$

    over closed multilabels: the set loss with sign-up volumes of Cai and Hofmann, section 2[^1].
    With the defaults it is the number of wrong nodes, the symmetric difference loss of
    Cesa-Bianchi et al., section 3[^2]. A prediction that does not respect the taxonomy is compared
    node by node, as in the latter; the former would add missing ancestors first.

    Takes O(nodes that are on), plus the time to parse the labels and to look up the labels of
    `volumes`.

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
    volumes
        `{label: volume}` ($s_i$), positive and finite; the default is 1. Only the volumes of wrong
        nodes are checked here; `metrics.SymmetricDifferenceLoss` checks all of them once.
    missed
        The weight of nodes that are on in the truth only ($c^-$), at least 0.
    spurious
        The weight of nodes that are on in the prediction only ($c^+$), at least 0.

    Examples
    --------

    >>> from river_hier import Taxonomy, losses

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})

    >>> losses.symmetric_difference_loss(t, "wolf", "owl")
    4.0
    >>> losses.symmetric_difference_loss(t, "wolf", "owl", volumes={"wolf": 7}, missed=0.5)
    6.0

    References
    ----------
    [^1]: Cai, L. and Hofmann, T., 2007. Exploiting known taxonomies in learning overlapping
        concepts. IJCAI.
    [^2]: Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. JMLR 7, 31-54.

    """
    volume = by_node(taxonomy, volumes, "volumes")
    check_factor("missed", missed)
    check_factor("spurious", spurious)
    labels = reader_of(taxonomy)
    true, pred = labels.closure(y_true), labels.predicted(y_pred)
    return missed * math.fsum(map(volume, true - pred)) + spurious * math.fsum(
        map(volume, pred - true)
    )
