"""Model selection: learn several models at once and predict with the best."""

from __future__ import annotations

import copy
import numbers
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Self

from river import compose
from river import metrics as river_metrics

from ._core import Batch
from .base.checks import check_integer, checked_weight
from .base.classifiers import cloned, is_multilabel, last_step, shown
from .base.protocol import inner, inner_and_input
from .base.wrapper import ModelWrapper, TransparentWrapper, check_model
from .metrics import ZeroOneLoss
from .metrics.base import TaxonomyMetric
from .taxonomy import Label, Taxonomy
from .taxonomy.errors import short

__all__ = ["SuccessiveHalving"]


_MODELS_PER_EXAMPLE = 1.25  # how many learn, on average over a round


class SuccessiveHalving(TransparentWrapper):
    """Choose among models along the stream, by a metric of their predictions before learning.

    All models learn the first `window` examples. The better half of them learns the next
    2 `window` examples, the better half of these the next 4 `window`, until one model is left. This
    model learns alone, until 1.25 models have learned per example on average. Then a new round
    starts, in which all models learn again, so no choice is final. With four models, a round takes
    20 `window` examples.

    Models are compared by the metric over a window, at its end; in the very first window also after
    1, 2, 4, 8, ... examples. Predictions are those of the best model in the last comparison.

    Each model learns by itself. Transformers that all of them need stand in front of the selection,
    as in `LogTFIDF() | SuccessiveHalving(models)`, where they transform each example once.

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
    prediction only one of the best model. Memory is that of all models.

    A model that does not learn misses examples, so take a longer window if a model may overtake
    others only after many examples. Examples with labels that are new to an open taxonomy are
    learned by all models.

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
        _check_models(self.models)
        check_integer("window", window, 1)
        super().__init__(self.models[0])
        self.metric: Any = metric
        self.window = window
        self._start(ZeroOneLoss(self._taxonomy) if metric is None else metric)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from . import linear_model

        yield {"models": [linear_model.HPerceptron(), linear_model.HAROW()], "window": 10}

    @property
    def best_model(self) -> Any:
        """The model that predicts."""
        return self.model

    @property
    def learning_models(self) -> list[Any]:
        """The models that learn at present."""
        return [self.models[i] for i in self._learning]

    def clone(self, new_params: Any = None, include_attributes: bool = False) -> Self:
        """Return a selection of untrained models with the same parameters; see River's `clone`."""
        params = dict(new_params or {})
        if not include_attributes:  # River would copy what the models have learned
            params.setdefault("models", [model.clone() for model in self.models])
        return cloned(self, params, include_attributes)

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0, **kwargs: Any) -> None:
        """Learn from one example, after the models that learn have predicted it.

        The arguments are those of the models. The weight counts in the models and in the metric; an
        example of weight 0 changes nothing.
        """
        if w != 1.0 and not (w := checked_weight(w)):
            return
        if isinstance(y, Iterator):  # it is needed several times
            y = list(y)
        before, learning = self._taxonomy, self._learning
        compared = learning if len(learning) > 1 else []
        predictions = [(i, self._what_it_reads(self.models[i], x)) for i in compared]
        weight = () if w == 1.0 else (w,)
        if weight:
            kwargs["w"] = w
        for model in self.learning_models:
            model.learn_one(x, y, **kwargs)
        if self._taxonomy is not before:  # the other models need new labels, too
            for i in set(range(len(self.models))).difference(learning):
                self.models[i].learn_one(x, y, **kwargs)
            self._follow_taxonomy()
        for i, y_pred in predictions:
            self._running[i].update(y, y_pred, *weight)
        self._advance()

    def _start(self, metric: Any) -> None:
        """Start the very first round, with new metrics."""
        _check_metric(metric, self.models)
        self._metric = metric
        multilabel = is_multilabel(self._last)
        reads = getattr(metric, "_reads", "labels" if metric.requires_labels else "probabilities")
        if reads == "labels" and not (multilabel and isinstance(metric, TaxonomyMetric)):
            reads = "answers"
        elif reads == "probabilities" and multilabel:
            reads = "marginals"
        self._reads: str = reads
        self._decided: bool = False  # after the very first window
        self._running: list[Any] = [metric.clone() for _ in self.models]
        self._start_round()
        self.metrics = list(self._running)

    def _what_it_reads(self, model: Any, x: Any) -> Any:
        """A prediction in the form that the metric reads."""
        if self._reads == "answers":
            return model.predict_one(x)
        if self._reads == "labels":  # those that are on, which takes less time than all labels
            last, x = inner_and_input(model, x)
            return [last._taxonomy.nodes[v] for v in last._learned_nodes_on(x)]
        if self._reads == "scores":
            return model.score_one(x)
        p = model.predict_proba_one(x)
        return p if self._reads == "probabilities" else {label: p[label][True] for label in p}

    def _start_round(self) -> None:
        """Let all models learn."""
        self._excess: float = 0.0  # steps of models in this round, above _MODELS_PER_EXAMPLE
        self._start_window(range(len(self.models)), self.window)

    def _start_window(self, learning: Sequence[int], length: int) -> None:
        """Let these models learn; they are compared at the end, if there are several."""
        self._learning: list[int] = sorted(learning)
        self._length = length
        self._n: int = 0  # examples in this window
        if len(learning) > 1:
            for i in learning:
                self._running[i] = self._metric.clone()
        self._follow_taxonomy()

    def _follow_taxonomy(self) -> None:
        """Let the metrics read the labels of an open taxonomy that have arrived."""
        if isinstance(self._metric, TaxonomyMetric) and not isinstance(self.taxonomy, Taxonomy):
            for metric in self._running:
                metric.taxonomy_ = self._taxonomy

    def _advance(self) -> None:
        """Count an example; compare the models and start a window or a round if it is time to."""
        self._n += 1
        self._excess += len(self._learning) - _MODELS_PER_EXAMPLE
        ends = self._n == self._length
        early = not self._decided and self._n & (self._n - 1) == 0
        if len(self._learning) > 1 and (ends or early):
            ranking = sorted(self._learning, key=self._rank)
            self.model = self.models[ranking[0]]
            if ends:
                self._decided = True
                self.metrics = list(self._running)
                self._start_window(ranking[: (len(ranking) + 1) // 2], 2 * self._length)
        if len(self._learning) == 1 < len(self.models) and self._excess <= 0:
            self._start_round()

    def _rank(self, i: int) -> tuple[float, bool]:
        """The key that sorts models, the best first; the present one wins ties."""
        value: float = self._running[i].get()
        loss = -value if self._metric.bigger_is_better else value
        return loss, self.models[i] is not self.model

    def adopt(self, taxonomy: Taxonomy) -> None:
        """Continue with a larger taxonomy in all models, and start a new round."""
        metric = self._metric
        if isinstance(metric, TaxonomyMetric):
            metric = metric.clone({"taxonomy": taxonomy})
        self._change_models(lambda model: model.adopt(taxonomy))
        if self.metric is not None:
            self.metric = metric
        self._start(metric)

    def forget(self, label: Label) -> None:
        """Reset a node and all nodes below it, in all models."""
        self._change_models(lambda model: model.forget(label))

    def _change_models(self, work: Callable[[Any], None]) -> None:
        """Change the taxonomy of all models, or of none."""
        before = copy.deepcopy(vars(self))
        try:
            for model in self.models:
                work(last_step(model))
        except BaseException:
            vars(self).update(before)
            raise

    def _checked(self, X: Batch, ys: Any) -> bool:
        return all(inner(model)._checked(X, ys) for model in self.models)


def _check_models(models: list[Any]) -> None:
    """Raise an error unless these are separate models of the same kind in the same taxonomy."""
    if not models:
        raise ValueError("`models` must have at least one model, got []")
    for model in models:
        check_model(model, "learn_one", "predict_one")
    first = last_step(models[0])
    for model in map(last_step, models[1:]):
        if is_multilabel(model) != is_multilabel(first):
            raise TypeError(
                "`models` must all predict multilabels, or all of them single labels, got "
                f"{shown(first)} and {shown(model)}"
            )
        if model.taxonomy != first.taxonomy:
            raise ValueError(
                f"`models` must have the same taxonomy, got {short(first.taxonomy)} and "
                f"{short(model.taxonomy)}"
            )
    parts = [id(part) for part in _parts(models)]
    if len(set(parts)) < len(parts):
        raise ValueError(
            "`models` must be separate models, but two of them have the same object inside, which "
            "would learn every example twice; clone it"
        )


def _parts(models: Iterable[Any]) -> Iterator[Any]:
    """Models, and what is inside their pipelines and wrappers."""
    for model in models:
        yield model
        if isinstance(model, compose.Pipeline):
            yield from _parts(model.steps.values())
        elif isinstance(model, SuccessiveHalving):
            yield from _parts(model.models)
        elif isinstance(model, ModelWrapper):
            yield from _parts([model.model])


def _check_metric(metric: Any, models: list[Any]) -> None:
    """Raise an error unless this is a metric for all of these models, with a single value."""
    for model in map(last_step, models):
        if not isinstance(metric, river_metrics.base.Metric) or not metric.works_with(model):
            raise TypeError(
                f"`metric` must be a metric for {shown(model)}, of this library or of River, got "
                f"{short(metric)}; for a rolling metric, use `window`"
            )
        if getattr(metric, "_reads", "") == "scores" and not hasattr(model, "score_one"):
            raise TypeError(
                f"{type(metric).__name__} reads scores, but {shown(model)} has no `score_one`"
            )
    if not isinstance(metric.get(), numbers.Real):
        raise ValueError(
            f"`metric` must have a single value to compare, got {type(metric).__name__}"
        )
