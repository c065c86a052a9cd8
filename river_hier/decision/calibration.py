"""Calibration: probabilities of labels from the scores of a model."""

import abc
import copy
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from .._core import Batch, Calibration, Nodes, softmax
from .._core.features import SMALLEST_NORM2
from ..base.answer import NONE, LabelRows, Unseen, answer_of, answers_of, replaced
from ..base.classifiers import ONE, SEVERAL, shown
from ..base.explanation import Floats
from ..base.wrapper import ModelWrapper, check_model
from ..linear_model import HAROW, Hieron
from ..taxonomy import Edit

NOTHING = 0.0, 1.0, 0.0, 1.0  # the parameters of a node that has learned nothing


class Calibrator(ModelWrapper):
    """Base class of wrappers that learn probabilities from the scores of unknown examples."""

    _wanted_kind: Any  # that of the models
    _wanted: str  # the end of the error message for other models

    def __init__(self, model: Any) -> None:
        check_model(model, "score_one", "predict_one")
        super().__init__(model)
        if self._kind is not self._wanted_kind:
            raise TypeError(f"`model` must predict {self._wanted}".format(shown(model)))

    def _judge(self, answer: Any, y: Any) -> Floats:
        return replaced(answer.scores(), answer.never, np.nan)

    def _adjust(self, scores: Floats, y: Any, w: float) -> None:
        if new := len(self._taxonomy) - len(scores):
            scores = np.append(scores, [np.nan] * new)
        self._calibrate(scores, y, w)

    @abc.abstractmethod
    def _calibrate(self, scores: Floats, y: Any, w: float) -> None:
        """Learn from the scores of the nodes before the step, nan where there was none."""


class Calibrated(Calibrator):
    r"""Calibrated probabilities for a multilabel model: online Platt scaling of its scores.

    Given that its parents are on, node $i$ is on with probability

    $$p_i = \frac{1}{1 + e^{-z_i}}, \qquad z_i = e^{a + a_i} s_i + b + b_i$$

    where $s_i$ is the score of the node before the model learns the example, divided by the root
    mean square of all scores so far. The slope $e^a$ and the intercept $b$ are shared by all nodes;
    the corrections $a_i$ and $b_i$ of a node are learned at half their rate. Each
    example makes one step of AdaGrad on the logarithmic loss, at the nodes whose parents are truly
    on, with scores clipped at ten units.

    A model is too sure of what it has learned before, so calibration learns from each example once,
    also in `stream.Replayed`.

    A node is predicted on if its parents are and $p_i \ge 1/2$.

    Parameters
    ----------
    model
        A multilabel model in a taxonomy with `score_one`: those of `linear_model` and `kernel`.

    Notes
    -----
    In addition to the model, learning takes the scores of all nodes and O(nodes whose parents are
    on). The logistic function is fitted to held-out examples afterwards in [^1]. Sharing it among
    the nodes and learning it online, with the steps of [^2], are ours.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import Taxonomy, decision, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d", "e"]}, "f": ["g", "h"]}})
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)

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

    _wanted_kind = SEVERAL
    _wanted = "multilabels, got {}; for single labels use `Tempered`"

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self._calibration = Calibration(len(self._taxonomy))

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": HAROW()}

    def _calibrate(self, scores: Floats, y: Any, w: float) -> None:
        self._calibration.learn(scores, y, self._labels, w)

    def _answer(self, x: Any) -> Any:
        return answer_of(self.model, x).but(link=self._calibration, rule=None)

    def _answers(self, X: Batch) -> Any:
        return answers_of(self.model, X).but(link=self._calibration, rule=None)

    def _forget(self, nodes: Nodes) -> None:
        shared, own = self._calibration.saved()
        own[nodes[nodes < len(own)]] = NOTHING  # those of new nodes begin with an example
        self._calibration = Calibration(shared, own)

    def _edit(self, edit: Edit) -> None:
        shared, own = self._calibration.saved()
        own = np.vstack([own, np.tile(NOTHING, (len(edit.before) - len(own), 1))])
        self._calibration = Calibration(shared, edit._rows(own, NOTHING))


STEP = 0.5
SHARP = 1.0  # the initial logarithm of the slope of the sharp softmax; that of the flat one is 0
TINY = 1e-300  # the smallest probability of which the logarithm is taken
RECENT = 1000.0  # number of examples that determine the scale of scores
FAR = 10.0  # units; limits the effect of a single extreme score on the unit
LARGEST = 1e140  # limit of scores, so that sums of squares stay finite


class Tempered(Calibrator):
    r"""Calibrated probabilities for a single-label model: online temperature scaling of its scores.

    The probability of label $v$ is a mixture of two softmax functions, a sharp and a flat one:

    $$p_v = (1 - m) \frac{e^{a s_v}}{\sum_u e^{a s_u}} + m \frac{e^{b s_v}}{\sum_u e^{b s_u}}$$

    where $s_v$ is the score of the label, divided by the root mean square deviation of the scores
    of an example from their mean, over the latest thousand examples. Each example makes one step of
    AdaGrad for $a$, $b$ and $m$ on the logarithmic loss of the true label, with scores clipped at
    ten units. `predict_one` is the model's. As in `Calibrated`, temperatures learn from each
    example once.

    Parameters
    ----------
    model
        A model of one label in a taxonomy with `score_one`: those of `linear_model` and `kernel`.

    Notes
    -----
    In addition to the model, learning takes the scores of all nodes. Temperature
    scaling is due to [^1], where it is fitted to held-out examples, and mixtures of temperatures to
    [^2], where one is learned.

    Examples
    --------

    >>> from river import evaluate
    >>> from river import metrics as river_metrics
    >>> from river_hier import decision, linear_model
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.16, seed=42)
    >>> model = decision.Tempered(linear_model.AveragedHieron(stream.taxonomy))
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

    _multiclass: bool = True
    _wanted_kind = ONE
    _wanted = "single labels, got {}; for multilabels use `Calibrated`"

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self._temperatures = Temperatures()

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": Hieron()}

    def _calibrate(self, scores: Floats, y: Any, w: float) -> None:
        known = np.flatnonzero(~np.isnan(scores))
        v = self._taxonomy.index(y)
        if not np.isnan(scores[v]):
            self._temperatures.learn(scores[known], int(np.searchsorted(known, v)), w)

    def _answer(self, x: Any) -> Any:
        return self._linked(answer_of(self.model, x))

    def _answers(self, X: Batch) -> Any:
        return self._linked(answers_of(self.model, X))

    def _linked(self, answer: Any) -> Any:
        """With other probabilities; decisions stay."""
        if answer.rule is None:
            return answer.but(link=self._temperatures)
        if getattr(answer, "answers", None) is not None:
            answer.answers = [self._linked(one) for one in answer.answers]
            return answer
        before = copy.copy(answer)
        if isinstance(answer, LabelRows):
            rows = answer.but(link=self._temperatures, rule=None)
            return rows.but(_own=lambda: np.array(before.decided(), dtype=object))
        return answer.but(link=self._temperatures, rule=lambda *_: before.decided())


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
        """Infinite as long as all scores were 0 or tiny, so that the next one has no effect."""
        return math.inf if self.squares < SMALLEST_NORM2 else math.sqrt(self.squares / self.n)


