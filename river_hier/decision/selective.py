"""Predictions that are as specific as a limit on the share of wrong ones allows."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np
from river import base

from .._core import Batch, descent
from ..base.checks import check_integer, checked_weight, number
from ..base.classifiers import shown
from ..base.predictor import SingleLabelPredictor, open_for_river
from ..base.protocol import inner_and_input
from ..base.targets import read_label, without_below
from ..base.wrapper import ModelWrapper, check_model
from ..linear_model import PathSoftmax
from ..taxonomy import Below, Label
from ..taxonomy.errors import short

RATE = 0.1  # of the steps of the level, in units of the risk


class Selective(ModelWrapper, SingleLabelPredictor):
    r"""Selective prediction: at most a given share of the answers is wrong, whatever the stream.

    An answer may be any node, and is right if the label is this node or below it. From the root, it
    descends to the child $v$ with the most probable subtree, as long as the label is more likely
    there than at the node itself, and

    $$P_v = \sum_{u \textrm{ at or below } v} p_u > \tau.$$

    For each learned example, the smallest threshold at which the answer would have been right is
    known: the probability $P_v$ of the first wrong node on the way down, or 0. The threshold $\tau$
    is the $k$-th smallest of these values among the latest $n$ examples, where
    $k = \lceil (1 - \alpha)(n + 1) \rceil$, and 1 if $k > n$. With a level $\alpha$ of `risk`, an
    answer is wrong with probability at most `risk` if the example and those of the window are
    exchangeable. On other streams, this holds in the long run, as the level follows the mistakes:
    after each example, whose answer was a mistake (1) or none (0), unless $\tau$ was 0 without one,

    $$\alpha \leftarrow \alpha + 0.1 \cdot \textrm{risk} \cdot (\textrm{risk} - \textrm{mistake}).$$

    Hence at most `risk` $\cdot \, n + 11$ of the first $n$ answers are wrong, on any stream.

    The root is an answer, too, and right for every label. So among the answers below the root the
    share of wrong ones is larger: up to `risk` divided by the share of these answers. The promise
    is one for the stream as a whole; a branch that is harder than others may have more mistakes.

    Parameters
    ----------
    model
        A single-label model in a taxonomy with `predict_proba_one`, or a pipeline that ends in one.
    risk
        The share of answers that may be wrong, above 0 and below 1.
    window
        The number of examples from which the threshold is computed, the latest ones.

    Raises
    ------
    TypeError
        If `model` does not predict single labels with probabilities.
    ValueError
        If `risk` is not between 0 and 1, or `window` is below 1 / `risk`.

    Notes
    -----
    The promise is about the answers before each `learn_one`, with all examples learned; in several
    passes, use `Selective(stream.Replayed(model))`. The answer is the root for the first 1 / `risk`
    examples. On top of the model, learning takes one computation of its probabilities and
    O(`window`) operations, a prediction O(nodes) time, or the
    children along one path with `HierarchicalSoftmax`. Selective prediction in a taxonomy with a
    threshold from held-out examples is due to [^1], the steps of the level to [^2].

    Examples
    --------

    >>> from river_hier import decision, linear_model
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.16, seed=42)
    >>> t = stream.taxonomy
    >>> model = decision.Selective(linear_model.PathSoftmax(t), risk=0.05)

    >>> mistakes, depth = 0, 0
    >>> for x, y in stream.take(4000):
    ...     answer = model.predict_one(x)
    ...     mistakes += answer not in t.path(y)
    ...     depth += t.depth(answer)
    ...     model.learn_one(x, y)
    >>> mistakes / 4000, depth / 4000
    (0.05075, 1.70575)

    References
    ----------
    [^1]: [Goren, S., Galil, I. and El-Yaniv, R., 2024. Hierarchical selective classification.
        Advances in Neural Information Processing Systems 37.](https://arxiv.org/abs/2405.11533)
    [^2]: [Gibbs, I. and Candès, E., 2021. Adaptive conformal inference under distribution shift.
        Advances in Neural Information Processing Systems 34.](https://arxiv.org/abs/2106.00170)

    """

    _multiclass: bool = True

    def __init__(self, model: Any, risk: float = 0.05, window: int = 1_000) -> None:
        check_model(model, "predict_proba_one", "predict_one")
        super().__init__(model)
        if not isinstance(self._last, base.Classifier):
            raise TypeError(f"`model` must predict single labels, got {shown(model)}")
        if not 0.0 < number(risk) < 1.0:
            raise ValueError(f"`risk` must be above 0 and below 1, got {short(risk)}")
        check_integer("window", window, math.ceil(1.0 / risk))
        self.risk = risk
        self.window = window
        self._level = risk
        self._latest: deque[float] = deque()
        self._sorted: list[float] = []

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": PathSoftmax()}

    @property
    def threshold(self) -> float:
        """The probability that a subtree must exceed; 1 if the answer is the root."""
        n = len(self._sorted)
        k = math.ceil((1.0 - self._level) * (n + 1))
        return 1.0 if k > n else self._sorted[k - 1] if k > 0 else 0.0

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0, **kwargs: Any) -> None:
        """Learn from one example, as the model does.

        An example of weight 0 changes nothing; all others count alike for the threshold.
        """
        if w != 1.0 and not (w := checked_weight(w)):
            return
        if type(y := without_below(self, y)) is Below:  # the rest is learned from whole labels
            return super().learn_one(x, y, w, **kwargs)
        way = self._way(self._softmax(x))
        self.model.learn_one(x, y, w=w, **kwargs)  # raises before anything is learned here
        taxonomy, v = read_label(self, y)
        path = {taxonomy.index(label) for label in taxonomy.path(taxonomy.nodes[v])}
        least = next((p for node, p in way if node not in path), 0.0)
        threshold = self.threshold
        if least > threshold or threshold > 0.0:
            self._level += RATE * self.risk * (self.risk - (least > threshold))
        insort(self._sorted, least)
        self._latest.append(least)
        if len(self._latest) > self.window:
            del self._sorted[bisect_left(self._sorted, self._latest.popleft())]

    @open_for_river
    def predict_proba_one(self, x: dict[Any, Any]) -> dict[Any, float]:
        """The model's probabilities: `{label: probability}`."""
        return cast("dict[Any, float]", self.model.predict_proba_one(x))

    def _predict(self, x: Mapping[Any, Any]) -> Label | None:
        return self._answer(self._softmax(x))

    def _labels_of(self, X: Batch) -> list[Any]:
        rows = np.ascontiguousarray(np.nan_to_num(self._probabilities(X)))
        return [self._answer(p) for p in rows]

    def _softmax(self, x: Mapping[Any, Any]) -> Any:
        model, x = inner_and_input(self.model, x)
        return model._softmax(x)

    def _answer(self, probabilities: Any) -> Label | None:
        threshold = self.threshold
        reached = [v for v, p in self._way(probabilities) if p > threshold]  # which reads x
        if self._without_labels:
            return None
        return self._taxonomy.nodes[reached[-1] if reached else 0]

    def _way(self, probabilities: Any) -> list[tuple[int, float]]:
        """The nodes on the way down and the probabilities of their subtrees, at most 1."""
        return [] if probabilities is None else descent(self._labels, probabilities)
