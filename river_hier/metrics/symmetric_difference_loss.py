from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .._core import labels_of
from ..taxonomy import OpenTaxonomy, Taxonomy
from .base import MeanLoss
from .costs import Costs, by_node, check_factor
from .probabilities import conditional


def symmetric_difference_loss(
    taxonomy: Taxonomy,
    y_true: Any,
    y_pred: Any,
    volumes: Costs | None = None,
    missed: float = 1.0,
    spurious: float = 1.0,
) -> float:
    r"""Symmetric difference loss: the volume of all wrong nodes; see the metric of this name.

    `losses` says what `y_true` and `y_pred` may be, and the other parameters are
    those of the metric. Only the volumes of wrong nodes are checked. A prediction that does not
    respect the taxonomy is compared node by node, as by Cesa-Bianchi et al.; Cai and Hofmann would
    add missing ancestors first.

    Examples
    --------

    >>> from river_hier import Taxonomy, losses

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> losses.symmetric_difference_loss(t, "wolf", "owl")
    4.0
    >>> losses.symmetric_difference_loss(t, "wolf", "owl", volumes={"wolf": 7}, missed=0.5)
    6.0

    """
    volume = by_node(taxonomy, volumes, "volumes")
    check_factor("missed", missed)
    check_factor("spurious", spurious)
    labels = labels_of(taxonomy)
    true, pred = labels.closure(y_true), labels.predicted(y_pred)
    return missed * math.fsum(map(volume, true - pred)) + spurious * math.fsum(
        map(volume, pred - true)
    )


def expected_symmetric_difference_loss(
    taxonomy: Taxonomy,
    probabilities: Mapping[Any, float],
    y_pred: Any,
    volumes: Costs | None = None,
    missed: float = 1.0,
    spurious: float = 1.0,
) -> float:
    r"""Expected symmetric difference loss of a prediction under known probabilities of the labels.

    The taxonomy is a tree, and labels are drawn as in `expected_zero_one_loss`: a node is on with
    probability $q_i = \prod_{j \in P(i)} p_j$, where the path P(i) includes i. So

    $$E\,\Delta = c^- \sum_{i\,:\,\hat{y}_i = 0} s_i q_i
    + c^+ \sum_{i\,:\,\hat{y}_i = 1} s_i (1 - q_i),$$

    whether or not the prediction respects the taxonomy. Every node that may be on contributes, so
    this takes O(nodes), unlike the other expected losses.

    Examples
    --------

    >>> from river_hier import Taxonomy, losses

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> p = {"mammal": 0.8, "bird": 0.1, "wolf": 0.5, "whale": 0.3, "owl": 0.9}

    >>> losses.expected_symmetric_difference_loss(t, p, "wolf")  # 0.2 + 0.1 + 0.6 + 0.24 + 0.09
    1.23

    """
    p = conditional(taxonomy, probabilities)
    volume = by_node(taxonomy, volumes, "volumes")
    check_factor("missed", missed)
    check_factor("spurious", spurious)
    on = labels_of(taxonomy).predicted(y_pred)

    q = [1.0]
    charges = []
    for v in range(1, len(taxonomy)):  # parents come before their children
        q.append(q[taxonomy._parent_rows[v][0]] * p(taxonomy._label(v)))
        charges.append(volume(v) * (spurious * (1.0 - q[v]) if v in on else missed * q[v]))
    return math.fsum(charges)


def tree_induced_error(taxonomy: Taxonomy, y_true: Any, y_pred: Any) -> float:
    """Tree-induced error: the distance between two labels; see `metrics.TreeInducedError`.

    `losses` says what `y_true` and `y_pred` may be.

    For single labels in a tree, `tree_induced_error(t, u, v) == t.distance(u, v)`.

    Examples
    --------

    >>> from river_hier import Taxonomy, losses

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> losses.tree_induced_error(t, "wolf", "owl"), losses.tree_induced_error(t, "wolf", "mammal")
    (4.0, 1.0)
    >>> losses.tree_induced_error(t, {"wolf", "owl"}, {"whale", "owl"})
    2.0

    """
    labels = labels_of(taxonomy)
    return float(len(labels.closure(y_true) ^ labels.predicted(y_pred)))


