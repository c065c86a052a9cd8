from __future__ import annotations

from collections.abc import Iterable

from ..taxonomy import Label, Taxonomy, UnknownLabelError
from .model import Position
from .routing import RoutingModel


class PerParent(RoutingModel):
    """A multiclass classifier at each inner node, which routes an example to one of the children.

    The papers call this *greedy*. If labels may be inner nodes, ending at a node is one more class
    of its classifier, so that

    $$P(v) = P(v \\text{ is next} \\mid \\text{parent reached}) \\, P(\\text{parent reached}).$$

    If all labels are leaves, no example ends at an inner node, and each prediction is a leaf unless
    `threshold` requires more confidence. At a node whose classifier has learned nothing the path
    ends, so the very first prediction is the root.

    An example is learned only by the classifiers on its path: a new label affects only its branch.
    Learning and predicting use at most one classifier per level; `predict_proba_one` uses those of
    all inner nodes that can be reached.

    Parameters
    ----------
    classifier
        A multiclass classifier or pipeline, cloned for each inner node; or a mapping from inner
        nodes to classifiers, in which a node that is not named takes that of its nearest named
        ancestor, so the root must be named; or a function from inner nodes to classifiers.
    taxonomy
        A tree. `None` starts from an open flat taxonomy, to which labels are added below the root
        as they arrive; then there is one classifier, the root's. An `OpenTaxonomy` grows along
        labels that are paths.
    threshold
        The path continues to the most probable child only if P(child | parent reached) is at least
        this, or if this function of child and probability returns True. With 0 it always does.

    Attributes
    ----------
    classifiers
        `{inner node: classifier}`, for the classifiers that have learned.

    Raises
    ------
    ValueError
        If the taxonomy is a DAG, a mapping names a leaf or an unknown node or lacks the root, the
        classifier is not multiclass, or the threshold is not a probability; from `learn_one`, if
        the label is unknown.
    TypeError
        If `classifier` is not a classifier and yields none, or `taxonomy` is not a Taxonomy.

    Notes
    -----
    The baseline "greedy" of [^1], section 5, with any classifier in place of its flat Hieron, and
    with the option of ending at an inner node. The paper has no such option: inner labels are
    always mistakes there. The classifiers' probabilities are restricted to the nodes that can be
    next, and normalised; without `predict_proba_one`, a prediction has probability 1.

    Labels are checked before anything is learned; the classifiers decide which x they accept. A
    weight `w` is passed on to the classifiers; if one takes none, only the weight 1 is accepted.

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

    Another classifier below one of the nodes, which is retrained when its errors accumulate, and
    predictions that stop when the model is not confident:

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
    def _top(self) -> Position:
        return self._taxonomy.root

    def _lineage(self, taxonomy: Taxonomy, position: Position) -> Iterable[Position]:
        return reversed(taxonomy.path(position))

    def _check_position(self, taxonomy: Taxonomy, position: Position) -> None:
        if taxonomy._known_index(position) is None:  # a path is not enough
            raise UnknownLabelError(position, taxonomy.nodes)
        if not taxonomy.children(position) and position != taxonomy.root:
            raise ValueError(
                f"`classifier` names {position!r}, a leaf: it has no children to choose from; "
                f"its parent is {taxonomy.parent(position)!r}"
            )

    def _position_below(self, taxonomy: Taxonomy, node: Label) -> Position:
        return node
