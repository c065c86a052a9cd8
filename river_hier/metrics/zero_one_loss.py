from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import losses
from .base import MeanScore


class ZeroOneLoss(MeanScore):
    r"""Zero-one loss: the share of examples with a wrong node.

    $$\ell_{0/1}(\hat{y}, v) = \{\exists i : \hat{y}_i \neq v_i\}$$

    as in section 3 of the paper[^1]; for single labels, the multiclass error.

    An update takes O(nodes that are on), plus the time to parse the labels.

    Parameters
    ----------
    taxonomy
        The taxonomy. Unknown labels raise an `UnknownLabelError`; an update that raises leaves the
        metric unchanged.

    Examples
    --------

    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> y_true = ["wolf", {"wolf", "owl"}, {"bird"}, "whale"]
    >>> y_pred = [{"mammal", "wolf"}, {"mammal", "owl"}, {"bird"}, "whale"]

    >>> metric = metrics.ZeroOneLoss(t)
    >>> for yt, yp in zip(y_true, y_pred):
    ...     metric.update(yt, yp)

    >>> metric
    ZeroOneLoss: 25.00%

    References
    ----------
    [^1]: Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. JMLR 7, 31-54.

    """

    bigger_is_better: bool = False
    _fmt = ".2%"

    def _eval(self, y_true: Any, y_pred: Any) -> float:
        return losses.zero_one_loss(self.taxonomy_, y_true, y_pred)

    def expected(self, probabilities: Mapping[Any, float], y_pred: Any) -> float:
        """The expected loss of a prediction when the truth is drawn at random.

        Parameters
        ----------
        probabilities
            `{label: P(on | parent on)}` for every label but the root.
        y_pred
            The prediction.

        """
        return losses.expected_zero_one_loss(self.taxonomy_, probabilities, y_pred)
