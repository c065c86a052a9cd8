from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import losses
from ..losses.costs import Costs
from ..taxonomy import OpenTaxonomy, Taxonomy
from .base import MeanScore


class HLoss(MeanScore):
    r"""H-loss: the mean cost of the wrong nodes whose ancestors are all right.

    $$\ell_H(\hat{y}, v) = \sum_i c_i\,
    \{\hat{y}_i \neq v_i \wedge \hat{y}_j = v_j,\ j \in ANC(i)\}$$

    as in section 3 of the paper[^1], with the costs of its Remark 5. Nodes below a wrong node cost
    nothing.

    An update takes O(nodes that differ and their ancestors), plus the time to parse the labels.
    The paper defines the loss for trees; in a DAG, $ANC(i)$ is the set of all ancestors.

    Parameters
    ----------
    taxonomy
        The taxonomy. Unknown labels raise an `UnknownLabelError`; an update that raises leaves the
        metric unchanged.
    costs
        `{label: cost}`, positive and finite; the default is 1.

    Examples
    --------

    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> y_true = ["wolf", {"wolf", "owl"}, {"bird"}, "owl"]
    >>> y_pred = ["owl", {"mammal", "owl"}, {"bird"}, "owl"]

    >>> metric = metrics.HLoss(t)
    >>> for yt, yp in zip(y_true, y_pred):
    ...     metric.update(yt, yp)

    >>> metric
    HLoss: 0.75

    Errors can be given different costs:

    >>> metric = metrics.HLoss(t, costs={"wolf": 2.5, "mammal": 5})
    >>> for yt, yp in zip(y_true, y_pred):
    ...     metric.update(yt, yp)

    >>> metric
    HLoss: 2.125

    References
    ----------
    [^1]: Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. JMLR 7, 31-54.

    """

    bigger_is_better: bool = False

    def __init__(self, taxonomy: Taxonomy | OpenTaxonomy, costs: Costs | None = None) -> None:
        super().__init__(taxonomy)
        self._check_costs(costs, "costs")
        self.costs = costs

    def _eval(self, y_true: Any, y_pred: Any) -> float:
        return losses.h_loss(self.taxonomy_, y_true, y_pred, self.costs)

    def expected(self, probabilities: Mapping[Any, float], y_pred: Any) -> float:
        """The expected loss of a prediction when the truth is drawn at random.

        Parameters
        ----------
        probabilities
            `{label: P(on | parent on)}` for every label but the root.
        y_pred
            The prediction.

        """
        return losses.expected_h_loss(self.taxonomy_, probabilities, y_pred, self.costs)
