"""What a model says of an example, as a value, and all that users ask of it.

A model has one method for it, `_answer(x)`, and `_answers(X)` for the rows of a batch. A wrapper
changes the answer of the model inside: a decoder decides by another rule, and calibration gives
other probabilities. Nodes are numbers here, and labels appear in what is returned to users.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from heapq import heappop, heappush
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._core import (
    Batch,
    Labels,
    below,
    connected,
    deepest,
    descent,
    distribution,
    expanded,
    labels_of,
    probability,
    ranked,
    softmax,
    subtree_sums,
    top_down,
    top_down_probabilities,
    trained_nodes,
)
from ..taxonomy import Label, Taxonomy
from .classifiers import is_multilabel, last_step, last_step_and_input, probabilities
from .dataframes import Frame, answer_frame, answer_series

A = TypeVar("A", bound=NDArray[Any])
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Ranked = list[tuple[tuple[Label, ...], float]]
# Nodes that are never predicted: those that were added to a trained model and have had no example
# since, whose label would be the node or below it; and the root where it is not a label. An unseen
# node is off, has probability 0 and does not compete with the true label: adding it changes neither
# predictions for others nor what they learn.
Unseen = frozenset[int]
NONE: Unseen = frozenset()


class Answer:
    """Scores, probabilities and a decision, each a value or a function that computes it."""

    several: ClassVar[bool]
    silent: Any = False  # whether there is no label yet
    labels: Any
    first: Any = 0  # the first node that can be predicted, of one label
    never: Any = NONE
    link: Any = None  # what makes probabilities of scores, in place of the model
    rule: Callable[[Any, Any], Any] | None = None  # what decides by probabilities, in its place
    _scores: Any = None
    _p: Any = None
    _own: Any = None

    def __init__(
        self,
        labels: Labels,
        scores: Any = None,
        p: Any = None,
        own: Any = None,
        first: int = 0,
        never: Unseen = NONE,
    ) -> None:
        self.labels = labels
        self._scores, self._p, self._own = scores, p, own
        self.first, self.never = first, never

    def but(self, **changes: Any) -> Self:
        """This answer, which was made for the caller, with another `link` or `rule`."""
        self.__dict__.update(changes)
        return self

    def scores(self) -> Floats:
        """The score of each node, (nodes,) or (nodes, rows)."""
        if callable(self._scores):
            self._scores = self._scores()
        if self._scores is None:
            raise NotImplementedError
        return self._scores

    def p(self) -> Any:
        """P(label) or P(on) of each node: an array, (nodes,) or (rows, nodes), or, of one example,
        what stands for one in `_core`; `None` if nothing is known."""
        if self.link is None and self._p is not None:
            return self._p() if callable(self._p) else self._p
        return self.p_of_scores()

    def p_of_scores(self) -> Any:
        """The same by the scores."""
        raise NotImplementedError

    def familiarity(self) -> float:
        """The largest score of a label below the root, or probability where there are no scores."""
        try:
            values = self.scores()
        except NotImplementedError:
            values = self.array()
        return float(values[1:].max(initial=-np.inf))

    def array(self) -> Floats:
        """The probability of each node, 0 where it is not known."""
        raise NotImplementedError

    def own(self) -> Any:
        """What the model's own rule decides."""
        raise NotImplementedError

    def decided(self) -> Any:
        """The node or the nodes that are predicted."""
        return self.own() if self.rule is None else self.rule(self, self.p())


