from __future__ import annotations

import copy

import numpy as np

from ..base import PathLearner
from ..base.checks import check_cap
from ..base.explanation import Floats
from ..taxonomy import TaxonomyLike
from .hieron import Hieron


class AveragedHieron(PathLearner, compiled=("C",)):
    """Batch Hieron in one pass: averaged weights, updates for the worst label.

    It differs from online `Hieron` in two ways. Updates are made against the label with the largest
    loss, $\\operatorname{argmax}_v W^v \\cdot x + \\sqrt{\\gamma(y, v)}$, rather than against the
    predicted one. Predictions come from the average of all hypotheses so far, $w_1 = 0, w_2,
    \\dots, w_{m+1}$ after m examples. The average of a node starts again with its first example,
    the first one whose label is the node or below it, so that a class that appears late in the
    stream is learned as fast as the first ones.

    The average only costs work where a step changes weights: with a step $s_i$ in round i,

    $$\\frac{1}{m+1} \\sum_{i=1}^{m+1} w_i = w_{m+1} - \\frac{1}{m+1} \\sum_{i=1}^m i \\, s_i,$$

    so a second matrix of weights is stored instead of all past hypotheses. The rounds i and m of a
    node are counted from its first example. A step takes O(features of x * nodes).

    The flat counterpart is `AveragedHieron(taxonomy.flatten())`, with the root at the centre of the
    star; see `Hieron`.

    Parameters
    ----------
    taxonomy
        A tree. `None` starts from an open flat taxonomy, to which labels are added under the root
        as they arrive. An `OpenTaxonomy` grows with labels that are paths.
    C
        The largest step $\\alpha$. It limits the effect of a single example, whose label may be
        wrong. The default suits x of norm 1 or more; with `math.inf` the step is the paper's.
    dtype
        The type of the stored weights, `"float64"` or `"float32"`.
    intercept
        The value of a constant feature that is added to every x. The default, 0, adds none, as in
        the paper. Choose it well below the norm of x: 0.1 to 0.3 for norm 1.

    from_first_round
        Whether the average of every node is over the hypotheses of all rounds, as in Eq. (13) and
        Theorem 2, also those before its first example.

    Raises
    ------
    ValueError
        If the taxonomy is a DAG or `C` not positive; if `intercept` is neither 0 nor between 1e-6
        and 1e6; from `learn_one` and `predict_one`, if a feature is not a finite number or a label
        is unknown.

    Notes
    -----
    Section 4 of the paper of `Hieron`. Its Eq. (15) gives round i the weight (m + 2 - i) / (m + 1),
    as it counts the step that leads to hypothesis i as the i-th. Here, as in Algorithm 1, the i-th
    step starts from hypothesis i and has weight (m + 1 - i) / (m + 1). The average is the same, Eq.
    (13). The paper averages all weights from the first round on, as `from_first_round` does. The
    cap and the intercept are not in the paper, whose form is `AveragedHieron(taxonomy, C=math.inf,
    from_first_round=True)`; see `Hieron`. An empty or zero x counts as a round.

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
        self._averaged = True
        self._start_average(from_first_round)  # Eq. (13)

    @property
    def last(self) -> Hieron:
        """The last hypothesis $w_{m+1}$ without the average, as a separate online `Hieron`."""
        model = Hieron(self.taxonomy, self.C, self.dtype, self.intercept)
        model._labels, model._state = copy.deepcopy((self._labels, self._state))
        return model

    def rival(self, score: Floats, y: int) -> int:
        """The label with the largest loss, the maximum of Eq. (5)."""
        return int((score + np.sqrt(self._distances(y))).argmax())

    def rule(self, margin: float, gamma: float, norm2: float) -> float:
        """The step of `Hieron`, Eq. (5) and (8)."""
        return Hieron.rule(self, margin, gamma, norm2)
