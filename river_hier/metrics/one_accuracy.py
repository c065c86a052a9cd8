from __future__ import annotations

from typing import Any

from .. import losses
from .base import RankingMetric


class OneAccuracy(RankingMetric):
    r"""One-accuracy: the share of examples whose top-ranked candidate is relevant.

    As in section 6 of the paper[^1]. Among equal top scores the first candidate in taxonomy order
    counts. An update takes O(nodes that are on + candidates).

    It takes scores as predictions: `evaluate.Ranked(model)` makes a model return them.

    Parameters
    ----------
    taxonomy
        The taxonomy. Unknown labels raise an `UnknownLabelError`; an update that raises leaves the
        metric unchanged.
    candidates
        The labels to rank; `None` for the leaves. A candidate is relevant if it is true.

    Examples
    --------

    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> y_true = ["wolf", {"wolf", "whale"}, "owl"]
    >>> scores = [
    ...     {"wolf": 0.5, "whale": 1.0, "owl": 0.75},
    ...     {"wolf": 1.5, "whale": 1.0, "owl": 0.75},
    ...     {"wolf": 0.5, "whale": 0.25, "owl": 0.75},
    ... ]

    >>> metric = metrics.OneAccuracy(t)
    >>> for yt, yp in zip(y_true, scores):
    ...     metric.update(yt, yp)

    >>> metric
    OneAccuracy: 66.67%

    References
    ----------
    [^1]: Cai, L. and Hofmann, T., 2007. Exploiting known taxonomies in learning overlapping
        concepts. IJCAI.

    """

    _fmt = ".2%"

    def _eval(self, y_true: Any, y_pred: Any) -> float:
        return losses.one_accuracy(self.taxonomy_, y_true, y_pred, self.candidates)
