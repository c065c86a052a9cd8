"""Metrics of probabilities, and the reading of probabilities."""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import conditional_probabilities, labels_of, subtree_sums, trained_nodes
from ..base.checks import check_integer, number
from ..taxonomy import Label, OpenTaxonomy, Taxonomy
from ..taxonomy.multilabel import Candidates, candidate_nodes
from .base import CandidateMetric, MeanScore, TableMetric, TaxonomyMetric


def conditional(taxonomy: Taxonomy, probabilities: Mapping[Any, float]) -> Callable[[Label], float]:
    """A function from a label to P(V_i = 1 | parent on), which is checked when used; trees only."""
    if not isinstance(probabilities, Mapping):
        raise TypeError(
            "`probabilities` must be {label: probability that it is on if its parent is}, "
            f"got {type(probabilities).__name__}"
        )
    taxonomy._arrays.check_tree()

    def p(label: Label) -> float:
        try:
            value = probabilities[label]
        except KeyError:
            raise ValueError(
                f"label {label!r} has no probability; `probabilities` must hold every label "
                "but the root"
            ) from None
        if not 0.0 <= number(value) <= 1.0:
            raise ValueError(f"`probabilities[{label!r}]` must be in [0, 1], got {value!r}")
        return float(value)

    return p


def read_marginals(taxonomy: Taxonomy, y_pred: Any) -> NDArray[np.float64]:
    """The probabilities `{label: P(on)}` of a prediction, by node; nan for nodes without one."""
    p = np.full(len(taxonomy), np.nan)
    if y_pred is None:
        return p
    if not isinstance(y_pred, Mapping):
        raise TypeError(
            f"probabilities must be {{label: p}}, got {type(y_pred).__name__}; "
            "evaluate.Probabilities(model) predicts those of multilabels"
        )
    numbers = labels_of(taxonomy).numbers(y_pred)
    if numbers is not None and not ((numbers < 0.0) | (numbers > 1.0)).any():
        return numbers
    for label, value in y_pred.items():
        if isinstance(value, bool) or not 0.0 <= number(value) <= 1.0:
            raise ValueError(
                f"the probability of {label!r} is {value!r}, not a number between 0 and 1; does "
                "the model return probabilities? evaluate.Probabilities(model) does"
            )
        p[taxonomy.index(label)] = value
    return p


LEAST = 1e-15  # the smallest probability, as in River


class LogLoss(MeanScore):
    r"""Logarithmic loss of multilabels: minus the logarithm of the probability of the true one.

    A node whose parents are on is on with probability $P_i / \min_j P_j$, where j are its parents;
    a node with a parent that is off is off. The loss of an example is therefore

    $$-\sum_{i \text{ on}} \ln \frac{P_i}{\min_j P_j}
    - \sum_{i \text{ off, parents on}} \ln \left( 1 - \frac{P_i}{\min_j P_j} \right)$$

    and the metric is the mean. If labels are independent given their parents, it is lowest for the
    true probabilities. Unlike `CalibrationError`, it also measures how well these discriminate.

    Predictions are those of `Reliability`. Probabilities of a true event below 1e-15 count as
    1e-15. An update takes O(labels whose parents are on), plus the time to read the prediction. For
    single labels, use River's `CrossEntropy`.

    Parameters
    ----------
    taxonomy
        The taxonomy. An unknown label raises an `UnknownLabelError` and changes nothing.

    Examples
    --------
    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.LogLoss(t)
    >>> metric.update("mammal", {"mammal": 0.8, "wolf": 0.4, "whale": 0.2, "bird": 0.1})
    >>> metric  # -ln(0.8 * 0.5 * 0.75 * 0.9)
    LogLoss: 1.309333
    """

    bigger_is_better: bool = False
    _reads = "probabilities"

    def _eval(self, y_true: Any, y_pred: Any) -> float:
        t = self.taxonomy_
        on = np.zeros(len(t), dtype=bool)
        on[list(labels_of(t).closure(y_true))] = True
        p = np.nan_to_num(read_marginals(t, y_pred))
        p[0] = 1.0
        nodes = trained_nodes(on, t._arrays)
        with np.errstate(over="ignore"):
            given = np.minimum(conditional_probabilities(p, t._arrays)[nodes], 1.0)
        right = np.where(on[nodes], given, 1.0 - given)
        return -float(np.log(np.maximum(right, LEAST)).sum())


