"""Hieron in the space of a kernel, and its average."""

from __future__ import annotations

import copy
import math

import numpy as np

from .._core import distances_from
from ..base.explanation import Floats
from ..taxonomy import TaxonomyLike
from .functions import Function, Kernel
from .path import KernelPathLearner


class Hieron(KernelPathLearner):
    """Online Hieron in its dual form: large margin classification in a tree, with a kernel.

    It is `linear_model.Hieron` in the space of the kernel K, where the weight vector of a node u is
    a sum over the examples that u has learned from, and the score of a label v is

    $$\\sum_{u \\in P(v)} \\sum_i c_i^u K(x_i, x).$$

    An x is stored only after a mistake, with the coefficients $\\pm \\alpha$ at the nodes where the
    paths of the true label y and the predicted one $\\hat y$ differ; $\\alpha = \\ell / (\\gamma(y,
    \\hat y) K(x, x))$ is just enough for y to win by the margin $\\sqrt{\\gamma(y, \\hat y)}$.

    A step takes one row of the kernel, O(stored examples * features), and O(stored examples *
    distance) to compute the scores.

    For an endless stream, set a `budget`. Once the model holds more examples, it keeps at most four
    fifths of the budget. They are chosen greedily: next is the example with the largest squared
    distance from the span of those already chosen, times its squared coefficients. The others are
    projected onto them. That takes $O(budget^2)$ a mistake on average, and $O(budget^2 + budget
    \\cdot nodes)$ memory. Features that only dropped examples had are dropped as well.

    Parameters
    ----------
    taxonomy
        A tree. `None` starts from an open flat taxonomy, to which labels are added under the root
        as they arrive. An `OpenTaxonomy` grows with labels that are paths.
    kernel
        `kernel.Linear()`, `kernel.RBF(sigma)`, `kernel.Polynomial(degree, coef0)`, or any function
        of two feature dicts that returns a number; it must be symmetric and positive semi-definite,
        which is not checked, or weights may grow without bound. With a custom function, features
        may be of any type; a step calls it once for each stored example, and a step that drops
        examples once for each pair of them. For the model to be pickled, it must not be a lambda.
        `None` is the linear kernel.
    C
        The largest step $\\alpha$, against noise; `math.inf`, the default, is the paper's.
    budget
        The maximum number of examples that the model holds, at least 2; `None` for no limit.

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
    Eq. (11) to (13) of the paper [^1]. There the numerator of $\\alpha$ has $\\gamma(y, \\hat y)$;
    its square root must be meant, as in Eq. (5) and (8). The paper has neither a cap nor a budget.
    Ties go to the first node in taxonomy order, so the very first prediction is the root. An x with
    $K(x, x) = 0$ changes nothing.

    Examples
    --------

    >>> from river import datasets, evaluate, preprocessing
    >>> from river_hier import Taxonomy, kernel, metrics

    >>> taxonomy = Taxonomy.from_nested({
    ...     "nature": ["sky", "foliage", "grass"],
    ...     "built": ["brickface", "cement", "window", "path"],
    ... })
    >>> hieron = kernel.Hieron(taxonomy, kernel.RBF(sigma=1.0))
    >>> model = preprocessing.StandardScaler() | hieron
    >>> metric = metrics.TreeInducedError(taxonomy)

    >>> evaluate.progressive_val_score(datasets.ImageSegments(), model, metric)
    TreeInducedError: 0.3385

    >>> hieron.n_stored
    255

    References
    ----------
    [^1]: [Dekel, O., Keshet, J. and Singer, Y., 2004. Large margin hierarchical classification. In
        Proceedings of the 21st International Conference on Machine Learning, p. 27.](
        https://doi.org/10.1145/1015330.1015374)

    """

    def rival(self, score: Floats, y: int) -> int:
        """The predicted label."""
        return int(score.argmax())


class AveragedHieron(KernelPathLearner):
    """Batch Hieron in one pass, in its dual form: averaged weights, updates for the worst label.

    It is `linear_model.AveragedHieron` in the space of a kernel. Updates are made against the label
    with the largest loss, $\\operatorname{argmax}_v W^v \\cdot x + \\sqrt{\\gamma(y, v)}$, even if
    the prediction is correct, so nearly every example is stored. Predictions come from the average
    of all hypotheses so far: after m rounds, the coefficients of the example of round i are
    weighted by $1 - i / (m + 1)$, so the average only costs work where a step changes coefficients.
    The rounds of each node are counted from its first example, unless `from_first_round` is set. A
    step costs as much as in `Hieron`.

    Parameters
    ----------
    taxonomy, kernel, C, budget
        As in `Hieron`.
    from_first_round
        Whether the average of every node is over the hypotheses of all rounds, as in Eq. (13) and
        Theorem 2. The default starts it at the node's first example, so that a label that comes
        late is not held back by hypotheses that did not know it.

    Notes
    -----
    Section 4 of the paper of `Hieron`, with the dual form of Eq. (11) to (13); see `Hieron`, whose
    errors are the same, and `linear_model.AveragedHieron` for the differences.

    Examples
    --------

    >>> from river import datasets, evaluate, preprocessing
    >>> from river_hier import Taxonomy, kernel, metrics

    >>> taxonomy = Taxonomy.from_nested({
    ...     "nature": ["sky", "foliage", "grass"],
    ...     "built": ["brickface", "cement", "window", "path"],
    ... })
    >>> hieron = kernel.AveragedHieron(taxonomy, kernel.RBF(sigma=2.0), budget=200)
    >>> model = preprocessing.StandardScaler() | hieron
    >>> metric = metrics.TreeInducedError(taxonomy)

    >>> evaluate.progressive_val_score(datasets.ImageSegments().take(1000), model, metric)
    TreeInducedError: 0.396

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
