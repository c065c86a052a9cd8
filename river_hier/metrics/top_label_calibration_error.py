from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from .._core import reader_of
from ..base.checks import check_integer
from ..losses.probabilities import read_marginals
from ..taxonomy import OpenTaxonomy, Taxonomy
from .base import TaxonomyMetric
from .calibration_error import mean_distance


class TopLabelCalibrationError(TaxonomyMetric):
    r"""Expected calibration error of the most probable label.

    The mean difference between the predicted probability of the most probable label and how often
    this label is right. Examples are sorted into bins by this probability:

    $$\sum_b \frac{n_b}{n} \, |\bar{p}_b - \text{right}_b|$$

    where $n_b$ of the n examples are in bin b, $\bar{p}_b$ is the mean of these probabilities and
    $\text{right}_b$ the share of examples whose most probable label is the true one. The error is
    0 for perfectly calibrated probabilities, up to random fluctuations.

    Predictions are `{label: probability}`; in River's loop, `predict_proba_one` of a classifier
    is called to get them. If several labels share the highest probability, the first one counts. A
    prediction of `None`, or without labels, counts as wrong, with probability 0. For multilabels,
    use `CalibrationError`.

    An update takes O(labels), `get` O(bins).

    Parameters
    ----------
    taxonomy
        The taxonomy. Unknown labels raise an `UnknownLabelError`; an update that raises leaves the
        metric unchanged.
    n_bins
        The number of bins, all of equal width. A probability on the border of two bins belongs to
        the upper one; a probability of 1 belongs to the last bin.

    Notes
    -----
    The paper[^1] calls it ECE and uses 15 bins.

    Examples
    --------

    >>> from river.evaluate import progressive_val_score
    >>> from river_hier import decision, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.16, seed=42)
    >>> t = stream.taxonomy
    >>> model = linear_model.AveragedHieron(t)
    >>> progressive_val_score(stream.take(2000), model, metrics.TopLabelCalibrationError(t))
    TopLabelCalibrationError: 31.68%

    >>> model = decision.Tempered(linear_model.AveragedHieron(t))
    >>> progressive_val_score(stream.take(2000), model, metrics.TopLabelCalibrationError(t))
    TopLabelCalibrationError: 3.03%

    References
    ----------
    [^1]: [Guo, C., Pleiss, G., Sun, Y. and Weinberger, K.Q., 2017. On calibration of modern neural
        networks. ICML 34, pp. 1321-1330.](https://proceedings.mlr.press/v70/guo17a.html) Eq. (3).

    """

    bigger_is_better: bool = False
    _reads = "probabilities"
    _fmt = ".2%"

    def __init__(self, taxonomy: Taxonomy | OpenTaxonomy, n_bins: int = 10) -> None:
        super().__init__(taxonomy)
        check_integer("n_bins", n_bins, 1)
        self.n_bins = n_bins

    @property
    def requires_labels(self) -> bool:
        """Whether River passes labels instead of probabilities: always false."""
        return False

    def _count(self, y_true: Any, y_pred: Any) -> Iterable[tuple[Hashable, float]]:
        t = self.taxonomy_
        true, p = reader_of(t).closure(y_true), read_marginals(t, y_pred)
        highest, right = 0.0, False
        if y_pred:
            highest = float(np.nanmax(p))
            top = np.flatnonzero(p == highest).tolist()
            if len(top) > 1:  # the first of the prediction
                top = [next(t.index(label) for label, value in y_pred.items() if value == highest)]
            right = reader_of(t).closure([t.nodes[top[0]]]) == true
        i = min(int(highest * self.n_bins), self.n_bins - 1)
        yield (i, "labels"), 1.0
        yield (i, "probability"), highest
        yield (i, "on"), float(right)

    def get(self) -> float:
        """Return the current value of the metric; 0 without examples."""
        return mean_distance(self._sums, self.n_bins)
