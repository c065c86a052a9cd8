"""The base classes of H-RLS and SH-RLS, which differ only in which examples nodes store.

H-RLS stores all, in a system that siblings share (Figure 3); SH-RLS stores what scores leave in
doubt, in a system of each node (section 8).
"""

import abc
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._core import (
    LARGEST_RATIO,
    Batch,
    Example,
    FeatureIndex,
    Labels,
    LeastSquares,
    Multilabels,
    Nodes,
    Vectors,
)
from .._core.least_squares import SavedSystem, nothing_stored
from ..base import explanation
from ..base.checks import (
    check_answer,
    check_forgetting,
    check_integer,
    check_intercept,
    check_positive,
)
from ..base.explanation import Contribution, Floats
from ..base.linear import SECONDS
from ..base.model import MultiLabelModel, ScoredSet
from ..taxonomy import Edit, Taxonomy, TaxonomyLike


def rescaled(score: float, contributions: Iterable[Contribution]) -> list[Contribution]:
    """Contributions to a sum, divided like the score, which is that sum divided by 1 + r.

    Where they cancel, 1 + r cannot be recovered from the sum: they are returned as they are.
    """
    terms = list(contributions)
    total, size = math.fsum(c for _, c in terms), math.fsum(abs(c) for _, c in terms)
    if abs(total) > 1e-9 * size:
        terms = [(what, c * (score / total)) for what, c in terms]
    return terms


class LeastSquaresRule(MultiLabelModel):
    """The equations of regularised least squares at the nodes, with features or a kernel.

    Compiled code computes them as well, in `_core/native/algorithms/least_squares.hpp`.
    """

    _stores_in_python: ClassVar[bool] = False  # whether `stores` is not the one that is compiled
    _shared: ClassVar[bool] = True  # whether siblings share a system
    _rls: Any
    threshold: float  # if they do not

    def __init__(self, taxonomy: TaxonomyLike) -> None:
        super().__init__(taxonomy)
        self._t = 0.0  # the weight of all examples
        self._below: dict[tuple[int, ...], int] = {}  # the system that new siblings join

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_below": list(self._below.items())}  # skops writes no keys like these

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _below=dict(state["_below"]))

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Run a `stores` other than the compiled one; refuse methods that would not be called."""
        super().__init_subclass__(**kwargs)
        if cls.margin is not LeastSquaresRule.margin:
            raise TypeError(
                f"`margin` of {cls.__name__} would not be called where labels are predicted; "
                "override `stores`, which decides what is learned"
            )
        cls._stores_in_python = cls.stores is not LeastSquaresRule.stores
        if cls._stores_in_python and cls._shared:
            raise TypeError(
                f"`stores` of {cls.__name__} would not be called, as siblings share what they "
                "store; override that of `SHRLS`"
            )

    def margin(self, score: Floats, r: Floats) -> Floats:
        """The paper's score of an x that is counted in, from w . x and r = x^T A^-1 x: Eq. (1)."""
        return score / (1.0 + r)  # by Sherman and Morrison's formula

    def _conditionals(self, scores: Floats) -> Floats:
        return np.clip((1.0 + scores) / 2.0, 0.0, 1.0)  # Eq. (3)

    @abc.abstractmethod
    def _example(self, x: Mapping[Any, Any]) -> Example:
        """x as compiled code reads it."""

    def _answer(self, x: Mapping[Any, Any]) -> Any:
        return LeastSquaresAnswer(self, x)

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        return self.margin(*self._rls.solve(self._example(x), len(self._taxonomy)))

    def _limit(self, t: float) -> float:
        """What N_i times the squared margin may be where node i stores x_t."""
        return math.inf if self._shared else float(self.threshold) * math.log(max(1.0, t))

    def stores(self, margin: Floats, n: Floats, t: float) -> NDArray[np.bool_]:
        """The nodes that store x_t if their parents are truly on: all, or those in doubt.

        Parameters
        ----------
        margin
            The score of each node, Eq. (1).
        n
            The $N_i$ of each node, the weight of the examples that it has stored.
        t
            The weight of all examples, this one included.

        Returns
        -------
        A mask, (nodes,).

        """
        return margin**2 * n <= self._limit(t)

    def _chosen(self, x: Mapping[Any, Any], t: float) -> Any:
        """The nodes that store x by a rule of one's own, or `None`."""
        if not self._stores_in_python:
            return None
        margin, n = self._scores_one(x), np.zeros(len(self._taxonomy))
        n[1 : 1 + len(self._rls.n_stored)] = self._rls.n_stored  # each node has a system
        chosen = np.asarray(self.stores(margin[1:], n[1:], t), dtype=bool)
        check_answer(self, "stores", "a bool", chosen, margin[1:])
        return np.append(False, chosen)

    def _grow(self, taxonomy: Taxonomy, x: Any, y: Any, w: float) -> None:
        if not self._stores_in_python:
            return super()._grow(taxonomy, x, y, w)
        self._check(x, w)
        with self._knowing(taxonomy):
            chosen = self._chosen(x, self._t + w)
        self._extend(taxonomy, unseen=False)
        self._learn(x, y, w, chosen)

    @abc.abstractmethod
    def _learn(self, x: Mapping[Any, Any], y: Any, w: float, chosen: Any = None) -> None: ...

    def _add_nodes(self, before: int, after: Taxonomy) -> None:
        """Add nodes to the systems of their siblings, or new systems.

        The nodes of an open flat taxonomy share one from the start, when there may be no labels.
        """
        if not self._shared:
            for v in range(before, len(after)):
                self._rls.add_system([v])
            return
        groups: dict[tuple[int, ...], list[int]] = {}
        if self.taxonomy is None and before == 1:
            groups[0,] = []
        for v in range(before, len(after)):
            groups.setdefault(after._arrays.rows[v], []).append(v)
        n_systems = len(self._rls.n_stored)  # O(systems)
        for above, nodes in groups.items():
            if above in self._below:
                self._rls.add_outputs(self._below[above], nodes)
            else:
                self._below[above] = n_systems
                self._rls.add_system(nodes)
                n_systems += 1


