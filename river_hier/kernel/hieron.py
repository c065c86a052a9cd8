"""Hieron in the space of a kernel, and its average: prototypes are sums over stored examples."""

import copy
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import LinearState, Nodes, path_sums
from ..base.checks import check_cap
from ..base.explanation import Contribution, Floats
from ..base.linear import Moves
from ..base.model import SingleLabelModel
from ..base.path import PathLearner, moves_apart
from ..linear_model.averaged_hieron import worst_rival
from ..linear_model.hieron import smallest_step
from ..taxonomy import Taxonomy, TaxonomyLike
from .functions import Function, Kernel
from .instances import Row, contributions, four_fifths, instances_of, pivoted_cholesky_projection

Rows = tuple[NDArray[Any], ...]  # as `LinearState` saves them: starts, nodes and values


def dense(rows: Rows, n: int, n_nodes: int) -> Floats:
    """The coefficients of n instances at all nodes, (instances, nodes)."""
    start, nodes, values = rows
    C = np.zeros((n, n_nodes))
    C[np.repeat(np.arange(len(start) - 1), np.diff(start)), nodes] = values
    return C


def projected(C: Floats, kept: NDArray[np.intp], P: Floats) -> Rows:
    """The coefficients of the instances that are kept; P projects the others onto them."""
    C = C[kept] + P @ np.delete(C, kept, axis=0)
    instances, nodes = np.nonzero(C)
    start = np.searchsorted(instances, np.arange(len(kept) + 1))
    return start, nodes.astype(np.uint32), C[instances, nodes]


