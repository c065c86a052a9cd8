"""Hieron in the space of a kernel, and its average: prototypes are sums over stored examples."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import linear_model
from .._core import Nodes, path_difference, path_sums
from .._core.capacity import ensure_capacity
from .._core.pickles import set_state
from ..base.checks import check_cap
from ..base.explanation import Contribution, Floats
from ..base.single_label import SingleLabelModel
from ..taxonomy import Taxonomy, TaxonomyLike
from .functions import Function, Kernel
from .instances import contributions, four_fifths, instances_of, pivoted_cholesky_projection


class Expansion:
    """The nonzero coefficients of `w^v = sum_i c_iv phi(x_i)` for every node v.

    They are stored as triples (i, v, c_iv), as an instance has coefficients on two paths only.
    """

    def __init__(self, n_nodes: int) -> None:
        self.n_nodes = n_nodes
        self._n = 0
        self._instances = np.zeros(0, dtype=np.intp)
        self._nodes = np.zeros(0, dtype=np.intp)
        self._values = np.zeros(0)

    __setstate__ = set_state

    def add(self, i: int, nodes: NDArray[np.intp], values: Floats) -> None:
        end = self._n + len(nodes)
        self._instances = ensure_capacity(self._instances, end)
        self._nodes = ensure_capacity(self._nodes, end)
        self._values = ensure_capacity(self._values, end)
        self._instances[self._n : end] = i
        self._nodes[self._n : end] = nodes
        self._values[self._n : end] = values
        self._n = end

    def clear(self, nodes: NDArray[Any]) -> None:
        self._values[np.isin(self._nodes, nodes)] = 0.0

    def scores(self, k: Floats) -> Floats:
        """w . phi(x) of every node from the values of the kernel, k_i = K(x_i, x): O(triples)."""
        n = self._n
        parts = k[self._instances[:n]] * self._values[:n]
        scores = np.bincount(self._nodes[:n], weights=parts, minlength=self.n_nodes)
        return scores.astype(np.float64, copy=False)

    def coefficients(self, nodes: NDArray[np.intp], n_instances: int) -> Floats:
        """The coefficients of the instances at each of these nodes, (nodes, instances)."""
        rows = np.full(self.n_nodes, -1)
        rows[nodes] = np.arange(len(nodes))
        at = rows[self._nodes[: self._n]]
        mine = np.flatnonzero(at >= 0)
        found = np.zeros((len(nodes), n_instances))
        np.add.at(found, (at[mine], self._instances[mine]), self._values[mine])
        return found

    def parts(self, norms2: Floats) -> Floats:
        """The sum over nodes of the squared norms of each instance's terms, given `norms2`."""
        instances = self._instances[: self._n]
        squares = (self._values[: self._n] * np.sqrt(norms2)[instances]) ** 2
        parts = np.bincount(instances, weights=squares, minlength=len(norms2))
        return parts.astype(np.float64, copy=False)

    def forget(self, kept: NDArray[np.intp], P: Floats) -> None:
        """Keep these instances only; P projects the others onto them."""
        n = sum(P.shape)
        C = np.zeros((n, self.n_nodes))
        C[self._instances[: self._n], self._nodes[: self._n]] = self._values[: self._n]
        C = C[kept] + P @ np.delete(C, kept, axis=0)
        self._instances, self._nodes = np.nonzero(C)
        self._values = C[self._instances, self._nodes]
        self._n = len(self._values)


LARGEST_CHANGE = 1e140  # limit of the norm of a change, so that scores do not overflow


