from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import losses
from ..losses.costs import Costs, check_factor
from ..taxonomy import OpenTaxonomy, Taxonomy
from .base import MeanScore


class SymmetricDifferenceLoss(MeanScore):
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
        The taxonomy. Unknown labels raise an `UnknownLabelError`; an update that raises leaves the
        metric unchanged.
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
    >>> y_true = ["wolf", {"wolf", "owl"}, {"bird"}]
    >>> y_pred = ["owl", {"mammal", "owl"}, {"bird"}]

    >>> metric = metrics.SymmetricDifferenceLoss(t)
    >>> for yt, yp in zip(y_true, y_pred):
    ...     metric.update(yt, yp)

    >>> metric
    SymmetricDifferenceLoss: 1.666667

    Missed nodes may cost more than spurious ones, and some nodes more than others:

    >>> metric = metrics.SymmetricDifferenceLoss(t, volumes={"wolf": 7}, spurious=0.5)
    >>> for yt, yp in zip(y_true, y_pred):
    ...     metric.update(yt, yp)

    >>> metric
    SymmetricDifferenceLoss: 5.333333

    References
    ----------
    [^1]: Cai, L. and Hofmann, T., 2007. Exploiting known taxonomies in learning overlapping
        concepts. IJCAI.
    [^2]: Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. JMLR 7, 31-54.

    """

    bigger_is_better: bool = False

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

    def _eval(self, y_true: Any, y_pred: Any) -> float:
        return losses.symmetric_difference_loss(
            self.taxonomy_, y_true, y_pred, self.volumes, self.missed, self.spurious
        )

    def expected(self, probabilities: Mapping[Any, float], y_pred: Any) -> float:
        """The expected loss of a prediction when the truth is drawn at random.

        Parameters
        ----------
        probabilities
            `{label: P(on | parent on)}` for every label but the root.
        y_pred
            The prediction.

        """
        return losses.expected_symmetric_difference_loss(
            self.taxonomy_, probabilities, y_pred, self.volumes, self.missed, self.spurious
        )