class KernelPathLearner(SingleLabelModel):
    """`base.PathLearner` in dual variables: $w^u = \\sum_i \\alpha_i^u \\phi(x_i)$, Eq. (14).

    The coefficients are the weights of a linear learner whose features are the stored examples,
    numbered 0, 1, ..., and whose x is a row of the kernel. Examples are divided by powers of 2 near
    their norms, and the row by one near its largest value: no square overflows or vanishes.
    """

    _averages = True
    _averaged = False  # whether predictions are those of the average of all hypotheses

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        kernel: Kernel | Function | None = None,
        C: float = 10.0,
        budget: int | None = None,
    ) -> None:
        super().__init__(taxonomy)
        self._instances = instances_of(kernel, budget)
        check_cap("C", C)
        self.kernel = kernel
        self.C = C
        self.budget = budget
        self._state = LinearState(self._labels, [], 0.0, "float64")
        self._sizes: Floats = np.zeros(0)  # what the examples are divided by

    rule = smallest_step
    rival: Any = PathLearner.rival  # the predicted label, Eq. (3)
    _start_average: Any = PathLearner._start_average

    @property
    def n_stored(self) -> int:
        """The number of examples that the model holds."""
        return self._instances.n

    def _learn(self, x: Mapping[Any, Any], y: int, w: float) -> None:
        self._move(x, w, *self._moves(x, y, w))

    def _grow(self, taxonomy: Taxonomy, x: Any, y: Any, w: float) -> None:
        with self._knowing(taxonomy):
            moves = self._moves(x, y, w)
        self._move(x, w, *moves, taxonomy)

    def _moves(self, x: Mapping[Any, Any], y: int, w: float) -> tuple[float, Moves]:
        """The size of x, and what is learned from it: all that may raise."""
        row = self._instances.row(x)
        k, size = self._scaled(row)
        columns = self._state.scores(k, n_nodes=len(self._taxonomy))
        scores = size * path_sums(columns, self._taxonomy._arrays, in_place=True)
        near = 2.0 ** round(math.log2(row.norm2) / 2.0) if row.norm2 else 1.0  # the norm of x
        return near, moves_apart(self, scores, y, row.norm2, w)

    def _move(
        self,
        x: Mapping[Any, Any],
        w: float,
        size: float,
        moves: Moves,
        taxonomy: Taxonomy | None = None,
    ) -> None:
        own, nodes, steps = moves
        with np.errstate(over="ignore"):  # steps have a limit
            steps = size * steps
        row = {self._instances.n: 1.0} if len(nodes) else {}
        self._state.learn(row, w, own, nodes, steps, taxonomy=taxonomy)
        if len(nodes):
            self._sizes = np.append(self._sizes, size)
            self._instances.append(x)
            if self.budget is not None and self._instances.n > self.budget:
                self._drop(int(self.budget))

    def _drop(self, budget: int) -> None:
        """Drop the instances that matter least to w."""
        K = self._instances.gram(np.arange(self._instances.n))
        labels, _, *parameters, w, average, _ = self._state.saved()
        C = dense(w, len(K), len(self._taxonomy))
        parts = ((C * (np.sqrt(K.diagonal()) / self._sizes)[:, None]) ** 2).sum(axis=1)
        kept, P = pivoted_cholesky_projection(K, parts, four_fifths(budget))
        P = P / np.delete(self._sizes, kept) * self._sizes[kept, None]
        w = projected(C, kept, P)
        if average is not None:
            *of_rounds, updates = average
            average = *of_rounds, projected(dense(updates, *C.shape), kept, P)
        parameters += w, average
        self._state = LinearState(labels, list(range(len(kept))), *parameters)
        self._sizes = self._sizes[kept]
        self._instances.keep(kept)

    def _scaled(self, row: Row) -> tuple[Floats, float]:
        """The x of the linear learner, and what its scores are to be multiplied by."""
        k = row.values / self._sizes
        size = 2.0 ** (math.frexp(np.abs(k).max(initial=0.0))[1] - 1)
        return k / size, size

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        k, size = self._scaled(self._instances.row(x))
        return size * self._state.path_scores(k, self._averaged)  # Eq. (12) or (13)

    def _contributions(
        self, x: Mapping[Any, Any], nodes: Sequence[int]
    ) -> list[list[Contribution]]:
        columns = {v: self._state.column(v, self._averaged) for v in nodes}
        for v in nodes:  # their parents are among them, and come before them
            if v:
                columns[v] += columns[self._taxonomy._arrays.rows[v][0]]
        shape = len(nodes), self._instances.n
        coefficients = np.reshape([columns[v] for v in nodes], shape) / self._sizes
        return contributions(self._instances, coefficients, x)

    def _forget(self, nodes: Nodes) -> None:
        self._state.forget(nodes)

    def _start_anew(self) -> None:
        from_first_round = self._state.from_first_round
        super()._start_anew()
        if from_first_round is not None:
            self._start_average(from_first_round)

    _add_nodes: Any = PathLearner._add_nodes
    dtype = "float64"
    _rename: Any = PathLearner._rename
    _edit: Any = PathLearner._edit
    _edited: Any = PathLearner._edited