class LabelAnswer(Answer):
    """An answer of one label, whose node, or `None`, is `decided`."""

    several = False

    @property
    def silent(self) -> bool:
        """Whether an open taxonomy has no label yet."""
        return bool(self.first) and len(self.labels.taxonomy) == 1

    def rivals(self) -> Floats:
        """The scores, in which nodes that are never predicted lose."""
        return replaced(self.scores(), self.never, -np.inf)

    def p_of_scores(self) -> Any:
        if self.link is not None:
            return self.link.probabilities(self.scores().T, self.never)
        return softmax(self.rivals()).T

    def own(self) -> Any:
        if self._own is not None:
            return self._own()
        best = (self.rivals() if self._p is None else self.p()).argmax()  # which reads x
        return None if self.silent else int(best)

    def prediction(self) -> Any:
        """The label."""
        v = self.decided()
        return None if v is None else self.labels.taxonomy.nodes[v]

    def within(self, threshold: float | None, max_depth: int | None) -> Any:
        """The label, by the probabilities if there is a threshold."""
        labels = self.labels
        p = None if threshold is None or self.silent else self.p()
        v = self.decided() if p is None else deepest(labels, p, threshold)
        if v is None:
            return None
        return labels.taxonomy.nodes[v if max_depth is None else at_most(labels, v, max_depth)]

    def distribution(self) -> dict[Any, float]:
        """The probability of each label, empty without any."""
        p = self.p()
        shares = {} if p is None else distribution(self.labels, p)  # which reads x
        return {} if self.silent else shares

    def array(self) -> Floats:
        """The probability of each node, 0 where it is not known."""
        p = self.p()
        return np.zeros(len(self.labels.taxonomy)) if p is None else expanded(self.labels, p)

    def marginals(self) -> Floats:
        """The probability of each node that the label is the node or lies below it."""
        return below(self.labels, self.p())

    def probability(self, v: int) -> float:
        """The same of a node: O(path) if the model can."""
        return probability(self.labels, self.p(), v, False)

    def top(self, k: int, leaves: bool, depth: int | None) -> Ranked:
        """The paths of the k likeliest labels or, at a depth, nodes, and their probabilities."""
        p = self.p()
        if isinstance(p, np.ndarray) and depth is not None:  # nan where it is not known
            arrays = self.labels.taxonomy._arrays
            known = subtree_sums(1.0 - np.isnan(p), arrays) > 0.0
            p = np.where(known, subtree_sums(np.nan_to_num(p), arrays), np.nan)
        best = [] if p is None else ranked(self.labels, p, k, leaves, depth, False)  # which reads x
        return [] if self.silent else best

    def way(self, p: Any) -> Iterator[tuple[int, float]]:
        """From the root to the likeliest child, while the label is rather there than at the node:
        the nodes, and the probability that the label lies at or below each."""
        return iter([] if p is None else descent(self.labels, p))

    def visited(self) -> dict[int, bool]:
        """The nodes on the path, and at each step the other child with the largest score."""
        t, scores, v = self.labels.taxonomy, self.scores(), self.decided()
        if v is None:
            return {}
        path = t.path(t.nodes[v])
        visited = {0: True}
        for here, there in zip(path, [*path[1:], None], strict=True):
            lost = [t.index(label) for label in t.children(here) if label != there]
            if lost:
                visited[max(lost, key=scores.__getitem__)] = False
            if there is not None:
                visited[t.index(there)] = True
        return visited


