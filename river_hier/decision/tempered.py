from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from river import base

from .._backend import Temperature
from ..base.classifiers import shown
from ..base.truncation import truncatable
from ..base.wrapper import ModelWrapper, check_model

__all__ = ["Tempered"]


class Tempered(ModelWrapper, base.Classifier):
    r"""Probabilities of single labels that say how sure a model can be: temperature scaling.

    Label $v$ is true with probability

    $$p_v = \frac{e^{z_v}}{\sum_u e^{z_u}}, \qquad z_v = e^a s_v$$

    where $s_v$ is the score that the model gives it, in units of the root mean square of how far
    the scores so far were from their means. Each example moves the slope $e^a$ one step of AdaGrad
    down the logarithmic loss of the true label, at the scores that the model gave before it
    learned; one that is beyond ten units counts as ten there. The order of the labels stays as it
    is, so `predict_one` is the model's.

    Parameters
    ----------
    model
        A model of one label in a taxonomy with `score_one`: those of `linear_model` and `kernel`.

    Raises
    ------
    TypeError
        If `model` is no single-label model with scores.

    Notes
    -----
    Learning takes one prediction of the model and O(nodes) more. A label that is new to an open
    taxonomy had no score, so there is nothing to be learned from it.

    Temperature scaling is that of [^1], fitted there to examples set apart.

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
                f"`model` must answer with one label, got {shown(model)}; "
                "for multilabels there is `Calibrated`"
            )
        self._temperature = Temperature()

    @property
    def _multiclass(self) -> bool:
        return True

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from .. import linear_model

        yield {"model": linear_model.Hieron()}

    def learn_one(self, x: dict[Any, Any], y: Any, **kwargs: Any) -> None:
        """Learn from one example, after a look at what the model would have said.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            A label.

        """
        before, scores = self._taxonomy, self._scores_one(x)
        self.model.learn_one(x, y, **kwargs)  # refuses what is wrong before anything is learned
        if y in before:
            self._temperature.learn(scores, before.index(y))

    @truncatable
    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:
        """The label of x, as the model gives it.

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
        p = self._temperature.probabilities(self._scores_one(x)).tolist()
        return dict(zip(self._taxonomy.nodes, p, strict=True))
