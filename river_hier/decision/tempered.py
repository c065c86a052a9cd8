from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from river import base

from .._core import Batch
from ..base.checks import checked_weight
from ..base.classifiers import shown
from ..base.explanation import Floats
from ..base.truncation import Predictor, refuse_unknown, without_labels
from ..base.unseen import seen_nodes, unseen_of
from ..base.wrapper import BatchWrapper, check_model
from .sightings import Sightings
from .temperatures import Temperatures


class Tempered(BatchWrapper, Predictor, base.Classifier):
    r"""Calibrated probabilities for a single-label model: online temperature scaling of its scores.

    The probability of label $v$ is a mixture of two softmax functions, a sharp and a flat one:

    $$p_v = (1 - m) \frac{e^{a s_v}}{\sum_u e^{a s_u}} + m \frac{e^{b s_v}}{\sum_u e^{b s_u}}$$

    where $s_v$ is the score of the label, divided by the root mean square deviation of the scores
    of an example from their mean, over the latest thousand examples. The flat function is for
    examples that the model is likely to get wrong, such as those of a label with few examples so
    far; a single softmax would have to be less confident for all others. Each example makes one
    step of AdaGrad for the slopes $a$ and $b$ and the share $m$ on the logarithmic loss of the true
    label. The scores are those from before the model first learned from the example, clipped at ten
    units. The order of the labels does not change, so `predict_one` is the model's.

    Several passes and replayed examples do not make the probabilities overconfident: they are
    recognised as in `Calibrated`, whose documentation also says where to put a scaler.

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
    In addition to the model, learning takes O(features of x) time to recognise x and, for examples
    used for calibration, one prediction and O(nodes) time. The first 4,096 examples are used, and a
    random share of the later ones. The first example of a label in an open taxonomy is not used,
    since the label had no score.

    Temperature scaling is due to [^1], where it is fitted to held-out examples, and mixtures of
    temperatures to [^2], where one is learned.

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
    CrossEntropy: 2.230

    >>> model = decision.Tempered(linear_model.AveragedHieron(t))
    >>> evaluate.progressive_val_score(stream.take(2000), model, river_metrics.CrossEntropy())
    CrossEntropy: 1.568

    References
    ----------
    [^1]: [Guo, C., Pleiss, G., Sun, Y. and Weinberger, K.Q., 2017. On calibration of modern neural
        networks. ICML 34, pp. 1321-1330.](https://proceedings.mlr.press/v70/guo17a.html)
    [^2]: [Zhang, J., Kailkhura, B. and Han, T.Y.-J., 2020. Mix-n-Match: ensemble and compositional
        methods for uncertainty calibration in deep learning. ICML 37, pp. 11117-11128.](
        https://proceedings.mlr.press/v119/zhang20k.html)

    """

    _only_observes = True

    def __init__(self, model: Any) -> None:
        check_model(model, "score_one", "predict_one")
        super().__init__(model)
        if not isinstance(self._last, base.Classifier):
            raise TypeError(
                f"`model` must predict single labels, got {shown(model)}; "
                "for multilabels use `Calibrated`"
            )
        self._temperatures = Temperatures()
        self._sightings = Sightings()

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

        before, sighting = self._taxonomy, self._sightings.look(x)
        unseen = unseen_of(self.model)
        scores = self._scores_one(x) if sighting.sampled else None
        self.model.learn_one(x, y, w=w, **kwargs)  # raises before anything is learned here
        self._sightings.add(sighting)
        if scores is None or y not in before or before.index(y) in unseen:
            return
        known = seen_nodes(len(before), unseen)
        scores = scores[known]
        if sighting.first:
            self._temperatures.learn(scores, int(np.searchsorted(known, before.index(y))), w)
        else:
            self._temperatures.rescale(scores, w)

    def _predict(self, x: Mapping[Any, Any]) -> Any:
        return self.model.predict_one(x)

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """The probability of each label.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: probability}`; they sum to 1. Empty if the taxonomy is open and there have been no
        labels.

        """
        refuse_unknown(self.predict_proba_one, kwargs)
        p = self._softmax(x).tolist()
        return {} if without_labels(self) else dict(zip(self._taxonomy.nodes, p, strict=True))

    def _softmax(self, x: Mapping[Any, Any]) -> Floats:
        """P(label) of each node."""
        return self._with_learned(self._scores_one(x))

    def _probabilities(self, X: Batch) -> Floats:
        return self._with_learned(self._scores_many(X).T)

    def _with_learned(self, scores: Floats) -> Floats:
        """The probabilities of all nodes, 0 for unseen ones."""
        known = seen_nodes(scores.shape[-1], unseen_of(self.model))
        p = np.zeros_like(scores)
        p[..., known] = self._temperatures.probabilities(scores[..., known])
        return p
