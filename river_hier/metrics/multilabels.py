"""Losses of multilabels, their expectations under known probabilities, and their metrics."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from .._core import labels_of
from ..taxonomy import OpenTaxonomy, Taxonomy
from ..taxonomy.graph import reach
from .base import MeanLoss, TableMetric
from .costs import Costs, by_node, check_factors
from .probabilities import conditional


def zero_one_loss(taxonomy: Taxonomy, y_true: Any, y_pred: Any) -> float:
    """Zero-one loss: 1 if any node is wrong, otherwise 0; see `metrics.ZeroOneLoss` and `losses`.

    Examples
    --------
    >>> from river_hier import Taxonomy, losses
    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> losses.zero_one_loss(t, "wolf", {"mammal", "wolf"}), losses.zero_one_loss(t, "wolf", "owl")
    (0.0, 1.0)
    """
    labels = labels_of(taxonomy)
    return float(labels.closure(y_true) != labels.predicted(y_pred))


def expected_zero_one_loss(
    taxonomy: Taxonomy, probabilities: Mapping[Any, float], y_pred: Any
) -> float:
    r"""Expected zero-one loss under known probabilities; see `metrics.ZeroOneLoss` and `losses`.

    Labels are drawn from the top down: a node is on with probability $p_i$ if its parent is on,
    otherwise it is off (section 5 of the paper of `metrics.HLoss`). A prediction that respects the
    taxonomy is right with the probability of that multilabel, and any other is always wrong:

    $$E\,\ell_{0/1} = 1 - \prod_{i\,:\,\hat{y}_i = 1} p_i
    \prod_{i\,:\,\hat{y}_i = 0,\ \hat{y}_{PAR(i)} = 1} (1 - p_i).$$

    Takes O(nodes that are on and their children), plus the time to parse the labels.

    Examples
    --------
    >>> from river_hier import Taxonomy, losses
    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> p = {"mammal": 0.8, "bird": 0.1, "wolf": 0.5, "whale": 0.3, "owl": 0.9}
    >>> losses.expected_zero_one_loss(t, p, "wolf")  # 1 - 0.8 * 0.5 * 0.7 * 0.9
    0.748
    """
    p = conditional(taxonomy, probabilities)
    on = labels_of(taxonomy).predicted(y_pred)
    if any(parent not in on for v in on for parent in taxonomy._arrays.rows[v]):
        return 1.0
    right = 1.0
    for v in sorted(on):
        for child in taxonomy.children(taxonomy._arrays.label(v)):
            right *= p(child) if taxonomy.index(child) in on else 1.0 - p(child)
    return 1.0 - right


class ZeroOneLoss(MeanLoss):
    r"""Zero-one loss: the share of examples with a wrong node.

    $$\ell_{0/1}(\hat{y}, v) = \{\exists i : \hat{y}_i \neq v_i\}$$

    as in section 3 of the paper [^1]; for single labels, the multiclass error. An update
    takes O(nodes that are on), plus the time to parse the labels.

    Parameters
    ----------
    taxonomy
        The taxonomy. An unknown label raises an `UnknownLabelError` and changes nothing.

    Examples
    --------
    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.ZeroOneLoss(t)
    >>> metric.update("wolf", {"mammal", "wolf"})
    >>> metric.update({"wolf", "owl"}, {"mammal", "owl"})
    >>> metric
    ZeroOneLoss: 50.00%

    References
    ----------
    [^1]: [Cesa-Bianchi et al., 2006. JMLR 7.](https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)
    """

    _fmt = ".2%"
    _loss = staticmethod(zero_one_loss)
    _expected_loss = staticmethod(expected_zero_one_loss)


def h_loss(taxonomy: Taxonomy, y_true: Any, y_pred: Any, costs: Costs | None = None) -> float:
    """H-loss: the cost of the wrong nodes whose ancestors are all right; see `metrics.HLoss`.

    Only the costs of wrong nodes are checked. With unit costs and predictions that respect the
    taxonomy, zero-one loss <= H-loss <= symmetric difference loss.

    Examples
    --------
    >>> from river_hier import Taxonomy, losses
    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> losses.h_loss(t, "wolf", "owl")  # mammal is missed and bird is wrong: no more is charged
    2.0
    """
    cost = by_node(taxonomy, costs, "costs")
    labels = labels_of(taxonomy)
    charged = mistakes(taxonomy, labels.closure(y_true), labels.predicted(y_pred))
    return math.fsum(map(cost, charged))


def mistakes(taxonomy: Taxonomy, true: set[int], pred: set[int]) -> list[int]:
    """The wrong nodes whose ancestors are right, in taxonomy order; the root is in both sets."""
    differing, parents = true ^ pred, taxonomy._arrays.rows
    top = (i for i in sorted(differing) if differing.isdisjoint(parents[i]))  # quick
    return [i for i in top if differing.isdisjoint(reach(parents, i))]


def expected_h_loss(
    taxonomy: Taxonomy, probabilities: Mapping[Any, float], y_pred: Any, costs: Costs | None = None
) -> float:
    r"""Expected H-loss under known probabilities; see `metrics.HLoss` and `losses`.

    Labels are drawn as in `expected_zero_one_loss`. A node whose ancestors are all predicted on
    contributes if these are truly on and its own prediction is wrong:

    $$E\,\ell_H = \sum_{i\,:\,\hat{y}_j = 1,\ j \in ANC(i)} c_i
    \prod_{j \in ANC(i)} p_j \cdot (1 - p_i \text{ if } \hat{y}_i = 1 \text{ else } p_i).$$

    A prediction need not respect the taxonomy. A node predicted on below nodes predicted off, of
    which k is the topmost, contributes with probability $\prod_{j \in ANC(k)} p_j (1 - p_k)$,
    unless it is below another such node. Takes O(nodes that are on, their children and ancestors).

    Examples
    --------
    >>> from river_hier import Taxonomy, losses
    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> p = {"mammal": 0.8, "bird": 0.1, "wolf": 0.5, "whale": 0.3, "owl": 0.9}
    >>> losses.expected_h_loss(t, p, "wolf")  # 0.2 + 0.1 + 0.8 * (0.5 + 0.3)
    0.94
    """
    p = conditional(taxonomy, probabilities)
    cost = by_node(taxonomy, costs, "costs")
    nodes, parents = taxonomy.nodes, taxonomy._arrays.rows
    on = labels_of(taxonomy).predicted(y_pred)

    reach = {0: 1.0}  # P(V_i = 1) of the nodes that are predicted on like all their ancestors
    charges = []
    for v in sorted(on):  # parents come before their children
        if v in reach:
            for i, p_i in ((i, p(nodes[i])) for i in taxonomy._arrays.children_of(v)):
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

    as in section 3 of the paper[^1], with the costs of its Remark 5. The paper defines it for
    trees; in a DAG, $ANC(i)$ is the set of all ancestors. An update takes O(nodes that differ and
    their ancestors), plus the time to parse the labels.

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

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. JMLR 7.](https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)
    """

    _loss = staticmethod(h_loss)
    _expected_loss = staticmethod(expected_h_loss)
    _options = ("costs",)

    def __init__(self, taxonomy: Taxonomy | OpenTaxonomy, costs: Costs | None = None) -> None:
        super().__init__(taxonomy)
        self._check_costs(costs, "costs")
        self.costs = costs


