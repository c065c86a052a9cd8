from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from river import base

from .._backend import Batch
from ..base.checks import checked_weight
from ..base.classifiers import shown
from ..base.explanation import Floats
from ..base.truncation import refuse_unknown, truncatable
from ..base.wrapper import BatchWrapper, check_model
from .calibration import Temperature

__all__ = ["Tempered"]


class Tempered(BatchWrapper, base.Classifier):
    r"""Calibrated probabilities for a single-label model: online temperature scaling of its scores.

    The probability of label $v$ is

    $$p_v = \frac{e^{z_v}}{\sum_u e^{z_u}}, \qquad z_v = e^a s_v$$

    where $s_v$ is the score of the label, divided by the root mean square deviation of the scores
    of an example from their mean, over all examples so far. Each example makes one step of AdaGrad
    for the slope $e^a$ on the logarithmic loss of the true label, at the scores before the model
    learns; these are clipped at ten units. The order of the labels does not change, so
    `predict_one` is the model's.

    Parameters
    ----------
    model
        A model of one label in a taxonomy with `score_one`: those of `linear_model` and `kernel`.

    Raises
    ------
    TypeError
        If `model` is not a single-label model with scores.

    Notes
    -----
    On top of the model, learning takes one prediction and O(nodes) time. A label that is new to an
    open taxonomy had no score, so the temperature does not learn from it.

    Temperature scaling is due to [^1], where it is fitted to held-out examples.

    Examples
    --------

    >>> from river import evaluate
    >>> from river import metrics as river_metrics
    >>> from river_hier import decision, linear_model
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.16, seed=42)
    >>> t = stream.taxonomy

    >>> model = linear_model.AveragedHieron(t)
    >>> evaluate.progressive_val_score(stream.take(2000), model, river_metrics.CrossEntropy())
    CrossEntropy: 2.247

    >>> model = decision.Tempered(linear_model.AveragedHieron(t))
    >>> evaluate.progressive_val_score(stream.take(2000), model, river_metrics.CrossEntropy())
    CrossEntropy: 1.579

    References
    ----------
    [^1]: [Guo, C., Pleiss, G., Sun, Y. and Weinberger, K.Q., 2017. On calibration of modern neural
        networks. ICML 34, pp. 1321-1330.](https://proceedings.mlr.press/v70/guo17a.html)

    """

    def __init__(self, model: Any) -> None:
        check_model(model, "score_one", "predict_one")
        super().__init__(model)
        if not isinstance(self._last, base.Classifier):
            raise TypeError(
                f"`model` must predict single labels, got {shown(model)}; "
                "for multilabels use `Calibrated`"
            )
        self._temperature = Temperature()

    @property
    def _multiclass(self) -> bool:
        return True

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from .. import linear_model

        yield {"model": linear_model.Hieron()}

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0, **kwargs: Any) -> None:
        """Learn from one example, after computing the scores the model gives to it.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            A label.
        w
            The weight of the example, at least 0. An example of weight 0 changes nothing.
        kwargs
            Passed on to the model.

        """
        if w != 1.0 and not (w := checked_weight(w)):
            return
        before, scores = self._taxonomy, self._scores_one(x)
        self.model.learn_one(x, y, w=w, **kwargs)  # raises before anything is learned here
        if y in before:
            self._temperature.learn(scores, before.index(y), w)

    @truncatable
    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:
        """Predict the label of x, as the model does.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self.model.predict_one(x)

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """The probability of each label.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: probability}`; they sum to 1.

        """
        refuse_unknown(self.predict_proba_one, kwargs)
        p = self._temperature.probabilities(self._scores_one(x)).tolist()
        return dict(zip(self._taxonomy.nodes, p, strict=True))

    def _probabilities(self, X: Batch) -> Floats:
        return self._temperature.probabilities(self._scores_many(X).T)
