"""The papers as plain dicts and loops: the executable specification of river_hier.

Nothing here is fast and nothing imports the library. [H] is Dekel, Keshet & Singer 2004 (Hieron),
[R] is Cesa-Bianchi, Gentile & Zaniboni 2006 (H-RLS), [T] is Cai & Hofmann 2007, [E] is
El-Yaniv & Etzion-Rosenberg 2002.

A taxonomy is a dict `{node: tuple of its parents}` in taxonomy order, root first, with
`parents[root] == ()`; in a tree every other node has one parent, in a DAG perhaps several.
Features are `{name: value}` and weights `{name: weight}`; what is missing is 0.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

Node = Hashable
Parents = Mapping[Node, tuple[Node, ...]]
Features = Mapping[Hashable, float]
Weights = dict[Node, dict[Hashable, float]]

# --- The taxonomy -------------------------------------------------------------------------------


def root(parents: Parents) -> Node:
    """The one node without parents."""
    return next(v for v in parents if parents[v] == ())


def labels_below_root(parents: Parents) -> list[Node]:
    """Every node but the root, in taxonomy order: the N labels of [R]."""
    return [v for v in parents if v != root(parents)]


def children(parents: Parents, v: Node) -> list[Node]:
    """The children of v, in taxonomy order."""
    return [c for c in parents if v in parents[c]]


def ancestors(parents: Parents, v: Node) -> set[Node]:
    """The proper ancestors of v, root included: ANC(i) of [R] and the root."""
    found: set[Node] = set()
    for u in parents[v]:
        found |= {u} | ancestors(parents, u)
    return found


def path(parents: Parents, v: Node) -> list[Node]:
    """The path P(v) = root..v of a tree ([H] section 2)."""
    if parents[v] == ():
        return [v]
    (parent,) = parents[v]  # fails on a DAG: there a path is not unique
    return [*path(parents, parent), v]


def depth(parents: Parents, v: Node) -> int:
    """Edges from the root down to v; the longest way where a DAG has several."""
    return max((1 + depth(parents, u) for u in parents[v]), default=0)


def distance(parents: Parents, u: Node, v: Node) -> int:
    """gamma(u, v): edges between u and v ([H] section 2), by breadth-first search."""
    found, frontier, edges = {u}, [u], 0
    while v not in found:
        edges += 1
        frontier = [b for a in frontier for b in (*parents[a], *children(parents, a))]
        frontier = [b for b in dict.fromkeys(frontier) if b not in found]
        found |= set(frontier)
    return edges


def lca(parents: Parents, u: Node, v: Node) -> Node:
    """The deepest node that is u or above u, and is v or above v (a DAG: the first such)."""
    common = ({u} | ancestors(parents, u)) & ({v} | ancestors(parents, v))
    return max((a for a in parents if a in common), key=lambda a: depth(parents, a))


def closure(parents: Parents, labels: Iterable[Node]) -> set[Node]:
    """The labels with all their ancestors and the root, which is always on."""
    closed = {root(parents)}
    for v in labels:
        closed |= {v} | ancestors(parents, v)
    return closed


def truncate(parents: Parents, labels: Iterable[Node]) -> set[Node]:
    """The G-truncation ([R] section 3): a label stays iff all its ancestors are on."""
    on = {root(parents), *labels}
    return {v for v in on if ancestors(parents, v) <= on}


# --- Losses -------------------------------------------------------------------------------------
# Sets are taken as they are, closed or not (Lemma 1 is about predictions that are not), and the
# root is ignored, in the sets or out. Costs and volumes that are not given are 1.


def tree_induced_error(parents: Parents, y: Node, yhat: Node) -> int:
    """gamma(y, yhat), for single labels ([H] section 2)."""
    return distance(parents, y, yhat)


def differs(v: Node, true: set[Node], pred: set[Node]) -> bool:
    """{yhat_v != v_v}."""
    return (v in true) != (v in pred)


def h_loss(
    parents: Parents,
    true: set[Node],
    pred: set[Node],
    costs: Mapping[Node, float] | None = None,
) -> float:
    """sum_i c_i {yhat_i != v_i and yhat_j = v_j, j in ANC(i)} ([R] section 3, Remark 5)."""
    loss = 0.0
    for i in labels_below_root(parents):
        above = ancestors(parents, i) - {root(parents)}
        if differs(i, true, pred) and not any(differs(j, true, pred) for j in above):
            loss += 1.0 if costs is None else costs.get(i, 1.0)
    return loss


def zero_one_loss(parents: Parents, true: set[Node], pred: set[Node]) -> float:
    """{exists i: yhat_i != v_i} ([R] section 3)."""
    return float(any(differs(i, true, pred) for i in labels_below_root(parents)))


def symmetric_difference_loss(
    parents: Parents,
    true: set[Node],
    pred: set[Node],
    volumes: Mapping[Node, float] | None = None,
    missed: float = 1.0,
    spurious: float = 1.0,
) -> float:
    """c- sum_{v in Y - Yhat} s_v + c+ sum_{v in Yhat - Y} s_v ([T]; [R] section 3 with all 1).

    [T] writes anc(Y) and anc(Yhat): the same on multilabels that are closed.
    """
    loss = 0.0
    for v in labels_below_root(parents):
        volume = 1.0 if volumes is None else volumes.get(v, 1.0)
        if v in true and v not in pred:
            loss += missed * volume
        if v in pred and v not in true:
            loss += spurious * volume
    return loss


def precision_recall(
    parents: Parents, pairs: Iterable[tuple[set[Node], set[Node]]]
) -> tuple[float, float]:
    """Micro-averaged hierarchical precision and recall of (true, pred) pairs; 0 / 0 is 0.

    hP = sum |C & Chat| / sum |Chat|, hR = sum |C & Chat| / sum |C|: closures without the root.
    """
    both = n_pred = n_true = 0
    for true, pred in pairs:
        closed_true = closure(parents, true) - {root(parents)}
        closed_pred = closure(parents, pred) - {root(parents)}
        both += len(closed_true & closed_pred)
        n_pred += len(closed_pred)
        n_true += len(closed_true)
    return (both / n_pred if n_pred else 0.0, both / n_true if n_true else 0.0)


# --- Expected losses, by enumeration ------------------------------------------------------------


def multilabels(parents: Parents) -> Iterator[set[Node]]:
    """Every multilabel that respects the taxonomy, root included: 2^N subsets, filtered."""
    labels = labels_below_root(parents)
    for on in itertools.product([False, True], repeat=len(labels)):
        multilabel = {root(parents)} | {v for v, is_on in zip(labels, on, strict=True) if is_on}
        if multilabel == closure(parents, multilabel):
            yield multilabel


def probability(parents: Parents, p: Mapping[Node, float], multilabel: set[Node]) -> float:
    """f_G(v | x) = prod_i P(V_i = v_i | parent, x) ([R] section 5), p[i] = P(V_i = 1 | on)."""
    product = 1.0
    for i in labels_below_root(parents):
        p_i = p[i] if all(j in multilabel for j in parents[i]) else 0.0  # [R] Eq. 2
        product *= p_i if i in multilabel else 1.0 - p_i
    return product


def expected_loss(
    parents: Parents, p: Mapping[Node, float], loss: Callable[[set[Node]], float]
) -> float:
    """E loss(V), V drawn from f_G ([R] section 6)."""
    return sum((probability(parents, p, v) * loss(v) for v in multilabels(parents)), 0.0)


def expected_h_loss(
    parents: Parents,
    p: Mapping[Node, float],
    pred: set[Node],
    costs: Mapping[Node, float] | None = None,
) -> float:
    """The expected H-loss of a prediction."""
    return expected_loss(parents, p, lambda true: h_loss(parents, true, pred, costs))


def expected_zero_one_loss(parents: Parents, p: Mapping[Node, float], pred: set[Node]) -> float:
    """The expected zero-one loss of a prediction."""
    return expected_loss(parents, p, lambda true: zero_one_loss(parents, true, pred))


def expected_symmetric_difference_loss(
    parents: Parents,
    p: Mapping[Node, float],
    pred: set[Node],
    volumes: Mapping[Node, float] | None = None,
    missed: float = 1.0,
    spurious: float = 1.0,
) -> float:
    """The expected symmetric difference loss of a prediction."""

    def loss(true: set[Node]) -> float:
        return symmetric_difference_loss(parents, true, pred, volumes, missed, spurious)

    return expected_loss(parents, p, loss)


# --- Sparse vectors -----------------------------------------------------------------------------


def dot(w: Features, x: Features) -> float:
    """w . x."""
    return sum((w.get(name, 0.0) * value for name, value in x.items()), 0.0)


def add(w: dict[Hashable, float], scale: float, x: Features) -> None:
    """w += scale x, in place."""
    for name, value in x.items():
        w[name] = w.get(name, 0.0) + scale * value


# --- Hieron -------------------------------------------------------------------------------------


def prototype_scores(parents: Parents, w: Weights, x: Features) -> dict[Node, float]:
    """W^v . x = sum over u in P(v) of w^u . x, for every node v ([H] Eq. 2, 3)."""
    return {v: sum((dot(w[u], x) for u in path(parents, v)), 0.0) for v in parents}


def argmax(scores: Mapping[Node, float]) -> Node:
    """The node with the largest score; ties go to the first node in taxonomy order."""
    return max(scores, key=lambda v: scores[v])


def hieron_loss(parents: Parents, w: Weights, x: Features, y: Node, yhat: Node) -> float:
    """[W^yhat . x - W^y . x + sqrt(gamma(y, yhat))]_+ ([H] Eq. 5)."""
    scores = prototype_scores(parents, w, x)
    return max(0.0, scores[yhat] - scores[y] + math.sqrt(distance(parents, y, yhat)))


def hieron_step(parents: Parents, w: Weights, x: Features, y: Node, yhat: Node) -> Weights:
    """The next hypothesis, w_{i+1} ([H] Eq. 7); a new object, w is left as it was."""
    after = {v: dict(w[v]) for v in parents}
    if yhat == y or dot(x, x) == 0.0:
        return after
    loss = hieron_loss(parents, w, x, y, yhat)
    alpha = loss / (distance(parents, y, yhat) * dot(x, x))  # [H] Eq. 8
    for v in set(path(parents, y)) - set(path(parents, yhat)):
        add(after[v], alpha, x)
    for v in set(path(parents, yhat)) - set(path(parents, y)):
        add(after[v], -alpha, x)
    return after


class Hieron:
    """Online Hieron ([H] Algorithm 1); `w` holds the differences w^v, that of the root empty."""

    def __init__(self, parents: Parents) -> None:
        self.parents = parents
        self.w: Weights = {v: {} for v in parents}

    def scores(self, x: Features) -> dict[Node, float]:
        """W^v . x of every node."""
        return prototype_scores(self.parents, self.w, x)

    def predict(self, x: Features) -> Node:
        """argmax_v W^v . x ([H] Eq. 3), inner nodes and root included."""
        return argmax(self.scores(x))

    def learn(self, x: Features, y: Node) -> None:
        """One step against the prediction; none if it is right (conservative)."""
        self.w = hieron_step(self.parents, self.w, x, y, self.predict(x))


class AveragedHieron:
    """Batch Hieron ([H] section 4), one pass; keeps all m + 1 hypotheses w_1 (= 0)..w_{m+1}."""

    def __init__(self, parents: Parents) -> None:
        self.parents = parents
        self.hypotheses: list[Weights] = [{v: {} for v in parents}]

    @property
    def w(self) -> Weights:
        """The current hypothesis, w_{m+1}."""
        return self.hypotheses[-1]

    def average(self) -> Weights:
        """w^v = 1 / (m + 1) sum_{i=1}^{m+1} w_i^v ([H] Eq. 13)."""
        mean: Weights = {v: {} for v in self.parents}
        for hypothesis in self.hypotheses:
            for v in self.parents:
                add(mean[v], 1.0, hypothesis[v])
        m_plus_1 = len(self.hypotheses)
        return {v: {name: s / m_plus_1 for name, s in mean[v].items()} for v in self.parents}

    def scores(self, x: Features) -> dict[Node, float]:
        """W^v . x of every node, W the average."""
        return prototype_scores(self.parents, self.average(), x)

    def predict(self, x: Features) -> Node:
        """argmax_v W^v . x ([H] Eq. 3), W the average."""
        return argmax(self.scores(x))

    def worst_label(self, x: Features, y: Node) -> Node:
        """argmax_v W_i^v . x + sqrt(gamma(y, v)): the label that maximises [H] Eq. 5."""
        scores = prototype_scores(self.parents, self.w, x)
        return argmax({v: s + math.sqrt(distance(self.parents, y, v)) for v, s in scores.items()})

    def learn(self, x: Features, y: Node) -> None:
        """One step against the loss-maximising label; every call adds a hypothesis."""
        yhat = self.worst_label(x, y)
        self.hypotheses.append(hieron_step(self.parents, self.w, x, y, yhat))


# --- H-PERC, H-RLS, SH-RLS ----------------------------------------------------------------------


def top_down(parents: Parents, scores: Mapping[Node, float]) -> dict[Node, bool]:
    """On iff all parents are predicted on and the score is >= 0 ([R] Fig. 3, step 2)."""

    def is_on(i: Node) -> bool:
        return i == root(parents) or (all(is_on(j) for j in parents[i]) and scores[i] >= 0)

    return {i: is_on(i) for i in labels_below_root(parents)}


def reference_classifier(parents: Parents, u: Weights, x: Features) -> dict[Node, bool]:
    """The prediction of the true u_i ([R] Eq. 4)."""
    return top_down(parents, {i: dot(u[i], x) for i in labels_below_root(parents)})


def trained_nodes(parents: Parents, true: set[Node]) -> list[Node]:
    """The nodes that an example trains: those whose parents are all truly on ([R] section 4)."""
    return [i for i in labels_below_root(parents) if all(j in true for j in parents[i])]


class HPerceptron:
    """H-PERC ([R] section 8)."""

    def __init__(self, parents: Parents) -> None:
        self.parents = parents
        self.w: Weights = {i: {} for i in labels_below_root(parents)}

    def scores(self, x: Features) -> dict[Node, float]:
        """w_i . x of every node but the root."""
        return {i: dot(self.w[i], x) for i in self.w}

    def predict(self, x: Features) -> dict[Node, bool]:
        """Top-down, for every node but the root."""
        return top_down(self.parents, self.scores(x))

    def learn(self, x: Features, y: Iterable[Node]) -> None:
        """w_i += v_i x, v_i = +1 / -1, iff {w_i . x >= 0} != v_i."""
        true = closure(self.parents, y)
        for i in trained_nodes(self.parents, true):
            if (dot(self.w[i], x) >= 0) != (i in true):
                add(self.w[i], 1.0 if i in true else -1.0, x)


class _RLS:
    """What H-RLS and SH-RLS share: the estimator of [R] Eq. 1, solved afresh at every call."""

    def __init__(self, parents: Parents, l2: float) -> None:
        self.parents = parents
        self.l2 = l2
        self.t = 0  # rounds so far
        self.features: dict[Hashable, None] = {}  # every name learned from, in order
        self.examples: dict[Node, list[tuple[dict[Hashable, float], float]]] = {
            i: [] for i in labels_below_root(parents)
        }

    def stored(self, node: Node) -> int:
        """How many examples the node has stored: N_i."""
        return len(self.examples[node])

    def _solve(self, node: Node, x: Features) -> dict[Hashable, float]:
        """(l2 I + S S^T + x x^T)^{-1} S v ([R] Eq. 1)."""
        names = list({**self.features, **dict.fromkeys(x)})
        A, Sv = self.l2 * np.eye(len(names)), np.zeros(len(names))
        for s, v in self.examples[node]:
            column = np.array([s.get(name, 0.0) for name in names])
            A += np.outer(column, column)
            Sv += v * column
        x_t = np.array([x.get(name, 0.0) for name in names])
        w = np.linalg.solve(A + np.outer(x_t, x_t), Sv)
        return dict(zip(names, w.tolist(), strict=True))

    def w(self, node: Node) -> dict[Hashable, float]:
        """w_old = (l2 I + S S^T)^{-1} S v: no current x."""
        return self._solve(node, {})

    def margin(self, node: Node, x: Features) -> float:
        """w_{i,t} . x, x itself in the matrix ([R] Eq. 1)."""
        return dot(self._solve(node, x), x)

    def scores(self, x: Features) -> dict[Node, float]:
        """The margin of every node but the root."""
        return {i: self.margin(i, x) for i in self.examples}

    def predict(self, x: Features) -> dict[Node, bool]:
        """Top-down, for every node but the root."""
        return top_down(self.parents, self.scores(x))

    def _stores(self, node: Node, x: Features) -> bool:
        """Whether the node stores x on this round."""
        raise NotImplementedError

    def learn(self, x: Features, y: Iterable[Node]) -> None:
        """Store (x, +1 / -1) where the parents are truly on; a zero x is a round, never stored."""
        self.t += 1
        if dot(x, x) == 0.0:
            return
        true = closure(self.parents, y)
        for i in trained_nodes(self.parents, true):
            if self._stores(i, x):
                self.examples[i].append((dict(x), 1.0 if i in true else -1.0))
        self.features.update(dict.fromkeys(x))


class HRLS(_RLS):
    """H-RLS ([R] Fig. 3): every trained node stores every example."""

    def __init__(self, parents: Parents, l2: float = 1.0) -> None:
        super().__init__(parents, l2)

    def _stores(self, node: Node, x: Features) -> bool:
        return True


class SHRLS(_RLS):
    """SH-RLS ([R] section 8): a trained node stores an example only if its margin is small."""

    def __init__(self, parents: Parents, threshold: float = 5.0, l2: float = 1.0) -> None:
        super().__init__(parents, l2)
        self.threshold = threshold

    def _stores(self, node: Node, x: Features) -> bool:
        """|w_{i,t} . x_t| <= sqrt(5 ln t / N_{i,t}); t is the current round; N = 0 stores."""
        N = self.stored(node)
        if N == 0:
            return True
        return abs(self.margin(node, x)) <= math.sqrt(self.threshold * math.log(self.t) / N)


# --- H-AROW -------------------------------------------------------------------------------------


class HAROW:
    """Adaptive regularisation of weights at every node, with a diagonal of variances, all 1 at
    first; trained and evaluated from the top down as H-PERC is (Crammer, Kulesza & Dredze 2009)."""

    def __init__(self, parents: Parents, r: float = 1.0) -> None:
        self.parents = parents
        self.r = r
        self.w: Weights = {i: {} for i in labels_below_root(parents)}
        self.variances: Weights = {i: {} for i in labels_below_root(parents)}

    def scores(self, x: Features) -> dict[Node, float]:
        """w_i . x of every node but the root."""
        return {i: dot(self.w[i], x) for i in self.w}

    def predict(self, x: Features) -> dict[Node, bool]:
        """Top-down, for every node but the root."""
        return top_down(self.parents, self.scores(x))

    def learn(self, x: Features, y: Iterable[Node]) -> None:
        """If y_i w_i . x < 1, with y_i = +1 / -1 and r_x = sum_j S_j x_j^2:
        w_j += (y_i - w_i . x) / (r_x + r) S_j x_j, and S_j -= (S_j x_j)^2 / (r_x + r)."""
        true = closure(self.parents, y)
        for i in trained_nodes(self.parents, true):
            v, score = (1.0 if i in true else -1.0), dot(self.w[i], x)
            if v * score >= 1.0:
                continue
            S = {name: self.variances[i].get(name, 1.0) for name in x}
            whole = sum(S[name] * value**2 for name, value in x.items()) + self.r
            for name, value in x.items():
                move = S[name] * value
                self.w[i][name] = self.w[i].get(name, 0.0) + (v - score) / whole * move
                self.variances[i][name] = S[name] - move**2 / whole


# --- SH-RLS with a budget -----------------------------------------------------------------------


class BudgetedSHRLS:
    """SH-RLS at one node that forgets: with more than `budget` instances, the oldest go until
    budget // 2 are left, and what they contributed to w stays as w0. From then on
    w = argmin l2 |w - w0|^2 + sum over the kept (v - w . x)^2."""

    def __init__(self, d: int, threshold: float, l2: float, budget: int) -> None:
        self.threshold, self.l2, self.budget = threshold, l2, budget
        self.w0 = np.zeros(d)
        self.S: list[np.ndarray] = []
        self.v: list[float] = []
        self.t = self.n_stored = 0

    def alpha(self) -> np.ndarray:
        """With w = w0 + S alpha, (l2 I + S^T S) alpha = v - S^T w0."""
        S = np.array(self.S).reshape(len(self.S), len(self.w0))
        B = self.l2 * np.eye(len(S)) + S @ S.T
        return np.linalg.solve(B, np.array(self.v) - S @ self.w0)

    def w(self) -> np.ndarray:
        """The minimiser, solved as it is written."""
        S = np.array(self.S).reshape(len(self.S), len(self.w0))
        A = self.l2 * np.eye(len(self.w0)) + S.T @ S
        return np.linalg.solve(A, self.l2 * self.w0 + S.T @ np.array(self.v))

    def score(self, x: np.ndarray) -> float:
        """w . x / (1 + x^T A^-1 x)."""
        S = np.array(self.S).reshape(len(self.S), len(self.w0))
        A = self.l2 * np.eye(len(self.w0)) + S.T @ S
        return float(self.w() @ x / (1.0 + x @ np.linalg.solve(A, x)))

    def learn(self, x: np.ndarray, v: float) -> None:
        """Store where in doubt, then forget."""
        self.t += 1
        if self.n_stored and self.threshold < math.inf:
            bound = math.sqrt(self.threshold * math.log(self.t) / self.n_stored)
            if abs(self.score(x)) > bound:
                return
        self.S.append(x)
        self.v.append(v)
        self.n_stored += 1
        if len(self.S) > self.budget:
            dropped = len(self.S) - self.budget // 2
            alpha = self.alpha()[:dropped]
            self.w0 = self.w0 + np.array(self.S[:dropped]).T @ alpha
            self.S, self.v = self.S[dropped:], self.v[dropped:]


# --- Local classifiers --------------------------------------------------------------------------
# `make(place)` gives a fresh classifier with `learn_one` and `predict_proba_one`; it is taught from
# the beginning whenever it is asked.


class _Local:
    def __init__(self, parents: Parents, make: Callable[[Hashable], object]) -> None:
        self.parents = parents
        self.make = make
        self.taught: dict[Hashable, list[tuple[Features, Node]]] = {}

    def teach(self, place: Hashable, x: Features, y: Node) -> None:
        """One more example of the classifier at a place."""
        self.taught.setdefault(place, []).append((x, y))

    def said(self, place: Hashable, x: Features, classes: Iterable[Node]) -> dict[Node, float]:
        """The probabilities of some classes among themselves; {} if nothing is known of them."""
        if place not in self.taught:
            return {}
        classifier = self.make(place)
        for example in self.taught[place]:
            classifier.learn_one(*example)
        said = classifier.predict_proba_one(x)
        total = sum(said.get(c, 0.0) for c in classes)
        return {c: said.get(c, 0.0) / total for c in classes} if total > 0 else {}


class PerNode(_Local):
    """[R] section 4 with any classifier: node i learns {v_i = 1} where its parents are on."""

    def learn(self, x: Features, y: Iterable[Node]) -> None:
        true = closure(self.parents, y)
        for i in trained_nodes(self.parents, true):
            self.teach(i, x, i in true)

    def given(self, i: Node, x: Features) -> float:
        """P(V_i = 1 | parents on), 1/2 if nothing is known."""
        return self.said(i, x, (False, True)).get(True, 0.5)

    def probability(self, i: Node, x: Features) -> float:
        """P(V_i = 1); in a DAG the least likely parent counts."""
        above = min((self.probability(j, x) for j in self.parents[i]), default=1.0)
        return above * (self.given(i, x) if self.parents[i] else 1.0)

    def predict(self, x: Features, threshold: float = 0.5) -> dict[Node, bool]:
        """Top-down: on iff all parents are predicted on and P(V_i = 1 | them) >= threshold."""
        margin = {i: self.given(i, x) - threshold for i in labels_below_root(self.parents)}
        return top_down(self.parents, margin)


class PerParent(_Local):
    """The greedy of [H] section 5 with any classifier; a node's own label says "ends here"."""

    def place(self, v: Node) -> Hashable:
        """Where the classifier stands that decides at v."""
        return v

    def learn(self, x: Features, y: Node) -> None:
        on = path(self.parents, y)
        for v in on:
            if children(self.parents, v):
                next_ = on[on.index(v) + 1] if v != y else y
                self.teach(self.place(v), x, next_)

    def next(self, v: Node, x: Features) -> dict[Node, float]:
        """P(next node | at v); the way ends where nothing is known."""
        if not children(self.parents, v):
            return {v: 1.0}
        return self.said(self.place(v), x, [v, *children(self.parents, v)]) or {v: 1.0}

    def marginal(self, u: Node, x: Features) -> float:
        """P(the label is u or below), the product along the path."""
        on = path(self.parents, u)
        return math.prod(self.next(v, x).get(c, 0.0) for v, c in itertools.pairwise(on))

    def probability(self, u: Node, x: Features) -> float:
        """P(the label is u)."""
        return self.marginal(u, x) * self.next(u, x).get(u, 0.0)

    def predict(self, x: Features, threshold: float = 0.0) -> Node:
        """From the root to the likeliest next node, while a child is likely enough."""
        v = root(self.parents)
        while True:
            likely = self.next(v, x)
            child = argmax(likely)
            if child == v or likely[child] < threshold:
                return v
            v = child


