"""Multilabel learners with a weight vector at every node, each trained independently."""

import abc
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._core import Batch, NodeProbabilities, Vectors, top_down, trained_nodes
from ..taxonomy import Edit, Evidence, closure_mask
from .answer import Mask, SetRows
from .checks import check_answer
from .edited import Matrix, gains, ones
from .explanation import Floats
from .linear import LinearLearner, Moves, pays, score_blocks
from .model import MultiLabelModel, ScoredSet
from .targets import unknown_nodes


class TopDownLearner(LinearLearner, MultiLabelModel):
    """Base class of multilabel learners with a weight vector at every node.

    A learner is defined by its `rule`: a node is trained only on examples whose parents are truly
    on, and predicted to be on if its parents are and its score $w \\cdot x$ is at least 0.
    Mini-batches, open taxonomies, `adopt` and `forget`, truncated predictions, explanations,
    pickles, averages and calibration work without further code.

    Parameters
    ----------
    taxonomy
        A tree or a DAG, an `OpenTaxonomy`, or `None` for an open flat taxonomy.
    dtype
        The type of the stored weights, `"float64"` or `"float32"`.
    intercept
        The value of a constant feature of every x, whose weights are the intercepts; 0 for none.

    Examples
    --------
    >>> from river import evaluate
    >>> from river_hier import Taxonomy, base, metrics
    >>> from river_hier.datasets import synth

    >>> class Perceptron(base.TopDownLearner):
    ...     def rule(self, score, y, norm2):
    ...         return y * ((score >= 0) != (y > 0))

    >>> t = Taxonomy([("all", "news"), ("news", "sport"), ("news", "politics")])
    >>> stream = synth.PrototypePaths(t, seed=42)
    >>> evaluate.progressive_val_score(stream.take(500), Perceptron(t), metrics.HLoss(t))
    HLoss: 0.07
    """

    _by_numba: ClassVar[str | None] = "learns"
    _rule_methods = ("rule", "learns", "second_order")

    @abc.abstractmethod
    def rule(self, score: Floats, y: Floats, norm2: float, variance: Floats = ...) -> Any:
        """How far the weights of nodes move along x.

        Parameters
        ----------
        score
            $w \\cdot x$ of each node that is trained, (nodes,).
        y
            +1 where the node is truly on, -1 where it is off, (nodes,).
        norm2
            $\\|x\\|^2$, the constant feature included, above 0.
        variance
            $x^\\top \\Sigma x$ of each node; only a rule of `second_order` takes it.

        Returns
        -------
        The step of each node, (nodes,): $w \\leftarrow w + step \\cdot x$, 0 for nodes that do not
        move. A rule of `second_order` returns a step and a confidence for each node:
        $w \\leftarrow w + step \\cdot \\Sigma x$, $\\Sigma \\leftarrow \\Sigma - confidence \\cdot
        (\\Sigma x)^2$ on the diagonal.

        """

    def learns(self, score: Floats, y: Floats) -> NDArray[np.bool_]:
        """The nodes to which the rule is applied: by default all trained nodes.

        Parameters
        ----------
        score
            $w \\cdot x$ of each node that is trained.
        y
            +1 where the node is truly on, -1 where it is off.

        Returns
        -------
        A mask, (nodes,). A second-order learner leaves nodes as they are by this mask.

        """
        return np.ones(len(score), dtype=bool)

    def _moves(self, x: Mapping[Any, Any], y: Any, w: float) -> Moves:
        """What the nodes learn whose parents are truly on.

        The weight of the example multiplies the step or, with variances, the precision it adds.
        """
        taxonomy = self._taxonomy
        unknown = unknown_nodes(taxonomy, y) if isinstance(y, Evidence) else ()
        y = y.label if isinstance(y, Evidence) else y
        mask, vector = closure_mask(taxonomy, y), self._state.preview(x)
        nodes, on = trained_nodes(mask, taxonomy._arrays).astype(np.intp), np.flatnonzero(mask)
        nodes = np.setdiff1d(nodes, np.array(sorted(unknown), dtype=np.intp))
        signs, scores = np.where(mask[nodes], 1.0, -1.0), self._vector_scores(vector)[nodes]
        learns = np.zeros(len(nodes), dtype=bool)
        if vector.norm2 != 0.0:
            learns = np.asarray(self.learns(scores, signs), dtype=bool)
            check_answer(self, "learns", "a bool", learns, nodes)
        nodes, signs, scores = nodes[learns], signs[learns], scores[learns]
        if not len(nodes):
            return on, nodes, scores
        if not self.second_order:
            steps = np.asarray(self.rule(scores, signs, vector.norm2), dtype=np.float64)
            self._check_steps(steps, nodes)
            with np.errstate(over="ignore"):  # steps have a limit
                return on, nodes[steps != 0.0], w * steps[steps != 0.0]
        variances = self._state.variances(vector, nodes, float(self.forgetting))
        moves = self.rule(scores, signs, vector.norm2, variances)
        steps, confidence = (np.asarray(move, dtype=np.float64) for move in moves)
        self._check_steps(steps, nodes)
        check_answer(self, "rule", "a confidence", confidence, nodes)
        known = variances * confidence  # at most 1, up to rounding
        factor: Any = 1.0
        if w != 1.0:
            factor = w / (np.maximum(1.0 - known, 0.0) + w * known)
        with np.errstate(over="ignore"):  # steps have a limit
            return on, nodes, factor * steps, factor * confidence

    def _edited(self, w: Matrix, s: Matrix = None, *, edit: Edit) -> list[Matrix]:
        """Each node keeps its weights, which say whether it is on, given that its parents are.

        The weights of the new ancestors of a node that is moved were not learned from its examples,
        nor its own from theirs: their variances begin anew.
        """
        n, first = len(edit.before), edit._first
        known = np.flatnonzero(first >= 0)
        kept, own = ones(first[known], known, (n, len(first))), sparse.identity(n, format="csc")
        planes = [w] if s is None else [w, s]
        more = gains(w, s, edit, own)
        planes = [plane @ kept + gained for plane, gained in zip(planes, more, strict=True)]
        if s is not None:
            anew = {v for u, _, above in edit._moves for v in (edit._nodes[u], *above)}
            planes[1] @= sparse.diags(1.0 * ~np.isin(np.arange(len(first)), list(anew)))
        return planes

    def _check_steps(self, steps: Floats, nodes: NDArray[np.intp]) -> None:
        check_answer(self, "rule", "a step", steps, nodes)
        if np.isnan(steps).any():
            raise ValueError(f"`rule` of {type(self).__name__} must return numbers, got {steps}")

    def _answer(self, x: Mapping[Any, Any]) -> Any:
        return TopDownAnswer(self, x)

    def _masks(self, X: Batch, rows: SetRows) -> Mask:
        if pays(self, X):
            arrays = rows.taxonomy._arrays
            blocks = score_blocks(self, X)
            return np.concatenate([top_down(s[: arrays.n] >= 0.0, arrays).T for s in blocks])
        return self._state.top_down_many(Vectors(self._features, X), self._averaged)


class TopDownAnswer(ScoredSet):
    """Compiled code scores the nodes that are asked for."""

    def given(self) -> Any:
        m = self.model
        return NodeProbabilities(m._state, self.x, m._averaged, self.link, True)

    def p(self) -> Any:
        m = self.model
        return NodeProbabilities(m._state, self.x, m._averaged, self.link, False)

    def own(self) -> list[int]:
        if self.link is not None:
            return super().own()
        return self.model._state.top_down(self.x, self.model._averaged)
