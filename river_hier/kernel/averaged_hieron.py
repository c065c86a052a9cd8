from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from typing import Any

from .._backend import Expansion, kernel_averaged_hieron_step, own_prototypes, path_sums
from ..base import SingleLabelModel, check_cap
from ..base.model import Floats
from ..taxonomy import Label, NodeMapping, TaxonomyLike
from .functions import Function, Kernel
from .hieron import Hieron
from .model import KernelModel, path_to

__all__ = ["AveragedHieron"]


class AveragedHieron(KernelModel, SingleLabelModel):
    """Batch Hieron in one pass, in its dual form: averaged weights, updates for the worst label.

    It is `linear_model.AveragedHieron` in the space of a kernel. An update is made for the label
    with the largest loss, $\\operatorname{argmax}_v W^v \\cdot x + \\sqrt{\\gamma(y, v)}$, right
    or wrong, so nearly every example is stored. Predictions come from the average of all hypotheses
    so far: in it the coefficients of the example of round i count $1 - i / (m + 1)$ times after m
    rounds, so the average costs what the step touches.

    A step takes one row of the kernel, O(stored examples * features), and O(stored examples *
    distance) to weigh it. For a stream without end give a `budget`, which works as in `Hieron`.

    Parameters
    ----------
    taxonomy
        A tree. `None` starts from an open flat taxonomy, to which labels are added under the root
        as they arrive.
        An `OpenTaxonomy` grows along labels that are paths.
    kernel
        `kernel.Linear()`, `kernel.RBF(sigma)`, `kernel.Polynomial(degree, coef0)`, or any function
        of two feature dicts that answers with a number; see `Hieron`. `None` is the linear
        kernel.
    C
        The largest step $\\alpha$, against noise; see `linear_model.Hieron`. Without a cap,
        `math.inf`, it is the paper's.
    budget
        The most examples that the model holds, at least 2; `None` for no limit.

    Raises
    ------
    TypeError
        If `kernel` is no function, or `budget` not an integer; from `learn_one` and `predict_one`,
        if a function of one's own does not answer with a number.
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
    ) -> None:
        super().__init__(taxonomy, kernel, budget)
        check_cap("C", C)
        self.C = C
        self._taxonomy.check_tree()
        self._w = Expansion(len(self._taxonomy))  # w_{m+1}, the current hypothesis
        self._lag = Expansion(len(self._taxonomy))  # the sum of i s_i
        self._m = 0

    @property
    def n_stored(self) -> int:
        """How many examples the model holds."""
        return self._instances.n

    @property
    def last(self) -> Hieron:
        """The last hypothesis $w_{m+1}$ without the average, as an online `Hieron` of its own."""
        model = Hieron(self.taxonomy, self.kernel, self.C, self.budget)
        parts = (self._taxonomy, self._labels, self._instances, self._w)
        model._taxonomy, model._labels, model._instances, model._w = copy.deepcopy(parts)
        return model

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        k = self._instances.row(x).values
        average = self._w.scores(k) - self._lag.scores(k) / (self._m + 1)  # Eq. (13)
        return path_sums(average, self._taxonomy.arrays)

    def _coefficients(self, v: int) -> Floats:
        path, n = path_to(self._taxonomy, v), self._instances.n
        lag = self._lag.coefficients(path, n)
        return self._w.coefficients(path, n) - lag / (self._m + 1)

    def _learn(self, x: Mapping[Any, Any], y: int) -> None:
        i, C, arrays = self._m + 1, float(self.C), self._taxonomy.arrays
        kernel_averaged_hieron_step(
            self._w, self._lag, i, C, self._instances, self._budget, arrays, x, y
        )
        self._m = i

    def _answer(self, x: Mapping[Any, Any]) -> Label:
        return self._taxonomy.nodes[int(self._scores_one(x).argmax())]

    def _remap(self, change: NodeMapping) -> None:
        change.after.check_tree()
        onto = own_prototypes(change.sources, change.before.arrays, change.after.arrays)
        self._w, self._lag = self._w.remapped(onto), self._lag.remapped(onto)

    def _add_nodes(self, before: int, after: int) -> None:
        self._w.n_nodes = self._lag.n_nodes = after