class PerLevel(PerParent):
    """One classifier a level, its probabilities conditioned on what the level above has found."""

    def place(self, v: Node) -> Hashable:
        return depth(self.parents, v) + 1


# --- Support vector machines --------------------------------------------------------------------


def support_vector_weights(X: np.ndarray, v: np.ndarray, C: float) -> np.ndarray:
    """argmin |w|^2 / 2 + C sum [1 - v_t w . x_t]_+, by coordinate ascent in the dual."""
    alpha, w = np.zeros(len(X)), np.zeros(X.shape[1])
    for _ in range(20_000):
        before = alpha.copy()
        for t, x in enumerate(X):
            alpha_t = np.clip(alpha[t] + (1.0 - v[t] * (w @ x)) / (x @ x), 0.0, C)
            w, alpha[t] = w + (alpha_t - alpha[t]) * v[t] * x, alpha_t
        if abs(alpha - before).max() < 1e-12:
            break
    return w


class HSVM:
    """H-SVM ([R] section 8), with the bias as the weight of a feature that is always 1."""

    def __init__(self, parents: Parents, C: float) -> None:
        self.parents = parents
        self.C = C

    def fit(self, examples: list[tuple[Features, Iterable[Node]]]) -> None:
        """At every node from the examples whose parents are all on, +1 / -1."""
        self.names = list(dict.fromkeys(name for x, _ in examples for name in x))
        closed = [(self.vector(x), closure(self.parents, y)) for x, y in examples]
        self.w: dict[Node, np.ndarray] = {}
        for i in labels_below_root(self.parents):
            seen = [(x, i in on) for x, on in closed if i in trained_nodes(self.parents, on)]
            if len({yes for _, yes in seen}) == 2:
                X, v = np.array([x for x, _ in seen]), np.array([2.0 * y - 1 for _, y in seen])
                self.w[i] = support_vector_weights(X, v, self.C)
            else:  # nothing to separate: what the examples say, and on without any
                bias = 1.0 if all(yes for _, yes in seen) else -1.0
                self.w[i] = np.array([0.0] * len(self.names) + [bias])

    def vector(self, x: Features) -> np.ndarray:
        """x over the features of the training examples, and 1."""
        return np.array([*(float(x.get(name, 0.0)) for name in self.names), 1.0])

    def scores(self, x: Features) -> dict[Node, float]:
        """w_i . x of every node but the root."""
        return {i: float(w @ self.vector(x)) for i, w in self.w.items()}

    def predict(self, x: Features) -> dict[Node, bool]:
        """Top-down, for every node but the root."""
        return top_down(self.parents, self.scores(x))


