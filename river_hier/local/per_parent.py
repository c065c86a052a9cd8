from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..taxonomy import Label, Taxonomy
from .choice import Place
from .router import RoutingModel

__all__ = ["PerParent"]


class PerParent(RoutingModel):
    """A multiclass classifier at every inner node, which sends an example on to a child.

    This is what the papers call *greedy*. Where labels may be inner nodes, ending there is one more
    class of the node's classifier, so that

    $$P(v) = P(v \\text{ is next} \\mid \\text{parent reached}) \\, P(\\text{parent reached}).$$

    Where all labels are leaves, no example has ever ended above, and every answer is a leaf, unless
    `threshold` asks for more confidence. A classifier that has learned nothing sends nothing on, so
    the very first prediction is the root.

    An example is learned by the classifiers on its path, and by no other: a new label touches its
    branch only. Learning and predicting ask at most one classifier a level; `predict_proba_one`
    asks those of all inner nodes that can be reached.

    Parameters
    ----------
    classifier
        A multiclass classifier or pipeline, of which each inner node gets a clone; or a mapping
        from inner nodes to such, where a node that is not named takes that of the nearest named one
        above it, so the root must be named; or a function from an inner node to such.
    taxonomy
        A tree. `None` starts from an open flat taxonomy, to which labels are added under the root
        as they arrive; then there is one classifier, the root's.
        An `OpenTaxonomy` grows along labels that are paths.
    threshold
        The way goes on to the likeliest child only if P(child | parent reached) is at least this,
        or if this function of child and probability says so; else it ends. At 0 nothing stops it.

    Attributes
    ----------
    classifiers
        `{inner node: its classifier}`, of those that have learned something.

    Raises
    ------
    ValueError
        If the taxonomy is a DAG, a mapping names a leaf or an unknown node or lacks the root, the
        classifier
        tells only two classes apart, or the threshold is not a probability; from `learn_one`, if
        the label is unknown.
    TypeError
        If `classifier` is not a classifier, nor gives one, or `taxonomy` is not a Taxonomy.

    Notes
    -----
    The comparator "greedy" of [^1], section 5, with any classifier in place of its flat Hieron, and
    with the choice to end at an inner node, which the paper leaves out: there an inner label is
    always an error. Probabilities are the classifiers' own, kept to the nodes that can be next and
    normalised; a classifier without any is taken to be sure of its answer.

    Labels are checked before anything is learned; what x may be is up to the classifiers. A weight
    `w` reaches those that take one, the others learn as if it were 1.

    Examples
    --------

    >>> from river import drift, evaluate, naive_bayes, tree
    >>> from river_hier import local, metrics
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=2, noise=0.09, seed=42)
    >>> model = local.PerParent(naive_bayes.GaussianNB(), stream.taxonomy)
    >>> metric = metrics.TreeInducedError(stream.taxonomy)

    >>> evaluate.progressive_val_score(stream.take(1000), model, metric)
    TreeInducedError: 0.242

    Another classifier below one of the nodes, which starts anew when its errors pile up, and
    answers that stop where the model is in doubt:

    >>> forgetful = drift.DriftRetrainingClassifier(tree.HoeffdingTreeClassifier())
    >>> mixed = {"root": naive_bayes.GaussianNB(), "3": forgetful}
    >>> model = local.PerParent(mixed, stream.taxonomy, threshold=0.9)
    >>> metric = metrics.HPrecision(stream.taxonomy) + metrics.HRecall(stream.taxonomy)

    >>> evaluate.progressive_val_score(stream.take(1000), model, metric)
    HPrecision: 96.90%
    HRecall: 82.83%

    References
    ----------
    [^1]: [Dekel, O., Keshet, J. and Singer, Y., 2004. Large margin hierarchical classification. In
        Proceedings of the 21st International Conference on Machine Learning, p. 27.](
        https://doi.org/10.1145/1015330.1015374)

    """

    @property
    def _top(self) -> Place:
        return self._taxonomy.root

    def _upwards(self, taxonomy: Taxonomy, place: Place) -> Iterable[Place]:
        return reversed(taxonomy.path(place))

    def _check_place(self, taxonomy: Taxonomy, place: Place) -> None:
        if not taxonomy.children(place) and place != taxonomy.root:
            raise ValueError(
                f"`classifier` names {place!r}, a leaf: from there nothing is sent on; "
                f"its parent is {taxonomy.parent(place)!r}"
            )

    def _is_place(self, taxonomy: Taxonomy, place: Any) -> bool:
        return place in taxonomy and bool(taxonomy.children(place))

    def _place(self, taxonomy: Taxonomy, here: Label) -> Place:
        return here
