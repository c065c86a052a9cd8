"""Base classes of the metrics."""

from __future__ import annotations

import abc
import math
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from river import base, metrics, utils

from .._core import reader_of
from ..base.checks import check_integer
from ..losses.costs import Costs, check, check_values
from ..losses.rankings import read_ranking
from ..taxonomy import OpenTaxonomy, Taxonomy, check_taxonomy
from ..taxonomy.candidates import Candidates, candidate_nodes
from ..taxonomy.open import initial_taxonomy, named
from .sums import Sums


class TaxonomyMetric(metrics.base.ClassificationMetric):
    """Base class of the metrics on a taxonomy; a subclass defines `_count` and `get`.

    Single-label and multilabel models are evaluated alike: truth and prediction may each be a
    label, an iterable of labels or `{label: bool}`. A prediction of `None`, no answer, counts as
    the root: no label is on. There is no confusion matrix.

    Parameters
    ----------
    taxonomy
        The taxonomy in which labels are compared. An `OpenTaxonomy` grows with the labels of the
        examples, on both sides. The value is that of the metric in the final, closed taxonomy.

    """

    _reads = "labels"  # what predictions are: labels, scores or probabilities

    def __init__(self, taxonomy: Taxonomy | OpenTaxonomy) -> None:
        if not isinstance(taxonomy, OpenTaxonomy):
            check_taxonomy(taxonomy)
        self.taxonomy = taxonomy
        self.taxonomy_: Taxonomy = initial_taxonomy(taxonomy)
        self._sums = Sums()

    @abc.abstractmethod
    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        """What an example of weight 1 adds to the sums: values of at least 0, each key once."""

    def update(self, y_true: Any, y_pred: Any, w: float = 1.0) -> None:
        """Update the metric."""
        if isinstance(self.taxonomy, OpenTaxonomy):
            self._grow_and_update(y_true, y_pred, w)
        else:
            self._sums.add(tuple(self._count(y_true, y_pred)), w)

    def revert(self, y_true: Any, y_pred: Any, w: float = 1.0) -> None:
        """Revert the metric."""
        self._sums.remove(tuple(self._count(y_true, y_pred)), w)

    def _grow_and_update(self, y_true: Any, y_pred: Any, w: float) -> None:
        before = self.taxonomy_
        y_true, y_pred = (list(y) if isinstance(y, Iterator) else y for y in (y_true, y_pred))
        try:
            self._grow([*named(y_true), *(() if y_pred is None else named(y_pred))])
            self._sums.add(tuple(self._count(y_true, y_pred)), w)
        except BaseException:
            self.taxonomy_ = before
            raise

    def _grow(self, labels: Collection[Any]) -> None:
        """Add labels to an open taxonomy."""
        if isinstance(self.taxonomy, OpenTaxonomy):
            self.taxonomy_ = self.taxonomy.with_labels(self.taxonomy_, labels)

    def _check_candidates(self, candidates: Candidates | None) -> None:
        if candidates is None and isinstance(self.taxonomy, OpenTaxonomy):
            raise ValueError(
                "`candidates` must be given with an OpenTaxonomy, got None: a label that comes "
                "later would change what earlier examples count"
            )
        if isinstance(candidates, Collection) and not isinstance(candidates, str | bytes):
            self._grow(candidates)  # anything else is refused in the next line
        candidate_nodes(self.taxonomy_, candidates)

    def _check_costs(self, costs: Costs | None, name: str) -> None:
        check_values(costs, name)
        self._grow(costs or ())
        check(self.taxonomy_, costs, name)

    def works_with(self, model: base.Estimator) -> bool:
        """Whether the model is a single-label or multilabel classifier."""
        return isinstance(model, base.Classifier | base.MultiLabelClassifier)

    if TYPE_CHECKING:
        # River's own is not annotated, so type checkers take a + b + c for a sum of lists.
        def __add__(self, other: Any) -> Any: ...


class MeanScore(TaxonomyMetric):
    """Base class of means over examples; a subclass defines `_eval`.

    Parameters
    ----------
    taxonomy
        The taxonomy in which labels are compared.

    """

    _fmt = ",.6f"

    @abc.abstractmethod
    def _eval(self, y_true: Any, y_pred: Any) -> float:
        """The score of one example."""

    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        return ("weight", 1.0), ("score", self._eval(y_true, y_pred))

    def get(self) -> float:
        """Return the current value of the metric; 0 without examples."""
        weight = self._sums["weight"]
        return self._sums["score"] / weight if weight else 0.0


class RankingMetric(MeanScore):
    """Base class of the metrics of rankings, `{label: score}`; a subclass defines `_eval`.

    A prediction of `None`, no answer, is a ranking without scores, in which all candidates tie.

    Parameters
    ----------
    taxonomy
        The taxonomy of the labels.
    candidates
        The labels that are ranked; `None` for the leaves. An `OpenTaxonomy` needs them.

    """

    _reads = "scores"

    def __init__(
        self, taxonomy: Taxonomy | OpenTaxonomy, candidates: Candidates | None = None
    ) -> None:
        super().__init__(taxonomy)
        self._check_candidates(candidates)
        self.candidates = candidates


class ClosureMetric(TaxonomyMetric):
    """Base class of hierarchical precision and recall: the overlap of two closures.

    Parameters
    ----------
    taxonomy
        The taxonomy in which labels are compared.

    """

    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        labels = reader_of(self.taxonomy_)
        true, pred = labels.closure(y_true), labels.given(() if y_pred is None else y_pred)
        yield "both", len(true & pred) - 1  # the root is in both and does not count
        yield "true", len(true) - 1
        yield "pred", len(pred) - 1


class Table(TaxonomyMetric):
    """Base class of the metrics with several values; it prints them as a table.

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


class ProbabilityMetric(TaxonomyMetric):
    """Base class of the metrics that compare probabilities with frequencies, in bins.

    A prediction of `None`, no answer, gives every label probability 0.

    Parameters
    ----------
    taxonomy
        The taxonomy of the labels.
    n_bins
        The number of bins.
    candidates
        The labels to evaluate; `None` for all but the root. An `OpenTaxonomy` needs them.

    """

    _reads = "probabilities"

    def __init__(
        self,
        taxonomy: Taxonomy | OpenTaxonomy,
        n_bins: int = 10,
        candidates: Candidates | None = None,
    ) -> None:
        super().__init__(taxonomy)
        check_integer("n_bins", n_bins, 1)
        self._check_candidates(candidates)
        self.n_bins = n_bins
        self.candidates = candidates

    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        candidates: Any = self.candidates
        if candidates is None:
            candidates = np.arange(1, len(self.taxonomy_))
        ranked = read_ranking(self.taxonomy_, y_true, y_pred, candidates, missing=0.0)
        p = ranked.scores
        if len(outside := np.flatnonzero((p < 0.0) | (p > 1.0))):
            label, value = self.taxonomy_.nodes[ranked.nodes[outside[0]]], float(p[outside[0]])
            raise ValueError(
                f"the probability of {label!r} is {value!r}, not between 0 and 1; does "
                "the model return probabilities? evaluate.Probabilities(model) does"
            )
        bins = np.minimum((p * self.n_bins).astype(int), self.n_bins - 1)
        for i in np.unique(bins).tolist():
            here = bins == i
            yield (i, "labels"), float(here.sum())
            yield (i, "probability"), math.fsum(p[here])
            yield (i, "on"), float(ranked.relevant[here].sum())