class SetAnswer(Answer):
    """An answer of several labels: `decided` are the nodes that are on but the root, in order."""

    several = True
    conditionals: Callable[[Floats], Floats] | None = None  # P(on | parents on) from scores

    def given(self) -> Any:
        """P(on | parents on) of each node, (nodes,) or (nodes, rows)."""
        unseen = frozenset(self.labels.unseen) if self.labels.n_unseen else NONE
        if self.link is not None:
            scores = np.ascontiguousarray(replaced(self.scores(), unseen, -np.inf).T)
            return self.link.given(scores).T
        if self.conditionals is None:
            raise NotImplementedError
        return replaced(self.conditionals(self.scores()), unseen, 0.0)

    def p_of_scores(self) -> Any:
        return self.labels.marginals(self.given())

    def own(self) -> Any:
        if self.link is not None:
            return connected(self.labels, self.given(), 0.5, None)
        return connected(self.labels, self.p(), 0.5, None) if self._own is None else self._own()

    def nodes(self) -> list[int]:
        """The nodes that are on."""
        on = self.own() if self.rule is None else self.rule(self, self.p())
        if self.labels.all_seen:
            return on
        never = self.never
        return [v for v in on if v not in never]

    def nodes_within(self, threshold: float | None, max_depth: int | None) -> list[int]:
        """The same or, with a threshold, those with enough probability."""
        if threshold is not None:
            return connected(self.labels, self.p(), threshold, max_depth)
        on = self.nodes()
        return on if max_depth is None else connected_nodes(self.labels.taxonomy, on, max_depth)

    def prediction(self) -> Any:
        """Whether each label is on."""
        return self.labels.dictionary(self.nodes())

    def within(self, threshold: float | None, max_depth: int | None) -> Any:
        """The same of `nodes_within`."""
        return self.labels.dictionary(self.nodes_within(threshold, max_depth))

    def distribution(self) -> dict[Label, dict[bool, float]]:
        """The probability of each node but the root."""
        return self.labels.probabilities(self.p())

    def array(self) -> Floats:
        """The probability of each node that it is on."""
        return expanded(self.labels, self.p())

    marginals = array

    def probability(self, v: int) -> float:
        """The same of a node: O(path) if the model can."""
        return probability(self.labels, self.p(), v, True)

    def top(self, k: int, leaves: bool, depth: int | None) -> Ranked:
        """The paths of the k likeliest nodes, or of the largest scores, and these numbers."""
        try:
            p = self.p()
        except NotImplementedError:
            p = self.scores()
        return ranked(self.labels, p, k, leaves, depth, True)

    def way(self, p: Any) -> Iterator[tuple[int, float]]:
        """Nodes by P(on | parents on), each after its parents, and P(all nodes so far are on)."""
        arrays, on = self.labels.taxonomy._arrays, expanded(self.labels, p)
        reached, all_on, u = {0}, 1.0, 0
        waiting: list[tuple[float, int]] = []
        while True:
            for v in arrays.children_of(u):
                if reached.issuperset(parents := arrays.parents[v]) and on[v] > 0.0:
                    heappush(waiting, (-min(on[v] / min(on[p] for p in parents), 1.0), v))
            if not waiting:
                return
            given, u = heappop(waiting)
            reached.add(u)
            all_on *= -given
            yield u, all_on

    def visited(self) -> dict[int, bool]:
        """The nodes whose parents are on, each after its parent and only once."""
        arrays = self.labels.taxonomy._arrays
        on = np.zeros(arrays.n, dtype=bool)
        on[[0, *self.nodes()]] = True
        trained = set(trained_nodes(on, arrays).tolist())
        order: dict[int, bool] = {}
        stack = [0]
        while stack:
            v = stack.pop()
            if v in trained:
                order.setdefault(v, bool(on[v]))
            if on[v]:
                stack += [c for c in reversed(arrays.children[v]) if c in trained]
        return order


class ForeignLabel(LabelAnswer):
    """By the methods of a model of another library, or of one that has no arrays."""

    def __init__(self, model: Any, x: Any) -> None:
        super().__init__(labels_of(taxonomy_of(model)), scores=lambda: scores_by_label(model, x))
        self.model: Any = model
        self.x: Any = x

    def p_of_scores(self) -> Any:
        """nan if a label has none; `None` if the prediction is `None`."""
        if self.link is not None:
            return super().p_of_scores()
        t = self.labels.taxonomy
        p, by_label = np.full(len(t), np.nan), probabilities(self.model, self.x)
        for label, value in by_label.items():
            p[t.index(label)] = value
        return p if by_label else None

    def own(self) -> int | None:
        y_pred = self.model.predict_one(self.x)
        return None if y_pred is None else self.labels.taxonomy.index(y_pred)

    def distribution(self) -> dict[Any, float]:
        return super().distribution() if self.link else self.model.predict_proba_one(self.x)


class ForeignSet(SetAnswer):
    """The same of several labels."""

    def __init__(self, model: Any, x: Any) -> None:
        super().__init__(labels_of(taxonomy_of(model)), scores=lambda: scores_by_label(model, x))
        self.model: Any = model
        self.x: Any = x

    def p_of_scores(self) -> Any:
        if self.link is not None:
            return super().p_of_scores()
        by_label, nodes = self.model.predict_proba_one(self.x), self.labels.taxonomy.nodes
        p = np.array([1.0, *(by_label[label][True] for label in nodes[1:])], dtype=float)
        for v in np.flatnonzero(~((p >= 0.0) & (p <= 1.0))):
            raise ValueError(f"the model gives {nodes[v]!r} the probability {float(p[v])!r}")
        return p

    def own(self) -> list[int]:
        if self.link is not None:
            return super().own()
        y_pred = self.model.predict_one(self.x)
        return [v for v, label in enumerate(self.labels.taxonomy.nodes) if v and y_pred[label]]

    def top(self, k: int, leaves: bool, depth: int | None) -> Ranked:
        try:
            proba = self.model.predict_proba_one(self.x)
            values = {label: p[True] for label, p in proba.items()}
        except NotImplementedError:
            values = self.model.score_one(self.x)
        nodes = self.labels.taxonomy.nodes[1:]  # of which some may have none
        numbers = np.array([np.nan, *(values.get(label, np.nan) for label in nodes)])
        return ranked(self.labels, numbers, k, leaves, depth, True)


