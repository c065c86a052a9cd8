"""Base classes of the metrics."""

import abc
import math
import warnings
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from river import base, metrics, utils

from .._core import labels_of
from ..base.checks import checked_weight
from ..base.targets import judged
from ..taxonomy import Evidence, OpenTaxonomy, Taxonomy, check_taxonomy
from ..taxonomy.multilabel import Candidates, candidate_nodes
from ..taxonomy.open import initial_taxonomy, named, stated
from .costs import Costs, check_factors, check_values, known

Counts = Sequence[tuple[Hashable, float]]
Partials = tuple[float, ...]


def plus(partials: Partials, x: float) -> Partials:
    """Add x to a sum without rounding errors (Shewchuk, 1997): adding -x undoes adding x.

    A sum is a tuple of floats without overlapping bits, the smallest first: O(its length).
    """
    exact = []
    for y in partials:
        if abs(x) < abs(y):
            x, y = y, x
        high = x + y
        low = y - (high - x)
        if low:
            exact.append(low)
        x = high
    return (*exact, x) if x else tuple(exact)


class Sums:
    """Weighted sums by key, exactly revertible.

    River's `stats.Mean` rounds at every step; these sums are rounded only when they are read.
    """

    def __init__(self) -> None:
        self._sums: dict[Any, Partials] = {}

    def add(self, counts: Counts, w: float) -> None:
        """Add an example of weight w."""
        self._add(counts, checked_weight(w))

    def remove(self, counts: Counts, w: float) -> None:
        """Remove an example of weight w. Counts are at least 0, so no sum may become negative."""
        w = checked_weight(w)
        if any(w * count > self[key] for key, count in counts):
            raise ValueError(
                f"cannot revert an example of weight {w!r} that the metric was not updated with"
            )
        self._add(counts, -w)

    def _add(self, counts: Counts, w: float) -> None:
        new: dict[Any, Partials] = {}
        for key, count in counts:
            total = new[key] if key in new else self._sums.get(key, ())
            new[key] = plus(total, w * count)
        self._sums.update(new)  # all at once: an interrupt comes before or after
        if not all(new.values()):
            for key in [key for key, total in new.items() if not total]:
                del self._sums[key]

    def __getitem__(self, key: Hashable) -> float:
        return math.fsum(self._sums.get(key, ()))

    def __iter__(self) -> Iterator[Any]:
        return iter([key for key, total in self._sums.items() if total])


class TaxonomyMetric(metrics.base.ClassificationMetric):
    """Base class of the metrics on a taxonomy; a subclass defines `_count` and `get`.

    Truth and prediction may each be a label, an iterable of labels or `{label: bool}`. A prediction
    of `None` counts as the root, no label, and warns. Of a truth that is known in part, such as
    `Below` a node, the rest counts neither as right nor as wrong. There is no confusion matrix.

    Parameters
    ----------
    taxonomy
        The taxonomy in which labels are compared. An `OpenTaxonomy` grows with the labels of the
        examples, on both sides; the value is that in the final taxonomy.
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
        if y_pred is None:
            warnings.warn(
                "y_pred is None, which counts as the root or no label; leave out what is not "
                "predicted, as River's evaluation does",
                stacklevel=2,
            )
        before = self.taxonomy_
        try:
            if isinstance(self.taxonomy, OpenTaxonomy):
                both = y_true, y_pred
                y_true, y_pred = (list(y) if isinstance(y, Iterator) else y for y in both)
                self._grow([*stated(y_true), *(() if y_pred is None else named(y_pred))])
            self._sums.add(self._counts(y_true, y_pred), w)
        except BaseException:
            self.taxonomy_ = before
            raise

    def revert(self, y_true: Any, y_pred: Any, w: float = 1.0) -> None:
        """Revert the metric."""
        self._sums.remove(self._counts(y_true, y_pred), w)

    def _counts(self, y_true: Any, y_pred: Any) -> Counts:
        """What an example adds to the sums; of a truth that is known to some depth, what counts."""
        if isinstance(y_true, Evidence):
            if self._reads != "labels":
                raise TypeError(
                    f"{type(self).__name__} needs whole labels, got {y_true}; leave the example out"
                )
            y_true, y_pred = judged(self.taxonomy_, y_true, y_pred)
        return tuple(self._count(y_true, y_pred))

    def _grow(self, labels: Collection[Any]) -> None:
        """Add labels to an open taxonomy."""
        if isinstance(self.taxonomy, OpenTaxonomy):
            before = self.taxonomy_
            self.taxonomy_ = self.taxonomy.with_labels(before, labels)
            labels_of(self.taxonomy_, before)

    def _check_costs(self, costs: Costs | None, name: str) -> None:
        check_values(costs, name)
        self._grow(costs or ())
        known(self.taxonomy_, costs or {})

    def _set_volumes(self, volumes: Costs | None, missed: float, spurious: float) -> None:
        self._check_costs(volumes, "volumes")
        check_factors(missed, spurious)
        self.volumes = volumes
        self.missed = missed
        self.spurious = spurious

    def works_with(self, model: base.Estimator) -> bool:
        """Whether the model is a single-label or multilabel classifier."""
        return isinstance(model, base.Classifier | base.MultiLabelClassifier)

    if TYPE_CHECKING:
        # River's own is not annotated, so type checkers take a + b + c for a sum of lists.
        def __add__(self, other: Any) -> Any: ...


class CandidateMetric(TaxonomyMetric):
    """Base class of the metrics that compare some candidates, which are labels."""

    def __init__(
        self, taxonomy: Taxonomy | OpenTaxonomy, candidates: Candidates | None = None
    ) -> None:
        super().__init__(taxonomy)
        if candidates is None and isinstance(self.taxonomy, OpenTaxonomy):
            raise ValueError(
                "`candidates` must be given with an OpenTaxonomy, got None: a label that comes "
                "later would change what earlier examples count"
            )
        if isinstance(candidates, Collection) and not isinstance(candidates, str | bytes):
            self._grow(candidates)  # anything else is refused in the next line
        candidate_nodes(self.taxonomy_, candidates)
        self.candidates = candidates


class MeanScore(TaxonomyMetric):
    """Base class of the means of a function of `losses` over examples."""

    _fmt = ",.6f"
    _loss: Any  # the function
    _options: tuple[str, ...] = ()  # the parameters of the metric that are also the function's

    def _eval(self, y_true: Any, y_pred: Any) -> float:
        """The score of one example."""
        given = {name: getattr(self, name) for name in self._options}
        return self._loss(self.taxonomy_, y_true, y_pred, **given)

    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        return ("weight", 1.0), ("score", self._eval(y_true, y_pred))

    def get(self) -> float:
        """Return the current value of the metric; 0 without examples."""
        weight = self._sums["weight"]
        return self._sums["score"] / weight if weight else 0.0


class MeanLoss(MeanScore):
    """Base class of mean losses with an expectation."""

    bigger_is_better: bool = False
    _expected_loss: Any  # the function of `losses` that `expected` calls

    def expected(self, probabilities: Mapping[Any, float], y_pred: Any) -> float:
        """The expected loss of a prediction when the truth, a multilabel, is drawn at random.

        `probabilities` are `{label: P(on | parent on)}` for every label but the root.
        """
        given = {name: getattr(self, name) for name in self._options}
        return self._expected_loss(self.taxonomy_, probabilities, y_pred, **given)


class TableMetric(TaxonomyMetric):
    """Base class of the metrics with several values; it prints them as a table."""

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