class CalibrationMetric(TaxonomyMetric):
    """Base class of the calibration errors; `_count` gives bins, as that of `ProbabilityMetric`."""

    bigger_is_better: bool = False
    _fmt = ".2%"
    n_bins: int

    def get(self) -> float:
        """Return the current value of the metric; 0 without examples."""
        sums, bins = self._sums, range(self.n_bins)
        n = sum(sums[i, "labels"] for i in bins)
        distance = sum(abs(sums[i, "probability"] - sums[i, "on"]) for i in bins)
        return distance / n if n else 0.0


class ProbabilityMetric(CandidateMetric):
    """Base class of metrics that compare probabilities, 0 for `None`, with frequencies, in bins."""

    _reads = "probabilities"

    def __init__(
        self,
        taxonomy: Taxonomy | OpenTaxonomy,
        n_bins: int = 10,
        candidates: Candidates | None = None,
    ) -> None:
        super().__init__(taxonomy, candidates)
        check_integer("n_bins", n_bins, 1)
        self.n_bins = n_bins

    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        t = self.taxonomy_
        nodes: Any = slice(1, None)
        if self.candidates is not None:
            nodes = candidate_nodes(t, self.candidates)
        on = np.zeros(len(t), dtype=bool)
        on[list(labels_of(t).closure(y_true))] = True
        on, p = on[nodes], np.nan_to_num(read_marginals(t, y_pred)[nodes])
        bins = np.minimum((p * self.n_bins).astype(int), self.n_bins - 1)
        for i in np.unique(bins).tolist():
            here = bins == i
            yield (i, "labels"), float(here.sum())
            yield (i, "probability"), math.fsum(p[here])
            yield (i, "on"), float(on[here].sum())


class Reliability(ProbabilityMetric, TableMetric):
    r"""Reliability table: how often labels are on, by their predicted probability.

    Pairs of an example and a label are sorted into bins by their predicted probability. Its mean in
    a bin and the share that were on agree if the model is calibrated; see `CalibrationError`.

    Predictions are those of `evaluate.Probabilities(model)`: marginal probabilities, not
    conditional on the parents; a missing label has 0. An update takes O(labels), `get` O(bins).

    Parameters
    ----------
    taxonomy
        The taxonomy. An unknown label raises an `UnknownLabelError` and changes nothing.
    n_bins
        The number of bins, all of equal width; a probability between two belongs to the upper one.
    candidates
        The labels to evaluate; `None` for all but the root, which is always on.

    Examples
    --------
    >>> from river.evaluate import progressive_val_score
    >>> from river_hier import Taxonomy, decision, evaluate, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> stream = synth.PrototypePaths(t, noise=0.36, seed=42)
    >>> model = evaluate.Probabilities(decision.Calibrated(linear_model.HPerceptron(t)))
    >>> metric = progressive_val_score(stream.take(2000), model, metrics.Reliability(t, n_bins=5))
    >>> metric
    Predicted   Observed   Labels
         9.1%       8.2%    4,467
        28.6%      28.7%    2,253
        49.0%      49.9%      994
        69.8%      76.7%      622
        94.1%      94.8%    1,664
    """

    bigger_is_better: bool = False

    def get(self) -> Any:
        """Return `{bin: (mean probability, share that was on, weight)}` of the nonempty bins."""
        return {
            i: (self._sums[i, "probability"] / n, self._sums[i, "on"] / n, n)
            for i in range(self.n_bins)
            if (n := self._sums[i, "labels"])
        }

    def _columns(self) -> dict[str, Sequence[str]]:
        rows = self.get().values()
        return {
            "Predicted": [f"{p:.1%}" for p, _, _ in rows],
            "Observed": [f"{on:.1%}" for _, on, _ in rows],
            "Labels": [f"{n:{self._fmt}}" for _, _, n in rows],
        }


class CalibrationError(ProbabilityMetric, CalibrationMetric):
    r"""Expected calibration error: the mean distance of probabilities from frequencies.

    With all pairs of an example and a label sorted into bins by their predicted probability,

    $$\sum_b \frac{n_b}{n} \, |\bar{p}_b - \text{on}_b|$$

    where $n_b$ of the n pairs are in bin b, $\bar{p}_b$ is the mean of their probabilities and
    $\text{on}_b$ the share of them that were on. The paper[^1] bins the probability of the
    predicted class instead, in 15 bins.

    Predictions and cost are those of `Reliability`. A constant prediction of each label's frequency
    has no error: how well probabilities discriminate is measured by `PooledAUPRC` and the losses.

    Parameters
    ----------
    taxonomy
        The taxonomy.
    n_bins
        The number of bins, all of equal width; a probability between two belongs to the upper one.
    candidates
        The labels to evaluate; `None` for all but the root, which is always on.

    Examples
    --------
    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.CalibrationError(t, n_bins=2)
    >>> metric.update("mammal", {"mammal": 0.8, "wolf": 0.4, "whale": 0.2, "bird": 0.1})
    >>> metric  # (|0.8 - 1| + |0.4 + 0.2 + 0.1 + 0|) / 5
    CalibrationError: 18.00%

    References
    ----------
    [^1]: [Guo, C., Pleiss, G., Sun, Y. and Weinberger, K.Q., 2017. On calibration of modern neural
        networks. ICML 34, pp. 1321-1330.](https://proceedings.mlr.press/v70/guo17a.html) Eq. (3).
    """


