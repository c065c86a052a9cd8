from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from river import base

from .._backend import Calibration, remap_values, top_down_probabilities, trained_nodes
from .._backend.reference.paths import top_down
from ..base import Floats
from ..base.classifiers import shown
from ..base.truncation import truncatable
from ..base.wrapper import ModelWrapper, check_model
from ..taxonomy import Label, NodeMapping, map_nodes

__all__ = ["Calibrated"]


class Calibrated(ModelWrapper, base.MultiLabelClassifier):
    r"""Probabilities that are frequencies, learned along the stream from a model's scores.

    Node $i$ is on, given that its parents are, with probability

    $$p_i = \frac{1}{1 + e^{-z_i}}, \qquad z_i = e^{a + a_i} s_i + b + b_i$$

    where $s_i$ is the score that the model gives it, before it learns from the example, in units
    of the root mean square of all scores so far. The slope $e^a$ and the intercept $b$ are shared;
    what a node adds to them, $a_i$ and $b_i$, is learned at half their pace, so that nodes which
    have seen little are calibrated as all the others are. Each example moves them one step of
    AdaGrad down the logarithmic loss, at the nodes whose parents are truly on. In learning, a score
    beyond ten units counts as ten: one example out of scale does not spoil the unit.

    Scores of margin learners say how sure they are in units of their own: those of a perceptron
    depend on how long it has learned, and on how often it was wrong. As the parameters follow the
    scores that the model gives to examples it has not seen, they say how far it can be trusted.

    `predict_one` is the model's rule at these probabilities: a node is on if its parents are and
    $p_i \ge 1/2$. `HLossBayes` and its sisters do better on the loss they are for.

    Parameters
    ----------
    model
        A multilabel model in a taxonomy with `score_one`: those of `linear_model` and `kernel`.

    Raises
    ------
    TypeError
        If `model` is no multilabel model with scores.

    Notes
    -----
    Learning takes one prediction of the model and O(nodes whose parents are on) more.

    The logistic function of one score, fitted afterwards to examples set apart, is that of [^1];
    sharing one among nodes, and the steps of [^2] along the stream, are ours.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import Taxonomy, decision, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d", "e"]}, "f": ["g", "h"]}})
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)

    >>> model = linear_model.HAROW(t)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.HLoss(t))
    HLoss: 1.0385

    >>> model = decision.Calibrated(linear_model.HAROW(t))
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.HLoss(t))
    HLoss: 1.053

    >>> model = decision.HLossBayes(decision.Calibrated(linear_model.HAROW(t)))
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.HLoss(t))
    HLoss: 0.9005

    References
    ----------
    [^1]: Platt, J., 1999. Probabilistic outputs for support vector machines and comparisons to
        regularized likelihood methods. Advances in Large Margin Classifiers, pp. 61-74.
    [^2]: [Duchi, J., Hazan, E. and Singer, Y., 2011. Adaptive subgradient methods for online
        learning and stochastic optimization. Journal of Machine Learning Research, 12,
        pp. 2121-2159.](https://www.jmlr.org/papers/v12/duchi11a.html)

    """

    def __init__(self, model: Any) -> None:
        check_model(model, "score_one", "predict_one")
        super().__init__(model)
        if not isinstance(self._last, base.MultiLabelClassifier):
            raise TypeError(
                f"`model` must answer with multilabels, got {shown(model)}; "
                "for one label there is `Tempered`"
            )
        self._calibration = Calibration(len(self._taxonomy))

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from .. import linear_model

        yield {"model": linear_model.HAROW()}

    def learn_one(self, x: dict[Any, Any], y: Any, **kwargs: Any) -> None:
        """Learn from one example, after a look at what the model would have said.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            A multilabel: `{label: bool}`, an iterable of labels, or one label.

        """
        if isinstance(y, Iterator):  # it can be walked only once
            y = list(y)
        before, scores = self._taxonomy, self._scores_one(x)
        self.model.learn_one(x, y, **kwargs)  # refuses what is wrong before anything is learned
        taxonomy = self._taxonomy
        on = taxonomy.multilabel(y)
        nodes = trained_nodes(on, taxonomy.arrays)
        if taxonomy is not before:
            change = map_nodes(before, taxonomy)
            self._remap(change)
            nodes = nodes[[bool(change.sources[v]) for v in nodes]]  # new labels had no scores
            scores = remap_values(scores, change.sources, 0.0)
        self._calibration.learn(nodes, scores[nodes], on[nodes])

    @truncatable
    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Label, bool]:
        """The multilabel of x.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: bool}` for all nodes but the root.

        """
        on = top_down(self._given(x) >= 0.5, self._taxonomy.arrays)
        return dict(zip(self._taxonomy.nodes[1:], on[1:].tolist(), strict=True))

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
        likely = self._node_probabilities(x).tolist()
        nodes = self._taxonomy.nodes
        return {nodes[v]: {False: 1.0 - likely[v], True: likely[v]} for v in range(1, len(nodes))}

    def _remap(self, change: NodeMapping) -> None:
        self._calibration.remap(change.sources)

    def _node_probabilities(self, x: dict[Any, Any]) -> Floats:
        """P(on) of every node."""
        return top_down_probabilities(self._given(x), self._taxonomy.arrays)

    def _given(self, x: dict[Any, Any]) -> Floats:
        """P(on | parents on) of every node."""
        return self._calibration.given(self._scores_one(x))
