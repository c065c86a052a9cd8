from __future__ import annotations

from typing import Any

import numpy as np

from .._core import conditional_probabilities, labels_of, trained_nodes
from .base import MeanScore
from .probabilities import read_marginals

LEAST = 1e-15  # the smallest probability, as in River


class LogLoss(MeanScore):
    r"""Logarithmic loss of multilabels: minus the logarithm of the probability of the true one.

    A node whose parents are on is on with probability $P_i / \min_j P_j$, where j are its parents;
    a node with a parent that is off is off. The loss of an example is therefore

    $$-\sum_{i \text{ on}} \ln \frac{P_i}{\min_j P_j}
    - \sum_{i \text{ off, parents on}} \ln \left( 1 - \frac{P_i}{\min_j P_j} \right)$$

    and the metric is the mean. If labels are independent given their parents, it is lowest for the
    true probabilities. Unlike `CalibrationError`, it also measures how well the
    probabilities discriminate.

    Predictions are probabilities: `evaluate.Probabilities(model)` makes a model return them. They
    are marginal, not conditional on the parents; a missing label has probability 0. Probabilities
    of a true event below 1e-15 count as 1e-15. For single labels, use River's `CrossEntropy`.

    An update takes O(labels whose parents are on), plus the time to read the prediction.

    Parameters
    ----------
    taxonomy
        The taxonomy. An unknown label raises an `UnknownLabelError` and changes nothing.

    Examples
    --------

    >>> from river.evaluate import progressive_val_score
    >>> from river_hier import Taxonomy, decision, evaluate, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.LogLoss(t)
    >>> metric.update("mammal", {"mammal": 0.8, "wolf": 0.4, "whale": 0.2, "bird": 0.1})
    >>> metric  # -ln(0.8 * 0.5 * 0.75 * 0.9)
    LogLoss: 1.309333

    >>> stream = synth.PrototypePaths(t, noise=0.36, seed=42)
    >>> model = evaluate.Probabilities(linear_model.HPerceptron(t))
    >>> progressive_val_score(stream.take(2000), model, metrics.LogLoss(t))
    LogLoss: 2.60852

    >>> model = evaluate.Probabilities(decision.Calibrated(linear_model.HPerceptron(t)))
    >>> progressive_val_score(stream.take(2000), model, metrics.LogLoss(t))
    LogLoss: 1.750054

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
