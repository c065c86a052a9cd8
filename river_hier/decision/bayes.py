"""Decoders: the multilabel of least expected loss under the probabilities of a model."""

from __future__ import annotations

import abc
from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np
from river import base

from .._core import Batch, connected, least_h_loss, likeliest
from ..base.checks import check_positive
from ..base.classifiers import shown
from ..base.predictor import LabelPredictor, Mask, refuse_unknown
from ..base.wrapper import ModelWrapper, check_model
from ..linear_model import HAROW
from ..metrics.costs import Costs, check, check_values
from ..taxonomy import Label, Taxonomy
from ..taxonomy.multilabel import spelled


class Decoder(ModelWrapper, LabelPredictor, base.MultiLabelClassifier):
    """Base class of decoders, which predict the best multilabel under a model's probabilities."""

    def __init__(self, model: Any) -> None:
        check_model(model, "predict_proba_one", "predict_one")
        super().__init__(model)
        if not isinstance(self._last, base.MultiLabelClassifier):
            raise TypeError(
                f"`model` must predict multilabels, got {shown(model)}; for single labels use "
                "`TreeBayes`"
            )
        if isinstance(self.taxonomy, Taxonomy):
            self._check_taxonomy(self.taxonomy)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": HAROW()}

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Label, dict[bool, float]]:
        """The probability that each node is on, as the model gives it.

        It is `{label: {False: 1 - p, True: p}}` for all nodes but the root.
        """
        refuse_unknown(self.predict_proba_one, kwargs)
        return cast("dict[Label, dict[bool, float]]", self.model.predict_proba_one(x))

    def _nodes_on(self, x: Mapping[Any, Any]) -> list[int]:
        return self._decide(self._probabilities_one(x))

    def _masks(self, X: Batch) -> Mask:
        on = np.zeros((X.n, len(self._taxonomy)), dtype=bool)
        on[:, 0] = True
        for row, marginals in zip(on, np.ascontiguousarray(self._probabilities(X)), strict=True):
            row[self._decide(marginals)] = True
        return on

    @abc.abstractmethod
    def _decide(self, marginals: Any) -> list[int]:
        """The nodes that are on but the root; no marginal is above that of a parent."""


class ZeroOneBayes(Decoder):
    r"""The most probable multilabel: the one with the least expected zero-one loss.

    Given that its parent is on, each node is on with probability $p_i$, independently of the other
    nodes. Working up from the leaves, it is best to switch a node on, if its parent is on, when

    $$p_i \prod_{k \textrm{ below } i} \pi_k \ge 1 - p_i$$

    with $\pi_k$ the probability of the most probable multilabel in the subtree of child $k$:
    products in place of the sums of `HLossBayes`. Only nodes for which $p_i \ge 1/2$ holds all the
    way up are visited, and their children.

    Parameters
    ----------
    model
        A multilabel model in a tree, with `predict_proba_one`, or a pipeline that ends in one.

    Notes
    -----
    The labels are assumed to depend on their parents only, as in section 5 of [^1]. On top of the
    model's probabilities, a prediction takes O(nodes) time.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import Taxonomy, decision, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d", "e"]}, "f": ["g", "h"]}})
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)

    >>> model = linear_model.HRLS(t)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.ZeroOneLoss(t))
    ZeroOneLoss: 75.30%

    >>> model = decision.ZeroOneBayes(linear_model.HRLS(t))
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.ZeroOneLoss(t))
    ZeroOneLoss: 71.00%

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. Journal of Machine Learning Research, 7, pp. 31-54.](
        https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)

    """

    def _check_taxonomy(self, taxonomy: Taxonomy) -> None:
        taxonomy._check_tree()

    def _decide(self, marginals: Any) -> list[int]:
        return likeliest(self._labels, marginals)


