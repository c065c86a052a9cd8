from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from river import base
from river import linear_model as river_linear_model

from .._backend import nearest
from ..base.classifiers import probabilities, shown
from ..base.truncation import truncatable
from ..taxonomy import Renamed, Taxonomy, check_taxonomy, map_nodes

__all__ = ["TreeBayes"]


class TreeBayes(base.Wrapper[Any], base.Classifier):
    r"""The node with the least expected tree distance under any classifier's probabilities.

    A classifier that knows nothing of the taxonomy gives each label a probability $p_u$; the answer
    is the node, inner nodes and the root included, that minimises

    $$E\,\gamma(u, v) = \sum_u p_u \, \gamma(u, v).$$

    A step from a parent to a child $v$ comes one edge nearer to the labels below $v$, and one edge
    farther from all others. So one pass up the tree adds up the probability of each subtree, and
    one way down, as long as a subtree has more than half of it, ends at the best node. Where
    several are equally good it is the first of them in taxonomy order, the nearest to the root.

    Parameters
    ----------
    classifier
        Any multiclass classifier or pipeline of River's; one without probabilities is taken to be
        sure of its answer.
    taxonomy
        A tree that holds its labels.

    Raises
    ------
    TypeError
        If `classifier` is no classifier.
    ValueError
        If the taxonomy is not a tree; from `learn_one`, if a label is not in it; from
        `predict_one`, if a probability is negative or no number.

    Notes
    -----
    Beside the classifier's work an answer takes O(nodes). `predict_proba_one` is the classifier's:
    the answer may be a node that it holds for impossible, between two that it holds for likely.

    Examples
    --------

    >>> from river import evaluate, naive_bayes
    >>> from river_hier import decision, metrics
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=2, noise=0.16, seed=42)
    >>> t = stream.taxonomy

    >>> model = naive_bayes.GaussianNB()
    >>> evaluate.progressive_val_score(stream.take(1000), model, metrics.TreeInducedError(t))
    TreeInducedError: 0.516

    >>> model = decision.TreeBayes(naive_bayes.GaussianNB(), t)
    >>> evaluate.progressive_val_score(stream.take(1000), model, metrics.TreeInducedError(t))
    TreeInducedError: 0.502

    """

    def __init__(self, classifier: base.Estimator, taxonomy: Taxonomy) -> None:
        check_taxonomy(taxonomy)
        taxonomy.check_tree()
        if not isinstance(classifier, base.Classifier):
            raise TypeError(f"`classifier` must be a classifier, got {shown(classifier)}")
        self.classifier = classifier
        self.taxonomy = taxonomy

    @property
    def _wrapped_model(self) -> Any:
        return self.classifier

    @property
    def _multiclass(self) -> bool:
        return True

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        labels = [True, False, "path", "cement", "sky", "window", "brickface", "foliage", "grass"]
        softmax = river_linear_model.SoftmaxRegression()
        yield {"classifier": softmax, "taxonomy": Taxonomy.flat(labels)}

    def adopt(self, taxonomy: Taxonomy, renamed: Renamed | None = None) -> None:
        """Carry on with another taxonomy, as the classifier does if it is in one.

        Parameters
        ----------
        taxonomy
            The taxonomy to carry on with, a tree.
        renamed
            `{old label: new label}`, or `{old label: None}` for what is forgotten; only for a
            classifier in a taxonomy, as others have learned the labels that they answer with.

        """
        map_nodes(self.taxonomy, taxonomy, renamed)
        taxonomy.check_tree()
        inside = getattr(self.classifier, "_last_step", self.classifier)
        if hasattr(inside, "adopt"):
            inside.adopt(taxonomy, renamed)
        elif renamed:
            raise ValueError(f"`renamed` is {renamed!r}, but the classifier knows no taxonomy")
        self.taxonomy = taxonomy

    def learn_one(self, x: dict[Any, Any], y: Any, **kwargs: Any) -> None:
        """Learn from one example, as the classifier does.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            A label, any node of the taxonomy.

        """
        self.taxonomy.index(y)  # an unknown label is refused before anything is learned
        self.classifier.learn_one(x, y, **kwargs)

    @truncatable
    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:
        """The node of least expected distance.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        below = [0.0] * len(self.taxonomy)
        for label, p in probabilities(self.classifier, x, {}).items():
            if not 0.0 <= p < math.inf:
                raise ValueError(f"the classifier gives {label!r} the probability {p!r}")
            below[self.taxonomy.index(label)] = float(p)
        for v in range(len(below) - 1, 0, -1):
            below[self.taxonomy.parent_indices[v][0]] += below[v]
        return self.taxonomy.nodes[nearest(below, self.taxonomy.child_indices)]

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """The probability of each label, as the classifier gives it.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self.classifier.predict_proba_one(x, **kwargs)
