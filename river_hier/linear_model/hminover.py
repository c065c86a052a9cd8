from collections.abc import Mapping
from typing import Any

import numpy as np

from .._core import Batch, LabelRanking, Labels, Vectors
from ..base.answer import SetRows
from ..base.checks import check_positive
from ..base.explanation import Floats
from ..base.linear import NOTHING, LinearLearner, Moves
from ..base.model import MultiLabelModel, ScoredSet
from ..taxonomy import Taxonomy, TaxonomyLike, closure_mask
from ..taxonomy.multilabel import Candidates
from .rankings import Attributes, label_attributes, worst_pair
from .threshold import Threshold


class HMinOver(
    LinearLearner,
    MultiLabelModel,
    compiled=("margin", "_attributes", "_ranked_nodes", "_threshold.a", "_threshold.b"),
):
    """Hierarchical minover perceptron: learns to rank labels jointly, in a tree or a DAG.

    Each node v has a weight vector $w_v$. A label is scored by its own weights and those of all its
    ancestors,

    $$F(x, y) = \\sum_{v \\in anc(y)} t_v \\, w_v \\cdot x,$$

    where $anc(y)$ includes y, so related labels share what is learned. Only *candidates* are
    ranked, by default the leaves. Of all pairs of a relevant candidate y, which is on, and an
    irrelevant one $\\bar y$, the pair with the smallest margin $F(x, y) - F(x, \\bar y)$ counts:
    the lowest relevant and the highest irrelevant candidate. If it is below `margin`, weights move
    where the two have different ancestors, by the number of those nodes,

    $$w_v \\leftarrow w_v \\pm \\Delta(y, \\bar y) \\, t_v \\, x, \\qquad
    \\Delta(y, \\bar y) = |anc(y) \\,\\triangle\\, anc(\\bar y)|,$$

    so that distant confusions are corrected with larger steps.

    `predict_one` switches on the candidates whose scores reach a threshold, and their ancestors. It
    is a linear function of the highest and the mean score, fitted by least squares to the best
    thresholds of the examples so far: those with the fewest candidates on the wrong side.

    A step takes O(features of x * nodes) to score and O(features of x * $\\Delta$) to learn; the
    weights take O(features * nodes) memory. The flat counterpart is `HMinOver(taxonomy.flatten(),
    candidates=taxonomy.leaves)`.

    Parameters
    ----------
    taxonomy
        A tree or a DAG; `None` or an `OpenTaxonomy` takes labels as they arrive.
    dtype
        The type of the stored weights, `"float64"` or `"float32"`.
    intercept
        The value of a constant feature that is added to every x; 0 adds none.
    margin
        The desired margin.
    t
        The attribute $t_v$ of every node, at least 0, or `{label: t_v}`, with 1 for the others.
    candidates
        The labels that are ranked; `None` for the leaves.

    Notes
    -----
    Section 4 of the paper [^1], with the attributes of its section 2, "in a truly online fashion":
    the pair is the worst one of the current example, not of all. Halving $\\Delta$, as the paper's
    experiments do, is the same as doubling `margin`. The paper leaves open how many labels are on.

    An example without a relevant or without an irrelevant candidate has no pair, so only the
    threshold learns from it; with partial paths, make the inner nodes candidates as well, or use
    `taxonomy.MiscLeaves`. A node that is neither a candidate nor above one is never on.

    `predict_proba_one` passes the difference between a candidate's score and the threshold through
    a logistic function, and gives a node the largest probability in its subtree. The probabilities
    are coherent, but not calibrated.

    Examples
    --------
    >>> from river import evaluate
    >>> from river_hier import linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.04, seed=42)
    >>> model = linear_model.HMinOver(stream.taxonomy, candidates=stream.taxonomy.nodes[1:])
    >>> metric = metrics.SymmetricDifferenceLoss(stream.taxonomy)
    >>> multilabels = ((x, {y}) for x, y in stream.take(2000))

    >>> evaluate.progressive_val_score(multilabels, model, metric)
    SymmetricDifferenceLoss: 0.8795

    References
    ----------
    [^1]: Cai and Hofmann, IJCAI 2007. Exploiting known taxonomies in learning overlapping concepts.
    """

    _averages = False
    _learns_parts = False
    _rule_methods = ("rule",)
    _decision_rule = (
        "a candidate is on if its score reaches the threshold, others with one below them"
    )

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        margin: float = 1.0,
        t: Attributes = 1.0,
        candidates: Candidates | None = None,
        dtype: str = "float64",
        intercept: float = 0.0,
    ) -> None:
        super().__init__(taxonomy, dtype, intercept)
        check_positive("margin", margin)
        closed = isinstance(taxonomy, Taxonomy)
        if not closed and (isinstance(t, Mapping) or candidates is not None):
            raise ValueError(
                f"`t` and `candidates` name labels, so they need a taxonomy, got {taxonomy!r}"
            )
        self.margin = margin
        self.t: Attributes = t
        self.candidates: Candidates | None = candidates
        self._threshold = Threshold()
        ranking = label_attributes(self._taxonomy, t, candidates)  # an error if they are invalid
        # For the compiled policy: t, and that of nodes to come; and the candidates, unless leaves.
        self._attributes = np.append(ranking.t, 1.0 if isinstance(t, Mapping) else float(t))
        self._ranked_nodes = None if candidates is None else ranking.candidates.astype(np.uint32)

    _edits = False  # its threshold is one for the scores of all labels

    def _rename(self, labels: Labels) -> None:
        before, now = self._taxonomy, labels.taxonomy.nodes
        if isinstance(self.t, Mapping):
            self.t = {now[before.index(label)]: t for label, t in self.t.items()}
        if self.candidates is not None:
            self.candidates = [now[before.index(label)] for label in self.candidates]
        super()._rename(labels)

    def threshold_one(self, x: Mapping[Any, Any]) -> float:
        """The lowest score at which candidates are switched on."""
        return self._answer(x).ranking().threshold

    def rule(self, margin: float, gamma: int) -> float:
        """The step of the worst pair, $\\Delta(y, \\bar y)$ (Algorithm 2)."""
        return float(gamma) if margin < self.margin else 0.0

    def _moves(self, x: Mapping[Any, Any], y: Any, w: float, below: bool = False) -> Moves:
        mask = closure_mask(self._taxonomy, y)
        on = np.flatnonzero(mask)
        unseen = self._unseen.difference(on.tolist())
        ranking = label_attributes(self._taxonomy, self.t, self.candidates, unseen)
        nodes = ranking.candidates
        scores = ranking.scores(self._vector_scores(self._state.preview(x)))[nodes]
        pair, moves = worst_pair(scores, mask[nodes]), NOTHING
        if pair is not None:
            differing, signs = ranking.difference(int(nodes[pair[0]]), int(nodes[pair[1]]))
            step = self.rule(scores[pair[0]] - scores[pair[1]], len(differing))
            if step > 0.0:
                moves = differing, w * step * signs
        self._threshold.learn(scores, mask[nodes], w)  # after the rule, which may raise
        return on, *moves

    def _answer(self, x: Mapping[Any, Any]) -> Any:
        return RankingAnswer(self, x)

    def _answers(self, X: Batch) -> Any:
        vectors = Vectors(self._features, X)
        rankings = LabelRanking.of_rows(self._state, vectors, self._parameters)
        return SetRows.of(
            self._labels, [RankingAnswer(self, None).but(_ranking=r) for r in rankings]
        )

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        return self._answer(x).scores()


class RankingAnswer(ScoredSet):
    """Compiled code ranks the candidates, by the equations of `LabelAttributes` and `Threshold`."""

    _ranking: LabelRanking | None = None

    def ranking(self) -> LabelRanking:
        if self._ranking is None:
            self._ranking = LabelRanking(self.model._state, self.x, self.model._parameters)
        return self._ranking

    def scores(self) -> Floats:
        return self.ranking().scores

    def own(self) -> list[int]:
        return self.ranking().nodes()

    def p_of_scores(self) -> Floats:
        return self.ranking().marginals() if self.link is None else super().p_of_scores()