class TopLabelCalibrationError(CalibrationMetric):
    r"""Expected calibration error of the most probable label.

    Examples are sorted into bins by the probability of their most probable label:

    $$\sum_b \frac{n_b}{n} \, |\bar{p}_b - \text{right}_b|$$

    where $n_b$ of the n examples are in bin b, $\bar{p}_b$ is the mean of these probabilities and
    $\text{right}_b$ the share of examples with the right label. The paper [^1] uses 15 bins.

    Predictions are `{label: probability}`, from `predict_proba_one` in River's loop. Of equally
    probable labels the first one counts. `None`, or no labels, counts as wrong, with probability 0.
    An update takes O(labels), `get` O(bins).

    Parameters
    ----------
    taxonomy
        The taxonomy.
    n_bins
        The number of bins, all of equal width; a probability between two belongs to the upper one.
    depth
        The depth, in a tree, at which labels are compared: a deeper one counts as its ancestor
        there. `None` for the labels themselves.

    Examples
    --------
    >>> from river_hier import Taxonomy, metrics

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.TopLabelCalibrationError(t)
    >>> metric.update("wolf", {"wolf": 0.75, "whale": 0.25})
    >>> metric.update("whale", {"wolf": 0.75, "whale": 0.25})
    >>> metric  # |0.75 - 0.5|
    TopLabelCalibrationError: 25.00%
    >>> metric = metrics.TopLabelCalibrationError(t, depth=1)
    >>> metric.update("whale", {"wolf": 0.5, "whale": 0.25, "owl": 0.25})
    >>> metric  # |0.75 - 1|
    TopLabelCalibrationError: 25.00%

    References
    ----------
    [^1]: [Guo et al., 2017. ICML 34.](https://proceedings.mlr.press/v70/guo17a.html)
    """

    requires_labels: bool = False  # River passes probabilities
    _reads = "probabilities"

    def __init__(
        self, taxonomy: Taxonomy | OpenTaxonomy, n_bins: int = 10, depth: int | None = None
    ) -> None:
        super().__init__(taxonomy)
        check_integer("n_bins", n_bins, 1)
        if depth is not None:
            check_integer("depth", depth, 1)
            self.taxonomy_._arrays.check_tree()
        self.n_bins = n_bins
        self.depth = depth

    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        t = self.taxonomy_
        true, p = labels_of(t).closure(y_true), read_marginals(t, y_pred)
        if self.depth is not None:
            true = {v for v in true if t._arrays.depth[v] <= self.depth}
            y_pred, p = self._at_depth(p, self.depth)
        highest, right = 0.0, False
        if y_pred:
            highest = float(np.nanmax(p))
            top = np.flatnonzero(p == highest).tolist()
            if len(top) > 1:  # the first of the prediction
                top = [next(t.index(label) for label, value in y_pred.items() if value == highest)]
            right = labels_of(t).closure([t.nodes[top[0]]]) == true
        i = min(int(highest * self.n_bins), self.n_bins - 1)
        yield (i, "labels"), 1.0
        yield (i, "probability"), highest
        yield (i, "on"), float(right)

    def _at_depth(
        self, p: NDArray[np.float64], depth: int
    ) -> tuple[dict[Label, float], NDArray[np.float64]]:
        """A prediction in which what lies deeper has been added to the ancestor at the depth."""
        arrays = self.taxonomy_._arrays
        known = subtree_sums(1.0 - np.isnan(p), arrays) > 0.0
        whole = np.where(known, subtree_sums(np.nan_to_num(p), arrays), np.nan)
        p = np.where(arrays.depth < depth, p, np.where(arrays.depth == depth, whole, np.nan))
        nodes = np.flatnonzero(~np.isnan(p)).tolist()
        return {self.taxonomy_.nodes[v]: float(p[v]) for v in nodes}, p
