"""The base class of both kernel Hierons: prototypes are sums over stored examples."""

from __future__ import annotations

import abc
import copy
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._core import (
    Clocks,
    of_averages,
    own_prototypes,
    path_difference,
    path_sums,
    remap_clocks,
    rounds,
    start,
    without_path,
)
from ..base.checks import check_cap
from ..base.explanation import Contribution, Floats
from ..base.single_label import SingleLabelModel
from ..base.turns import reads
from ..taxonomy import Label, NodeMapping, Taxonomy, TaxonomyLike
from .budget import four_fifths, pivoted_cholesky_projection
from .expansion import Expansion
from .functions import Function, Kernel
from .instances import contributions, instances_of

LARGEST_CHANGE = 1e140  # limit of the norm of a change, so that scores do not overflow


class KernelPathLearner(SingleLabelModel):
    """`base.PathLearner` in dual variables: $w^u = \\sum_i \\alpha_i^u \\phi(x_i)$, Eq. (11)."""

    _lag: Expansion | None = None  # the sum of i s_i, where hypotheses are averaged
    _clocks: Any = None  # when the average of each node started

    @property
    def _may_refuse(self) -> bool:
        return True  # a custom kernel function may raise

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        kernel: Kernel | Function | None = None,
        C: float = math.inf,
        budget: int | None = None,
    ) -> None:
        super().__init__(taxonomy)
        self._instances = instances_of(kernel, budget)
        check_cap("C", C)
        self.kernel = kernel
        self.C = C
        self.budget = budget
        self._w = Expansion(len(self._taxonomy))

    def _start_average(self) -> None:
        """Start averaging the hypotheses."""
        self._lag, self._clocks = Expansion(len(self._taxonomy)), Clocks(len(self._taxonomy))

    @property
    @reads
    def n_stored(self) -> int:
        """The number of examples that the model holds."""
        return self._instances.n

    @abc.abstractmethod
    def rival(self, score: Floats, y: int) -> int:
        """The node that y must beat."""

    def rule(self, margin: float, gamma: float, norm2: float) -> float:
        """How far the paths of y and of its rival move apart.

        It is the smallest step that makes up for the loss, at most C; norm2 is K(x, x).
        """
        loss = math.sqrt(gamma) - margin
        return min(float(self.C), loss / (gamma * norm2))  # Eq. (12)

    def _learn(self, x: Mapping[Any, Any], y: int, w: float) -> None:
        row, tree = self._instances.row(x), self._taxonomy._arrays
        scores = path_sums(self._w.scores(row.values), tree)  # Eq. (11)
        scores[without_path(self._labels.unlearned, y, tree)] = -np.inf
        rival = self.rival(scores, y)
        nodes, signs = path_difference(y, rival, tree)
        gamma, step = float(len(nodes)), 0.0
        if gamma > 0.0 and row.norm2 > 0.0:
            most = LARGEST_CHANGE / math.sqrt(row.norm2)
            rule = self.rule(scores[y] - scores[rival], gamma, row.norm2)
            step = min(w * min(rule, most), most)
        # Copies change, so that an error changes nothing. They share their arrays, which only grow.
        v, lag, clocks = copy.copy(self._w), copy.copy(self._lag), copy.copy(self._clocks)
        if lag is not None:
            start(clocks, lag, path_difference(y, 0, tree)[0])
        if step > 0.0:
            v.add(self._instances.n, nodes, step * signs)
            if lag is not None:
                lag.add(self._instances.n, nodes, rounds(clocks)[nodes] * (step * signs))
            self._instances.append(x)
            if self.budget is not None and self._instances.n > self.budget:
                self._drop(v, lag, int(self.budget))
        if lag is not None:
            clocks.m += w
        self._labels.learned(y)
        self._w, self._lag, self._clocks = v, lag, clocks

    def _drop(self, w: Expansion, lag: Expansion | None, budget: int) -> None:
        """Drop the instances that matter least to w."""
        K = self._instances.gram(np.arange(self._instances.n))
        kept, P = pivoted_cholesky_projection(K, w.parts(K.diagonal()), four_fifths(budget))
        w.forget(kept, P)
        if lag is not None:
            lag.forget(kept, P)
        self._instances.keep(kept)

    def _answer(self, x: Mapping[Any, Any]) -> Label:
        return self._taxonomy.nodes[int(self._scores_one(x).argmax())]

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        k = self._instances.row(x).values
        scores = self._w.scores(k)
        if self._lag is not None:
            scores = scores - self._lag.scores(k) / rounds(self._clocks)  # Eq. (13)
        return path_sums(scores, self._taxonomy._arrays)

    def _contributions(
        self, x: Mapping[Any, Any], nodes: Sequence[int]
    ) -> list[list[Contribution]]:
        which, n = np.array(nodes, dtype=np.intp), self._instances.n
        coefficients = self._w.coefficients(which, n)
        if self._lag is not None:
            shares = 1.0 / rounds(self._clocks)[which, None]
            coefficients -= shares * self._lag.coefficients(which, n)
        rows = {v: i for i, v in enumerate(nodes)}
        for v, i in rows.items():  # their parents are among them, and come before them
            if v:
                coefficients[i] += coefficients[rows[self._taxonomy._parent_rows[v][0]]]
        return contributions(self._instances, coefficients, x)

    def _remap(self, change: NodeMapping) -> None:
        onto = own_prototypes(change.sources, change.before._arrays, change.after._arrays)
        w, lag, clocks = self._w.remapped(onto), self._lag, self._clocks
        if lag is not None:
            clocks = remap_clocks(clocks, change.sources)
            lag = lag.remapped(of_averages(onto, self._clocks, clocks))
        self._w, self._lag, self._clocks = w, lag, clocks

    def _add_nodes(self, before: int, after: Taxonomy) -> None:
        self._w.n_nodes = len(after)
        if self._lag is not None:
            self._lag.n_nodes = len(after)
            self._clocks.add_nodes(len(after))
