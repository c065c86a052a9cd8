from __future__ import annotations

from .said import SaidMetric

__all__ = ["CalibrationError"]


class CalibrationError(SaidMetric):
    r"""How far probabilities are from being frequencies: the expected calibration error.

    With all pairs of an example and a label in bins by the probability that was said,

    $$\sum_b \frac{n_b}{n} \, |\text{said}_b - \text{on}_b|$$

    where $n_b$ of the n pairs are in bin b, $\text{said}_b$ is the mean of their probabilities and
    $\text{on}_b$ the share of them that were on: 0 for frequencies, up to what chance leaves.
    `Reliability` is the table of which this is the summary, bin by bin.

    It reads probabilities, as `evaluate.Probabilities(model)` makes models answer with. They are
    those of a label as such, whatever is said of its parents; a label of which nothing is said has
    probability 0. It says nothing of how well the probabilities tell labels apart: always to say
    how frequent a label is has no error. `PooledAUPRC` and the losses measure that.

    An update takes O(labels), `get` O(bins).

    Parameters
    ----------
    taxonomy
        The taxonomy. Labels that are not in it raise an `UnknownLabelError`; an answer or a weight
        that is refused leaves the metric as it was.
    n_bins
        The number of bins, all of one width. A probability on the border of two is in the upper
        one, 1 in the last.
    candidates
        The labels that count; `None` for all but the root, which is always on.

    Notes
    -----
    The paper[^1] bins the probability of the predicted class, with 15 bins; here each label is
    on or off by itself, so the probability of "on" is what is binned, as for two classes.

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

    _fmt = ".2%"

    @property
    def bigger_is_better(self) -> bool:
        return False

    def get(self) -> float:
        """Return the current value of the metric; 0 without examples."""
        bins = range(self.n_bins)
        n = sum(self._sums[i, "labels"] for i in bins)
        off = sum(abs(self._sums[i, "said"] - self._sums[i, "on"]) for i in bins)
        return off / n if n else 0.0
