from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._core import Batch, Vectors, path_difference, path_sums, softmax
from ..base.checks import check_answer, check_forgetting, check_positive
from ..base.edited import Matrix, label_places, of_the_surest, ones, replaced_columns
from ..base.explanation import Contribution, Floats, effects
from ..base.linear import NOTHING, Moves
from ..base.path import PathLearner
from ..taxonomy import Arrays, Edit, Part, TaxonomyLike
from ..taxonomy.evidence import above
from .path_softmax import MOST_VARIANCE, PathSoftmax, own_weights


class HierarchicalSoftmax(PathLearner, compiled=("prior_variance", "forgetting")):
    """Softmax regression at every inner node of a tree, for very many labels.

    The label is found by decisions from the root down: at each inner node u, for one of its
    children or for u itself. Each child c has a vector $w_c$, u itself has $o_u$, and the decision
    is the softmax of their products with x:

    $$P_c = \\frac{e^{w_c \\cdot x}}{e^{o_u \\cdot x} + \\sum_{d \\in C(u)} e^{w_d \\cdot x}},
    \\qquad P_u = 1 - \\sum_{c \\in C(u)} P_c. \\tag{1}$$

    The probability of a label is the product of those of the decisions on its path,

    $$p_v = P_v \\prod_{u \\in P(v)} P_u, \\tag{2}$$

    where the first factor is that of the decision for v itself, if it is an inner node. All nodes
    are labels, the root included. Each decision on the path of the true label learns as in
    `PathSoftmax`: with $t_c$ = 1 for what was right and 0 for the other alternatives,

    $$w_c \\leftarrow w_c + (t_c - P_c) \\, \\Sigma_c x, \\qquad \\Sigma_c \\leftarrow \\Sigma_c -
    \\frac{h_c (\\Sigma_c x)^2}{1 + h_c \\, x^\\top \\Sigma_c x}, \\qquad h_c = P_c (1 - P_c),
    \\tag{3}$$

    where $P_c$ is the probability after the step.

    In predictions, the products of each decision are multiplied by the factor of Eq. (6) of
    `PathSoftmax`, where H is the entropy of Eq. (1); its two numbers, which all decisions share,
    are learned from the latest thousand decisions. It is a factor of each decision rather than of
    whole labels, so that its time does not depend on the number of labels, and it may change which
    label is the likeliest.

    A step takes O(features of x * children along the path), whatever the number of nodes, and
    weights take memory for the pairs of a feature and a node that have moved. As probabilities fall
    along each path, predictions, also those with `threshold` and of `inspection.top_one`, find
    the best nodes by best-first search, and visit few others. `predict_proba_one` and `score_one`,
    whose answers have all labels, take O(nodes). Scores are the logarithms of probabilities.

    Parameters
    ----------
    taxonomy
        A tree; `None` or an `OpenTaxonomy` takes labels as they arrive.
    dtype
        The type of the stored weights, `"float64"` or `"float32"`.
    forgetting
        The factor f of `HAROW`; 1 forgets nothing.
    intercept
        The value of a constant feature that is added to every x; 0 adds none.
    prior_variance
        The variance of each weight before the first step, as in `PathSoftmax`. The default is three
        times as large as there, where the vectors of a path, about three, add up.

    Notes
    -----
    The decomposition is due to [^1], and to [^2] for many words; here trees may have any number of
    children, and labels may be inner nodes. As a label above others may end there, its descendants
    need not be known: from a label `Below` a node, only the decisions above this node learn; other
    parts of a label teach the decisions on the way to the nodes that they name.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.04, seed=42)
    >>> model = linear_model.HierarchicalSoftmax(stream.taxonomy)
    >>> metric = metrics.TreeInducedError(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metric)
    TreeInducedError: 0.1875

    References
    ----------
    [^1]: [Goodman, J., 2001. Classes for fast maximum entropy training. ICASSP 2001, 1, pp.
        561-564.](https://doi.org/10.1109/ICASSP.2001.940893)
    [^2]: [Morin, F. and Bengio, Y., 2005. Hierarchical probabilistic neural network language model.
        AISTATS 10, pp. 246-252.](https://proceedings.mlr.press/r5/morin05a.html)

    """

    second_order = True
    # Of node v, column 2 v competes in the decision above it, and 2 v + 1 in its own.
    _scoring = "decisions"
    _averages = False
    _prior_of_merging = PathSoftmax._prior_of_merging
    _by_numba = None
    _rule_methods = ("rule", "learns")
    learns: Any = PathSoftmax.learns  # of the alternatives of a decision, as of all labels there
    rule: Any = PathSoftmax.rule
    own_weights: property = own_weights
    _slope: Any = PathSoftmax._slope

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        prior_variance: float = 96.0,
        dtype: str = "float64",
        forgetting: float = 1.0,
        intercept: float = 0.1,
    ) -> None:
        super().__init__(taxonomy, dtype, intercept)
        check_positive("prior_variance", prior_variance)
        check_forgetting(forgetting)
        self.prior_variance = prior_variance
        self.forgetting = forgetting

    def _moves(self, x: Mapping[Any, Any], y: Any, w: float) -> Moves:
        """The vectors of decisions on the way to what is known move.

        A decision learns as much as the label is likely to be below its node, by how likely what is
        known is if the label is below each alternative.
        """
        vector, tree, part = self._state.preview(x), self._taxonomy._arrays, type(y) is Part
        decisions: list[Any] = []
        own = path_difference(y.node if part else y, 0, tree)[0]
        if vector.norm2 == 0.0:
            return own, *NOTHING
        scores, unseen = self._vector_scores(vector), self._unseen.difference(own.tolist())
        cuts = y.cuts if part else {0: False}
        ways = sorted({u for v in (cuts if part else [y]) for u in above(tree, v)})
        inside, known = dict[int, bool](), dict[int, float]()
        for v in ways:
            inside[v] = cuts[v] if v in cuts else inside[tree.parents[v][0]]
        at: dict[int, tuple[Any, Floats, Floats]] = {}  # of each decision
        for u in reversed(ways):
            of = self._alternatives(u, tree, unseen)
            if part and not any(c // 2 in known for c in of[1:].tolist()):
                known[u] = 0.0 if inside[u] else -np.inf
                continue
            rest = 0.0 if inside[u] else -np.inf
            logs = np.array([known.get(c // 2, rest) for c in of.tolist()])
            logs[0] = 0.0 if y == u else rest
            at[u] = of, scores[of], logs
            known[u] = np.logaddexp.reduce(at[u][1] + at[u][2]) - np.logaddexp.reduce(at[u][1])
        reached = {0: 1.0}  # P(the label is at or below the node | what is known)
        for u in ways if known[0] > -np.inf else ():
            if u not in at or known[u] == -np.inf:
                continue
            alternatives, score, logs = at[u]
            p, t = softmax(score), softmax(score + logs)  # Eq. (1)
            reached |= {
                c // 2: reached[u] * q
                for c, q in zip(alternatives[1:].tolist(), t[1:], strict=True)
            }
            learns = np.asarray(self.learns(p, p + reached[u] * (t - p)), dtype=bool)
            check_answer(self, "learns", "a bool", learns, t, "vectors")
            moving = np.flatnonzero(learns)
            if len(moving):
                shares = np.eye(len(t), dtype=bool)[moving]
                decisions.append((alternatives[moving], score, logs, shares, w * reached[u]))
        moves = self._most_probable(vector, decisions) if decisions else NOTHING
        if not part and known[0] > -np.inf:
            for u in filter(tree.children_of, ways):
                _, score, logs = at[u]
                if len(score) > 1:  # after the rule, which may raise
                    self._state.temper(score, int(logs.argmax()), w)
        return own, *moves

    def _most_probable(self, vector: Any, decisions: Sequence[Any]) -> Any:
        """The columns that move in some decisions, and the steps to their most probable weights."""
        columns = np.sort(np.concatenate([moving for moving, *_ in decisions]))
        variances = self._state.variances(vector, columns, float(self.forgetting))
        variances = np.minimum(self.prior_variance * variances, MOST_VARIANCE)
        moves = np.zeros((2, len(columns)))
        for moving, score, logs, shares, weight in decisions:
            places = np.searchsorted(columns, moving)
            step = self.rule(score, logs, shares, variances[places], weight)
            for i, (what, of) in enumerate(zip(("a move", "a curvature"), step, strict=True)):
                of = np.asarray(of, dtype=np.float64)
                check_answer(self, "rule", what, of, places, "vectors")
                moves[i, places] = of
        move, h = moves
        confidence = self.prior_variance * h / (1.0 + h * variances)  # Eq. (3)
        return columns, self.prior_variance * move, confidence

    def _edited(self, w: Matrix, s: Matrix = None, *, edit: Edit) -> list[Matrix]:
        """A vector stays with its alternative; those of a node that is moved are a start only.

        Decisions stay as they are unless a node leaves or joins them. A node that joins another one
        starts with the sum of the vectors on the path that it has left, and merged alternatives,
        for each feature, with the weight of the surest; so do the new ancestors of a moved node,
        from their own weights and its. A leaf that is split and its children, which start at 0,
        have equal shares.
        """
        first, nodes, parents = edit._first, edit._nodes, edit.before._arrays.parents
        known, planes = np.flatnonzero(first >= 0), [w.tocsc(), s.tocsc()]
        kept = ones(first[known], known, (len(parents), len(first)))
        kept = sparse.kron(kept, sparse.identity(2), "csc")
        left = {u: sorted(was) for u, was, _ in edit._moves}

        def vector(u: int) -> Any:
            """The weights and the variances of an alternative."""
            along = planes[0][:, [2 * x for x in left.get(u, [u])]]
            return np.asarray(along.sum(axis=1))[:, 0], planes[1][:, [2 * u]].toarray()[:, 0]

        places, among = label_places(edit.before._arrays), dict[int, list[Any]]()
        for v, old in edit._merged.items():
            among[2 * v] = [vector(u) for u in old if v not in nodes[list(parents[u])]]
            own = [[plane[:, [places[u]]].toarray()[:, 0] for plane in planes] for u in old]
            among[2 * v + 1] = own
        for u, _, ancestors in edit._moves:
            if (v := int(nodes[u])) not in edit._merged:
                among[2 * v] = [vector(u)]
            for c in ancestors:
                among.setdefault(2 * c, [vector(int(first[c]))]).append(vector(u))
        columns: list[list[Floats]] = [[], []]
        for of in among.values():
            weights, sure = np.stack(of, axis=-1)
            best = of_the_surest(weights, sure)
            for column, vectors in zip(columns, (weights, sure), strict=True):
                column.append(np.take_along_axis(vectors, best, 1)[:, 0])
        return [
            replaced_columns(plane @ kept, list(among), new)
            for plane, new in zip(planes, columns, strict=True)
        ]

    def _alternatives(self, u: int, tree: Arrays, unseen: Any = ()) -> NDArray[np.intp]:
        """The columns that compete at a node: that of its own label, and of its children."""
        children = [2 * v for v in tree.children_of(u) if v not in unseen]
        return np.array([2 * u + 1, *children], dtype=np.intp)

    def _decisions(
        self, nodes: Iterable[int], tree: Arrays
    ) -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.intp]]]:
        """The inner ones of some nodes, the columns that compete there, and all below them."""
        for u in nodes:
            if tree.children_of(u):
                yield u, self._alternatives(u, tree, self._unseen), self._alternatives(u, tree)

    def _label_scores(self, columns: Floats, tree: Arrays) -> Floats:
        p = np.zeros_like(columns)
        for u, seen, below in self._decisions(range(tree.n), tree):
            slope = self._slope(columns[seen])
            p[below] = (
                p[2 * u] + slope * columns[below] - np.logaddexp.reduce(slope * columns[seen])
            )
            p[below[1:] + 1] = p[below[1:]]
        return p[1 : 2 * tree.n : 2]

    def _best(self, X: Batch) -> NDArray[np.uint32]:
        return self._state.best_paths(Vectors(self._features, X), False, self._first_label)

    def _contributions(
        self, x: Mapping[Any, Any], nodes: Sequence[int]
    ) -> list[list[Contribution]]:
        """The lead of each node over the mean of its alternatives, all along the path.

        What the logarithm of the probability lacks of these sums is the entropy of the decisions.
        """
        tree, columns = self._taxonomy._arrays, self._state.scores(x)
        above = {0, *(u for v in nodes for u in path_difference(v, 0, tree)[0])}
        at = list(self._decisions(above, tree))
        slopes = [self._slope(columns[seen]) for _, seen, _ in at]
        shares = [softmax(k * columns[seen]) for k, (_, seen, _) in zip(slopes, at, strict=True)]

        def leads(other: Mapping[Any, Any]) -> Floats:
            columns, own = self._state.scores(other), np.zeros(tree.n)
            for (u, seen, below), p, slope in zip(at, shares, slopes, strict=True):
                columns[below] = slope * (columns[below] - p @ columns[seen])
                own[u] = columns[below[0]]
            return path_sums(columns[::2], tree) + own

        constant, undecided = leads({}), self._scores_one(x) - leads(x)
        return [
            [*terms, ("intercept", constant[v]), ("undecided", undecided[v])]
            for v, terms in zip(nodes, effects(leads, x, nodes), strict=True)
        ]
