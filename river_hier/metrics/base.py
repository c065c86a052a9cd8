"""What the metrics share: a taxonomy, both kinds of model, and sums that can be reverted."""

from __future__ import annotations

import abc
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from river import base, metrics, utils

from ..taxonomy import Taxonomy, check_taxonomy
from .sums import Mean, Sums

__all__ = ["MeanLoss", "MeanScore", "SumMetric", "Table", "TaxonomyMetric"]


class TaxonomyMetric(metrics.base.ClassificationMetric):
    """Mother class of the metrics that score answers on a taxonomy.

    Single-label and multilabel models are scored alike: truth and prediction may each be a label,
    an iterable of labels or `{label: bool}`. There is no confusion matrix.

    Parameters
    ----------
    taxonomy
        The taxonomy in which labels are compared.

    """

    def __init__(self, taxonomy: Taxonomy) -> None:
        check_taxonomy(taxonomy)
        self.taxonomy = taxonomy

    def works_with(self, model: base.Estimator) -> bool:
        """Whether the model is a classifier, of one label or of several."""
        return isinstance(model, base.Classifier | base.MultiLabelClassifier)

    if TYPE_CHECKING:
        # River's own has no types, and checkers take its sum for a list of lists: a + b + c.
        def __add__(self, other: Any) -> Any: ...


class MeanScore(metrics.base.MeanMetric, TaxonomyMetric):
    """Mother class of what is averaged over examples; a subclass writes `_eval`.

    Parameters
    ----------
    taxonomy
        The taxonomy in which labels are compared.

    """

    _fmt = ",.6f"
    _mean: Any  # River has a `stats.Mean` here, which does not revert exactly

    def __init__(self, taxonomy: Taxonomy) -> None:
        TaxonomyMetric.__init__(self, taxonomy)
        self._mean = Mean()


class MeanLoss(MeanScore):
    """Mother class of the losses averaged over examples; a subclass writes `_eval`.

    Parameters
    ----------
    taxonomy
        The taxonomy in which labels are compared.

    """

    @property
    def bigger_is_better(self) -> bool:
        return False


class SumMetric(TaxonomyMetric):
    """Mother class of the metrics that are made of several sums; a subclass writes `_count`.

    Parameters
    ----------
    taxonomy
        The taxonomy in which labels are compared.

    """

    def __init__(self, taxonomy: Taxonomy) -> None:
        super().__init__(taxonomy)
        self._sums = Sums()

    @abc.abstractmethod
    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        """What an example of weight 1 adds to the sums: at least 0, each key once."""

    def update(self, y_true: Any, y_pred: Any, w: float = 1.0) -> None:
        """Update the metric."""
        self._sums.add(list(self._count(y_true, y_pred)), w)

    def revert(self, y_true: Any, y_pred: Any, w: float = 1.0) -> None:
        """Revert the metric."""
        self._sums.remove(list(self._count(y_true, y_pred)), w)


class Table(SumMetric):
    """Mother class of the metrics with several values, which print as a table.

    Parameters
    ----------
    taxonomy
        The taxonomy in which labels are compared.

    """

    _fmt = ",.10g"

    @abc.abstractmethod
    def _columns(self) -> dict[str, Sequence[str]]:
        """The cells under each header."""

    def __repr__(self) -> str:
        columns = self._columns()
        if not all(columns.values()):
            return f"{type(self).__name__}: no examples"
        # River aligns headers to the left and cells to the right.
        headers = [header.rjust(max(map(len, cells))) for header, cells in columns.items()]
        table: str = utils.pretty.print_table(headers, list(columns.values()))
        return "\n".join(map(str.rstrip, table.splitlines()))