# --- Hierarchical decompositions ----------------------------------------------------------------
# [E] is El-Yaniv & Etzion-Rosenberg 2002. A tree is `(class,)` or a pair `(left, right)`; priors
# are `{class: probability}`, conditionals `{class: {token: probability}}`; entropies are in bits.

Distribution = Mapping[Hashable, float]
Nested = tuple  # (class,) or (left, right)


def entropy(p: Distribution) -> float:
    """- sum_x p(x) log2 p(x)."""
    return -sum(value * math.log2(value) for value in p.values() if value > 0.0)


def mixture(weights: Iterable[float], ps: Iterable[Distribution]) -> dict[Hashable, float]:
    """sum_i pi_i p_i: the mutual source of the p_i."""
    mixed: dict[Hashable, float] = {}
    for weight, p in zip(weights, ps, strict=True):
        for x, value in p.items():
            mixed[x] = mixed.get(x, 0.0) + weight * value
    return mixed


def jensen_shannon(weights: list[float], ps: list[Distribution]) -> float:
    """H(sum_i pi_i p_i) - sum_i pi_i H(p_i) ([E] Eq. 1)."""
    parts = zip(weights, ps, strict=True)
    return entropy(mixture(weights, ps)) - sum(w * entropy(p) for w, p in parts)


