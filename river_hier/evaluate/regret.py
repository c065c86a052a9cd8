"""Regret: the cumulative loss of a model minus that of a comparator on the same stream."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from river import base, evaluate
from river import metrics as river_metrics
from river.datasets.base import SyntheticDataset

from .. import losses, metrics
from ..base.checks import check_integer
from ..base.classifiers import takes_weights
from ..datasets.synth.transformers import Transformed
from ..metrics.base import MeanScore
from ..taxonomy import Taxonomy


def iter_regret(
    dataset: Any, model: Any, comparator: Any, loss: Any, step: int = 1
) -> Iterator[dict[str, float]]:
    r"""Cumulative losses of a model and a comparator along a stream, and their difference.

    Both predict, are scored, and learn from each example, by River's
    `evaluate.iter_progressive_val_score`. After $T$ examples the regret is[^1]

    $$\sum_{t=1}^T \left( E\,\ell(\hat y_t, V_t) - E\,\ell(y_t, V_t) \right)$$

    with $\hat y_t$ the prediction of the model and $y_t$ that of the comparator. The expectations
    are over the label. They are exact if the dataset has `probabilities` and the loss has an
    expected form. Otherwise, the losses on the observed label are used.

    As in River's loop, an empty prediction (`None` or `{}`) is not scored. If either of the two is
    empty, the example counts for neither.

    Parameters
    ----------
    dataset
        A stream of `(x, y)`, or of `(x, y, kwargs)` as in River's loop. It may be endless.
    model
        The model, a classifier or multilabel classifier, or a pipeline that ends in one.
    comparator
        The model to compare with. It learns as well; those of `batch`, trained by `fit` before, do
        not. If it is the same object as the model, it learns once.
    loss
        A metric of this package that is the mean of a loss, which is not updated, or a function of
        `losses`, for the taxonomy of the dataset.
    step
        The number of examples between two results. There is always one at the end.

    Returns
    -------
    Dictionaries with the keys `Step`, `Loss`, `Comparator` and `Regret`.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy([("animal", "mammal"), ("animal", "bird"), ("mammal", "wolf")])
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)
    >>> model = linear_model.HPerceptron(t)
    >>> loss = metrics.HLoss(t)

    >>> states = evaluate.iter_regret(stream.take(300), model, stream.reference, loss, step=100)
    >>> for state in states:
    ...     print(state)
    {'Step': 100, 'Loss': 93.753, 'Comparator': 71.254, 'Regret': 22.498}
    {'Step': 200, 'Loss': 190.476, 'Comparator': 146.233, 'Regret': 44.243}
    {'Step': 300, 'Loss': 281.100, 'Comparator': 218.138, 'Regret': 62.961}

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. Journal of Machine Learning Research, 7, pp.31-54, Eq.
        5.](https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)

    """
    check_integer("step", step, at_least=1)
    pair, losses = _pair(dataset, model, comparator, loss)
    return _states(dataset, pair, losses, step)


def regret(dataset: Any, model: Any, comparator: Any, loss: Any) -> float:
    """The regret of a model at the end of a stream: its cumulative loss minus the comparator's.

    This is the last `Regret` of `iter_regret`.

    Parameters
    ----------
    dataset
        A finite stream; for an endless one, `stream.take(k)`.
    model, comparator, loss
        As in `iter_regret`.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate, linear_model, losses
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy([("animal", "mammal"), ("animal", "bird"), ("mammal", "wolf")])
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)
    >>> model = linear_model.HPerceptron(t)
    >>> evaluate.regret(stream.take(300), model, stream.reference, losses.h_loss)
    62.96154

    """
    check_ends(dataset)
    pair, losses = _pair(dataset, model, comparator, loss)
    for _ in evaluate.iter_progressive_val_score(dataset, pair, losses, step=0):
        pass
    return losses.get()


def _pair(dataset: Any, model: Any, comparator: Any, loss: Any) -> tuple[Pair, CumulativeLosses]:
    metric = read_loss(loss, dataset)
    for name, given in (("model", model), ("comparator", comparator)):
        if not metric.works_with(given):
            raise TypeError(f"`{name}` must be a classifier, of one label or several, got {given}")
    return Pair(model, comparator), CumulativeLosses(metric, dataset)


def _states(
    dataset: Any, pair: Pair, losses: CumulativeLosses, step: int
) -> Iterator[dict[str, float]]:
    last = 0
    for state in evaluate.iter_progressive_val_score(dataset, pair, losses, step=step):
        last = state["Step"]
        yield {"Step": last, **losses.state}
    if last < pair.step:  # River yields nothing for a stream shorter than one step
        yield {"Step": pair.step, **losses.state}


def check_ends(dataset: Any) -> None:
    """Raise an error if a stream that must be read to its end has none."""
    while isinstance(dataset, Transformed):
        dataset = dataset.stream
    if isinstance(dataset, SyntheticDataset) and dataset.n_samples is None:
        raise ValueError(
            f"{type(dataset).__name__} is endless; give a prefix of it, such as .take(1000)"
        )


METRICS: dict[Any, Callable[[Taxonomy], MeanScore]] = {
    losses.h_loss: metrics.HLoss,
    losses.maximal_loss: metrics.MaximalLoss,
    losses.ranking_loss: metrics.RankingLoss,
    losses.symmetric_difference_loss: metrics.SymmetricDifferenceLoss,
    losses.tree_induced_error: metrics.TreeInducedError,
    losses.zero_one_loss: metrics.ZeroOneLoss,
}


class Predictions(NamedTuple):
    """The predictions of the model and of the comparator for the example of a step."""

    x: dict[Any, Any]
    step: int
    model: Any
    comparator: Any


class Pair(base.Estimator):
    """Two models side by side, as one estimator for River's loop; the same object learns once."""

    def __init__(self, model: Any, comparator: Any) -> None:
        self.model = model
        self.comparator = comparator
        self.step: int = 0
        learners = [model] if comparator is model else [model, comparator]
        self._learners = [(learner.learn_one, takes_weights(learner)) for learner in learners]

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Predictions | None:
        ours = theirs = self.model.predict_one(x, **kwargs)
        if self.comparator is not self.model:
            theirs = self.comparator.predict_one(x, **kwargs)
        if _is_missing(ours) or _is_missing(theirs):
            return None
        return Predictions(x, self.step, ours, theirs)

    def learn_one(self, x: dict[Any, Any], y: Any, w: float | None = None, **kwargs: Any) -> None:
        for learn, accepts_weight in self._learners:
            if w is not None and accepts_weight:
                learn(x, y, w=w, **kwargs)
            else:
                learn(x, y, **kwargs)
        self.step += 1


