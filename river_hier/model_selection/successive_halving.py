from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

from river import metrics as river_metrics

from .._core import Batch
from ..base.checks import check_integer, checked_weight
from ..base.classifiers import cloned
from ..base.protocol import inner
from ..base.wrapper import TransparentWrapper
from ..metrics import ZeroOneLoss
from ..metrics.base import TaxonomyMetric
from ..taxonomy import Label, Taxonomy, extended
from .evaluation import Evaluation, check_models
from .members import Members, parts_of

MODELS_PER_EXAMPLE = 1.25  # how many learn, on average over a round


class SuccessiveHalving(TransparentWrapper):
    """Choose among models along the stream, by a metric of their predictions before learning.

    All models learn the first `window` examples. The better half of them learns the next
    2 `window` examples, the better half of these the next 4 `window`, until one model is left. This
    model learns alone, until 1.25 models have learned per example on average. Then a new round
    starts, in which all models learn again, so no choice is final. With four models, a round takes
    20 `window` examples.

    Models are compared by the metric over a window, at its end; in the very first window also after
    1, 2, 4, 8, ... examples. Predictions are those of the best model in the last comparison.

    Equal parts of the models, such as the same scaler before different learners, or the same
    learner inside different decoders, are shared: they transform and learn only once.

    Parameters
    ----------
    models
        Models in the same taxonomy, all multilabel or all single-label, or pipelines that end in
        one, e.g. from `river.utils.expand_param_grid`.
    metric
        The metric to compare by, of this library or of River, with a single value. `None` for
        `metrics.ZeroOneLoss`, the share of examples with a wrong prediction.
    window
        The number of examples after which half of the models drop out. Choices after a longer
        window are more reliable; a shorter window takes less time and follows drift sooner.

    Attributes
    ----------
    best_model
        The model that predicts.
    learning_models
        The models that learn at present.
    metrics
        The metric of each model, over the last window in which it was compared.

    Raises
    ------
    TypeError
        If the models are not models in a taxonomy, or some are single-label and others multilabel,
        or `metric` is not a metric for them.
    ValueError
        If the models have different taxonomies or the same object inside, or the metric does not
        have a single value.

    Notes
    -----
    A step takes a prediction, an update of the metric and a step of each model that learns, and a
    prediction only one of the best model. Time is highest at the start, where all models learn.
    Memory is that of all models.

    A model that does not learn misses examples, so it is chosen again only if it is better in spite
    of that. Take a longer window if a model may overtake others only after many examples. Examples
    with labels that are new to an open taxonomy are learned by all models. If one of the models
    refuses an example that others have learned already, an error is raised.

    Successive halving is due to [^1]. Unlike River's `SuccessiveHalvingClassifier`, this class
    takes multilabel models, needs no budget, and does not stop choosing.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import Taxonomy, decision, linear_model, metrics, model_selection
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d", "e"]}, "f": ["g", "h"]}})
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)

    >>> models = [
    ...     linear_model.HAROW(t),
    ...     decision.SymmetricDifferenceBayes(decision.Calibrated(linear_model.HAROW(t))),
    ...     decision.HLossBayes(decision.Calibrated(linear_model.HAROW(t))),
    ... ]
    >>> model = model_selection.SuccessiveHalving(models, metrics.HLoss(t), window=200)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.HLoss(t))
    HLoss: 0.9055

    >>> print(model.best_model)
    HLossBayes(Calibrated(HAROW))

    >>> model.metrics
    [HLoss: 1.17, HLoss: 1.11, HLoss: 0.8875]

    References
    ----------
    [^1]: [Jamieson, K. and Talwalkar, A., 2016. Non-stochastic best arm identification and
        hyperparameter optimization. AISTATS 19, pp. 240-248.](
        https://proceedings.mlr.press/v51/jamieson16.html)

    """

    model: Any
    metrics: list[Any]

    def __init__(
        self,
        models: Sequence[Any],
        metric: river_metrics.base.Metric | None = None,
        window: int = 500,
    ) -> None:
        self.models: list[Any] = list(models)
        check_models(self.models)
        check_integer("window", window, 1)
        self._members = Members(self.models)
        super().__init__(self.models[0])
        self.metric: Any = metric
        self.window = window
        self._start_rounds(ZeroOneLoss(self._taxonomy) if metric is None else metric)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from .. import linear_model

        yield {"models": [linear_model.HPerceptron(), linear_model.HAROW()], "window": 10}

    @property
    def best_model(self) -> Any:
        """The model that predicts."""
        return self.model

    @property
    def learning_models(self) -> list[Any]:
        """The models that learn at present."""
        return [self.models[i] for i in self._rounds.learning]

    def clone(self, new_params: Any = None, include_attributes: bool = False) -> Self:
        """Return a selection of untrained models with the same parameters.

        Parameters
        ----------
        new_params
            `{name: value}` of parameters that differ.
        include_attributes
            Whether to keep what has been learned.

        """
        params = dict(new_params or {})
        if not include_attributes:  # River would copy what the models have learned
            params.setdefault("models", [model.clone() for model in self.models])
        return cloned(self, params, include_attributes)

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0, **kwargs: Any) -> None:
        """Learn from one example, after the models that learn have predicted it.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            The target, as the models take it.
        w
            The weight of the example, at least 0, in the models and in the metric. An example of
            weight 0 changes nothing.
        kwargs
            Passed on to the models.

        """
        if w != 1.0 and not (w := checked_weight(w)):
            return
        if isinstance(y, Iterator):  # it is needed several times
            y = list(y)
        members, before = self._members, self._taxonomy if self._open else None
        inputs = members.transform(x, self._work)
        predictions = members.predict(inputs, self._rounds.compared, self._evaluation.predict)
        members.learn(inputs, y, w, self._work, kwargs)
        if self._open and self._taxonomy is not before:  # the other models need new labels, too
            rest = members.work(range(len(self.models)), self._work)
            members.learn(inputs, y, w, rest, kwargs)
            self._evaluation.follow(self._taxonomy)
        if predictions:
            self._evaluation.update(y, predictions, w, self._taxonomy)
        if (best := self._rounds.advance(self._rank)) is not None:
            self.model = self.models[best]
        if not self._rounds.n:
            self.metrics = list(self._evaluation.running)
            self._start_window()

    def _rank(self, i: int) -> tuple[float, bool]:
        """The key that sorts models, the best first; the present one wins ties."""
        return self._evaluation.loss(i), self.models[i] is not self.model

    def _start_rounds(self, metric: Any) -> None:
        self._evaluation = Evaluation(metric, self.models)
        self._rounds = Rounds(len(self.models), self.window)
        self._start_window()
        self.metrics = list(self._evaluation.running)

    def _start_window(self) -> None:
        """Prepare for other models to learn."""
        self._work = self._members.work(self._rounds.learning)
        self._open = not isinstance(self.taxonomy, Taxonomy)
        self._evaluation.start(self._rounds.compared)
        if self._open:
            self._evaluation.follow(self._taxonomy)

    def adopt(self, taxonomy: Taxonomy) -> None:
        """Continue with a larger taxonomy in all models, and start a new round.

        Parameters
        ----------
        taxonomy
            The taxonomy of the models with new nodes.

        """
        taxonomy = extended(self._taxonomy, taxonomy)
        metric = self._evaluation.metric
        if isinstance(metric, TaxonomyMetric):
            metric = metric.clone({"taxonomy": taxonomy})
        wrappers, learners = parts_of(self.models)
        with self._all_or_none():
            for wrapper in wrappers:
                wrapper._check_taxonomy(taxonomy)
            for learner in learners:
                learner.adopt(taxonomy)
        if self.metric is not None:
            self.metric = metric
        self._start_rounds(metric)

    def forget(self, label: Label) -> None:
        """Reset a node and all nodes below it, in all models.

        Parameters
        ----------
        label
            The node.

        """
        nodes = self._taxonomy._branch(label)
        wrappers, learners = parts_of(self.models)
        with self._all_or_none():
            for learner in learners:
                learner.forget(label)
            for wrapper in wrappers:
                wrapper._forget(nodes)

    @contextmanager
    def _all_or_none(self) -> Iterator[None]:
        """Change all models or, if one of them refuses, none."""
        before = copy.deepcopy(vars(self))  # all at once, so that shared parts stay shared
        try:
            yield
        except BaseException:
            vars(self).update(before)
            raise

    def _checked(self, X: Batch, ys: Any) -> bool:
        learners = [model for _, model in self._members.learners]
        checked = [inner(model)._checked(X, ys) for model in learners]
        return all(checked) and not self._members.transformers