def lin_bounds(weights: list[float], ps: list[Distribution]) -> tuple[float, float]:
    """J^2 / (4 (k - 1)) <= Bayes error <= J / 2, J = H(pi) - JS ([E] Theorems 1 and 2)."""
    J = entropy(dict(enumerate(weights))) - jensen_shannon(weights, ps)
    return J**2 / (4 * (len(ps) - 1)), J / 2


def bayes_error(weights: list[float], ps: list[Distribution]) -> float:
    """1 - sum_x max_c pi_c p_c(x)."""
    tokens = {x for p in ps for x in p}
    parts = list(zip(weights, ps, strict=True))
    return 1.0 - sum(max(w * p.get(x, 0.0) for w, p in parts) for x in tokens)


def classes_of(tree: Nested) -> list[Hashable]:
    """The leaves of a tree, from left to right."""
    return [*tree] if len(tree) == 1 else classes_of(tree[0]) + classes_of(tree[1])


def side(
    tree: Nested, priors: Mapping[Hashable, float], conditionals: Mapping[Hashable, Distribution]
) -> tuple[float, dict[Hashable, float]]:
    """The sum of the priors below a node, and the mixture of its classes' conditionals."""
    classes = classes_of(tree)
    q = sum(priors[c] for c in classes)
    return q, mixture([priors[c] / q for c in classes], [conditionals[c] for c in classes])


