from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from river import base
from river import linear_model as river_linear_model

from .._core import Batch, deepest, deepest_many, labels_of
from ..base.checks import checked_weight
from ..base.classifiers import (
    check_weight_taken,
    last_step,
    last_step_and_input,
    probabilities,
    shown,
    takes_weights,
)
from ..base.explanation import Floats
from ..base.predictor import Predictor, refuse_unknown
from ..base.protocol import is_ours
from ..base.targets import read_label
from ..taxonomy import Label, Taxonomy, check_taxonomy, extended


class TreeBayes(Predictor, base.Wrapper[Any], base.Classifier):
    r"""The node with the least expected tree distance under any classifier's probabilities.

    Given the probability $p_u$ of each label by a classifier, which need not know the taxonomy, the
    prediction is the node, inner nodes and the root included, that minimises

    $$E\,\gamma(u, v) = \sum_u p_u \, \gamma(u, v).$$

    A step from a parent to a child $v$ is one edge nearer to the labels in the subtree of $v$, and
    one edge farther from all others. So this is the deepest node whose subtree has more than half
    of the probability. Ties go to the node nearest to the root.

    A model of this library needs no wrapper: `model.predict_one(x, threshold=0.5)` is the same
    node, but for a subtree of exactly one half, which it enters.

    Parameters
    ----------
    classifier
        Any multiclass classifier or pipeline of River. Without `predict_proba_one`, its prediction
        has probability 1.
    taxonomy
        A tree that contains its labels.

    Raises
    ------
    TypeError
        If `classifier` is not a classifier.
    ValueError
        If the taxonomy is not a tree; from `learn_one`, if a label is not in it; from
        `predict_one`, if a probability is negative or not finite.

    Notes
    -----
    On top of the classifier, a prediction takes O(nodes) time. `predict_proba_one` is the
    classifier's: the prediction may be a node of probability 0 between two probable ones.

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

    _multiclass: bool = True

    def __init__(self, classifier: base.Estimator, taxonomy: Taxonomy) -> None:
        check_taxonomy(taxonomy)
        taxonomy._check_tree()
        if not isinstance(classifier, base.Classifier):
            several = isinstance(classifier, base.MultiLabelClassifier)
            help_ = "; for multilabels use `HLossBayes`" * several
            raise TypeError(f"`classifier` must be a classifier, got {shown(classifier)}{help_}")
        self.classifier = classifier
        self._takes_weights = takes_weights(classifier)
        self.taxonomy: Taxonomy = taxonomy

    @property
    def taxonomy_(self) -> Taxonomy:
        """The taxonomy as it is now."""
        return self.taxonomy

    _taxonomy = taxonomy_

    @property
    def _wrapped_model(self) -> Any:
        return self.classifier

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        labels = [True, False, "path", "cement", "sky", "window", "brickface", "foliage", "grass"]
        softmax = river_linear_model.SoftmaxRegression()
        yield {"classifier": softmax, "taxonomy": Taxonomy.flat(labels)}

    def adopt(self, taxonomy: Taxonomy) -> None:
        """Continue with a larger tree, and let the classifier adopt it if it has a taxonomy."""
        taxonomy = extended(self.taxonomy, taxonomy)
        taxonomy._check_tree()
        inner = last_step(self.classifier)
        if hasattr(inner, "adopt"):
            inner.adopt(taxonomy)
        self.taxonomy = taxonomy

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0, **kwargs: Any) -> None:
        """Learn from one example, as the classifier does.

        y may be any node of the taxonomy. An example of weight 0 changes nothing, and a classifier
        that takes no weights accepts only 1. Other arguments are passed on to the classifier.
        """
        if w != 1.0 and not (w := checked_weight(w)):
            return
        check_weight_taken(self.classifier, self._takes_weights, w)
        if self._takes_weights:
            kwargs["w"] = w
        _, v = read_label(self, y)  # which may be a path
        self.classifier.learn_one(x, self.taxonomy.nodes[v], **kwargs)

    def _predict(self, x: Mapping[Any, Any]) -> Any:
        return self.taxonomy.nodes[deepest(labels_of(self.taxonomy), self._shares(x), None)]

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """The probability of each label, as the classifier gives it."""
        refuse_unknown(self.predict_proba_one, kwargs)
        return self.classifier.predict_proba_one(x)

    def _labels_of(self, X: Batch) -> list[Label]:
        if not is_ours(self.classifier):
            return super()._labels_of(X)
        nodes, labels = self.taxonomy.nodes, labels_of(self.taxonomy)
        best = deepest_many(labels, np.ascontiguousarray(self._probabilities(X)), None)
        return [nodes[v] for v in best.tolist()]

    def _shares(self, x: Mapping[Any, Any]) -> Any:
        """P(label) of each node, for `deepest`."""
        last, inner_x = last_step_and_input(self.classifier, x)
        same = is_ours(last) and last._taxonomy is self.taxonomy
        if same and (known := last._softmax(inner_x)) is not None:  # without dicts
            return known
        p = np.zeros(len(self.taxonomy))
        for label, share in probabilities(self.classifier, x).items():
            if not 0.0 <= share < math.inf:
                raise ValueError(f"the classifier gives {label!r} the probability {share!r}")
            p[self.taxonomy.index(label)] = share
        return p

    def _probabilities(self, X: Batch) -> Floats:
        classifier: Any = self.classifier
        if not is_ours(classifier):
            return super()._probabilities(X)
        nodes = [self.taxonomy.index(label) for label in classifier._taxonomy.nodes]
        p = np.zeros((X.n, len(self.taxonomy)))
        p[:, nodes] = classifier._probabilities(X)
        return p