class Descent:
    """A parameter that is learned by AdaGrad."""

    def __init__(self, first: float) -> None:
        self.value: float = first
        self.squares: float = 1.0  # of the gradients; starts at 1 to keep the first steps short

    def move(self, gradient: float) -> None:
        self.squares += gradient * gradient
        self.value -= STEP * gradient / math.sqrt(self.squares)


class Temperatures:
    """P(node), a mixture of a sharp and a flat softmax of the scores: O(nodes) per step."""

    def __init__(self) -> None:
        self.n: float = 0.0  # the weight of all examples
        self.scale: Scale = Scale()
        self.sharp: Descent = Descent(SHARP)
        self.flat: Descent = Descent(0.0)
        self.mixture: Descent = Descent(0.0)  # the log odds of the flat softmax

    def probabilities(self, scores: Floats, never: Unseen = NONE) -> Floats:
        """The probabilities of all nodes, (..., nodes), which sum to 1; 0 for some."""
        known = np.delete(np.arange(scores.shape[-1]), list(never))
        (sharp, flat, share), p, s = self.slopes, np.zeros_like(scores), scores[..., known]
        gaps = np.maximum(s - s.max(axis=-1, keepdims=True), -LARGEST)
        p[..., known] = (1.0 - share) * softmax(sharp * gaps, axis=-1)
        p[..., known] += share * softmax(flat * gaps, axis=-1)
        return p

    @property
    def slopes(self) -> tuple[float, float, float]:
        """The factors of the scores in the two softmax functions, and the share of the flat one."""
        unit = self.scale.unit
        return math.exp(self.sharp.value) / unit, math.exp(self.flat.value) / unit, self._share

    def learn(self, scores: Floats, y: int, w: float) -> None:
        """One gradient step on w times the log loss of the true node."""
        self.n += w
        scores = self.scale.add(scores - scores.mean(), w) / self.scale.unit
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
