import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import entr

from .._core import distances_to, path_difference, path_sums, softmax, subtree_sums
from ..base.checks import check, check_answer, check_forgetting, check_positive, number
from ..base.edited import (
    Matrix,
    gains,
    kept_pairs,
    label_places,
    ones,
    origins,
    pairs,
    paths,
    stacked,
    steps,
)
from ..base.explanation import Floats, named
from ..base.linear import NOTHING, Moves
from ..base.path import PathLearner
from ..taxonomy import Arrays, Edit, Label, Part, TaxonomyLike


def _own_weights(model: Any) -> dict[Label, dict[Any, float]]:
    """The weight vector of each label alone, $o_v$: `{label: {feature: weight}}`."""
    labels = model._taxonomy.nodes
    columns = range(1, 2 * len(labels), 2)
    return named(model, labels, (model._scale * model._state.column(v) for v in columns))


own_weights: property = property(_own_weights)
MOST_VARIANCE = 1e300  # of a score, so that no product overflows


class PathSoftmax(PathLearner, compiled=("prior_variance", "forgetting", "margin")):
    """Softmax regression in a tree, learned by second-order steps in one pass.

    Each node u on the path of a label v, except for the root, has a vector $w_u$ that the labels of
    its subtree share, and each inner node has a vector $o_v$ for itself as a label. All nodes are
    labels, the root included, and their probabilities are the softmax of their scores:

    $$s_v = o_v \\cdot x + \\sum_{u \\in P(v)} w_u \\cdot x, \\tag{1}$$

    $$p_v = \\frac{e^{s_v}}{\\sum_z e^{s_z}}. \\tag{2}$$

    The weights are independent normal variables, at first with mean 0 and variance
    `prior_variance`. For each example they move to the most probable weights given the example, and
    their variances shrink according to the curvature there. Let $P_u$ be the probability of the
    labels that share $w_u$ (for $o_v$, that of v alone), $t_u$ be 1 if the true label is among them
    and 0 otherwise, and $\\Sigma_u$ the diagonal matrix of the variances. Then

    $$w_u \\leftarrow w_u + (t_u - P_u) \\, \\Sigma_u x, \\qquad \\Sigma_u \\leftarrow \\Sigma_u -
    \\frac{h_u (\\Sigma_u x)^2}{1 + h_u \\, x^\\top \\Sigma_u x}, \\tag{3}$$

    $$h_u = P_u (1 - P_u), \\tag{4}$$

    where $P_u$ is the probability *after* the step, computed by at most 30 damped Newton steps,
    whose time does not depend on the number of features. One example of norm 1 in a hundred is then
    still wrong by more than the tolerance of 0.01, and more if x is much larger. A vector does not
    move if its probability is wrong by less than 0.01.

    With a `margin` m, the probabilities of a step, though not of predictions, are those of scores

    $$s_v + m \\, d(y, v), \\tag{5}$$

    where d counts the edges between the true label y and v: far labels must lose by more
    (softmax-margin [^3]). Where features are many, as those of texts, one pass then makes fewer and
    smaller mistakes; where they are few and labels overlap, probabilities become worse.

    Before probabilities are predicted, scores are multiplied by

    $$e^a (1 + H)^b, \\tag{6}$$

    but by at least $e^{-3}$ and at most $e^3$, where H is the entropy of Eq. (2): examples that the
    model is unsure of have another temperature than clear ones, as in [^4]. Before each step, a and
    b make a Newton step on the log loss of the latest thousand examples. This changes neither
    weights nor labels, only `predict_proba_one` and what is decided by it.

    A step takes O(features of x * nodes) to score and O(features of x * vectors that move) to
    learn; weights and variances take O(features * nodes) memory. The flat counterpart is
    `PathSoftmax(taxonomy.flatten())`, softmax regression. Merged models of 8 parts of a stream make
    8 % more mistakes than one model (`distributed`): learn it in one process.

    Parameters
    ----------
    taxonomy
        A tree; `None` or an `OpenTaxonomy` takes labels as they arrive.
    dtype
        The type of the stored weights, `"float64"` or `"float32"`.
    prior_variance
        The variance of each weight before the first step. The default is for x of norm 1; for
        features of another scale, divide it by the mean of $\\|x\\|^2$, or normalise x.
    forgetting
        The factor f of `HAROW`; 1 forgets nothing.
    intercept
        The value of a constant feature that is added to every x; 0 adds none. The default is small
        compared with an x of norm 1.
    margin
        By how much scores must differ for each edge between two labels; 1 suits texts.

    Notes
    -----
    Each step is a Laplace approximation of the posterior with a diagonal covariance, as in online
    Bayesian logistic regression [^1] [^2]; `HAROW` does the same for the hinge loss. The weight of
    an example multiplies its log-likelihood. "Hierarchical softmax" usually means a product of
    decisions along a path; here a single softmax compares all labels.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.04, seed=42)
    >>> model = linear_model.PathSoftmax(stream.taxonomy)
    >>> metric = metrics.TreeInducedError(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metric)
    TreeInducedError: 0.184

    References
    ----------
    [^1]: [Spiegelhalter and Lauritzen, 1990. Sequential updating of conditional probabilities on
        directed graphical structures. Networks 20(5).](https://doi.org/10.1002/net.3230200507)
    [^2]: [MacKay, D. J. C., 1992. The evidence framework applied to classification networks. Neural
        Computation, 4(5), pp. 720-736.](https://doi.org/10.1162/neco.1992.4.5.720)
    [^3]: [Gimpel, K. and Smith, N. A., 2010. Softmax-margin CRFs: training log-linear models with
        cost functions. NAACL HLT, pp. 733-736.](https://aclanthology.org/N10-1112/)
    [^4]: [Balanya, Maronas and Ramos, 2024. Adaptive temperature scaling for robust calibration of
        deep neural networks. Neural Computing and Applications.](https://arxiv.org/abs/2208.00461)

    """

    second_order = True
    _scoring = "softmax"  # column 2 v is shared by the subtree of node v, and 2 v + 1 its own
    _averages = False
    margin: float = 0.0  # of models that were saved before there was this parameter
    # Where a softmax is wrong it moves far and gains little: in 8 parts of 100,000 documents 0.1
    # and 0.3 made fewer mistakes than 1.
    _prior_of_merging = 0.3
    _by_numba = None
    _rule_methods = ("rule", "learns")

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        prior_variance: float = 32.0,
        dtype: str = "float64",
        forgetting: float = 1.0,
        intercept: float = 0.1,
        margin: float = 0.0,
    ) -> None:
        super().__init__(taxonomy, dtype, intercept)
        check_positive("prior_variance", prior_variance)
        check_forgetting(forgetting)
        check(0.0 <= number(margin) < math.inf, "margin", margin, "finite and at least 0")
        self.prior_variance = prior_variance
        self.forgetting = forgetting
        self.margin = margin

    def learns(self, p: Floats, t: Floats) -> NDArray[np.bool_]:
        """The vectors that move, where their probability $P_u$ is not yet $t_u$."""
        return np.abs(t - p) >= 0.01

    def rule(
        self, score: Floats, known: Floats, shares: NDArray[np.bool_], variance: Floats, w: float
    ) -> tuple[Floats, Floats]:
        """The most probable moves, Eq. (3) and (4), by damped Newton steps.

        Parameters
        ----------
        score
            The score of every label, (nodes,).
        known
            The logarithm of how likely what is known is if each label is the true one, (nodes,): 0
            for the true label and -inf for the others.
        shares
            Which labels share each of the vectors that move, (vectors, nodes).
        variance
            $x^\\top \\Sigma_u x$ of each vector, (vectors,).
        w
            The weight of the example, by which the gaps and the curvatures are multiplied.

        Returns
        -------
        $t_u - P_u$ and $h_u$ of each vector.

        """
        _, kinds = np.unique(shares, axis=1, return_inverse=True)
        alike = np.isin(
            kinds, kinds[known > -np.inf]
        )  # in the same vectors as one that is possible
        gap = np.logaddexp.reduce(score) - np.logaddexp.reduce(score[alike])
        most = (gap + np.log1p(w * variance)) / variance  # where y is as good as certain
        move, last, rate = np.zeros(len(shares)), np.zeros(len(shares)), np.ones(len(shares))
        h = move
        for _ in range(30):
            moved = score + (move * variance) @ shares
            p, t = (shares @ np.array([softmax(moved), softmax(moved + known)]).T).T.clip(max=1.0)
            h = w * np.maximum(p * (1.0 - p) - t * (1.0 - t), 0.0)  # Eq. (4)
            rest = w * (t - p) - move  # Eq. (3): 0 at the most probable move
            if (np.abs(rest) < 0.01 * w).all():
                break
            rate[rest * last < 0.0] /= 2.0  # the last step went too far
            last = rest
            move = (move + rate * rest / (1.0 + h * variance)).clip(-most, most)
        return move, h

    def _moves(self, x: Mapping[Any, Any], y: Any, w: float) -> Moves:
        """The vectors whose probabilities are wrong move to the most probable weights.

        If the label may be one of several, vectors that set apart such labels side by side stay.
        """
        vector, tree, part = self._state.preview(x), self._taxonomy._arrays, type(y) is Part
        own = path_difference(y.node if part else y, 0, tree)[0]
        seen = np.ones(tree.n, dtype=bool)
        seen[list(self._unseen)] = False
        seen[own] = True
        may = y.mask(tree) & seen if part else np.arange(tree.n) == y
        if vector.norm2 == 0.0 or not may.any():
            return own, *NOTHING
        score = self._scale * self._label_scores(self._vector_scores(vector), tree)  # Eq. (1)
        score[~seen] = -np.inf
        rivals = score + self.margin * distances_to(may, tree)  # Eq. (5)
        known = np.where(may, 0.0, -np.inf)
        p, t = np.empty((2, 2, tree.n))
        for shares, scores in ((p, rivals), (t, rivals + known)):  # before and after what is known
            shares[1] = softmax(scores)  # Eq. (2), of labels alone, and of subtrees
            shares[0] = subtree_sums(shares[1], tree)
        learns = np.asarray(self.learns(p, t), dtype=bool)
        check_answer(self, "learns", "a bool", learns, t, "vectors")
        learns[0, 0] = False  # all labels lie below the root
        learns[1, np.setdiff1d(np.arange(tree.n), tree.parent_index[seen[1:]])] = False
        if part:
            learns[1, may] = False
            learns[0, 1:] &= ~(may[1:] & may[tree.parent_index])
        columns = np.flatnonzero(learns.T)
        moves = self._most_probable(vector, columns, rivals, known, w) if len(columns) else NOTHING
        if not part:
            self._state.temper(score, y, w)  # after the rule, which may raise
        return own, *moves

    def _most_probable(
        self, vector: Any, columns: NDArray[np.intp], score: Floats, known: Floats, w: float
    ) -> Moves:
        """These columns, and the steps to their most probable weights."""
        tree = self._taxonomy._arrays
        shares = np.zeros((len(columns), tree.n))
        shares[np.arange(len(columns)), columns // 2] = 1.0
        below = columns % 2 == 0
        shares[below] = path_sums(shares[below].T, tree).T
        variances = self._state.variances(vector, columns, float(self.forgetting))
        variances = np.minimum(self.prior_variance * variances, MOST_VARIANCE)
        step = self.rule(score, known, shares > 0.0, variances, w)
        move, h = (np.asarray(part, dtype=np.float64) for part in step)
        check_answer(self, "rule", "a move", move, columns, "vectors")
        check_answer(self, "rule", "a curvature", h, columns, "vectors")
        confidence = self.prior_variance * h / (1.0 + h * variances)  # Eq. (3)
        return columns, self._scale * move, confidence

    def _edited(self, w: Matrix, s: Matrix = None, *, edit: Edit) -> list[Matrix]:
        """No score of a label changes but those of merged and of split ones.

        As in `PathLearner`, with $o_v$ for what a label has beyond the prototype of its subtree: it
        goes to $w_v$ if v loses its children. The sum of the parts of a merged label, $\\log \\sum
        e^{s_v}$, is not linear; for each feature it starts with the weight of the part that is
        surest of it. A leaf that is split into k children loses $\\log(k + 1)$, by its intercept,
        as they and the node itself have equal shares.
        """
        before, after = edit.before._arrays, edit.after._arrays
        origin, known, was = origins(edit), edit._first >= 0, label_places(before)
        each = ones(range(before.n), range(before.n), (before.n, before.n))
        shared, own = stacked(paths(before), 0 * each), stacked(0 * each, each)
        inner = label_places(after) % 2 == 1
        to_leaf, to_own = sparse.diags(1.0 * (known & ~inner)), sparse.diags(1.0 * (known & inner))
        top = (shared[:, origin] + own[:, origin] @ to_leaf) @ steps(after)
        kept = pairs(top, own[:, origin] @ to_own)
        kept.eliminate_zeros()
        more, surer = gains(w, s[:, was], edit, shared + own)
        w = (w @ kept + pairs(more @ to_leaf, more @ to_own)).tolil()
        for v, k in Counter(after.parent_index[edit._split - 1].tolist()).items():
            if self.intercept:
                w[0, 2 * v] -= math.log(k + 1) / (self._scale * self.intercept)
        return [w.tocsr(), s @ kept_pairs(edit) + pairs(surer @ to_leaf, surer @ to_own)]

    own_weights: property = own_weights

    @property
    def _scale(self) -> float:
        return math.sqrt(self.prior_variance)  # weights are stored for a variance of 1

    def _slope(self, scores: Floats) -> Floats:
        """The factor of the scores of alternatives."""
        a, b = self._state.learned[:2]
        entropy = entr(softmax(scores)).sum(axis=0)
        slope: Floats = np.exp(np.clip(a + b * np.log1p(entropy), -3.0, 3.0))  # Eq. (6)
        return slope

    def _tempered(self, scores: Floats) -> Floats:
        return scores * self._slope(scores)

    def _label_scores(self, columns: Floats, tree: Arrays) -> Floats:
        columns = columns[: 2 * tree.n]
        return path_sums(columns[::2], tree) + columns[1::2]  # Eq. (1)