def split(
    tree: Nested, priors: Mapping[Hashable, float], conditionals: Mapping[Hashable, Distribution]
) -> tuple[list[float], list[Distribution]]:
    """The two-class problem at an inner node, before Proposition 3 of [E]."""
    (q_left, left), (q_right, right) = (side(child, priors, conditionals) for child in tree)
    return [q_left / (q_left + q_right), q_right / (q_left + q_right)], [left, right]


def recursion(
    tree: Nested,
    priors: Mapping[Hashable, float],
    conditionals: Mapping[Hashable, Distribution],
    bound: int,
) -> float:
    """R(v) = (1 - e_v) (q_L R(L) + q_R R(R)), with Lin's lower (0) or upper (1) bound for e_v
    ([E] Propositions 3 and 4); R(leaf) = 1."""
    if len(tree) == 1:
        return 1.0
    q, ps = split(tree, priors, conditionals)
    below = [recursion(child, priors, conditionals, bound) for child in tree]
    return (1.0 - lin_bounds(q, ps)[bound]) * (q[0] * below[0] + q[1] * below[1])


def tree_error(
    tree: Nested, priors: Mapping[Hashable, float], conditionals: Mapping[Hashable, Distribution]
) -> float:
    """How often hard decoding errs, each inner node deciding by the larger posterior."""

    def answer(v: Nested, x: Hashable) -> Hashable:
        if len(v) == 1:
            return v[0]
        q, ps = split(v, priors, conditionals)
        left, right = (w * p.get(x, 0.0) for w, p in zip(q, ps, strict=True))
        return answer(v[0] if left >= right else v[1], x)

    tokens = {x for p in conditionals.values() for x in p}
    answers = {x: answer(tree, x) for x in tokens}
    right = sum(priors[answers[x]] * conditionals[answers[x]].get(x, 0.0) for x in tokens)
    return 1.0 - right


def agglomerate(
    priors: Mapping[Hashable, float],
    conditionals: Mapping[Hashable, Distribution],
    below: Callable[[int], int],
    uniform: Callable[[], float],
) -> Nested:
    """Merge two trees at a time ([E], after Proposition 4), a pair with probability proportional
    to 2^-JS: any pair is proposed with the same probability and accepted with probability 2^-JS.
    `below(n)` draws from 0..n-1; of a pair, the first draw is of all n trees, the second of the
    n - 1 others. The merged tree stands where the first of the two stood."""
    forest: list[Nested] = [(c,) for c in priors]
    while len(forest) > 1:
        i = below(len(forest))
        j = [other for other in range(len(forest)) if other != i][below(len(forest) - 1)]
        pair = (forest[min(i, j)], forest[max(i, j)])
        if uniform() < 2.0 ** -jensen_shannon(*split(pair, priors, conditionals)):
            forest[min(i, j)] = pair
            del forest[max(i, j)]
    return forest[0]


class Decomposition:
    """A binary classifier at each inner node of a tree, told apart by the classes on its sides."""

    def __init__(self, make: Callable[[], Any], tree: Nested | None = None) -> None:
        self.make = make
        self.tree = tree
        self.classifiers: dict[Hashable, Any] = {}

    def classifier(self, v: Nested) -> Any:
        """That of the inner node v; where there is none, a fresh one."""
        key = tuple(frozenset(classes_of(child)) for child in v)
        if key not in self.classifiers:
            self.classifiers[key] = self.make()
        return self.classifiers[key]

    def learn(self, x: Features, y: Hashable) -> None:
        """A class that is not in the tree comes beside it, under a new root; then the classifiers
        at the inner nodes above y learn on which side it is."""
        if self.tree is None:
            self.tree = (y,)
        elif y not in classes_of(self.tree):
            self.tree = (self.tree, (y,))
        v = self.tree
        while len(v) == 2:
            right = y in classes_of(v[1])
            self.classifier(v).learn_one(x, right)
            v = v[right]

    def rebuild(self, tree: Nested) -> None:
        """From now on this tree, with the classifiers of those inner nodes that it keeps, and
        beside it the classes that it lacks."""
        for c in classes_of(self.tree):
            tree = tree if c in classes_of(tree) else (tree, (c,))
        self.tree, inner, kept = tree, [tree], {}
        for v in inner:
            if len(v) == 2:
                kept[tuple(frozenset(classes_of(child)) for child in v)] = self.classifier(v)
                inner += v
        self.classifiers = kept

    def hard(self, x: Features) -> Hashable:
        """From the root down, wherever the classifiers say."""
        v = self.tree
        while len(v) == 2:
            v = v[bool(self.classifier(v).predict_one(x))]
        return v[0]

    def soft(self, x: Features) -> dict[Hashable, float]:
        """Of each class, the product of the probabilities along its path."""

        def below(v: Nested, p: float) -> dict[Hashable, float]:
            if len(v) == 1:
                return {v[0]: p}
            right = self.classifier(v).predict_proba_one(x).get(True, 0.0)
            return below(v[0], p * (1.0 - right)) | below(v[1], p * right)

        return below(self.tree, 1.0)


# --- Kernels ------------------------------------------------------------------------------------

KernelFunction = Callable[[Features, Features], float]


def linear_kernel(x: Features, z: Features) -> float:
    """x . z."""
    return dot(x, z)


def rbf_kernel(sigma: float) -> KernelFunction:
    """exp(-|x - z|^2 / (2 sigma^2)), coordinate by coordinate."""

    def kernel(x: Features, z: Features) -> float:
        names = {**x, **z}
        squared = sum((x.get(name, 0.0) - z.get(name, 0.0)) ** 2 for name in names)
        return math.exp(-squared / (2.0 * sigma**2))

    return kernel


def polynomial_kernel(degree: int, coef0: float) -> KernelFunction:
    """(x . z + coef0)^degree."""
    return lambda x, z: (dot(x, z) + coef0) ** degree


Expansion = list[tuple[Features, dict[Node, float]]]  # instances, and their coefficients at nodes


def expansion_scores(
    parents: Parents, kernel: KernelFunction, expansion: Expansion, x: Features
) -> dict[Node, float]:
    """W^v . x = sum over u in P(v) of sum_i a_i^u K(x_i, x): [H] Eq. 11."""
    return {
        v: sum((a.get(u, 0.0) * kernel(z, x) for z, a in expansion for u in path(parents, v)), 0.0)
        for v in parents
    }


def kernel_step(
    parents: Parents,
    kernel: KernelFunction,
    scores: dict[Node, float],
    x: Features,
    y: Node,
    r: Node,
) -> dict[Node, float]:
    """The coefficients of x at the nodes ([H] Eq. 7, 8, 13 with + sqrt(gamma))."""
    gamma = distance(parents, y, r)
    loss = max(0.0, scores[r] - scores[y] + math.sqrt(gamma))
    if y == r or loss == 0.0 or kernel(x, x) == 0.0:
        return {}
    alpha = loss / (gamma * kernel(x, x))
    up = dict.fromkeys(set(path(parents, y)) - set(path(parents, r)), alpha)
    return up | dict.fromkeys(set(path(parents, r)) - set(path(parents, y)), -alpha)


