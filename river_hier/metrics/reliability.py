from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .base import ProbabilityMetric, Table


class Reliability(ProbabilityMetric, Table):
    r"""Reliability table: how often labels are on, by their predicted probability.

    Every pair of an example and a label is one decision. Decisions are sorted into bins by the
    predicted probability; for each bin the table shows the mean predicted probability and the
    observed share of labels that were on. The two agree if the model is calibrated: of all labels
    predicted with 60 to 70 %, about 65 % are on. `CalibrationError` summarises the table in one
    number.

    It takes probabilities as predictions: `evaluate.Probabilities(model)` makes a model return
    them. They are marginal probabilities, not conditional on the parents; a missing label has
    probability 0. Use `candidates` to evaluate a single node or branch.

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

    Examples
    --------

    >>> from river.evaluate import progressive_val_score
    >>> from river_hier import Taxonomy, decision, evaluate, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> stream = synth.PrototypePaths(t, noise=0.36, seed=42)

    >>> model = evaluate.Probabilities(linear_model.HPerceptron(t))
    >>> progressive_val_score(stream.take(2000), model, metrics.Reliability(t, n_bins=5))
    Predicted   Observed   Labels
         3.4%      11.4%    5,304
        29.3%      30.7%      752
        50.1%      38.6%      619
        70.2%      46.7%      589
        96.0%      80.8%    2,736

    >>> model = evaluate.Probabilities(decision.Calibrated(linear_model.HPerceptron(t)))
    >>> metric = progressive_val_score(stream.take(2000), model, metrics.Reliability(t, n_bins=5))
    >>> metric
    Predicted   Observed   Labels
         9.1%       8.2%    4,476
        28.6%      28.7%    2,247
        48.9%      49.9%      992
        69.7%      76.6%      620
        94.1%      94.8%    1,665

    >>> p, on, labels = metric.get()[4]
    >>> on
    0.948

    """

    bigger_is_better: bool = False

    def get(self) -> Any:
        """Return `{bin: (mean probability, share that was on, number of labels)}`.

        Bins are counted from 0 and empty bins are left out; the number of labels is a sum of
        weights.
        """
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