class Hieron(KernelPathLearner):
    """Online Hieron in its dual form: large margin classification in a tree, with a kernel.

    It is `linear_model.Hieron` in the space of the kernel K, where the score of a label v is

    $$\\sum_{u \\in P(v)} \\sum_i c_i^u K(x_i, x).$$

    An x is stored only after a mistake, with the coefficients $\\pm \\alpha$ at the nodes where the
    paths of the true label y and the predicted one $\\hat y$ differ; $\\alpha = \\ell / (\\gamma(y,
    \\hat y) K(x, x))$. A step takes O(stored examples * features) for one row of the kernel, and
    O(stored examples * nodes) for the scores, or * distance above 128 nodes.

    For an endless stream, set a `budget`. A model that holds more examples keeps at most four
    fifths of it, chosen greedily: next is the example with the largest squared distance from the
    span of those already chosen, times its squared coefficients. The others are projected onto
    them. That takes $O(budget^2)$ a mistake on average; memory is $O(budget (budget + nodes))$.

    Parameters
    ----------
    taxonomy
        A tree; `None` or an `OpenTaxonomy` takes labels as they arrive.
    kernel
        `kernel.Linear()` (also for `None`), `kernel.RBF(sigma)`, `kernel.Polynomial(degree,
        coef0)`, or any function of two feature dicts that returns a number; it must be symmetric
        and positive semi-definite, which is not checked. With a custom function, features may be of
        any type; a step calls it once for each stored example, and a step that drops examples once
        for each pair of them. A lambda cannot be pickled.
    C
        The largest step $\\alpha$. The default suits $K(x, x)$ >= 1; the paper's is `math.inf`.
    budget
        The maximum number of examples that the model holds, at least 2; `None` for no limit.

    Notes
    -----
    Eq. (12) of the paper [^1], and the steps below it. There the numerator of
    $\\alpha$ has $\\gamma(y, \\hat y)$; its square root must be meant, as in Eq. (5). The paper has
    neither a cap nor a budget. An x with $K(x, x) = 0$ changes nothing. A value of the kernel that
    is not a finite number raises a `ValueError`.

    Examples
    --------
    >>> from river import datasets, evaluate, preprocessing
    >>> from river_hier import Taxonomy, kernel, metrics

    >>> nature, built = ["sky", "foliage", "grass"], ["brickface", "cement", "window", "path"]
    >>> t = Taxonomy.from_nested({"nature": nature, "built": built})
    >>> model = preprocessing.StandardScaler() | kernel.Hieron(t, kernel.RBF(sigma=1.0))
    >>> evaluate.progressive_val_score(datasets.ImageSegments(), model, metrics.TreeInducedError(t))
    TreeInducedError: 0.3385

    References
    ----------
    [^1]: [Dekel, Keshet and Singer, 2004. ICML 21.](https://doi.org/10.1145/1015330.1015374)
    """


class AveragedHieron(KernelPathLearner):
    r"""Batch Hieron in one pass, in its dual form: averaged weights, updates for the worst label.

    It is `linear_model.AveragedHieron` in the space of a kernel. Nearly every example is stored. In
    the average after m rounds, the coefficients of the example of round i are weighted by
    $1 - i / (m + 1)$. A step costs as much as in `Hieron`.

    Parameters
    ----------
    taxonomy
        A tree; `None` or an `OpenTaxonomy` takes labels as they arrive.
    kernel
        A kernel, such as `kernel.RBF(sigma)`, or a function of two feature dicts.
    C
        The largest step $\alpha$.
    budget
        The maximum number of examples that the model holds, at least 2; `None` for no limit.
    from_first_round
        Whether the average of every node is over the hypotheses of all rounds, as in the papers.

    Notes
    -----
    Section 4 of the paper [^1] with its Eq. (12) and (13); errors are those of `Hieron`,
    differences from the paper those of `linear_model.AveragedHieron`.

    Examples
    --------
    >>> from river import datasets, evaluate, preprocessing
    >>> from river_hier import Taxonomy, kernel, metrics

    >>> nature, built = ["sky", "foliage", "grass"], ["brickface", "cement", "window", "path"]
    >>> t = Taxonomy.from_nested({"nature": nature, "built": built})
    >>> hieron = kernel.AveragedHieron(t, kernel.RBF(sigma=2.0), budget=200)
    >>> model = preprocessing.StandardScaler() | hieron
    >>> metric = metrics.TreeInducedError(t)
    >>> evaluate.progressive_val_score(datasets.ImageSegments().take(1000), model, metric)
    TreeInducedError: 0.396

    References
    ----------
    [^1]: [Dekel, Keshet and Singer, 2004. ICML 21.](https://doi.org/10.1145/1015330.1015374)
    """

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        kernel: Kernel | Function | None = None,
        C: float = 10.0,
        budget: int | None = None,
        from_first_round: bool = False,
    ) -> None:
        super().__init__(taxonomy, kernel, C, budget)
        self.from_first_round = from_first_round
        self._start_average(from_first_round)  # Eq. (13)

    rival = worst_rival

    @property
    def last(self) -> Hieron:
        """The last hypothesis $w_{m+1}$ without the average, as a separate online `Hieron`."""
        model = Hieron(self.taxonomy, self.kernel, self.C, self.budget)
        state = self._labels, self._instances, self._state, self._sizes
        model._labels, model._instances, model._state, model._sizes = copy.deepcopy(state)
        return model
