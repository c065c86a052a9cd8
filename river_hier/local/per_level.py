from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..taxonomy import Label, Taxonomy
from .model import Position
from .routing import RoutingModel


class PerLevel(RoutingModel):
    """A multiclass classifier for each level of the taxonomy.

    The classes of the classifier at depth d are the nodes of that depth, and the nodes one level
    above at which examples have ended. On their own, the levels could contradict each other. So the
    probabilities q of a level are conditioned on the node u that the level above has reached,

    $$P(v \\mid u) = \\frac{q_d(v)}{\\sum_{v'} q_d(v')},$$

    where v' runs over the children of u and u itself, for ending there. Predictions lie on one
    path, and probabilities are coherent, as those of `PerParent`. If a level has no probability for
    u and its children, the path ends at u.

    There are as many classifiers as levels, whatever the number of nodes. An example is learned by
    the classifiers of the levels on its path. Predicting evaluates each at most once.

    Parameters
    ----------
    classifier
        A multiclass classifier or pipeline, cloned for each level; or a mapping from depths to
        classifiers, in which a depth that is not named takes that of the nearest named one above
        it, so depth 1 must be named; or a function from depths to classifiers.
    taxonomy
        A tree. `None` starts from an open flat taxonomy, to which labels are added below the root
        as they arrive; then there is one level. An `OpenTaxonomy` grows along labels that are
        paths.
    threshold
        The path continues to the most probable child only if P(child | parent reached) is at least
        this, or if this function of child and probability returns True. With 0 it always does.

    Attributes
    ----------
    classifiers
        `{depth: classifier}`, for the classifiers that have learned.

    Raises
    ------
    ValueError
        If the taxonomy is a DAG, a mapping names a depth that is not in it or lacks depth 1, the
        classifier is not multiclass, or the threshold is not a probability; from `learn_one`, if
        the label is unknown.
    TypeError
        If `classifier` is not a classifier and yields none, or `taxonomy` is not a Taxonomy.

    Notes
    -----
    A local classifier per level in the terms of the survey [^1], which notes that the levels may
    contradict each other. The conditioning that prevents it is ours.

    Labels are checked before anything is learned; the classifiers decide which x they accept. A
    weight `w` is passed on to the classifiers; if one takes none, only the weight 1 is accepted.

    Examples
    --------

    >>> from river import evaluate
    >>> from river import linear_model as river_linear_model
    >>> from river_hier import local, metrics
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=2, noise=0.09, seed=42)
    >>> model = local.PerLevel(river_linear_model.SoftmaxRegression(), stream.taxonomy)
    >>> metric = metrics.TreeInducedError(stream.taxonomy)

    >>> evaluate.progressive_val_score(stream.take(1000), model, metric)
    TreeInducedError: 0.601

    >>> list(model.classifiers)
    [1, 2]

    References
    ----------
    [^1]: [Silla, C.N. and Freitas, A.A., 2011. A survey of hierarchical classification across
        different application domains. Data Mining and Knowledge Discovery, 22, pp. 31-72.](
        https://doi.org/10.1007/s10618-010-0175-9)

    """

    @property
    def _top(self) -> Position:
        return 1

    def _lineage(self, taxonomy: Taxonomy, position: Any) -> Iterable[Position]:
        return range(position, 0, -1)

    def _check_position(self, taxonomy: Taxonomy, position: Position) -> None:
        height = max(taxonomy.height, 1)  # depth 1 must be named, even if the taxonomy is empty
        if position not in range(1, height + 1):
            raise ValueError(
                f"`classifier` names depth {position!r}; the taxonomy has 1 to {height}"
            )

    def _position_below(self, taxonomy: Taxonomy, node: Label) -> Position:
        return taxonomy.depth(node) + 1
