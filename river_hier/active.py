"""Samplers in the form of River's: a prediction comes with whether to ask for the label."""

import abc
from heapq import nlargest
from typing import Any

import numpy as np
from river.active.base import ActiveLearningClassifier

from ._core import trained_nodes
from .base.answer import answer_of
from .base.checks import check, number
from .base.classifiers import is_multilabel, last_step, shown
from .linear_model import SHRLS, PathSoftmax
from .taxonomy import Label

__all__ = ["MarginSampler", "ThresholdSampler"]

RATE = 0.01  # of the steps of the threshold


class Sampler(ActiveLearningClassifier):
    """Base class of the samplers of this package."""

    _wanted: str  # the classifiers that it samples for

    def __init__(self, classifier: Any) -> None:
        if isinstance(classifier, type) or not self._fits(last_step(classifier)):
            raise TypeError(f"`classifier` must be {self._wanted}, got {shown(classifier)}")
        super().__init__(classifier)

    @staticmethod
    @abc.abstractmethod
    def _fits(classifier: Any) -> bool:
        """Whether it can sample for a classifier."""

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> tuple[Any, bool]:
        """The prediction of the classifier, and whether to ask for the label."""
        ask = self._ask_for_label(x, self._seen(x))
        return self.classifier.predict_one(x, **kwargs), ask

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> tuple[Any, bool]:
        """The probabilities of the classifier, and whether to ask for the label."""
        ask = self._ask_for_label(x, self._seen(x))
        return self.classifier.predict_proba_one(x, **kwargs), ask

    def learn_one(self, x: dict[Any, Any], y: Any, *w: float, **kwargs: Any) -> None:
        """Learn from one example, as the classifier does."""
        self.classifier.learn_one(x, y, *w, **kwargs)

    @abc.abstractmethod
    def _seen(self, x: dict[Any, Any]) -> Any:
        """What the decision depends on."""


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
    (0.313, 0.2035)
    """

    def __init__(self, classifier: Any, budget: float = 0.3) -> None:
        check(0.0 < number(budget) <= 1.0, "budget", budget, "above 0 and at most 1")
        super().__init__(classifier)
        self.budget = budget
        self._threshold = 1.0

    @classmethod
    def _unit_test_params(cls) -> Any:
        yield {"classifier": PathSoftmax()}

    _wanted = "a classifier of one label, with `predict_proba_one`"

    @staticmethod
    def _fits(classifier: Any) -> bool:
        return hasattr(classifier, "predict_proba_one") and not is_multilabel(classifier)

    def _seen(self, x: dict[Any, Any]) -> list[float]:
        """The largest probabilities."""
        if hasattr(last_step(self.classifier), "taxonomy"):
            return [p for _, p in answer_of(self.classifier, x).top(2, False, None)]
        return nlargest(2, self.classifier.predict_proba_one(x).values())

    def _ask_for_label(self, x: dict[Any, Any], y_pred: list[float]) -> bool:
        first, second = [*y_pred, 0.0, 0.0][:2]
        ask = min(first - second, 1.0) <= self._threshold
        self._threshold += RATE * (self.budget - ask)
        return ask

    def question_one(self, x: dict[Any, Any]) -> Label:
        r"""The node to ask from, with the fewest expected clicks: which of its children is it?

        An answer takes a click for each node below the one that is asked from, or, if the label is
        not there, one to say so and those of the whole path. From v, with a subtree of probability
        $P_v$, these are $(1 + \textrm{depth}_v) \, P_v - 1$ fewer than from the root. The
        classifier must be a model in a taxonomy.
        """
        answer = answer_of(self.classifier, x)
        t = answer.labels.taxonomy
        if answer.p() is None:
            return t.root
        saved = (1 + t._arrays.depth) * answer.marginals()
        inner = np.unique([0, *t._arrays.parent_index])
        return t.nodes[inner[np.argmax(saved[inner])]]


class ThresholdSampler(Sampler):
    r"""Asks where SH-RLS would learn something: where any of its nodes would store x.

    With the score $w_i \cdot x_t$, which counts $x_t$ in, the number $N_i$ of examples that node i
    has stored, and the `threshold` c of the model, that is where

    $$(w_i \cdot x_t)^2 \, N_i \le c \, \log t.$$

    This is the rule by which the paper [^1] trains SH-RLS (section 8, c = 5), there with
    labels that are known. In a taxonomy of one level, the model is then the same as if it had
    learned all labels. In a deeper one, nodes ask whose parents are predicted to be on.

    Parameters
    ----------
    classifier
        An `SHRLS`, of `linear_model` or `kernel`, or a pipeline that ends in one.

    Examples
    --------
    >>> from river import evaluate
    >>> from river_hier import Taxonomy, active, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy([("all", "news"), ("news", "sport"), ("news", "politics")])
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42).take(2000)
    >>> model = active.ThresholdSampler(linear_model.SHRLS(t, threshold=1.0))
    >>> evaluate.progressive_val_score(stream, model, metrics.HLoss(t), print_every=2000)
    [2,000] HLoss: 0.563 – 894 samples used
    HLoss: 0.563

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. JMLR 7.](https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)
    """

    def __init__(self, classifier: Any) -> None:
        super().__init__(classifier)
        self._rounds = 0.0  # those without a question, of which the model does not know yet

    @classmethod
    def _unit_test_params(cls) -> Any:
        yield {"classifier": SHRLS()}

    _wanted = "an `SHRLS`, or a pipeline that ends in one"

    @staticmethod
    def _fits(classifier: Any) -> bool:
        return hasattr(classifier, "stores") and hasattr(classifier, "threshold")

    def learn_one(self, x: dict[Any, Any], y: Any, *w: float, **kwargs: Any) -> None:
        """Learn from one example, as the classifier does after the rounds without a label."""
        last_step(self.classifier)._t += self._rounds
        self._rounds = 0.0
        super().learn_one(x, y, *w, **kwargs)

    def _seen(self, x: dict[Any, Any]) -> Any:
        """The nodes that would store x, as far as their parents are predicted to be on."""
        answer, model = answer_of(self.classifier, x), last_step(self.classifier)
        arrays = answer.labels.taxonomy._arrays
        on = np.zeros(arrays.n, dtype=bool)
        on[[0, *answer.nodes()]] = True
        nodes = trained_nodes(on, arrays)
        n = np.array([0.0, *model.n_stored.values()])
        return model.stores(answer.scores()[nodes], n[nodes], model._t + self._rounds + 1.0)

    def _ask_for_label(self, x: dict[Any, Any], y_pred: Any) -> bool:
        ask = bool(y_pred.any())
        self._rounds += not ask
        return ask