class Average:
    """The averages of the hypotheses of each node: w - `updates` / `rounds`.

    `updates` is the sum of i s_i over the steps s_i of rounds i, as in the compiled learners. The
    average of a node begins when it is added, and again with its first example; or, with
    `from_first_round`, with the first round.
    """

    def __init__(self, n_nodes: int, from_first_round: bool) -> None:
        self.from_first_round = from_first_round
        self.updates: Expansion = Expansion(n_nodes)
        self.m: float = 0.0  # the weight of all examples
        self.since: Floats = np.zeros(n_nodes)  # what it was when the average of each node began
        self.begun: NDArray[np.bool_] = np.full(n_nodes, from_first_round)

    __setstate__ = set_state

    @property
    def rounds(self) -> Floats:
        """The weight of the hypotheses in the average of each node."""
        return self.m + 1.0 - self.since

    def begin(self, nodes: NDArray[np.intp]) -> None:
        """These nodes have an example in this round."""
        first = nodes[~self.begun[nodes]]
        if len(first):
            self.updates.clear(first)
        self.begun[first], self.since[first] = True, self.m

    def add(self, i: int, nodes: NDArray[np.intp], steps: Floats) -> None:
        self.updates.add(i, nodes, self.rounds[nodes] * steps)

    def add_nodes(self, n_nodes: int) -> None:
        more = (0, n_nodes - len(self.since))
        began = 0.0 if self.from_first_round else self.m
        self.updates.n_nodes = n_nodes
        self.since = np.pad(self.since, more, constant_values=began)
        self.begun = np.pad(self.begun, more, constant_values=self.from_first_round)

    def forget(self, nodes: NDArray[np.uint32]) -> None:
        """These nodes are as when they are added."""
        self.updates.clear(nodes)
        self.since[nodes] = 0.0 if self.from_first_round else self.m
        self.begun[nodes] = self.from_first_round


class KernelPathLearner(SingleLabelModel):
    """`base.PathLearner` in dual variables: $w^u = \\sum_i \\alpha_i^u \\phi(x_i)$, Eq. (11)."""

    _averages = True
    _average: Average | None = None
    _averaged = False  # whether predictions are those of the average of all hypotheses

    @property
    def _may_refuse(self) -> bool:
        return True  # a custom kernel function may raise

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
        self._w = Expansion(len(self._taxonomy))

    def _start_average(self, from_first_round: bool) -> None:
        self._averaged = True
        self._average = Average(len(self._taxonomy), from_first_round)

    @property
    def n_stored(self) -> int:
        """The number of examples that the model holds."""
        return self._instances.n

    def rival(self, score: Floats, y: int) -> int:
        """The node that y must beat: by default the predicted one."""
        return int(score.argmax())

    def rule(self, margin: float, gamma: float, norm2: float) -> float:
        """The step of Eq. (12), where norm2 is K(x, x)."""
        return linear_model.Hieron.rule(self, margin, gamma, norm2)

    def _learn(self, x: Mapping[Any, Any], y: int, w: float) -> None:
        row, tree, average = self._instances.row(x), self._taxonomy._arrays, self._average
        own = path_difference(y, 0, tree)[0]
        scores = path_sums(self._w.scores(row.values), tree)  # Eq. (11)
        scores[[v for v in self._labels.unseen if v not in own]] = -np.inf
        rival = self.rival(scores, y)
        nodes, signs = path_difference(y, rival, tree)
        gamma, step = float(len(nodes)), 0.0
        if gamma > 0.0 and row.norm2 > 0.0:
            most = LARGEST_CHANGE / math.sqrt(row.norm2)
            rule = self.rule(scores[y] - scores[rival], gamma, row.norm2)
            step = min(w * min(rule, most), most)
        if average is not None:
            average.begin(own)
        if step > 0.0:
            self._w.add(self._instances.n, nodes, step * signs)
            if average is not None:
                average.add(self._instances.n, nodes, step * signs)
            self._instances.append(x)
            if self.budget is not None and self._instances.n > self.budget:
                self._drop(int(self.budget))
        if average is not None:
            average.m += w

    def _drop(self, budget: int) -> None:
        """Drop the instances that matter least to w."""
        K = self._instances.gram(np.arange(self._instances.n))
        kept, P = pivoted_cholesky_projection(K, self._w.parts(K.diagonal()), four_fifths(budget))
        self._w.forget(kept, P)
        if self._average is not None:
            self._average.updates.forget(kept, P)
        self._instances.keep(kept)

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        k = self._instances.row(x).values
        scores = self._w.scores(k)
        if self._averaged and self._average is not None:
            scores = scores - self._average.updates.scores(k) / self._average.rounds  # Eq. (13)
        return path_sums(scores, self._taxonomy._arrays)

    def _contributions(
        self, x: Mapping[Any, Any], nodes: Sequence[int]
    ) -> list[list[Contribution]]:
        which, n = np.array(nodes, dtype=np.intp), self._instances.n
        coefficients = self._w.coefficients(which, n)
        if self._averaged and self._average is not None:
            shares = 1.0 / self._average.rounds[which, None]
            coefficients -= shares * self._average.updates.coefficients(which, n)
        rows = {v: i for i, v in enumerate(nodes)}
        for v, i in rows.items():  # their parents are among them, and come before them
            if v:
                coefficients[i] += coefficients[rows[self._taxonomy._parent_rows[v][0]]]
        return contributions(self._instances, coefficients, x)

    def _forget(self, nodes: Nodes) -> None:
        self._w.clear(nodes)
        if self._average is not None:
            self._average.forget(nodes)

    def _add_nodes(self, before: int, after: Taxonomy) -> None:
        self._w.n_nodes = len(after)
        if self._average is not None:
            self._average.add_nodes(len(after))


