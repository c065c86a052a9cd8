"""The papers as plain dicts and loops: the executable specification of river_hier.

Nothing here is fast and nothing imports the library. [H] is Dekel, Keshet & Singer 2004 (Hieron),
[R] is Cesa-Bianchi, Gentile & Zaniboni 2006 (H-RLS), [T] is Cai & Hofmann 2007.

A taxonomy is a dict `{node: tuple of its parents}` in taxonomy order, root first, with
`parents[root] == ()`; in a tree every other node has one parent, in a DAG perhaps several.
Features are `{name: value}` and weights `{name: weight}`; what is missing is 0.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

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
