from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from river import base

from .._core import Batch, distribution
from ..base import PathLearner
from ..base.classifiers import last_step_and_input
from ..base.explanation import Floats
from ..base.predictor import refuse_unknown, without_labels
from ..base.unseen import Unseen, seen_nodes
from ..linear_model import PathSoftmax
from ..taxonomy import Taxonomy
from .calibrator import Calibrator

STEP = 0.5
SHARP = 1.0  # the initial logarithm of the slope of the sharp softmax; that of the flat one is 0
TINY = 1e-300  # the smallest probability of which the logarithm is taken
RECENT = 1000.0  # number of examples that determine the scale of scores
FAR = 10.0  # units; limits the effect of a single extreme score on the unit
LARGEST = 1e140  # limit of scores, so that sums of squares stay finite


class Tempered(Calibrator, base.Classifier):
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

    _repeats = True  # they count for the scale
    _kind = base.Classifier
    _wanted = "single labels, got {}; for multilabels use `Calibrated`"

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self._temperatures = Temperatures()

    @property
    def _multiclass(self) -> bool:
        return True

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from .. import linear_model

        yield {"model": linear_model.Hieron()}

    def _calibrate(
        self, scores: Floats, y: Any, w: float, before: Taxonomy, unseen: Unseen, first: bool
    ) -> None:
        if y not in before or (v := before.index(y)) in unseen:
            return
        known = seen_nodes(len(before), unseen)
        if first:
            self._temperatures.learn(scores[known], int(np.searchsorted(known, v)), w)
        else:
            self._temperatures.rescale(scores[known], w)

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
        p = self._softmax(x)
        return {} if without_labels(self) else distribution(self._labels, p)

    def _softmax(self, x: Mapping[Any, Any]) -> Any:
        last, inner_x = last_step_and_input(self.model, x)
        if isinstance(last, PathLearner | PathSoftmax):  # in one call of compiled code
            return last._softmax(inner_x, *self._temperatures.slopes)
        return self._with_learned(self._scores_one(x))

    def _probabilities(self, X: Batch) -> Floats:
        return self._with_learned(self._scores_many(X).T)

    def _with_learned(self, scores: Floats) -> Floats:
        """The probabilities of all nodes, 0 for unseen ones."""
        known = seen_nodes(scores.shape[-1], self._never_predicted)
        p = np.zeros_like(scores)
        p[..., known] = self._temperatures.probabilities(scores[..., known])
        return p


class Scale:
    """The root mean square of the latest scores, which makes slopes independent of their scale."""

    def __init__(self) -> None:
        self.squares: float = 0.0
        self.n: float = 0.0  # the number of scores, weighted like their examples

    def add(self, scores: Floats, w: float) -> Floats:
        """Add the scores of an example of weight w, and return them, clipped to `FAR` units."""
        most = min(FAR * self.unit, LARGEST)
        near: Floats = np.clip(scores, -most, most)
        self.squares += w * float(near @ near)
        self.n += w * len(near)
        if self.n > (most := RECENT * len(near)):
            self.squares, self.n = self.squares * most / self.n, most
        return near

    @property
    def unit(self) -> float:
        """Infinite as long as all scores were 0, so that the next one has no effect."""
        return math.sqrt(self.squares / self.n) if self.squares else math.inf


class Descent:
    """A parameter that is learned by AdaGrad."""

    def __init__(self, first: float) -> None:
        self.value: float = first
        self.squares: float = 1.0  # of the gradients; starts at 1 to keep the first steps short

    def move(self, gradient: float) -> None:
        """One gradient step."""
        self.squares += gradient * gradient
        self.value -= STEP * gradient / math.sqrt(self.squares)


class Temperatures:
    """P(node), a mixture of a sharp and a flat softmax of the scores: O(nodes) per step."""

    def __init__(self) -> None:
        self.scale: Scale = Scale()
        self.sharp: Descent = Descent(SHARP)
        self.flat: Descent = Descent(0.0)
        self.mixture: Descent = Descent(0.0)  # the log odds of the flat softmax

    def probabilities(self, scores: Floats) -> Floats:
        """The probabilities of all nodes, (..., nodes), which sum to 1."""
        sharp, flat, share = self.slopes
        p: Floats = (1.0 - share) * softmax(sharp * scores) + share * softmax(flat * scores)
        return p

    @property
    def slopes(self) -> tuple[float, float, float]:
        """The factors of scores in the sharp and the flat softmax, and the share of the latter."""
        unit = self.scale.unit
        return math.exp(self.sharp.value) / unit, math.exp(self.flat.value) / unit, self._share

    def rescale(self, scores: Floats, w: float) -> Floats:
        """Add scores of weight w to the scale; return them, centred and clipped."""
        return self.scale.add(scores - scores.mean(), w)

    def learn(self, scores: Floats, y: int, w: float) -> None:
        """One gradient step on w times the log loss of the true node."""
        scores = self.rescale(scores, w) / self.scale.unit
        share = self._share
        sharp, by_sharp = self._loss(self.sharp, scores, y)
        flat, by_flat = self._loss(self.flat, scores, y)
        total = (1.0 - share) * sharp + share * flat
        of_flat = share * flat / total  # the posterior probability of the flat softmax
        self.sharp.move(w * (1.0 - of_flat) * by_sharp)
        self.flat.move(w * of_flat * by_flat)
        self.mixture.move(w * (share - of_flat))

    @property
    def _share(self) -> float:
        return 1.0 / (1.0 + math.exp(-self.mixture.value))

    def _loss(self, slope: Descent, scores: Floats, y: int) -> tuple[float, float]:
        """The probability of y, and the derivative of its log loss in the log of the slope."""
        z = math.exp(slope.value) * scores
        p = softmax(z)
        return max(float(p[y]), TINY), float(p @ z) - float(z[y])


def softmax(z: Floats) -> Floats:
    """Probabilities proportional to e^z, which sum to 1 over the last axis."""
    p: Floats = np.exp(z - z.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    return p
