from __future__ import annotations

from .base import ClosureMetric


class HPrecision(ClosureMetric):
    r"""Hierarchical precision: the share of the predicted nodes that are true.

    $$hP = \frac{\sum_t w_t |C_t \cap \hat{C}_t|}{\sum_t w_t |\hat{C}_t|}$$

    where $C_t$ and $\hat{C}_t$ are the closures of truth and prediction without the root[^1]; 0
    if nothing was predicted. The sums run over all examples (micro-average). Ancestors of a
    predicted label count as predicted, even if the prediction explicitly sets them to False.

    An update takes O(nodes of both closures), plus the time to parse the labels.

    Parameters
    ----------
    taxonomy
        The taxonomy. Unknown labels raise an `UnknownLabelError`; an update that raises leaves the
        metric unchanged.

    Examples
    --------

    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> y_true = ["wolf", {"wolf", "owl"}, {"bird"}]
    >>> y_pred = ["whale", {"mammal", "owl"}, {"bird"}]

    >>> metric = metrics.HPrecision(t)
    >>> for yt, yp in zip(y_true, y_pred):
    ...     metric.update(yt, yp)

    >>> metric
    HPrecision: 83.33%

    References
    ----------
    [^1]: Kiritchenko, S., Matwin, S., Nock, R. and Famili, A.F., 2006. Learning and evaluation in
        the presence of class hierarchies: application to text categorization. Canadian AI.

    """

    def get(self) -> float:
        """Return the current value of the metric."""
        whole = self._sums["pred"]
        return self._sums["both"] / whole if whole else 0.0