def nearest(kernel: KernelFunction, kept: list[Features], x: Features) -> tuple[np.ndarray, float]:
    """p such that sum_i p_i phi(z_i) over the kept is nearest to phi(x); the squared distance."""
    K = np.array([[kernel(a, b) for b in kept] for a in kept]).reshape(len(kept), len(kept))
    k = np.array([kernel(z, x) for z in kept])
    p = np.linalg.lstsq(K, k, rcond=1e-12)[0]
    return p, kernel(x, x) - float(p @ k)


def to_keep(
    kernel: KernelFunction, instances: list[Features], weights: list[float], n: int
) -> list[int]:
    """One after the other the instance whose squared distance from the sums over those chosen
    before, times its weight, is the largest; n, or fewer where all distances are 0. In order."""
    kept: list[int] = []
    while len(kept) < n:
        lost = {
            i: nearest(kernel, [instances[j] for j in kept], x)[1] * weights[i]
            for i, x in enumerate(instances)
            if i not in kept
        }
        best = max(lost, key=lambda i: lost[i])
        if kept and lost[best] < 1e-12:
            break
        kept.append(best)
    return sorted(kept)


def forgotten(kernel: KernelFunction, expansion: Expansion, kept: list[int]) -> Expansion:
    """The kept ones only, on which the others are projected."""
    after = [(expansion[i][0], dict(expansion[i][1])) for i in kept]
    for j, (x, b) in enumerate(expansion):
        if j not in kept:
            for p_i, (_, a) in zip(
                nearest(kernel, [z for z, _ in after], x)[0], after, strict=True
            ):
                add(a, float(p_i), b)
    return after


def squared(a: Mapping[Node, float]) -> float:
    """sum_v a_v^2"""
    return sum(value**2 for value in a.values())


