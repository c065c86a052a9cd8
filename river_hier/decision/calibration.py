"""Calibration: probabilities of labels from the scores of a model."""

import abc
import math
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
    distribution,
    softmax,
    top_down,
    top_down_probabilities,
)
from .._core.features import SMALLEST_NORM2
from ..base.classifiers import last_step_and_input, shown
from ..base.explanation import Floats
from ..base.path import PathLearner
from ..base.predictor import MultiLabelPredictor, SingleLabelPredictor, open_for_river, replaced
from ..base.top_down import TopDownLearner
from ..base.wrapper import ModelWrapper, check_model
from ..linear_model import HAROW, Hieron
from ..taxonomy import Label


class Calibrator(ModelWrapper):
    """Base class of wrappers that learn probabilities from the scores of unknown examples."""

    _kind: Any  # the base class of the models
    _wanted: str  # the end of the error message for other models

    def __init__(self, model: Any) -> None:
        check_model(model, "score_one", "predict_one")
        super().__init__(model)
        if not isinstance(self._last, self._kind):
            raise TypeError(f"`model` must predict {self._wanted}".format(shown(model)))

    def _observe(self, x: dict[Any, Any], y: Any, w: float, **kwargs: Any) -> None:
        scores = replaced(self._scores_one(x), self._never_predicted, np.nan)
        self.model.learn_one(x, y, w=w, **kwargs)  # raises before anything is learned here
        if new := len(self._taxonomy) - len(scores):
            scores = np.append(scores, [np.nan] * new)
        self._calibrate(scores, y, w)

    @abc.abstractmethod
    def _calibrate(self, scores: Floats, y: Any, w: float) -> None:
        """Learn from the scores of the nodes before the step, nan where there was none."""


class Calibrated(Calibrator, MultiLabelPredictor):
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

    _kind = base.MultiLabelClassifier
    _wanted = "multilabels, got {}; for single labels use `Tempered`"

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self._calibration = Calibration(len(self._taxonomy))

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": HAROW()}

    def _calibrate(self, scores: Floats, y: Any, w: float) -> None:
        self._calibration.learn(scores, y, self._labels, w)

    @open_for_river
    def predict_proba_one(self, x: dict[Any, Any]) -> dict[Label, dict[bool, float]]:
        """P(on) of each node but the root, never above its parent's: `{label: {True: p, ...}}`."""
        return self._labels.probabilities(self._probabilities_one(x))

    def _nodes_on(self, x: Mapping[Any, Any]) -> list[int]:
        return connected(self._labels, self._probabilities_one(x, True), 0.5, None)

    def _forget(self, nodes: Nodes) -> None:
        shared, own = self._with_all_nodes().saved()
        own[nodes] = [0.0, 1.0, 0.0, 1.0]
        self._calibration = Calibration(shared, own)

    def _with_all_nodes(self) -> Calibration:
        self._calibration.add_nodes(len(self._taxonomy))
        return self._calibration

    def _probabilities_one(self, x: Mapping[Any, Any], given: bool = False) -> Any:
        """P(on) or P(on | parents on) of each node, for the functions of `_core`."""
        last, inner_x = last_step_and_input(self.model, x)
        if isinstance(last, TopDownLearner):  # only for the nodes that a decision needs
            return last._probabilities_one(inner_x, self._with_all_nodes(), given)
        scores = replaced(self._scores_one(x), self._never_predicted, -np.inf)
        p: Floats = self._with_all_nodes().given(scores)
        return p if given else self._labels.marginals(p)

    def _masks(self, X: Batch) -> NDArray[np.bool_]:
        return top_down(self._conditionals_many(X) >= 0.5, self._taxonomy._arrays).T

    def _probabilities(self, X: Batch) -> Floats:
        return top_down_probabilities(self._conditionals_many(X), self._taxonomy._arrays).T

    def _conditionals_many(self, X: Batch) -> Floats:
        """P(on | parents on), (nodes, rows)."""
        scores = replaced(self._scores_many(X), self._never_predicted, -np.inf)
        given: Floats = self._with_all_nodes().given(np.ascontiguousarray(scores.T))
        return given.T


STEP = 0.5
SHARP = 1.0  # the initial logarithm of the slope of the sharp softmax; that of the flat one is 0
TINY = 1e-300  # the smallest probability of which the logarithm is taken
RECENT = 1000.0  # number of examples that determine the scale of scores
FAR = 10.0  # units; limits the effect of a single extreme score on the unit
LARGEST = 1e140  # limit of scores, so that sums of squares stay finite


class Tempered(Calibrator, SingleLabelPredictor):
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
    _kind = base.Classifier
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

    def _predict(self, x: Mapping[Any, Any]) -> Any:
        return self.model.predict_one(x)

    @open_for_river
    def predict_proba_one(self, x: dict[Any, Any]) -> dict[Any, float]:
        """`{label: probability}`, with sum 1; empty if the taxonomy is open and without labels."""
        p = distribution(self._labels, self._softmax(x))  # which reads x
        return {} if self._without_labels else p

    def _softmax(self, x: Mapping[Any, Any]) -> Any:
        last, inner_x = last_step_and_input(self.model, x)
        if isinstance(last, PathLearner):  # in one call of compiled code
            return last._softmax(inner_x, self._temperatures.slopes)
        return self._mixture(self._scores_one(x))

    def _probabilities(self, X: Batch) -> Floats:
        return self._mixture(self._scores_many(X).T)

    def _mixture(self, scores: Floats) -> Floats:
        """The probabilities of all nodes, 0 for unseen ones."""
        known = np.delete(np.arange(scores.shape[-1]), list(self._never_predicted))
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

    def probabilities(self, scores: Floats) -> Floats:
        """The probabilities of all nodes, (..., nodes), which sum to 1."""
        sharp, flat, share = self.slopes
        gaps = np.maximum(scores - scores.max(axis=-1, keepdims=True), -LARGEST)
        p: Floats = (1.0 - share) * softmax(sharp * gaps, axis=-1)
        p += share * softmax(flat * gaps, axis=-1)
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
