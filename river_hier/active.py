"""Samplers in the form of River's: a prediction comes with whether to ask for the label."""

from __future__ import annotations

from heapq import nlargest
from typing import Any

from river.active.base import ActiveLearningClassifier

from ._core import below
from .base.checks import check, number
from .base.protocol import inner_and_input
from .linear_model import PathSoftmax
from .taxonomy import Label

RATE = 0.01  # of the steps of the threshold


class Sampler(ActiveLearningClassifier):
    """Base class of the samplers of this package."""

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> tuple[Any, bool]:
        """The prediction of the classifier, and whether to ask for the label."""
        ask = self._ask_for_label(x, self._seen(x))
        return self.classifier.predict_one(x, **kwargs), ask

    def learn_one(self, x: dict[Any, Any], y: Any, **kwargs: Any) -> None:
        """Learn from one example, as the classifier does."""
        self.classifier.learn_one(x, y, **kwargs)

    def _seen(self, x: dict[Any, Any]) -> Any:
        """What the decision depends on."""
        return self.classifier.predict_proba_one(x)


class MarginSampler(Sampler):
    r"""Asks where the two likeliest labels are close, for a given share of a stream.

    The margin of x is the difference of the two largest probabilities. The label is worth asking
    for if the margin is at most $\theta$, which is 1 at first and follows the budget: after each
    example, whose label was asked for (1) or not (0),

    $$\theta \leftarrow \theta + 0.01 \cdot (\textrm{budget} - \textrm{asked}).$$

    A margin is between 0 and 1, so $\theta$ stays between -0.01 and 1.01, and of the first n
    examples, `budget` $\cdot \, n \pm 101$ are asked for, on any stream.

    Parameters
    ----------
    classifier
        A classifier with `predict_proba_one`, or a pipeline that ends in one.
    budget
        The share of examples whose labels are asked for, above 0 and at most 1.

    Raises
    ------
    ValueError
        If `budget` is not above 0 and at most 1.

    Notes
    -----
    Each prediction counts as one example: call `predict_one`, or `predict_proba_one`, once.

    Examples
    --------

    >>> from river_hier import active, linear_model
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.04, seed=42)
    >>> model = active.MarginSampler(linear_model.PathSoftmax(stream.taxonomy), budget=0.3)

    >>> asked, mistakes = 0, 0
    >>> for x, y in stream.take(2000):
    ...     label, ask = model.predict_one(x)
    ...     mistakes += label != y
    ...     asked += ask
    ...     if ask:
    ...         model.learn_one(x, y)
    >>> asked / 2000, mistakes / 2000
    (0.3125, 0.2185)

    """

    def __init__(self, classifier: Any, budget: float = 0.3) -> None:
        check(0.0 < number(budget) <= 1.0, "budget", budget, "above 0 and at most 1")
        super().__init__(classifier)
        self.budget = budget
        self._threshold = 1.0

    @classmethod
    def _unit_test_params(cls) -> Any:
        yield {"classifier": PathSoftmax()}

    def _ask_for_label(self, x: dict[Any, Any], y_pred: dict[Any, float]) -> bool:
        ask = self._close([*y_pred.values()])
        self._threshold += RATE * (self.budget - ask)
        return ask

    def _close(self, p: list[float]) -> bool:
        first, second = nlargest(2, [*p, 0.0, 0.0])
        return min(first - second, 1.0) <= self._threshold

    def question_one(self, x: dict[Any, Any]) -> Label:
        """The node where the doubt begins: which of its children is it?

        From the root, this descends as long as one child, or the node itself as a label, is ahead
        of the others by more than $\\theta$. If the answer is a child that has children, learn from
        `Below(child)`, or ask on. The classifier must be a model in a taxonomy.
        """
        model, x = inner_and_input(self.classifier, x)
        taxonomy, v = model._taxonomy, 0
        softmax = model._softmax(x)
        p = below(model._labels, softmax) if softmax is not None else [0.0] * len(taxonomy)
        while children := taxonomy._arrays.children_of(v):
            shares = [float(p[c]) for c in children]
            own = float(p[v]) - sum(shares)
            if self._close([own, *shares]) or own > max(shares):
                break
            v = children[shares.index(max(shares))]
        return taxonomy.nodes[v]