class Rows(Answer):
    """An answer about each row of a batch, in the taxonomy of its beginning.

    Another thread may add nodes meanwhile, the last ones: what has more nodes is cut.
    """

    answers: Any = None  # one by one

    def __init__(self, labels: Labels, *parts: Any, **named: Any) -> None:
        super().__init__(labels, *parts, **named)
        self.taxonomy: Taxonomy = labels.taxonomy

    @classmethod
    def of(cls, labels: Labels, answers: Sequence[Answer]) -> Self:
        """The answers that a model gives one by one."""
        rows = cls(labels, first=answers[0].first if answers else 0)
        rows.answers = answers
        return rows

    def but(self, **changes: Any) -> Self:
        for answer in self.answers or ():
            answer.but(**changes)
        return super().but(**changes)

    def scores(self) -> Floats:
        n = len(self.taxonomy)
        if self.answers is None:
            return super().scores()[:n]
        rows = [answer.scores()[:n] for answer in self.answers]
        return np.array(rows).reshape(len(rows), n).T

    def p(self) -> Floats:
        n = len(self.taxonomy)
        if self.answers is None:
            return super().p()[:, :n]
        rows = [answer.array()[:n] for answer in self.answers]
        return np.array(rows).reshape(len(rows), n)

    def each_p(self) -> Floats:
        """The probabilities as `_core` reads them."""
        return np.ascontiguousarray(self.p(), dtype=np.float64)

    def decided(self) -> Any:
        """The node of each row or, of several labels, which nodes are on, (rows, nodes)."""
        if self.answers is not None:
            return self.together(
                [answer.nodes() if answer.several else answer.decided() for answer in self.answers]
            )
        if self.rule is not None:
            return self.together([self.rule(row, row.p()) for row in self.each()])
        return self.own()

    def each(self) -> Iterator[Any]:
        """The answer about each row."""
        one = SetAnswer if self.several else LabelAnswer
        for i, p in enumerate(self.each_p()):
            scores = partial(self.score_column, i)
            yield one(self.labels, scores, p, first=self.first, never=self.never)

    def score_column(self, i: int) -> Floats:
        return self.scores()[:, i]

    def together(self, decisions: list[Any]) -> Any:
        """Decisions about rows as one value."""
        return decisions

    def frame(self, like: Frame | None) -> Any:
        """The probabilities as a dataframe of the same kind, or as an array."""
        first = int(self.several or self.silent)
        return answer_frame(like, self.p()[:, first:], self.taxonomy.nodes[first:])


class LabelRows(Rows, LabelAnswer):
    """Those of one label."""

    def own(self) -> Any:
        if self._own is not None:
            best = self._own()
        else:
            best = self.rivals().argmax(axis=0) if self._p is None else self.p().argmax(axis=1)
        return [None] * len(best) if self.silent else best.tolist()

    def predictions(
        self, like: Frame | None, threshold: float | None, max_depth: int | None
    ) -> Any:
        """The labels as a series of the kind of a dataframe, or as an array."""
        if threshold is None or self.silent:
            decided = self.decided()
        else:
            decided = [deepest(self.labels, p, threshold) for p in self.each_p()]
        nodes = self.labels.taxonomy.nodes  # after them: nodes may be added meanwhile
        if max_depth is not None:
            decided = [None if v is None else at_most(self.labels, v, max_depth) for v in decided]
        labels = [None if v is None else nodes[v] for v in decided]
        return answer_series(like, labels, nodes)

    def tops(self, k: int, leaves: bool, depth: int | None) -> list[Ranked]:
        """See `LabelAnswer.top`."""
        return [row.top(k, leaves, depth) for row in self.each()]


