"""Regret: the cumulative loss of a model minus that of a comparator on the same stream."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from river.datasets.base import SyntheticDataset

from .. import losses, metrics
from ..base.checks import check_integer
from ..base.classifiers import takes_weights
from ..datasets.synth.linear_labels import ReferenceClassifier
from ..datasets.synth.transformers import Transformed
from ..metrics.base import MeanScore
from ..taxonomy import Taxonomy


def iter_regret(
    dataset: Any, model: Any, comparator: Any, loss: Any, step: int = 1
) -> Iterator[dict[str, float]]:
    r"""Cumulative losses of a model and a comparator along a stream, and their difference.

    Both predict, are scored, and learn from each example. After $T$ examples the regret, Eq. (5) of
    the paper of `linear_model.HRLS`, is

    $$\sum_{t=1}^T \left( E\,\ell(\hat y_t, V_t) - E\,\ell(y_t, V_t) \right)$$

    with $\hat y_t$ the prediction of the model and $y_t$ that of the comparator. The expectations
    over the label are exact if the dataset has `probabilities` and the loss has an expected form;
    otherwise, the losses on the observed label are used. If either prediction is empty (`None` or
    `{}`), the example is scored for neither.

    Parameters
    ----------
    dataset
        A stream of `(x, y)`, or of `(x, y, kwargs)` as in River's loop. It may be endless.
    model
        A classifier or multilabel classifier, or a pipeline that ends in one.
    comparator
        The model to compare with, which learns as well, unless it is fitted (`batch`) or the model.
    loss
        A metric that is the mean of a loss, which is not updated, or a function of `losses`, for
        the taxonomy of the dataset.
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
    {'Step': 100, 'Loss': 93.310, 'Comparator': 71.254, 'Regret': 22.055}
    {'Step': 200, 'Loss': 190.032, 'Comparator': 146.233, 'Regret': 43.799}
    {'Step': 300, 'Loss': 280.656, 'Comparator': 218.138, 'Regret': 62.518}

    """
    check_integer("step", step, at_least=1)
    return _every(step, _states(dataset, model, comparator, loss))


def regret(dataset: Any, model: Any, comparator: Any, loss: Any) -> float:
    """The regret of a model at the end of a stream, the last `Regret` of `iter_regret`.

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
    62.518

    """
    check_ends(dataset)
    value = 0.0
    for state in _states(dataset, model, comparator, loss):
        value = state["Regret"]
    return value


def _states(dataset: Any, model: Any, comparator: Any, loss: Any) -> Iterator[dict[str, float]]:
    """The cumulative losses after each example, in expectation if that is known."""
    metric = read_loss(loss, dataset)
    for name, given in (("model", model), ("comparator", comparator)):
        if not metric.works_with(given):
            raise TypeError(f"`{name}` must be a classifier, of one label or several, got {given}")
    models = [model] if comparator is model else [model, comparator]
    expected = getattr(metric, "expected", None) if metric.taxonomy_._is_tree else None
    probabilities = getattr(dataset, "probabilities", None)
    if expected is None or probabilities is None:
        return _cumulative(dataset, models, metric._eval, lambda x, y, step: y)
    if "step" in inspect.signature(probabilities).parameters:
        return _cumulative(dataset, models, expected, lambda x, y, step: probabilities(x, step))
    return _cumulative(dataset, models, expected, lambda x, y, step: probabilities(x))


def _cumulative(
    dataset: Any, models: list[Any], loss: Callable[[Any, Any], float], truth: Callable[..., Any]
) -> Iterator[dict[str, float]]:
    takes = [takes_weights(model) for model in models]
    ours = theirs = 0.0
    for step, (x, y, *more) in enumerate(dataset):
        kwargs = dict(more[0]) if more else {}
        weight = {"w": w} if (w := kwargs.pop("w", None)) is not None else {}
        answers = [_at(step, model).predict_one(x, **kwargs) for model in models]
        if not any(answer is None or answer == {} for answer in answers):  # as in River's loop
            y_true = truth(x, y, step)
            ours, theirs = ours + loss(y_true, answers[0]), theirs + loss(y_true, answers[-1])
        for model, takes_weight in zip(models, takes, strict=True):
            model.learn_one(x, y, **kwargs, **(weight if takes_weight else {}))
        yield {"Step": step + 1, "Loss": ours, "Comparator": theirs, "Regret": ours - theirs}


def _at(step: int, model: Any) -> Any:
    """The model that predicts at this step: of a stream that drifts, there is one each."""
    return model.at(step) if isinstance(model, ReferenceClassifier) else model


def _every(step: int, states: Iterator[dict[str, float]]) -> Iterator[dict[str, float]]:
    """The state after every so many examples, and the last one."""
    state: dict[str, float] = {}
    for state in states:
        if state["Step"] % step == 0:
            yield state
    if state and state["Step"] % step:
        yield state


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
