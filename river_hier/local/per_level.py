from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..taxonomy import Label, Taxonomy
from .choice import Place
from .router import RoutingModel

__all__ = ["PerLevel"]


class PerLevel(RoutingModel):
    """A multiclass classifier for every level of the taxonomy.

    The classifier of depth d tells apart all nodes of that depth, and the nodes one level above
    where examples have ended. Left to themselves the levels could contradict each other. So each
    is asked only for what is possible where the level above has led: its probabilities q are
    conditioned on the node u that was reached,

    $$P(v \\mid u) = \\frac{q_d(v)}{\\sum_{v'} q_d(v')},$$

    v' running over the children of u and u itself, for ending there. Answers lie on one path, and
    probabilities are coherent, as those of `PerParent`. A level that knows nothing of u and what
    is below it ends the way at u.

    There are as many classifiers as levels, whatever the number of nodes, and an example is learned
    by those of the levels on its path. Predicting asks each at most once.

    Parameters
    ----------
    classifier
        A multiclass classifier or pipeline, of which each level gets a clone; or a mapping from
        depths to such, where a depth that is not named takes that of the nearest named one above
        it, so depth 1 must be named; or a function from a depth to such.
    taxonomy
        A tree. `None` starts from an open flat taxonomy, to which labels are added under the root
        as they arrive; then there is one level.
        An `OpenTaxonomy` grows along labels that are paths.
    threshold
        The way goes on to the likeliest child only if P(child | parent reached) is at least this,
        or if this function of child and probability says so; else it ends. At 0 nothing stops it.

    Attributes
    ----------
    classifiers
        `{depth: its classifier}`, of those that have learned something.

    Raises
    ------
    ValueError
        If the taxonomy is a DAG, a mapping names a depth that is not in it or lacks depth 1, the
        classifier tells only two classes apart, or the threshold is not a probability; from
        `learn_one`, if the label is unknown.
    TypeError
        If `classifier` is not a classifier, nor gives one, or `taxonomy` is not a Taxonomy.

    Notes
    -----
    In the terms of the survey [^1], a local classifier per level, prone as such to levels that
    contradict each other; the rule against that is ours.

    Labels are checked before anything is learned; what x may be is up to the classifiers. A weight
    `w` reaches those that take one, the others learn as if it were 1.

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
    def _top(self) -> Place:
        return 1

    def _upwards(self, taxonomy: Taxonomy, place: Any) -> Iterable[Place]:
        return range(place, 0, -1)

    def _check_place(self, taxonomy: Taxonomy, place: Place) -> None:
        height = max(taxonomy.height, 1)  # depth 1 must be named, even where it is empty
        if place not in range(1, height + 1):
            raise ValueError(f"`classifier` names depth {place!r}; the taxonomy has 1 to {height}")

    def _is_place(self, taxonomy: Taxonomy, place: Any) -> bool:
        return bool(place <= taxonomy.height)

    def _place(self, taxonomy: Taxonomy, here: Label) -> Place:
        return taxonomy.depth(here) + 1
