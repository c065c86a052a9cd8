import copy
from typing import Any

import numpy as np

from .._core import distances_from
from ..base import PathLearner
from ..base.checks import check_cap
from ..base.explanation import Floats
from ..taxonomy import TaxonomyLike
from .hieron import Hieron, smallest_step


def worst_rival(model: Any, score: Floats, y: int) -> int:
    """The label with the largest loss, the maximum of Eq. (5)."""
    distances = distances_from(y, model._taxonomy._arrays)
    return int((score + np.sqrt(distances)).argmax())


class AveragedHieron(PathLearner, compiled=("C",)):
    r"""Batch Hieron in one pass: averaged weights, updates for the worst label.

    It differs from online `Hieron` in two ways. Updates are made against the label with the largest
    loss, $\operatorname{argmax}_v W^v \cdot x + \sqrt{\gamma(y, v)}$, rather than against the
    predicted one. Predictions come from the average of all hypotheses so far, $w_1 = 0, w_2,
    \dots, w_{m+1}$ after m examples, as in `Averaged`.

    The average only costs work where a step changes weights: with a step $s_i$ in round i,

    $$\frac{1}{m+1} \sum_{i=1}^{m+1} w_i = w_{m+1} - \frac{1}{m+1} \sum_{i=1}^m i \, s_i,$$

    so a second matrix of weights is stored instead of all past hypotheses. The rounds i and m of a
    node are counted from its first example. A step takes O(features of x * nodes). The flat
    counterpart is made as for `Hieron`.

    Parameters
    ----------
    taxonomy
        A tree; `None` or an `OpenTaxonomy` takes labels as they arrive.
    C
        The largest step $\alpha$.
    dtype
        The type of the stored weights, `"float64"` or `"float32"`.
    intercept
        The value of a constant feature that is added to every x.
    from_first_round
        Whether the average of every node is over the hypotheses of all rounds, as in Eq. (13) and
        Theorem 2 of the paper.

    Notes
    -----
    Section 4 of the paper [^1]. Eq. (15) gives round i the weight (m + 2 - i) / (m + 1);
    here, as in Algorithm 1, it is (m + 1 - i) / (m + 1), with the same average, Eq. (13). The
    paper's form is `AveragedHieron(taxonomy, C=math.inf, from_first_round=True)`. An empty or zero
    x counts as a round.

    Examples
    --------
    >>> from river import evaluate
    >>> from river_hier import linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.04, seed=42)
    >>> model = linear_model.AveragedHieron(stream.taxonomy)
    >>> metric = metrics.TreeInducedError(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metric)
    TreeInducedError: 0.224

    References
    ----------
    [^1]: [Dekel, Keshet and Singer, 2004. ICML 21.](https://doi.org/10.1145/1015330.1015374)
    """

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        C: float = 10.0,
        dtype: str = "float64",
        intercept: float = 0.0,
        from_first_round: bool = False,
    ) -> None:
        super().__init__(taxonomy, dtype, intercept)
        check_cap("C", C)
        self.C = C
        self.from_first_round = from_first_round
        self._start_average(from_first_round)  # Eq. (13)

    rival = worst_rival
    rule = smallest_step

    @property
    def last(self) -> Hieron:
        """The last hypothesis $w_{m+1}$ without the average, as a separate online `Hieron`."""
        model = Hieron(self.taxonomy, self.C, self.dtype, self.intercept)
        model._labels, model._state = copy.deepcopy((self._labels, self._state))
        return model
