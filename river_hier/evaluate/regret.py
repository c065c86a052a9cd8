"""Regret: the cumulative loss of a model, less that of a comparator on the same stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from river import evaluate

from ..base import check_integer
from .instantaneous import instantaneous, read_loss
from .pair import CumulativeLosses, Pair
from .streams import check_ends

__all__ = ["iter_regret", "regret"]


def iter_regret(
    dataset: Any, model: Any, comparator: Any, loss: Any, step: int = 1
) -> Iterator[dict[str, float]]:
    r"""Cumulative loss of a model and of a comparator, and their difference, along a stream.

    Both predict, are scored and learn on every example, in the loop of River's
    `evaluate.iter_progressive_val_score`. After $T$ examples the regret is[^1]

    $$\sum_{t=1}^T \left( E\,\ell(\hat y_t, V_t) - E\,\ell(y_t, V_t) \right)$$

    with $\hat y_t$ the answer of the model and $y_t$ that of the comparator. The expectations are
    over the label. They are exact where the dataset knows its `probabilities` and the loss has an
    expected form. Elsewhere the losses on the label that came take their place.

    As in River's loop, no answer (`None` or `{}`) is not scored; here the example then counts for
    neither of the two.

    Parameters
    ----------
    dataset
        A stream of `(x, y)`, or of `(x, y, kwargs)` as in River's loop. An endless one is fine:
        stop when you have seen enough, or give `stream.take(k)`.
    model
        The model, a classifier or multilabel classifier, or a pipeline that ends in one.
    comparator
        What the model is compared with; it learns as well, unless it is one of `batch`, trained by
        `fit` before. If it is the model itself, that one learns once.
    loss
        A metric of ours that is the mean of a loss, which is not changed, or a function of
        `losses`, which is given the taxonomy of the dataset.
    step
        Results are given every so many examples, and at the end.

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
    """The regret of a model at the end of a stream: its cumulative loss less the comparator's.

    The last `Regret` that `iter_regret` gives: all that is said there holds here too.

    Parameters
    ----------
    dataset
        A stream that ends: of an endless one, `stream.take(k)`.
    model
        The model.
    comparator
        What the model is compared with; it learns as well, unless it is one of `batch`.
    loss
        A metric of ours that is the mean of a loss, or a function of `losses`.

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
    return Pair(model, comparator), CumulativeLosses(instantaneous(metric, dataset))


def _states(
    dataset: Any, pair: Pair, losses: CumulativeLosses, step: int
) -> Iterator[dict[str, float]]:
    shown = 0
    for state in evaluate.iter_progressive_val_score(dataset, pair, losses, step=step):
        shown = state["Step"]
        yield {"Step": shown, **losses.state}
    if shown < pair.step:  # River is silent about a stream shorter than one step
        yield {"Step": pair.step, **losses.state}
