from __future__ import annotations

import copy
import math

import numpy as np

from .._core import distances_from
from ..base.explanation import Floats
from ..taxonomy import TaxonomyLike
from .functions import Function, Kernel
from .hieron import Hieron
from .path import KernelPathLearner


class AveragedHieron(KernelPathLearner):
    """Batch Hieron in one pass, in its dual form: averaged weights, updates for the worst label.

    It is `linear_model.AveragedHieron` in the space of a kernel. Updates are made against the label
    with the largest loss, $\\operatorname{argmax}_v W^v \\cdot x + \\sqrt{\\gamma(y, v)}$, even if
    the prediction is correct, so nearly every example is stored. Predictions come from the average
    of all hypotheses so far: after m rounds, the coefficients of the example of round i are
    weighted by $1 - i / (m + 1)$, so the average only costs work where a step changes coefficients.
    The rounds of each node are counted from its first example, unless `from_first_round` is set.

    A step takes one row of the kernel, O(stored examples * features), and O(stored examples *
    distance) to compute the scores. For an endless stream, set a `budget`, which works as in
    `Hieron`.

    Parameters
    ----------
    taxonomy
        A tree. `None` starts from an open flat taxonomy, to which labels are added under the root
        as they arrive. An `OpenTaxonomy` grows with labels that are paths.
    kernel
        `kernel.Linear()`, `kernel.RBF(sigma)`, `kernel.Polynomial(degree, coef0)`, or any function
        of two feature dicts that returns a number; see `Hieron`. `None` is the linear kernel.
    C
        The largest step $\\alpha$, against noise; see `linear_model.Hieron`. With `math.inf`, the
        default, the step is the paper's.
    budget
        The maximum number of examples that the model holds, at least 2; `None` for no limit.
    from_first_round
        Whether the average of every node is over the hypotheses of all rounds, as in Eq. (13) and
        Theorem 2. The default starts it at the node's first example, so that a label that comes
        late is not held back by hypotheses that did not know it.

    Raises
    ------
    TypeError
        If `kernel` is not a function, or `budget` not an integer; from `learn_one` and
        `predict_one`, if a custom kernel function does not return a number.
    ValueError
        If the taxonomy is a DAG, `C` not positive or `budget` below 2; from `learn_one` and
        `predict_one`, if a feature or a value of the kernel is not a finite number, or a label is
        unknown.

    Notes
    -----
    Section 4 of the paper [^1], with the dual form of Eq. (11) to (13); see `Hieron` and
    `linear_model.AveragedHieron` for the differences.

    Examples
    --------

    >>> from river import datasets, evaluate, preprocessing
    >>> from river_hier import Taxonomy, kernel, metrics

    >>> taxonomy = Taxonomy.from_nested(
    ...     {
    ...         "nature": ["sky", "foliage", "grass"],
    ...         "built": ["brickface", "cement", "window", "path"],
    ...     }
    ... )
    >>> hieron = kernel.AveragedHieron(taxonomy, kernel.RBF(sigma=2.0), budget=200)
    >>> model = preprocessing.StandardScaler() | hieron
    >>> metric = metrics.TreeInducedError(taxonomy)

    >>> evaluate.progressive_val_score(datasets.ImageSegments().take(1000), model, metric)
    TreeInducedError: 0.396

    References
    ----------
    [^1]: [Dekel, O., Keshet, J. and Singer, Y., 2004. Large margin hierarchical classification. In
        Proceedings of the 21st International Conference on Machine Learning, p. 27.](
        https://doi.org/10.1145/1015330.1015374)

    """

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        kernel: Kernel | Function | None = None,
        C: float = math.inf,
        budget: int | None = None,
        from_first_round: bool = False,
    ) -> None:
        super().__init__(taxonomy, kernel, C, budget)
        self.from_first_round = from_first_round
        self._averaged = True
        self._start_average(from_first_round)  # Eq. (13)

    @property
    def last(self) -> Hieron:
        """The last hypothesis $w_{m+1}$ without the average, as a separate online `Hieron`."""
        model = Hieron(self.taxonomy, self.kernel, self.C, self.budget)
        state = self._labels, self._instances, self._w
        model._labels, model._instances, model._w = copy.deepcopy(state)
        return model

    def rival(self, score: Floats, y: int) -> int:
        """The label with the largest loss, the maximum of Eq. (5)."""
        distances = distances_from(y, self._taxonomy._arrays)
        return int((score + np.sqrt(distances)).argmax())