class CumulativeLosses(river_metrics.base.Metric):
    """The cumulative losses of a pair, as a metric for River's loop.

    The losses are in expectation if the stream knows the probabilities of the labels and the loss
    has an expected form; it has one in trees only.
    """

    bigger_is_better: bool = False

    def __init__(self, metric: MeanScore, dataset: Any) -> None:
        self._loss: Any = metric._eval
        probabilities = getattr(dataset, "probabilities", None)
        expected = getattr(metric, "expected", None) if metric.taxonomy_.is_tree else None
        self._expectation: Any = None
        if probabilities is not None and expected is not None:
            drifts = "step" in inspect.signature(probabilities).parameters
            self._expectation = expected, probabilities, drifts
        self.model: float = 0.0
        self.comparator: float = 0.0

    def update(self, y_true: Any, y_pred: Predictions) -> None:
        self._add(1, y_true, y_pred)

    def revert(self, y_true: Any, y_pred: Predictions) -> None:
        self._add(-1, y_true, y_pred)

    def _add(self, w: int, y: Any, y_pred: Predictions) -> None:
        loss = self._loss
        if self._expectation is not None:
            loss, probabilities, drifts = self._expectation
            y = probabilities(y_pred.x, y_pred.step) if drifts else probabilities(y_pred.x)
        self.model += w * loss(y, y_pred.model)
        self.comparator += w * loss(y, y_pred.comparator)

    def get(self) -> float:
        return self.model - self.comparator

    @property
    def state(self) -> dict[str, float]:
        return {"Loss": self.model, "Comparator": self.comparator, "Regret": self.get()}

    def works_with(self, model: Any) -> bool:
        return isinstance(model, Pair)


def read_loss(loss: Any, dataset: Any) -> MeanScore:
    """The metric that `loss` is or, for a function of `losses`, the metric of that function."""
    if isinstance(loss, MeanScore) and not loss.bigger_is_better:
        return loss
    if not inspect.isfunction(loss) or loss not in METRICS:
        kind = loss.__name__ if hasattr(loss, "__name__") else type(loss).__name__
        raise TypeError(
            "`loss` must be a metric that is the mean of a loss, such as metrics.HLoss(taxonomy), "
            f"or a function of losses, such as losses.h_loss, got {kind}"
        )
    taxonomy = getattr(dataset, "taxonomy", None)
    if taxonomy is None:
        raise ValueError(
            f"losses.{loss.__name__} needs a taxonomy, but the dataset has none; pass "
            f"metrics.{METRICS[loss].__name__}(taxonomy) instead"
        )
    return METRICS[loss](taxonomy)


def _is_missing(y_pred: Any) -> bool:
    """Whether there is no prediction; River's loop does not score it either."""
    return y_pred is None or (isinstance(y_pred, dict) and not y_pred)