class SetRows(Rows, SetAnswer):
    """Those of several labels."""

    def p_of_scores(self) -> Any:
        return top_down_probabilities(self.given(), self.taxonomy._arrays, True).T

    def own(self) -> Mask:
        if self.link is None and self._own is not None:
            return self._own()[:, : len(self.taxonomy)]
        if self._p is not None and self.link is None:
            return self.p() >= 0.5
        return top_down(self.given() >= 0.5, self.taxonomy._arrays).T

    def together(self, decisions: list[Any]) -> Mask:
        on = np.zeros((len(decisions), len(self.labels.taxonomy)), dtype=bool)
        on[:, 0] = True
        for row, nodes in zip(on, decisions, strict=True):
            row[nodes] = True
        return on[:, : len(self.taxonomy)]

    def predictions(
        self, like: Frame | None, threshold: float | None, max_depth: int | None
    ) -> Any:
        """Which labels are on, as a dataframe of the same kind, or as an array."""
        if threshold is None:
            on = replaced(self.decided().T, self.never, 0)
        else:
            on = threshold <= self.p().T
        arrays = self.taxonomy._arrays
        if threshold is not None or max_depth is not None:
            on = top_down(on, arrays)
        if max_depth is not None:
            on[arrays.depth > max_depth] = False
        return answer_frame(like, on[1:].T, self.taxonomy.nodes[1:])

    def tops(self, k: int, leaves: bool, depth: int | None) -> list[Ranked]:
        """See `SetAnswer.top`."""
        try:
            rows = self.each_p()
        except NotImplementedError:
            rows = np.ascontiguousarray(self.scores().T)
        return [ranked(self.labels, row, k, leaves, depth, True) for row in rows]


def is_ours(model: Any) -> bool:
    """Whether a model has answers of its own; a pipeline that ends in one has not."""
    return hasattr(type(model), "_answer")


def answer_of(model: Any, x: Any) -> Any:
    """What any model in a taxonomy, or a pipeline that ends in one, says of x."""
    if hasattr(type(model), "_answer"):
        return model._answer(x)
    last, x = last_step_and_input(model, x)
    if last is not model and hasattr(type(last), "_answer"):
        return last._answer(x)
    return (ForeignSet if is_multilabel(last) else ForeignLabel)(last, x)


def answers_of(model: Any, X: Batch) -> Any:
    """The same for the rows of a batch, as pipelines read them."""
    if is_ours(model):
        return model._answers(X)
    rows = SetRows if is_multilabel(last_step(model)) else LabelRows
    return rows.of(labels_in(model), [answer_of(model, x) for x in X])


def taxonomy_of(model: Any) -> Taxonomy:
    """The current taxonomy of any model in one, or of a pipeline that ends in one."""
    last = last_step(model)
    return last._taxonomy if is_ours(last) else getattr(last, "taxonomy_", last.taxonomy)


def labels_in(model: Any) -> Labels:
    """Its labels."""
    last = last_step(model)
    return last._labels if is_ours(last) else labels_of(taxonomy_of(last))


def reads_anything(model: Any) -> bool:
    """Whether a pipeline reads x, which may then be a text or hold texts."""
    return model._of_pipeline if is_ours(model) else True


def scores_by_label(model: Any, x: Any) -> Floats:
    """The score of each node by `score_one`; 0 for the root where it has none."""
    if not hasattr(model, "score_one"):
        raise NotImplementedError
    values = list(model.score_one(x).values())
    return np.array([0.0] * (len(taxonomy_of(model)) - len(values)) + values)


def replaced(values: A, nodes: Unseen, by: float) -> A:
    """A copy of values of nodes, (nodes, ...), in which those of some nodes are replaced."""
    if nodes:
        values = values.copy()
        values[[v for v in nodes if v < len(values)]] = by  # another thread may have added some
    return values


def masked_nodes(on: Mask) -> list[int]:
    """The nodes of a mask, without the root."""
    return (np.flatnonzero(on[1:]) + 1).tolist()


def at_most(labels: Labels, v: int, max_depth: int | None) -> int:
    """The node, or its ancestor at this depth."""
    arrays = labels.taxonomy._arrays
    while max_depth is not None and arrays.depth[v] > max_depth:
        v = arrays.parents[v][0]
    return v


def connected_nodes(taxonomy: Taxonomy, nodes: Iterable[int], max_depth: int | None) -> list[int]:
    """Those of some nodes, in order, that are not too deep and whose ancestors are among them.

    Predictions of wrappers of flat models need not be coherent.
    """
    kept = {0: None}
    depth, parents = taxonomy._arrays.depth, taxonomy._arrays.parents
    for v in nodes:
        if (max_depth is None or depth[v] <= max_depth) and all(p in kept for p in parents[v]):
            kept[v] = None
    return list(kept)[1:]
