from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._core import labels_of
from ..taxonomy import Taxonomy
from .base import MeanLoss
from .probabilities import conditional


def zero_one_loss(taxonomy: Taxonomy, y_true: Any, y_pred: Any) -> float:
    """Zero-one loss: 1 if any node is wrong, otherwise 0; see `metrics.ZeroOneLoss`.

    `losses` says what `y_true` and `y_pred` may be.

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
    r"""Expected zero-one loss of a prediction under known probabilities of the labels.

    Labels are drawn from the top down: a node is on with probability $p_i$ if its parent is on,
    otherwise it is off (section 5 of the paper of `metrics.HLoss`). A prediction that
    respects the taxonomy is right with the probability of that multilabel, and any other is always
    wrong:

    $$E\,\ell_{0/1} = 1 - \prod_{i\,:\,\hat{y}_i = 1} p_i
    \prod_{i\,:\,\hat{y}_i = 0,\ \hat{y}_{PAR(i)} = 1} (1 - p_i).$$

    Takes O(nodes that are on and their children), plus the time to parse the labels.

    Parameters
    ----------
    taxonomy
        The taxonomy, which must be a tree, otherwise a `ValueError` is raised.
    probabilities
        `{label: P(on | parent on)}` for every label but the root. A missing label or a value
        outside [0, 1] raises a `ValueError`; only the labels that contribute are checked.
    y_pred
        The prediction: a label, an iterable of labels or `{label: bool}`.

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
    if any(parent not in on for v in on for parent in taxonomy._parent_rows[v]):
        return 1.0
    right = 1.0
    for v in sorted(on):
        for child in taxonomy.children(taxonomy._label(v)):
            right *= p(child) if taxonomy.index(child) in on else 1.0 - p(child)
    return 1.0 - right


class ZeroOneLoss(MeanLoss):
    r"""Zero-one loss: the share of examples with a wrong node.

    $$\ell_{0/1}(\hat{y}, v) = \{\exists i : \hat{y}_i \neq v_i\}$$

    as in section 3 of the paper of `HLoss`; for single labels, the multiclass error.

    An update takes O(nodes that are on), plus the time to parse the labels.

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

    """

    _fmt = ".2%"
    _loss = staticmethod(zero_one_loss)
    _expected_loss = staticmethod(expected_zero_one_loss)