class LeastSquaresAnswer(ScoredSet):
    """Compiled code solves for the nodes that are visited."""

    def own(self) -> list[int]:
        if self.link is not None:
            return super().own()
        m = self.model
        return m._rls.nodes_on(m._labels, m._example(self.x))


class LeastSquaresModel(LeastSquaresRule):
    """Regularised least squares at the nodes of a taxonomy, in the space of the features.

    With `A = l2 I + S S^T` over the instances S stored at a node, its weights are `w = A^-1 S v`.

    Forgetting works in periods. After each period, everything that a system has seen is weighted by
    one half, or slightly less; within a period nothing is forgotten.
    """

    weights: property = explanation.weights
    intercepts: property = explanation.intercepts

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        l2: float = 1.0,
        budget: int | None = None,
        forgetting: float = 1.0,
        intercept: float = 0.0,
    ) -> None:
        super().__init__(taxonomy)
        check_intercept(intercept)
        self._features = FeatureIndex(intercept=float(intercept))
        self.intercept = intercept
        check_positive("l2", l2)
        check_forgetting(forgetting)
        if budget is not None:
            check_integer("budget", budget, 2)
            if forgetting != 1.0:
                raise ValueError(
                    f"`budget` is {budget} and `forgetting` {forgetting}, but either bounds what a "
                    "node holds; choose one"
                )
        self.l2: float = l2
        self.budget = budget
        self.forgetting: float = forgetting
        rate, period = float(forgetting), 0
        if rate < 1.0:  # until a weight has fallen to one half, or just below
            period = max(1, math.ceil(math.log(0.5) / math.log(rate)))
            rate **= period
        self._rls = LeastSquares(float(l2), budget and int(budget), rate, period)
        self._add_nodes(1, self._taxonomy)

    def _learn(self, x: Mapping[Any, Any], y: Any, w: float, chosen: Any = None) -> None:
        t = self._t + w
        chosen = self._chosen(x, t) if chosen is None else chosen
        step = x, y, w, self._limit(t), chosen
        if not self._rls.learn(self._features, self._labels, *step):
            raise self._lost_in_rounding(x, w)
        self._t = t

    def _in_slices(self, X: Batch) -> bool:
        return not self._stores_in_python

    def _learn_slice(self, X: Batch, y: Multilabels) -> None:
        vectors = Vectors(self._features, X)
        ts = np.cumsum([self._t, *X.all_weights])[1:].tolist()
        limits = np.array([self._limit(t) for t in ts])
        try:
            while (n := vectors.n_learned) < X.n:
                if not self._rls.learn_rows(self._labels, vectors, y[n:], limits[n:], SECONDS):
                    n = vectors.n_learned
                    raise self._lost_in_rounding(X.row(n), X.weight(n))
        finally:
            if n := vectors.n_learned:
                self._t = ts[n - 1]
            X.n_learned = n

    def _forget(self, nodes: Nodes) -> None:
        """The branch leaves the systems of its siblings, which contain the examples to forget."""
        self._arrange(self._taxonomy, {v: v for v in range(len(self._taxonomy))}, nodes.tolist())

    def _edit(self, edit: Edit, labels: Labels) -> None:
        """A node keeps its system, apart from that of its new siblings if it is moved."""
        first = {int(u): v for v, u in enumerate(edit._first) if u >= 0}
        self._arrange(edit.after, first, np.flatnonzero(edit._first < 0).tolist())

    def _arrange(self, taxonomy: Taxonomy, places: dict[int, int], fresh: list[int]) -> None:
        """Put the outputs of old nodes where they are now; others start from empty systems."""
        *parameters, before = self._rls.saved()
        rows, systems, anew = taxonomy._arrays.rows, list[SavedSystem](), set(fresh)

        def together(nodes: Iterable[tuple[int, int]]) -> Iterable[list[tuple[int, int]]]:
            groups: dict[Any, list[tuple[int, int]]] = {}
            for v, output in sorted(nodes):
                groups.setdefault(rows[v] if self._shared else v, []).append((v, output))
            return groups.values()

        for group in together((v, 0) for v in fresh):
            systems.append(nothing_stored([v for v, _ in group]))
        for kind, of_system, n_stored, n_visits, *arrays in before:
            kept = [(places[u], output) for output, u in enumerate(of_system) if u in places]
            for group in together((v, output) for v, output in kept if v not in anew):
                nodes, outputs = (list(part) for part in zip(*group, strict=True))
                mine = list(arrays)
                for i in (1,) if kind == "primal" else (2, 3, 4):  # w; y, c and w0
                    mine[i] = np.ascontiguousarray(arrays[i][:, outputs])
                systems.append((kind, nodes, n_stored, n_visits, *mine))
        # Top-down, the order in which the steps visit them.
        systems.sort(key=lambda system: min(system[1]))
        self._rls = type(self._rls)(*parameters, systems)
        self._below = {}
        sizes = [(-n, s, of) for s, (_, of, n, *_) in enumerate(systems)]
        for _, s, of_system in sorted(sizes) if self._shared else ():
            for v in of_system:
                self._below.setdefault(rows[v], s)

    def _example(self, x: Mapping[Any, Any]) -> Example:
        return Example(self._features.find(x))

    def _masks(self, X: Batch, rows: Any) -> Any:
        return self._rls.masks(self._labels, Vectors(self._features, X))

    def _weights(self, nodes: Iterable[int]) -> Iterator[Floats]:
        systems = enumerate(self._rls.nodes)
        places = {v: (s, i) for s, nodes in systems for i, v in enumerate(nodes)}
        known, matrix = -1, np.empty((0, 0))
        for v in nodes:
            s, column = places[v]
            if s != known:  # nodes of one system often follow each other
                known, matrix = s, self._rls.weights(s, len(self._features))
            yield matrix[:, column]

    def _contributions(
        self, x: Mapping[Any, Any], nodes: Sequence[int]
    ) -> list[list[Contribution]]:
        scores = self._scores_one(x)
        rows = {name: self._features.row(name) for name in x}
        known = [(name, row, float(x[name])) for name, row in rows.items() if row is not None]
        explanations = []
        for v, w in zip(nodes, self._weights(nodes), strict=True):
            terms = [(name, w[row] * value) for name, row, value in known]
            if self._features.first_row:
                terms.append(("intercept", w[0] * self._features.intercept))
            explanations.append(rescaled(float(scores[v]), terms))
        return explanations

    def _check(self, x: Mapping[Any, Any], w: float = 1.0) -> None:
        if w * self._features.find(x).norm2 > LARGEST_RATIO * float(self.l2):
            raise self._lost_in_rounding(x, w)

    def _lost_in_rounding(self, x: Mapping[Any, Any], w: float) -> ValueError:
        norm2 = self._features.find(x).norm2
        of_x = "x" if w == 1.0 else f"x times its weight {w:.3g}"
        return ValueError(
            f"`l2` = {self.l2} is lost in rounding beside the squared norm of {of_x}, {norm2:.3g}; "
            "scale x, e.g. with river's preprocessing.Normalizer, or choose a larger `l2`"
        )