class Rounds:
    """The numbers of the models that learn, in rounds of windows.

    Attributes
    ----------
    learning
        The numbers of the models that learn, in order.
    n
        The number of examples in the present window.

    """

    def __init__(self, n_models: int, window: int) -> None:
        self.n_models = n_models
        self.window = window
        self.decided: bool = False  # after the very first window
        self.start()

    def start(self) -> None:
        """Start a round, in which all models learn."""
        self.excess: float = 0.0  # steps of models in this round, above MODELS_PER_EXAMPLE
        self._start_window(range(self.n_models), self.window)

    def _start_window(self, learning: Sequence[int], length: int) -> None:
        self.learning: list[int] = sorted(learning)
        self.length = length
        self.n: int = 0

    @property
    def compared(self) -> list[int]:
        """The models to compare: those that learn, if there are several."""
        return self.learning if len(self.learning) > 1 else []

    def advance(self, key: Callable[[int], Any]) -> int | None:
        """Count an example; return the best model if it is chosen now, else None.

        `key` sorts models, the best first.
        """
        self.n += 1
        self.excess += len(self.learning) - MODELS_PER_EXAMPLE
        best = None
        ends = self.n == self.length
        if self.compared and (ends or (not self.decided and self.n & (self.n - 1) == 0)):
            ranking = sorted(self.learning, key=key)
            best = ranking[0]
            if ends:
                self.decided = True
                self._start_window(ranking[: (len(ranking) + 1) // 2], 2 * self.length)
        if not self.compared and self.n_models > 1 and self.excess <= 0:
            self.start()
        return best