class SymmetricDifferenceLoss(MeanLoss):
    r"""Symmetric difference loss: the mean volume of all nodes that are wrong.

    $$\Delta(Y, \hat{Y}) = c^- \sum_{i \in Y \setminus \hat{Y}} s_i
    + c^+ \sum_{i \in \hat{Y} \setminus Y} s_i$$

    over closed multilabels: the set loss with sign-up volumes of Cai and Hofmann, section 2[^1].
    With the defaults it is the number of wrong nodes, the symmetric difference loss of
    Cesa-Bianchi et al., section 3[^2].

    An update takes O(nodes that are on), plus the time to parse the labels.

    Parameters
    ----------
    taxonomy
        The taxonomy. An unknown label raises an `UnknownLabelError` and changes nothing.
    volumes
        `{label: volume}` ($s_i$), positive and finite; the default is 1.
    missed
        The weight of nodes that are on in the truth only ($c^-$), at least 0.
    spurious
        The weight of nodes that are on in the prediction only ($c^+$), at least 0.

    Examples
    --------

    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.SymmetricDifferenceLoss(t)
    >>> metric.update("wolf", "owl")
    >>> metric.update({"wolf", "owl"}, {"mammal", "owl"})
    >>> metric
    SymmetricDifferenceLoss: 2.5

    Missed nodes may cost more than spurious ones, and some nodes more than others:

    >>> metric = metrics.SymmetricDifferenceLoss(t, volumes={"wolf": 7}, spurious=0.75)
    >>> metric.update("wolf", "owl")
    >>> metric
    SymmetricDifferenceLoss: 9.5

    References
    ----------
    [^1]: Cai, L. and Hofmann, T., 2007. Exploiting known taxonomies in learning overlapping
        concepts. IJCAI.
    [^2]: Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. JMLR 7, 31-54.

    """

    _loss = staticmethod(symmetric_difference_loss)
    _expected_loss = staticmethod(expected_symmetric_difference_loss)
    _options = ("volumes", "missed", "spurious")

    def __init__(
        self,
        taxonomy: Taxonomy | OpenTaxonomy,
        volumes: Costs | None = None,
        missed: float = 1.0,
        spurious: float = 1.0,
    ) -> None:
        super().__init__(taxonomy)
        self._check_costs(volumes, "volumes")
        check_factor("missed", missed)
        check_factor("spurious", spurious)
        self.volumes = volumes
        self.missed = missed
        self.spurious = spurious


class TreeInducedError(MeanLoss):
    r"""Tree-induced error: mean distance in edges or, for multilabels, mean number of wrong nodes.

    For single labels in a tree this is $\gamma(y, \hat{y})$, the number of edges on the path from
    the true to the predicted label[^1]. For multilabels and DAGs it is the number of nodes in
    exactly one of the closures of truth and prediction: the symmetric difference, as in
    `SymmetricDifferenceLoss` with its defaults. For two labels of a tree both are the same number.

    An update takes O(nodes of both closures), plus the time to parse the labels.

    Parameters
    ----------
    taxonomy
        The taxonomy. An unknown label raises an `UnknownLabelError` and changes nothing.

    Examples
    --------

    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.TreeInducedError(t)
    >>> metric.update("wolf", "wolf")
    >>> metric.update("wolf", "owl")
    >>> metric.update("wolf", "mammal")
    >>> metric
    TreeInducedError: 1.666667

    References
    ----------
    [^1]: Dekel, O., Keshet, J. and Singer, Y., 2004. Large margin hierarchical classification.
        ICML. Section 2.

    """

    _loss = staticmethod(tree_induced_error)
    _expected_loss = staticmethod(expected_symmetric_difference_loss)