class HLossByDepth(TableMetric):
    """False positives and false negatives of the H-loss, by depth.

    A wrong node whose ancestors are all right counts at its depth: as a false positive if predicted
    on, else as a false negative. `get` returns `{depth: (false positives, false negatives)}`, sums
    of weights, for every depth below the root, in total the H-loss with unit costs.

    This is Table 2 of the paper [^1] (section 8), where depths are counted from the children
    of the root, and the ancestors must be correctly predicted *on*; here they must be correct. An
    update takes O(nodes that differ and their ancestors), plus the time to parse the labels.

    Parameters
    ----------
    taxonomy
        The taxonomy. An unknown label raises an `UnknownLabelError` and changes nothing.

    Examples
    --------
    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.HLossByDepth(t)
    >>> metric.update("wolf", "owl")
    >>> metric.update({"wolf", "owl"}, {"mammal", "owl"})
    >>> metric
    Depth   False positives   False negatives
        1                 1                 1
        2                 0                 1

    References
    ----------
    [^1]: [Cesa-Bianchi et al., 2006. JMLR 7.](https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)
    """

    bigger_is_better: bool = False

    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        labels = labels_of(self.taxonomy_)
        true, pred = labels.closure(y_true), labels.predicted(y_pred)
        for i in mistakes(self.taxonomy_, true, pred):
            yield (int(self.taxonomy_._arrays.depth[i]), i in pred), 1.0

    def get(self) -> Any:
        """Return `{depth: (false positives, false negatives)}`."""
        return {
            depth: (self._sums[(depth, True)], self._sums[(depth, False)])
            for depth in range(1, self.taxonomy_.height + 1)
        }

    def _columns(self) -> dict[str, Sequence[str]]:
        counts = self.get()
        return {
            "Depth": [str(depth) for depth in counts],
            "False positives": [f"{positives:{self._fmt}}" for positives, _ in counts.values()],
            "False negatives": [f"{negatives:{self._fmt}}" for _, negatives in counts.values()],
        }


