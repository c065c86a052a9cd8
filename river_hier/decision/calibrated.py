from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river import base

from .._core import (
    Batch,
    Calibration,
    Nodes,
    connected,
    top_down,
    top_down_probabilities,
)
from ..base.classifiers import last_step_and_input
from ..base.explanation import Floats
from ..base.predictor import LabelPredictor, refuse_unknown
from ..base.top_down import TopDownLearner
from ..base.unseen import Unseen, replaced, without_scores
from ..taxonomy import Label, Taxonomy
from .calibrator import Calibrator


class Calibrated(Calibrator, LabelPredictor, base.MultiLabelClassifier):
    r"""Calibrated probabilities for a multilabel model: online Platt scaling of its scores.

    Given that its parents are on, node $i$ is on with probability

    $$p_i = \frac{1}{1 + e^{-z_i}}, \qquad z_i = e^{a + a_i} s_i + b + b_i$$

    where $s_i$ is the score of the node before the model has ever learned from the example, divided
    by the root mean square of all scores so far. The slope $e^a$ and the intercept $b$ are shared
    by all nodes. The corrections of a node, $a_i$ and $b_i$, are learned at half their rate, so a
    node with few examples is calibrated much like the others. Each example makes one step of
    AdaGrad on the logarithmic loss, at the nodes whose parents are truly on. In learning, scores
    are clipped at ten units, so that a single outlier does not change the scale.

    The scores of margin learners have no fixed scale: those of a perceptron depend on how many
    examples it has learned from and how many mistakes it has made. The parameters are learned from
    the scores of examples that the model has not seen yet, so they also account for overfitting.

    Several passes and replayed examples do not make the probabilities overconfident: from an
    example that has been learned before, the model learns, but the calibration does not. Examples
    are recognised by the names of their features or, if features are dense, by names and values. A
    transformer whose output for the same example changes, such as a scaler, must therefore be
    inside: `Calibrated(StandardScaler() | model)`. Weights of words may be computed before or
    inside.

    `predict_one` thresholds these probabilities: a node is on if its parents are and
    $p_i \ge 1/2$. `HLossBayes` and the other decoders do better on the losses they minimise.

    Parameters
    ----------
    model
        A multilabel model in a taxonomy with `score_one`: those of `linear_model` and `kernel`.

    Raises
    ------
    TypeError
        If `model` is not a multilabel model with scores.

    Notes
    -----
    In addition to the model, learning takes O(features of x) time to recognise x and, for examples
    used for calibration, one prediction and O(nodes whose parents are on) time. The first 4,096
    examples are used, and a random share of the later ones, so that at most 4,096 are remembered,
    in less than a megabyte. After 16 passes, repeated examples are used as well, because so many
    repetitions are taken as a sign of features with few values.

    The logistic function of a score is due to [^1], where it is fitted to held-out examples
    afterwards. Sharing it among the nodes and learning it online, with the steps of [^2], are ours.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import Taxonomy, decision, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d", "e"]}, "f": ["g", "h"]}})
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)

    >>> model = linear_model.HAROW(t)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.HLoss(t))
    HLoss: 1.0595

    >>> model = decision.Calibrated(linear_model.HAROW(t))
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.HLoss(t))
    HLoss: 1.0515

    >>> model = decision.HLossBayes(decision.Calibrated(linear_model.HAROW(t)))
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.HLoss(t))
    HLoss: 0.905

    References
    ----------
    [^1]: Platt, J., 1999. Probabilistic outputs for support vector machines and comparisons to
        regularized likelihood methods. Advances in Large Margin Classifiers, pp. 61-74.
    [^2]: [Duchi, J., Hazan, E. and Singer, Y., 2011. Adaptive subgradient methods for online
        learning and stochastic optimization. Journal of Machine Learning Research, 12,
        pp. 2121-2159.](https://www.jmlr.org/papers/v12/duchi11a.html)

    """

    _kind = base.MultiLabelClassifier
    _wanted = "multilabels, got {}; for single labels use `Tempered`"

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self._calibration = Calibration(len(self._taxonomy))

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from .. import linear_model

        yield {"model": linear_model.HAROW()}

    def _calibrate(
        self, scores: Floats, y: Any, w: float, before: Taxonomy, unseen: Unseen, first: bool
    ) -> None:
        scores = replaced(scores, unseen, np.nan)
        if more := len(self._taxonomy) - len(scores):  # new labels have no scores
            scores = np.append(scores, [np.nan] * more)
        self._calibration.learn(scores, y, self._labels, w)

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Label, dict[bool, float]]:
        """The probability that each node is on, never above its parent's.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: {False: 1 - p, True: p}}` for all nodes but the root.

        """
        refuse_unknown(self.predict_proba_one, kwargs)
        return self._labels.probabilities(self._probabilities_one(x))

    def _nodes_on(self, x: Mapping[Any, Any]) -> list[int]:
        return connected(self._labels, self._probabilities_one(x, True), 0.5, None)

    def _forget(self, nodes: Nodes) -> None:
        shared, own = self._with_all_nodes().saved()
        own[:, nodes] = [[0.0], [1.0], [0.0], [1.0]]
        self._calibration = Calibration(shared, own)

    def _with_all_nodes(self) -> Calibration:
        """The calibration, with the nodes that the taxonomy has now."""
        self._calibration.add_nodes(len(self._taxonomy))
        return self._calibration

    def _probabilities_one(self, x: Mapping[Any, Any], given: bool = False) -> Any:
        """P(on) or P(on | parents on) of each node, for the functions of `_core`."""
        last, inner_x = last_step_and_input(self.model, x)
        if isinstance(last, TopDownLearner):  # only for the nodes that a decision needs
            return last._probabilities_one(inner_x, self._with_all_nodes(), given)
        p: Floats = self._with_all_nodes().given(self._learned_scores(x))
        return p if given else self._labels.marginals(p)

    def _learned_scores(self, x: Mapping[Any, Any]) -> Floats:
        """The score of each node; -inf for unseen nodes."""
        return without_scores(self._scores_one(x), self._never_predicted)

    def _masks(self, X: Batch) -> NDArray[np.bool_]:
        return top_down(self._conditionals_many(X) >= 0.5, self._taxonomy._arrays).T

    def _probabilities(self, X: Batch) -> Floats:
        return top_down_probabilities(self._conditionals_many(X), self._taxonomy._arrays).T

    def _conditionals_many(self, X: Batch) -> Floats:
        """P(on | parents on), (nodes, rows)."""
        scores = without_scores(self._scores_many(X), self._never_predicted)
        given: Floats = self._with_all_nodes().given(np.ascontiguousarray(scores.T))
        return given.T