class Hieron(KernelPathLearner):
    """Online Hieron in its dual form: large margin classification in a tree, with a kernel.

    It is `linear_model.Hieron` in the space of the kernel K, where the score of a label v is

    $$\\sum_{u \\in P(v)} \\sum_i c_i^u K(x_i, x).$$

    An x is stored only after a mistake, with the coefficients $\\pm \\alpha$ at the nodes where the
    paths of the true label y and the predicted one $\\hat y$ differ; $\\alpha = \\ell / (\\gamma(y,
    \\hat y) K(x, x))$. A step takes O(stored examples * features) for one row of the kernel, and
    O(stored examples * distance) for the scores.

    For an endless stream, set a `budget`. A model that holds more examples keeps at most four
    fifths of it, chosen greedily: next is the example with the largest squared distance from the
    span of those already chosen, times its squared coefficients. The others are projected onto
    them. That takes $O(budget^2)$ a mistake on average, and $O(budget^2 + budget \\cdot nodes)$
    memory.

    Parameters
    ----------
    taxonomy
        As in `linear_model.Hieron`.
    kernel
        `kernel.Linear()` (also for `None`), `kernel.RBF(sigma)`, `kernel.Polynomial(degree,
        coef0)`, or any function of two feature dicts that returns a number; it must be symmetric
        and positive semi-definite, which is not checked. With a custom function, features may be of
        any type; a step calls it once for each stored example, and a step that drops examples once
        for each pair of them. A lambda cannot be pickled.
    C
        As in `linear_model.Hieron`, with $K(x, x)$ in place of $\\|x\\|^2$.
    budget
        The maximum number of examples that the model holds, at least 2; `None` for no limit.

    Raises
    ------
    TypeError
        If `kernel` is not a function, or `budget` not an integer; from `learn_one` and
        `predict_one`, if a custom kernel function does not return a number.
    ValueError
        If `budget` is below 2; from `learn_one` and `predict_one`, if a value of the kernel is not
        a finite number; otherwise as in `linear_model.Hieron`.

    Notes
    -----
    Eq. (11) to (13) of the paper of `linear_model.Hieron`. There the numerator of $\\alpha$ has
    $\\gamma(y, \\hat y)$; its square root must be meant, as in Eq. (5). The paper has neither a cap
    nor a budget. An x with $K(x, x) = 0$ changes nothing.

    Examples
    --------

    >>> from river import datasets, evaluate, preprocessing
    >>> from river_hier import Taxonomy, kernel, metrics

    >>> taxonomy = Taxonomy.from_nested({
    ...     "nature": ["sky", "foliage", "grass"],
    ...     "built": ["brickface", "cement", "window", "path"],
    ... })
    >>> model = preprocessing.StandardScaler() | kernel.Hieron(taxonomy, kernel.RBF(sigma=1.0))
    >>> metric = metrics.TreeInducedError(taxonomy)

    >>> evaluate.progressive_val_score(datasets.ImageSegments(), model, metric)
    TreeInducedError: 0.3385

    """


class AveragedHieron(KernelPathLearner):
    """Batch Hieron in one pass, in its dual form: averaged weights, updates for the worst label.

    It is `linear_model.AveragedHieron` in the space of a kernel. Nearly every example is stored. In
    the average after m rounds, the coefficients of the example of round i are weighted by
    $1 - i / (m + 1)$. A step costs as much as in `Hieron`.

    Parameters
    ----------
    taxonomy, kernel, C, budget
        As in `Hieron`.
    from_first_round
        As in `linear_model.AveragedHieron`.

    Notes
    -----
    Section 4 of the paper of `Hieron` with its Eq. (11) to (13); errors are those of `Hieron`,
    differences from the paper those of `linear_model.AveragedHieron`.

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
        C: float = 10.0,
        budget: int | None = None,
        from_first_round: bool = False,
    ) -> None:
        super().__init__(taxonomy, kernel, C, budget)
        self.from_first_round = from_first_round
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
        return linear_model.AveragedHieron.rival(self, score, y)
