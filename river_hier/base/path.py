"""Single-label learners in a tree, whose scores add up along paths."""

import abc
from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._core import (
    Batch,
    LabelProbabilities,
    Vectors,
    best_label,
    path_difference,
    path_sums,
    softmax,
)
from ..taxonomy import Arrays, Edit, Part
from .answer import LabelRows, replaced
from .edited import Matrix, gains, origins, paths, steps
from .explanation import Floats
from .linear import NOTHING, LinearLearner, Moves, pays, score_blocks
from .model import ScoredLabel, SingleLabelModel


class PathLearner(LinearLearner, SingleLabelModel):
    """Base class of single-label learners in a tree, with a weight vector at every node.

    The prototype of a node is the sum of the weight vectors on its path, $W^v = \\sum_{u \\in P(v)}
    w^u$, and the label with the largest score $W^v \\cdot x$ is predicted. A learner is defined by
    its `rival`, the label that the true one must beat, and its `rule`, which determines how far
    their paths move apart. The rest is as in `TopDownLearner`.

    Parameters
    ----------
    taxonomy
        A tree, an `OpenTaxonomy`, or `None` for an open flat taxonomy; a DAG is refused.
    dtype
        The type of the stored weights, `"float64"` or `"float32"`.
    intercept
        The value of a constant feature of every x, whose weights are the intercepts; 0 for none.

    Examples
    --------
    >>> from river import evaluate
    >>> from river_hier import base, metrics
    >>> from river_hier.datasets import synth

    >>> class Perceptron(base.PathLearner):
    ...     def rule(self, margin, gamma, norm2):
    ...         return 1.0

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.04, seed=42)
    >>> metric = metrics.TreeInducedError(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream.take(500), Perceptron(stream.taxonomy), metric)
    TreeInducedError: 0.934
    """

    _by_numba: ClassVar[str | None] = "rival"
    _rule_methods = ("rule", "rival")

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse a `rival` that would never be called."""
        super().__init_subclass__(**kwargs)
        if "rival" not in cls._rule_methods and cls.rival is not PathLearner.rival:
            raise TypeError(
                f"`rival` of {cls.__name__} would not be called, as in `PathSoftmax` all labels "
                "compete with the true one; override `rule`"
            )

    def rival(self, score: Floats, y: int) -> int:
        """The node that y must beat: by default the predicted one.

        Parameters
        ----------
        score
            $W^v \\cdot x$ of every node, (nodes,); -inf for nodes that `adopt` has added and that
            have had no example, unless they are on the path of y.
        y
            The node of the true label.

        Returns
        -------
        A node. If it is y itself, nothing is learned.

        """
        return int(score.argmax())

    @abc.abstractmethod
    def rule(self, margin: float, gamma: float, norm2: float) -> float:
        """How far the paths of y and of its rival move apart along x.

        Parameters
        ----------
        margin
            The score of y minus that of its rival.
        gamma
            The distance of the two in the tree, above 0.
        norm2
            $\\|x\\|^2$, the constant feature included, above 0.

        Returns
        -------
        The step: $w^u \\leftarrow w^u + step \\cdot x$ for the nodes on the path of y alone, with
        minus for those on the rival's alone. Nothing changes unless it is above 0.

        """

    def _moves(self, x: Mapping[Any, Any], y: Any, w: float) -> Moves:
        vector, tree = self._state.preview(x), self._taxonomy._arrays
        scores = self._label_scores(self._vector_scores(vector), tree)
        if type(y) is Part:  # the best of what may be true, or the node above it that is known
            may = np.flatnonzero(y.mask(tree))
            best = int(may[scores[may].argmax()])
            score, scores[may] = scores[best], -np.inf
            y = y.cut_above(tree, best) or best
            scores[y] = score
        return moves_apart(self, scores, y, vector.norm2, w)

    def _edited(self, w: Matrix, s: Matrix = None, *, edit: Edit) -> list[Matrix]:
        """Prototypes stay: a moved node takes the difference of its ancestors into its weights.

        With $W^v = \\sum_{u \\in P(v)} w^u$ before the edit, weights after it are the differences
        $W^v - W^p$ to the parent p, so that no score changes. Merged nodes share one prototype.
        """
        along, difference = paths(edit.before._arrays), steps(edit.after._arrays)
        kept = along[:, origins(edit)] @ difference
        kept.eliminate_zeros()
        (more,) = gains(w, s, edit, along)
        return [w @ kept + more @ difference]

    def _answer(self, x: Mapping[Any, Any]) -> Any:
        return PathAnswer(self, x)

    def _answers(self, X: Batch) -> Any:
        def p() -> Floats:
            return softmax(self._tempered(rows.rivals())).T

        rows = LabelRows(self._labels, lambda: self._scores_many(X), p, lambda: self._best(X))
        return rows.but(first=self._first_label, never=self._never_predicted)

    def _best(self, X: Batch) -> NDArray[np.uint32]:
        """The node of each row with the largest score."""
        if pays(self, X):
            never, tree = self._never_predicted, self._taxonomy._arrays
            blocks = (self._label_scores(s, tree) for s in score_blocks(self, X))
            best = [replaced(scores, never, -np.inf).argmax(axis=0) for scores in blocks]
            return np.concatenate(best).astype(np.uint32)
        vectors = Vectors(self._features, X)
        return self._state.best_paths(vectors, self._averaged, self._first_label)

    def _label_scores(self, columns: Floats, tree: Arrays) -> Floats:
        """The score of every label, (nodes, ...), from those of the weight vectors, in place."""
        return path_sums(columns[: tree.n], tree, in_place=True)

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        return self._scale * self._state.path_scores(x, self._averaged)

    def _scores_many(self, X: Batch) -> Floats:
        tree = self._taxonomy._arrays  # first: another thread may add nodes
        return self._scale * self._label_scores(super()._scores_many(X), tree)

    def _tempered(self, scores: Floats) -> Floats:
        """The scores whose softmax is the probabilities, (nodes, rows)."""
        return scores


class PathAnswer(ScoredLabel):
    """Compiled code computes what is asked for."""

    def p(self) -> Any:
        """By the model's temperature, or two slopes and the share of the flat softmax."""
        if self._p is None:
            m, link = self.model, self.link
            sharp, flat, share = (1.0, 0.0, 0.0) if link is None else link.slopes
            mixture = m._scale * sharp, m._scale * flat, share, link is None
            self._p = LabelProbabilities(m._state, self.x, m._averaged, m._first_label, *mixture)
        return self._p

    def own(self) -> int | None:
        if self._p is None:
            return self.model._state.best_node(self.x, self.model._averaged, self.first)
        best = best_label(self.labels, self._p)  # which reads x, by the same scores
        return None if self.silent else best

    def prediction(self) -> Any:
        m = self.model
        if self.rule is not None or self._p is not None:
            return super().prediction()
        return m._state.best_path(self.x, m._averaged, m._first_label)


def moves_apart(model: Any, scores: Floats, y: int, norm2: float, w: float) -> Moves:
    """The path of y; and the nodes that its rule moves, with their steps times the weight."""
    tree = model._taxonomy._arrays
    own = path_difference(y, 0, tree)[0]
    scores[[v for v in model._labels.unseen if v not in own]] = -np.inf
    rival = int(model.rival(scores, y))
    if not 0 <= rival < tree.n:
        raise ValueError(
            f"`rival` of {type(model).__name__} must return a node, 0 to {tree.n - 1}, got {rival}"
        )
    nodes, signs = path_difference(y, rival, tree)
    step = 0.0
    if len(nodes) and norm2 != 0.0:
        step = model.rule(scores[y] - scores[rival], float(len(nodes)), norm2)
        if not isinstance(step, Real | np.bool_):
            raise TypeError(f"`rule` of {type(model).__name__} must return a number, got {step!r}")
    if not step > 0.0:
        return own, *NOTHING
    with np.errstate(over="ignore"):  # steps have a limit
        return own, nodes, w * step * signs