def symmetric_difference_loss(
    taxonomy: Taxonomy,
    y_true: Any,
    y_pred: Any,
    volumes: Costs | None = None,
    missed: float = 1.0,
    spurious: float = 1.0,
) -> float:
    """Symmetric difference loss: the volume of wrong nodes; see `metrics.SymmetricDifferenceLoss`.

    Only the volumes of wrong nodes are checked. A prediction that does not respect the taxonomy is
    compared node by node; Cai and Hofmann would add missing ancestors.

    Examples
    --------
    >>> from river_hier import Taxonomy, losses
    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> losses.symmetric_difference_loss(t, "wolf", "owl")
    4.0
    """
    volume = by_node(taxonomy, volumes, "volumes")
    check_factors(missed, spurious)
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
    r"""Expected symmetric difference loss; see `metrics.SymmetricDifferenceLoss` and `losses`.

    Labels are drawn as in `expected_zero_one_loss`: a node is on with probability
    $q_i = \prod_{j \in P(i)} p_j$, where the path P(i) includes i. So

    $$E\,\Delta = c^- \sum_{i\,:\,\hat{y}_i = 0} s_i q_i
    + c^+ \sum_{i\,:\,\hat{y}_i = 1} s_i (1 - q_i),$$

    whether or not the prediction respects the taxonomy. Takes O(nodes).

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
    check_factors(missed, spurious)
    on = labels_of(taxonomy).predicted(y_pred)

    q = [1.0]
    charges = []
    for v in range(1, len(taxonomy)):  # parents come before their children
        q.append(q[taxonomy._arrays.rows[v][0]] * p(taxonomy._arrays.label(v)))
        charges.append(volume(v) * (spurious * (1.0 - q[v]) if v in on else missed * q[v]))
    return math.fsum(charges)


def tree_induced_error(taxonomy: Taxonomy, y_true: Any, y_pred: Any) -> float:
    """Tree-induced error: the distance between two labels; see `metrics.TreeInducedError`.

    For single labels in a tree, it is `t.distance(y_true, y_pred)`.

    Examples
    --------
    >>> from river_hier import Taxonomy, losses
    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> losses.tree_induced_error(t, "wolf", "owl"), losses.tree_induced_error(t, "wolf", "mammal")
    (4.0, 1.0)
    """
    labels = labels_of(taxonomy)
    return float(len(labels.closure(y_true) ^ labels.predicted(y_pred)))


def hieron_loss(taxonomy: Taxonomy, y_true: Any, y_pred: Mapping[Any, float]) -> float:
    r"""Hieron's loss of the scores of all labels, $[s_{\hat y} - s_y + \sqrt{\gamma}]_+$ (Eq. 5).

    Its square is at least the tree-induced error $\gamma$ of the best-scored label $\hat y$. The
    taxonomy is a tree and `y_pred` is `{label: score}`; see `linear_model.Hieron`.

    Examples
    --------
    >>> from river_hier import Taxonomy, losses
    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> losses.hieron_loss(t, "wolf", {"wolf": 0.5, "owl": 1.0})  # 1.0 - 0.5 + sqrt(4)
    2.5
    """
    top = max(y_pred, key=y_pred.__getitem__)
    return max(y_pred[top] - y_pred[y_true] + math.sqrt(taxonomy.distance(y_true, top)), 0.0)


class SymmetricDifferenceLoss(MeanLoss):
    r"""Symmetric difference loss: the mean volume of all nodes that are wrong.

    $$\Delta(Y, \hat{Y}) = c^- \sum_{i \in Y \setminus \hat{Y}} s_i
    + c^+ \sum_{i \in \hat{Y} \setminus Y} s_i$$

    over closed multilabels: the set loss with sign-up volumes of section 2 of Cai and Hofmann [^1].
    With the defaults it is that of section 3 of the paper of `HLoss` [^2]. An update takes O(nodes
    that are on), plus the time to parse the labels.

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

    References
    ----------
    [^1]: Cai and Hofmann, IJCAI 2007. Exploiting known taxonomies in learning overlapping concepts.
    [^2]: [Cesa-Bianchi et al., 2006. JMLR 7.](https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)
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
        self._set_volumes(volumes, missed, spurious)


class TreeInducedError(MeanLoss):
    r"""Tree-induced error: mean distance in edges or, for multilabels, mean number of wrong nodes.

    For single labels in a tree this is $\gamma(y, \hat{y})$, the number of edges on the path from
    the true to the predicted label[^1]. For multilabels and in DAGs it is the number of nodes in
    exactly one of their closures: `SymmetricDifferenceLoss` with its defaults. An update takes
    O(nodes of both closures), plus the time to parse the labels.

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
    [^1]: [Dekel, Keshet and Singer, 2004. ICML 21, section 2.](https://doi.org/10.1145/1015330.1015374)
    """

    _loss = staticmethod(tree_induced_error)
    _expected_loss = staticmethod(expected_symmetric_difference_loss)
