from __future__ import annotations

from typing import Any

from .base import ProbabilityMetric


class CalibrationError(ProbabilityMetric):
    r"""Expected calibration error: the mean distance of probabilities from frequencies.

    With all pairs of an example and a label sorted into bins by their predicted probability,

    $$\sum_b \frac{n_b}{n} \, |\bar{p}_b - \text{on}_b|$$

    where $n_b$ of the n pairs are in bin b, $\bar{p}_b$ is the mean of their probabilities and
    $\text{on}_b$ the share of them that were on. It is 0 for perfectly calibrated probabilities,
    up to random fluctuations. `Reliability` shows the same comparison bin by bin.

    It takes probabilities as predictions: `evaluate.Probabilities(model)` makes a model return
    them. They are marginal probabilities, not conditional on the parents; a missing label has
    probability 0. The metric does not measure how well the probabilities discriminate: a constant
    prediction of each label's frequency has no error. `PooledAUPRC` and the losses measure that.

    An update takes O(labels), `get` O(bins).

    Parameters
    ----------
    taxonomy
        The taxonomy. Unknown labels raise an `UnknownLabelError`; an update that raises leaves the
        metric unchanged.
    n_bins
        The number of bins, all of equal width. A probability on the border of two bins belongs to
        the upper one, 1 to the last.
    candidates
        The labels to evaluate; `None` for all but the root, which is always on.

    Notes
    -----
    The paper[^1] uses 15 bins for the probability of the predicted class. Here each label is a
    binary decision, so the probability of "on" is binned.

    Examples
    --------

    >>> from river.evaluate import progressive_val_score
    >>> from river_hier import Taxonomy, decision, evaluate, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> stream = synth.PrototypePaths(t, noise=0.36, seed=42)

    >>> model = evaluate.Probabilities(linear_model.HPerceptron(t))
    >>> progressive_val_score(stream.take(2000), model, metrics.CalibrationError(t))
    CalibrationError: 10.68%

    >>> model = evaluate.Probabilities(decision.Calibrated(linear_model.HPerceptron(t)))
    >>> progressive_val_score(stream.take(2000), model, metrics.CalibrationError(t))
    CalibrationError: 1.79%

    References
    ----------
    [^1]: [Guo, C., Pleiss, G., Sun, Y. and Weinberger, K.Q., 2017. On calibration of modern neural
        networks. ICML 34, pp. 1321-1330.](https://proceedings.mlr.press/v70/guo17a.html) Eq. (3).

    """

    bigger_is_better: bool = False
    _fmt = ".2%"

    def get(self) -> float:
        """Return the current value of the metric; 0 without examples."""
        return mean_distance(self._sums, self.n_bins)


def mean_distance(sums: Any, n_bins: int) -> float:
    """The mean distance of probabilities from frequencies, weighted by the labels in each bin."""
    n = sum(sums[i, "labels"] for i in range(n_bins))
    distance = sum(abs(sums[i, "probability"] - sums[i, "on"]) for i in range(n_bins))
    return distance / n if n else 0.0
