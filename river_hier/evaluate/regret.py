"""Regret: the cumulative loss of a model minus that of a comparator on the same stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from river import evaluate
from river.datasets.base import SyntheticDataset

from ..base.checks import check_integer
from ..datasets.synth.transformed import Transformed
from .pair import CumulativeLosses, Pair, read_loss


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

    This is the last `Regret` of `iter_regret`; see there for the details.

    Parameters
    ----------
    dataset
        A finite stream; for an endless one, `stream.take(k)`.
    model
        The model.
    comparator
        The model to compare with. It learns as well; those of `batch` do not.
    loss
        A metric of this package that is the mean of a loss, or a function of `losses`.

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
