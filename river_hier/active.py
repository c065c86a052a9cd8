"""Samplers in the form of River's: a prediction comes with whether to ask for the label."""

from heapq import nlargest
from typing import Any

import numpy as np
from river.active.base import ActiveLearningClassifier

from ._core import trained_nodes
from .base.answer import answer_of
from .base.checks import check, check_positive, number
from .base.classifiers import last_step
from .linear_model import SHRLS, HPerceptron, PathSoftmax
from .taxonomy import Label

__all__ = ["MarginSampler", "PerceptronSampler", "ThresholdSampler"]

RATE = 0.01  # of the steps of the threshold


class Sampler(ActiveLearningClassifier):
    """Base class of the samplers of this package."""

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> tuple[Any, bool]:
        """The prediction of the classifier, and whether to ask for the label."""
        ask = self._ask_for_label(x, self._seen(x))
        return self.classifier.predict_one(x, **kwargs), ask

    def learn_one(self, x: dict[Any, Any], y: Any, *w: float, **kwargs: Any) -> None:
        """Learn from one example, as the classifier does."""
        self.classifier.learn_one(x, y, *w, **kwargs)

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

    def _ask_for_label(self, x: dict[Any, Any], y_pred: dict[Any, float]) -> bool:
        first, second = nlargest(2, [*y_pred.values(), 0.0, 0.0])
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


class PerceptronSampler(Sampler):
    r"""Selective sampling: asks at random, the more often the smaller the scores are.

    Each node whose parents are predicted to be on asks with probability

    $$\frac{b}{b + |w_i \cdot x|},$$

    and the labels of x are asked for if any of them does. Around `HPerceptron` with a single node
    below the root, this is the selective sampling perceptron of the paper [^1], and the expected
    number of questions is the sum of these probabilities. With labels $y_t = \pm 1$, for any u and
    $\gamma > 0$, the expected number of mistakes is at most

    $$\Bigl(1 + \frac{X^2}{2 b}\Bigr) \sum_t \frac{(\gamma - y_t \, u \cdot x_t)_+}{\gamma}
    + \frac{(2 b + X^2)^2 \|u\|^2}{8 b \gamma^2},$$

    where X is the largest norm of an x. This bound is by this library's own derivation, in the
    notes; it has the form of the paper's first theorem.

    Parameters
    ----------
    classifier
        A multilabel model in a taxonomy with `score_one`, or a pipeline that ends in one.
    b
        The score at which a node asks every other time. Larger values ask more.
    seed
        A seed, for the same questions in every run.

    Notes
    -----
    For any a, a mistake that is learned, at a score p, brings w nearer to a u:
    $\|a u - w\|^2$ falls by $2 a y \, u \cdot x + 2 |p| - \|x\|^2$. With
    $a = (2 b + X^2) / 2 \gamma$, this is $2 (b + |p|)$ at least, less $2 a$ times the hinge loss.
    As $b / (b + |p|)$ of them are learned, each costs 2 b in expectation, and all of them
    $a^2 \|u\|^2$ at most, and $2 a$ times the losses. A mistake is a score of the wrong sign.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import Taxonomy, active, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy([("all", "news"), ("news", "sport"), ("news", "politics")])
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)
    >>> model = active.PerceptronSampler(linear_model.HAROW(t), b=0.2, seed=1)
    >>> metric = metrics.HLoss(t)
    >>> run = evaluate.iter_progressive_val_score(stream.take(2000), model, metric, step=2000)
    >>> next(run)
    {'HLoss': HLoss: 0.557, 'Step': 2000, 'Samples used': 1205}

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Worst-case analysis of selective
        sampling for linear classification. Journal of Machine Learning Research, 7,
        pp. 1205-1230.](https://www.jmlr.org/papers/v7/cesa-bianchi06b.html)

    """

    def __init__(self, classifier: Any, b: float = 1.0, seed: int | None = None) -> None:
        check_positive("b", b)
        super().__init__(classifier, seed)
        self.b = b

    @classmethod
    def _unit_test_params(cls) -> Any:
        yield {"classifier": HPerceptron(), "seed": 1}

    def _seen(self, x: dict[Any, Any]) -> Any:
        """The scores of the nodes whose parents are predicted to be on."""
        answer, nodes = _reached(self.classifier, x)
        return answer.scores()[nodes]

    def _ask_for_label(self, x: dict[Any, Any], y_pred: Any) -> bool:
        none = np.prod(1.0 - self.b / (self.b + np.abs(y_pred)))
        return bool(self._rng.random() >= none)


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

    @classmethod
    def _unit_test_params(cls) -> Any:
        yield {"classifier": SHRLS()}

    def _seen(self, x: dict[Any, Any]) -> Any:
        """The nodes that would store x, as far as their parents are predicted to be on."""
        answer, nodes = _reached(self.classifier, x)
        model = last_step(self.classifier)
        n = np.array([0.0, *model.n_stored.values()])
        return model.stores(answer.scores()[nodes], n[nodes], model._t + 1.0)

    def _ask_for_label(self, x: dict[Any, Any], y_pred: Any) -> bool:
        if not (ask := bool(y_pred.any())):
            last_step(self.classifier)._t += 1.0  # a round, although nothing is learned
        return ask


def _reached(classifier: Any, x: Any) -> tuple[Any, Any]:
    """What the classifier says of x, and the nodes whose parents are predicted to be on."""
    answer = answer_of(classifier, x)
    arrays = answer.labels.taxonomy._arrays
    on = np.zeros(arrays.n, dtype=bool)
    on[[0, *answer.nodes()]] = True
    return answer, trained_nodes(on, arrays)
