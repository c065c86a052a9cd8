from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .base import Table
from .said import SaidMetric

__all__ = ["Reliability"]


class Reliability(SaidMetric, Table):
    r"""How often labels are on, by how likely they were said to be.

    Every pair of an example and a label is one decision. Decisions are put into bins by the
    probability that the model gave, and each bin tells what was said on average and which share of
    its labels were on. Where probabilities are frequencies the two agree: of all labels that were
    held for 60 to 70 % likely, some 65 % are on. `CalibrationError` is the same as one number.

    It reads probabilities, as `evaluate.Probabilities(model)` makes models answer with. They are
    those of a label as such, whatever is said of its parents; a label of which nothing is said has
    probability 0. To judge one node, or one branch, name it in `candidates`.

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

    Examples
    --------

    >>> from river.evaluate import progressive_val_score
    >>> from river_hier import Taxonomy, decision, evaluate, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> stream = synth.PrototypePaths(t, noise=0.36, seed=42)

    >>> model = evaluate.Probabilities(linear_model.HPerceptron(t))
    >>> progressive_val_score(stream.take(2000), model, metrics.Reliability(t, n_bins=5))
    Said      On   Labels
     3.4%   11.4%    5,304
    29.3%   30.7%      752
    50.1%   38.6%      619
    70.2%   46.7%      589
    96.0%   80.8%    2,736

    >>> model = evaluate.Probabilities(decision.Calibrated(linear_model.HPerceptron(t)))
    >>> metric = progressive_val_score(stream.take(2000), model, metrics.Reliability(t, n_bins=5))
    >>> metric
    Said      On   Labels
     9.1%    8.2%    4,476
    28.6%   28.7%    2,247
    48.9%   49.9%      992
    69.7%   76.6%      620
    94.1%   94.8%    1,665

    >>> said, on, labels = metric.get()[4]
    >>> on
    0.948

    """

    @property
    def bigger_is_better(self) -> bool:
        return False

    def get(self) -> Any:
        """Return `{bin: (mean probability, share that was on, number of labels)}`.

        Bins count from 0; those without labels are left out, and numbers are sums of weights.
        """
        return {
            i: (self._sums[i, "said"] / n, self._sums[i, "on"] / n, n)
            for i in range(self.n_bins)
            if (n := self._sums[i, "labels"])
        }

    def _columns(self) -> dict[str, Sequence[str]]:
        rows = self.get().values()
        return {
            "Said": [f"{said:.1%}" for said, _, _ in rows],
            "On": [f"{on:.1%}" for _, on, _ in rows],
            "Labels": [f"{n:{self._fmt}}" for _, _, n in rows],
        }