class KernelHieron:
    """Online Hieron in its dual form; with more than `budget` instances it keeps four fifths."""

    def __init__(self, parents: Parents, kernel: KernelFunction, budget: float = math.inf) -> None:
        self.parents, self.kernel, self.budget = parents, kernel, budget
        self.expansion: Expansion = []

    def scores(self, x: Features) -> dict[Node, float]:
        """W^v . x of every node."""
        return expansion_scores(self.parents, self.kernel, self.expansion, x)

    def learn(self, x: Features, y: Node) -> None:
        """One step against the prediction."""
        scores = self.scores(x)
        a = kernel_step(self.parents, self.kernel, scores, x, y, argmax(scores))
        if a:
            self.expansion.append((dict(x), a))
        if len(self.expansion) > self.budget:
            instances, weights = zip(*((z, squared(b)) for z, b in self.expansion), strict=True)
            kept = to_keep(self.kernel, instances, weights, max(1, 4 * int(self.budget) // 5))
            self.expansion = forgotten(self.kernel, self.expansion, kept)


class KernelAveragedHieron:
    """Batch Hieron in its dual form, one pass; keeps all m + 1 hypotheses."""

    def __init__(self, parents: Parents, kernel: KernelFunction, budget: float = math.inf) -> None:
        self.parents, self.kernel, self.budget = parents, kernel, budget
        self.hypotheses: list[Expansion] = [[]]

    def current(self, x: Features) -> dict[Node, float]:
        """W^v . x of every node, of the last hypothesis."""
        return expansion_scores(self.parents, self.kernel, self.hypotheses[-1], x)

    def scores(self, x: Features) -> dict[Node, float]:
        """The mean over all hypotheses."""
        every = [expansion_scores(self.parents, self.kernel, h, x) for h in self.hypotheses]
        return {v: sum(scores[v] for scores in every) / len(every) for v in self.parents}

    def learn(self, x: Features, y: Node) -> None:
        """One step against the label of the largest loss; what is forgotten is so everywhere."""
        scores = self.current(x)
        r = argmax({v: s + distance(self.parents, y, v) ** 0.5 for v, s in scores.items()})
        a = kernel_step(self.parents, self.kernel, scores, x, y, r)
        held = [z for z, _ in self.hypotheses[-1]]
        after = [*self.hypotheses[-1], (dict(x), a)] if a else self.hypotheses[-1]
        self.hypotheses.append(after)
        if len(after) > self.budget:
            instances, weights = zip(*((z, squared(b)) for z, b in after), strict=True)
            kept = to_keep(self.kernel, instances, weights, max(1, 4 * int(self.budget) // 5))
            # A hypothesis that does not know the newest instances has coefficient 0 there.
            whole = [h + [(z, {}) for z in [*held, dict(x)][len(h) :]] for h in self.hypotheses]
            self.hypotheses = [forgotten(self.kernel, h, kept) for h in whole]


class KernelRLS:
    """H-RLS (threshold inf) and SH-RLS in their dual form, solved afresh at every call.

    With more than `budget` instances a group of siblings (SH-RLS: a node) keeps four fifths, and is
    from then on regularised towards w0: what the forgotten ones contributed to w, projected onto
    the instances that are kept.
    """

    def __init__(
        self,
        parents: Parents,
        kernel: KernelFunction,
        threshold: float = math.inf,
        l2: float = 1.0,
        budget: float = math.inf,
    ) -> None:
        self.parents, self.kernel, self.threshold = parents, kernel, threshold
        self.l2, self.budget = l2, budget
        self.t = 0
        self.examples: dict[Node, list[tuple[Features, float, float]]] = {
            i: [] for i in labels_below_root(parents)
        }  # of every node: instance, label, and coefficient in w0
        self.n_stored = dict.fromkeys(self.examples, 0)

    def prior(self, node: Node, x: Features) -> float:
        """w0 . x"""
        return sum((c * self.kernel(z, x) for z, _, c in self.examples[node]), 0.0)

    def solve(self, node: Node, instances: list[Features], labels: list[float]) -> np.ndarray:
        """(l2 I + K)^-1 of what w0 leaves of the labels."""
        K = np.array([[self.kernel(a, b) for b in instances] for a in instances])
        left = [v - self.prior(node, z) for z, v in zip(instances, labels, strict=True)]
        solution: np.ndarray = np.linalg.solve(self.l2 * np.eye(len(instances)) + K, left)
        return solution

    def margin(self, node: Node, x: Features) -> float:
        """w . x / (1 + r), r = (K(x, x) - k^T (l2 I + K)^-1 k) / l2."""
        if not self.examples[node]:
            return 0.0
        instances = [z for z, _, _ in self.examples[node]]
        labels = [v for _, v, _ in self.examples[node]]
        k = [self.kernel(z, x) for z in instances]
        score = self.prior(node, x) + float(np.dot(k, self.solve(node, instances, labels)))
        K = np.array([[self.kernel(a, b) for b in instances] for a in instances])
        left = np.linalg.solve(self.l2 * np.eye(len(k)) + K, k)
        r = (self.kernel(x, x) - float(np.dot(k, left))) / self.l2
        return score / (1.0 + r)

    def equation_1(self, node: Node, x: Features) -> float:
        """[R] Eq. 1 as it is written, where w0 = 0: x is in the matrix, and not in S v."""
        instances = [*(z for z, _, _ in self.examples[node]), x]
        labels = [*(v for _, v, _ in self.examples[node]), 0.0]
        alpha = self.solve(node, instances, labels)
        return float(sum(a * self.kernel(z, x) for a, z in zip(alpha, instances, strict=True)))

    def scores(self, x: Features) -> dict[Node, float]:
        """The margin of every node but the root."""
        return {i: self.margin(i, x) for i in self.examples}

    def predict(self, x: Features) -> dict[Node, bool]:
        """Top-down, for every node but the root."""
        return top_down(self.parents, self.scores(x))

    def learn(self, x: Features, y: Iterable[Node]) -> None:
        """Store where the parents are truly on and in doubt; then forget."""
        self.t += 1
        if self.kernel(x, x) == 0.0:
            return
        true = closure(self.parents, y)
        for i in trained_nodes(self.parents, true):
            N = self.n_stored[i]
            if N and abs(self.margin(i, x)) > math.sqrt(self.threshold * math.log(self.t) / N):
                continue
            self.examples[i].append((dict(x), 1.0 if i in true else -1.0, 0.0))
            self.n_stored[i] += 1
        self.forget()

    def forget(self) -> None:
        """The part of w of those that go goes to w0, by projection."""
        groups = [[i] for i in self.examples]
        if self.threshold == math.inf:  # siblings share their instances, and what they forget
            above = dict.fromkeys(self.parents[i] for i in self.examples)
            groups = [[i for i in self.examples if self.parents[i] == ps] for ps in above]
        for group in groups:
            if len(self.examples[group[0]]) <= self.budget:
                continue
            instances = [z for z, _, _ in self.examples[group[0]]]
            c = {}
            for i in group:
                labels = [v for _, v, _ in self.examples[i]]
                old = np.array([c0 for _, _, c0 in self.examples[i]])
                c[i] = old + self.solve(i, instances, labels)  # w = S c
            weights = [float(sum(c[i][j] ** 2 for i in group)) for j in range(len(instances))]
            kept = to_keep(self.kernel, instances, weights, max(1, 4 * int(self.budget) // 5))
            for i in group:
                w0 = {j: self.examples[i][j][2] for j in kept}
                for j, x in enumerate(instances):
                    if j not in kept:
                        p = nearest(self.kernel, [instances[k] for k in kept], x)[0]
                        for k, p_k in zip(kept, p, strict=True):
                            w0[k] += float(p_k * c[i][j])
                self.examples[i] = [(instances[k], self.examples[i][k][1], w0[k]) for k in kept]


# --- Label ranking ------------------------------------------------------------------------------
# [T] ranks candidates; the leaves, unless others are asked for. The relevant ones are those that
# are on; sets of labels are closed first.


def leaves(parents: Parents) -> list[Node]:
    """The nodes without children, but for the root."""
    return [v for v in labels_below_root(parents) if not children(parents, v)]


def relevant(parents: Parents, candidates: Iterable[Node], y: Iterable[Node]) -> list[Node]:
    """The candidates that are on: Y_i of [T]."""
    return [c for c in candidates if c in closure(parents, y)]


def pair_loss(
    parents: Parents,
    y: Node,
    ybar: Node,
    volumes: Mapping[Node, float] | None = None,
    missed: float = 1.0,
    spurious: float = 1.0,
) -> float:
    """Delta(y, ybar) = |anc(y) symmetric-difference anc(ybar)| ([T] section 2), with volumes."""
    true, pred = closure(parents, [y]), closure(parents, [ybar])
    return symmetric_difference_loss(parents, true, pred, volumes, missed, spurious)


def misordered(
    scores: Mapping[Node, float], true: Iterable[Node], others: Iterable[Node]
) -> list[tuple[Node, Node]]:
    """The pairs of a relevant and an irrelevant candidate that is not below it."""
    return [(y, ybar) for y in true for ybar in others if not scores[y] > scores[ybar]]


def one_accuracy(scores: Mapping[Node, float], true: list[Node]) -> float:
    """Whether the first of the candidates with the largest score is relevant."""
    return float(argmax(scores) in true)


def average_precision(scores: Mapping[Node, float], true: list[Node]) -> float:
    """The mean, over relevant candidates, of the share of relevant ones among those that rank as
    high; 1 if none is relevant."""
    shares = []
    for y in true:
        as_high = [c for c in scores if scores[c] >= scores[y]]
        shares.append(sum(c in true for c in as_high) / len(as_high))
    return sum(shares) / len(shares) if shares else 1.0


def ranking_loss(scores: Mapping[Node, float], true: list[Node]) -> float:
    """The fraction of misordered pairs; 0 if there is no pair."""
    others = [c for c in scores if c not in true]
    n_pairs = len(true) * len(others)
    return len(misordered(scores, true, others)) / n_pairs if n_pairs else 0.0


def maximal_loss(
    parents: Parents, scores: Mapping[Node, float], true: list[Node], *costs: object
) -> float:
    """The largest Delta of a misordered pair; 0 if there is none."""
    others = [c for c in scores if c not in true]
    pairs = misordered(scores, true, others)
    return max((pair_loss(parents, y, ybar, *costs) for y, ybar in pairs), default=0.0)  # type: ignore[arg-type]


def parent_one_accuracy(parents: Parents, scores: Mapping[Node, float], true: list[Node]) -> float:
    """Whether a parent of the top candidate is a parent of a relevant one."""
    top = argmax(scores)
    return float(any(p in parents[y] for y in true for p in parents[top]))


def best_threshold(scores: Mapping[Node, float], true: list[Node]) -> float:
    """The highest threshold that puts the fewest candidates on the wrong side, taken midway
    between two scores; above all scores the first stands for it, below all the last."""
    steps = sorted(set(scores.values()), reverse=True)
    middles = [(a + b) / 2 for a, b in itertools.pairwise(steps)]

    def wrong(threshold: float) -> int:
        return sum((scores[c] >= threshold) != (c in true) for c in scores)

    best = min([math.inf, *middles, -math.inf], key=wrong)
    return min(max(best, steps[-1]), steps[0])


class HMinOver:
    """The online perceptron of [T] section 4, with a threshold that is regressed on the scores."""

    def __init__(
        self,
        parents: Parents,
        margin: float = 1.0,
        t: Mapping[Node, float] | None = None,
        candidates: Iterable[Node] | None = None,
    ) -> None:
        self.parents = parents
        self.margin = margin
        self.t = {v: 1.0 if t is None else t.get(v, 1.0) for v in parents}
        self.candidates = leaves(parents) if candidates is None else list(candidates)
        self.w: Weights = {v: {} for v in parents}
        self.thresholds: list[tuple[list[float], float]] = []  # ((1, top, mean score), the best)

    def scores(self, x: Features) -> dict[Node, float]:
        """F(x, y) = sum_v lambda_v(y) <w_v, x> of every node but the root ([T] section 2.2)."""
        return {
            y: sum(self.t[v] * dot(self.w[v], x) for v in closure(self.parents, [y]))
            for y in labels_below_root(self.parents)
        }

    def ranked(self, x: Features) -> dict[Node, float]:
        """The scores of the candidates."""
        scores = self.scores(x)
        return {c: scores[c] for c in self.candidates}

    @staticmethod
    def summary(scores: Mapping[Node, float]) -> list[float]:
        """What the threshold is regressed on."""
        return [1.0, max(scores.values()), sum(scores.values()) / len(scores)]

    def threshold(self, x: Features) -> float:
        """Least squares of the best thresholds so far, l2 = 0.001, solved afresh; each equation is
        divided by the largest of its coefficients."""
        sizes = [max(map(abs, z)) for z, _ in self.thresholds]
        Z = np.array([[v / s for v in z] for s, (z, _) in zip(sizes, self.thresholds, strict=True)])
        b = np.array([best / s for s, (_, best) in zip(sizes, self.thresholds, strict=True)])
        Z = Z.reshape(-1, 3)
        solution = np.linalg.solve(1e-3 * np.eye(3) + Z.T @ Z, Z.T @ b)
        return float(solution @ np.array(self.summary(self.ranked(x))))

    def predict(self, x: Features) -> dict[Node, bool]:
        """The candidates that reach the threshold, and their ancestors."""
        threshold, scores = self.threshold(x), self.ranked(x)
        on = closure(self.parents, [c for c in scores if scores[c] >= threshold])
        return {v: v in on for v in labels_below_root(self.parents)}

    def worst_pair(self, x: Features, y: Iterable[Node]) -> tuple[Node, Node] | None:
        """argmin F(x, y) - F(x, ybar); the first of each in taxonomy order."""
        scores = self.ranked(x)
        true = relevant(self.parents, self.candidates, y)
        others = [c for c in self.candidates if c not in true]
        if not true or not others:
            return None
        return min(true, key=lambda c: scores[c]), max(others, key=lambda c: scores[c])

    def learn(self, x: Features, y: Iterable[Node]) -> None:
        """The threshold learns from the scores as they were; then, if the smallest margin is too
        small, w_v +- Delta t_v x ([T] Algorithm 2)."""
        y = set(y)
        scores, pair = self.ranked(x), self.worst_pair(x, y)
        true = relevant(self.parents, self.candidates, y)
        self.thresholds.append((self.summary(scores), best_threshold(scores, true)))
        if pair is not None and scores[pair[0]] - scores[pair[1]] < self.margin:
            up, down = (closure(self.parents, [v]) for v in pair)
            delta = pair_loss(self.parents, *pair)
            for v in up - down:
                add(self.w[v], delta * self.t[v], x)
            for v in down - up:
                add(self.w[v], -delta * self.t[v], x)


class BatchHMinOver(HMinOver):
    """Algorithm 2 of [T]: the worst pair over all examples, until its margin is met."""

    def fit(self, examples: list[tuple[Features, Iterable[Node]]], max_steps: int) -> int:
        """How many steps were made."""
        for step in range(max_steps):
            margins: list[tuple[float, int, tuple[Node, Node]]] = []
            for i, (x, y) in enumerate(examples):
                pair, scores = self.worst_pair(x, y), self.ranked(x)
                if pair is not None:
                    margins.append((scores[pair[0]] - scores[pair[1]], i, pair))
            smallest = min(margins, key=lambda m: m[0], default=(math.inf, 0, (None, None)))
            if smallest[0] >= self.margin:
                return step
            _, i, (y, ybar) = smallest
            up, down = (closure(self.parents, [v]) for v in (y, ybar))
            delta = pair_loss(self.parents, y, ybar)
            for v in up ^ down:
                add(self.w[v], (1 if v in up else -1) * delta * self.t[v], examples[i][0])
        return max_steps


def label_ranking_dual(
    parents: Parents,
    examples: list[tuple[Features, Iterable[Node]]],
    candidates: list[Node],
    t: Mapping[Node, float],
    kernel: Callable[[Features, Features], float],
    costs: tuple[object, ...] = (),
) -> tuple[list[tuple[int, Node, Node]], np.ndarray, np.ndarray]:
    """The dual of [T] section 3: the pairs (i, y, ybar), their Delta, and the matrix of
    <dPhi_i(y, ybar), dPhi_j(r, rbar)> = <L(y) - L(ybar), L(r) - L(rbar)> K(x_i, x_j)."""
    pairs = [
        (i, y, ybar)
        for i, (_, labels) in enumerate(examples)
        for y in relevant(parents, candidates, labels)
        for ybar in candidates
        if ybar not in relevant(parents, candidates, labels)
    ]
    deltas = [pair_loss(parents, y, ybar, *costs) for _, y, ybar in pairs]  # type: ignore[arg-type]

    def difference(y: Node, ybar: Node) -> dict[Node, float]:
        up, down = closure(parents, [y]), closure(parents, [ybar])
        return {v: t.get(v, 1.0) * ((v in up) - (v in down)) for v in parents}

    products = np.array(
        [
            [
                dot(difference(y, ybar), difference(r, rbar))
                * kernel(examples[i][0], examples[j][0])
                for j, r, rbar in pairs
            ]
            for i, y, ybar in pairs
        ]
    )
    return pairs, np.array(deltas), products


# --- Support vector machines with kernels -------------------------------------------------------


def kernel_machine(K: np.ndarray, v: np.ndarray, C: float) -> tuple[np.ndarray, float]:
    """The c and b of w = sum_t c_t phi(x_t) that minimise |w|^2 / 2 + C sum [1 - v_t (f_t + b)]_+,
    f = K c: c_t v_t in [0, C], sum c = 0, moved two at a time. b is the middle of the optimal ones.
    """
    c = np.zeros(len(v))
    while True:
        slope = v - K @ c
        highest, lowest = np.where(v > 0, C, 0.0), np.where(v > 0, 0.0, -C)
        i = max((t for t in range(len(v)) if c[t] < highest[t]), key=lambda t: slope[t])
        j = min((t for t in range(len(v)) if c[t] > lowest[t]), key=lambda t: slope[t])
        if slope[i] - slope[j] <= 1e-9:
            return c, (slope[i] + slope[j]) / 2
        curvature = max(K[i, i] + K[j, j] - 2 * K[i, j], 1e-12)
        step = min((slope[i] - slope[j]) / curvature, highest[i] - c[i], c[j] - lowest[j])
        c[i], c[j] = c[i] + step, c[j] - step


def hinge_losses(
    parents: Parents,
    scores: Callable[[Features], Mapping[Node, float]],
    examples: list[tuple[Features, Iterable[Node]]],
) -> dict[Node, float]:
    """sum_t [1 - v_t s_t]_+ of every node, over the examples whose parents are all on."""
    losses = dict.fromkeys(labels_below_root(parents), 0.0)
    for x, y in examples:
        on, s = closure(parents, y), scores(x)
        for i in trained_nodes(parents, on):
            losses[i] += max(0.0, 1.0 - (s[i] if i in on else -s[i]))
    return losses


class KernelHSVM(HSVM):
    """H-SVM ([R] section 8) in the space of a kernel, with a bias that costs nothing."""

    def __init__(self, parents: Parents, kernel: KernelFunction, C: float) -> None:
        super().__init__(parents, C)
        self.kernel = kernel

    def fit(self, examples: list[tuple[Features, Iterable[Node]]]) -> None:
        """At every node from the examples whose parents are all on, +1 / -1."""
        closed = [(x, closure(self.parents, y)) for x, y in examples]
        self.machines: dict[Node, tuple[list[tuple[Features, float]], float]] = {}
        for i in labels_below_root(self.parents):
            seen = [(x, i in on) for x, on in closed if i in trained_nodes(self.parents, on)]
            if len({yes for _, yes in seen}) == 2:
                K = np.array([[self.kernel(x, z) for z, _ in seen] for x, _ in seen])
                c, b = kernel_machine(K, np.array([2.0 * yes - 1 for _, yes in seen]), self.C)
                self.machines[i] = [(x, c[t]) for t, (x, _) in enumerate(seen)], b
            else:
                self.machines[i] = [], 1.0 if all(yes for _, yes in seen) else -1.0

    def scores(self, x: Features) -> dict[Node, float]:
        """w_i . phi(x) + b_i of every node but the root."""
        return {
            i: sum((c * self.kernel(z, x) for z, c in parts), b)
            for i, (parts, b) in self.machines.items()
        }