class HLossBayes(Decoder):
    r"""The multilabel with the least expected H-loss under a model's probabilities.

    Let a node $i$ with parent $j$ be on with probability $P_i \le P_j$. The expected H-loss of a
    prediction that respects the taxonomy is

    $$\sum_{i\,:\,\hat{y}_j = 1} c_i \, (\hat{y}_i \, (P_j - P_i) + (1 - \hat{y}_i) \, P_i),$$

    since a node costs only if the prediction is right at all its ancestors. Working up from the
    leaves, it is best to switch a node on, if its parent is on, when

    $$c_i \, (P_j - P_i) + \sum_{k \textrm{ below } i} \ell_k \le c_i P_i$$

    with $\ell_k$ the least expected loss in the subtree of child $k$. So a node may stay off even
    if it is more likely on than off. Only nodes for which $2 P_i \ge P_j$ holds all the way up are
    visited, and their children. Decoding is only as good as the probabilities of the model: see
    `Calibrated`.

    Parameters
    ----------
    model
        A multilabel model in a tree, with `predict_proba_one`, or a pipeline that ends in one.
    costs
        `{label: cost}`, positive and finite; other labels cost 1. In an open taxonomy, labels that
        have not arrived yet may be named.

    Raises
    ------
    TypeError
        If `model` is not a multilabel model in a taxonomy.
    ValueError
        If the taxonomy is not a tree, a cost is not positive and finite, or its label is unknown.

    Notes
    -----
    The H-loss and its expectation are those of the paper of `ZeroOneBayes`. The paper's own rule
    switches a node on if its probability, given that its parent is on, is at least 1/2.
    `predict_proba_one` is the model's, so the prediction may leave out labels whose probability is
    above 1/2. On top of the model's probabilities, a prediction takes O(nodes) time.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import Taxonomy, decision, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d", "e"]}, "f": ["g", "h"]}})
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)

    >>> model = linear_model.HRLS(t)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.HLoss(t))
    HLoss: 1.0385

    >>> model = decision.HLossBayes(linear_model.HRLS(t))
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.HLoss(t))
    HLoss: 0.894

    """

    def __init__(self, model: Any, costs: Costs | None = None) -> None:
        self.costs = costs
        check_values(costs, "costs")  # their labels may arrive later
        super().__init__(model)

    def _check_taxonomy(self, taxonomy: Taxonomy) -> None:
        taxonomy._check_tree()
        check(taxonomy, self.costs, "costs")

    def _decide(self, marginals: Any) -> list[int]:
        labels = self._labels
        if self.costs is None:
            return least_h_loss(labels, marginals)
        costs = np.ones(len(self._taxonomy))
        for label, cost in spelled(self._taxonomy, self.costs).items():
            if label in self._taxonomy:  # in an open one it may not have arrived yet
                costs[self._taxonomy.index(label)] = cost
        return least_h_loss(labels, marginals, costs)


class SymmetricDifferenceBayes(Decoder):
    r"""The multilabel with the least expected symmetric difference from the truth.

    This loss is a sum over nodes, so each node is decided on its own. It is on if

    $$\textrm{missed} \cdot P_i \ge \textrm{spurious} \cdot (1 - P_i)$$

    with $P_i$ the probability that it is on. As no node is more probable than its parent, the
    prediction respects the taxonomy. The weights of nodes (`volumes` in the metric) have no effect.
    On top of the model's probabilities, a prediction takes O(nodes) time.

    Parameters
    ----------
    model
        A multilabel model in a taxonomy, with `predict_proba_one`, or a pipeline that ends in one.
    missed
        The cost of a label that is missed, positive.
    spurious
        The cost of a label that is wrongly predicted, positive.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import Taxonomy, decision, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d", "e"]}, "f": ["g", "h"]}})
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)

    >>> model = linear_model.HRLS(t)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.SymmetricDifferenceLoss(t))
    SymmetricDifferenceLoss: 1.973

    >>> model = decision.SymmetricDifferenceBayes(linear_model.HRLS(t))
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.SymmetricDifferenceLoss(t))
    SymmetricDifferenceLoss: 1.7375

    """

    def __init__(self, model: Any, missed: float = 1.0, spurious: float = 1.0) -> None:
        super().__init__(model)
        check_positive("missed", missed)
        check_positive("spurious", spurious)
        self.missed = missed
        self.spurious = spurious

    def _decide(self, marginals: Any) -> list[int]:
        # missed p >= spurious (1 - p)
        threshold = 1.0 / (1.0 + self.missed / self.spurious)
        return connected(self._labels, marginals, threshold, None)
