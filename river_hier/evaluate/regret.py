"""Regret: the cumulative loss of a model minus that of a comparator on the same stream."""

import copy
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from river import base
from river import evaluate as river_evaluate
from river import metrics as river_metrics
from river.active.base import ActiveLearningClassifier
from river.datasets.base import SyntheticDataset

from .. import metrics
from ..base.checks import check_integer
from ..base.classifiers import last_step, last_step_and_input, takes_weights
from ..datasets.base import Prefix, Stream, View
from ..datasets.synth.transformers import Edited, Transformed
from ..metrics.base import MeanLoss, MeanScore, TaxonomyMetric
from ..taxonomy import Evidence
from .scores import Probabilities, Ranked

VIEWS: dict[str, Any] = {"scores": Ranked, "probabilities": Probabilities}


def iter_regret(
    dataset: Any,
    model: Any,
    comparator: Any,
    loss: Any,
    step: int = 1,
    moment: Any = None,
    delay: Any = None,
    measure_time: bool = False,
) -> Iterator[dict[str, Any]]:
    r"""Cumulative losses of models and comparators along a stream, and their differences.

    All predict and learn from each example, samplers from those that they ask for, in one pass of
    River's `iter_progressive_val_score`. After $T$ examples the regret, Eq. (5) of the paper of
    `linear_model.HRLS`, is

    $$\sum_{t=1}^T \left( E\,\ell(\hat y_t, V_t) - E\,\ell(y_t, V_t) \right)$$

    with $\hat y_t$ the prediction of the model and $y_t$ that of the comparator. Expectations are
    exact if the dataset has `probabilities` and the loss has an expected form; otherwise, observed
    labels are used. If any prediction is empty (`None` or `{}`), the example is scored for none.

    A comparator with a method `at` is asked as `comparator.at(step)`, with the step counted from 0;
    in a view of a stream, such as `stream.where(keep)`, it is that of the stream. If the comparator
    changes, as the `reference` of a stream that drifts, this is dynamic regret. In `synth.Edited`,
    all adopt the edit before they answer the first example with a label of the new taxonomy.

    Parameters
    ----------
    dataset
        A stream of `(x, y)`, or of `(x, y, kwargs)` as in River's loop. It may be endless.
    model
        A classifier or multilabel classifier, or a pipeline that ends in one; or `{name: model}`.
    comparator
        What to compare with, likewise one or several. It learns as well, unless it is fitted
        (`batch`) or `fixed`; one that is also a model learns once. `best` makes one of a family.
    loss
        A metric that is a mean, of this package or of River; a function of `losses`; or a function
        `f(y, prediction)` of one's own. Or several, `{name: loss}`. Scores, such as an accuracy,
        count as 1 minus the score. Models are asked for what the metric takes: labels, scores or
        probabilities; by a function for labels.
    step
        The number of examples between two results. There is always one at the end.
    moment
        The time of an example: the name of a feature, or a function of x.
    delay
        How long after an example its label is learned: a number, the name of a feature, or a
        function of x and y. Without a `moment`, it counts examples.
    measure_time
        Whether the dictionaries have the `Time` of all models together.

    Returns
    -------
    Dictionaries with the keys `Step`, `Loss`, `Comparator` and `Regret`, and perhaps `Time`. Of
    several losses, models or comparators, the values are dictionaries by name, in this order.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy([("animal", "mammal"), ("animal", "bird"), ("mammal", "wolf")])
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)
    >>> run = stream.take(300), linear_model.HPerceptron(t), stream.reference, metrics.HLoss(t)
    >>> for state in evaluate.iter_regret(*run, step=100):
    ...     print(state)
    {'Step': 100, 'Loss': 93.310, 'Comparator': 71.254, 'Regret': 22.055}
    {'Step': 200, 'Loss': 190.032, 'Comparator': 146.233, 'Regret': 43.799}
    {'Step': 300, 'Loss': 280.656, 'Comparator': 218.138, 'Regret': 62.518}

    """
    check_integer("step", step, at_least=1)
    return _Pass(dataset, model, comparator, loss).states(step, moment, delay, measure_time)


def regret(
    dataset: Any, model: Any, comparator: Any, loss: Any, moment: Any = None, delay: Any = None
) -> Any:
    """The regret at the end of a stream, the last `Regret` of `iter_regret`.

    Parameters
    ----------
    dataset
        A finite stream; for an endless one, `stream.take(k)`.
    model
        A classifier or multilabel classifier, or a pipeline that ends in one; or `{name: model}`.
    comparator
        What to compare with, one or several in the same form.
    loss
        A metric that is a mean, or a function, or several; see `iter_regret`.
    moment
        The time of an example: the name of a feature, or a function of x.
    delay
        How long after an example its label is learned; see `iter_regret`.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate, linear_model, losses
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy([("animal", "mammal"), ("animal", "bird"), ("mammal", "wolf")])
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)
    >>> models = {"H-PERC": linear_model.HPerceptron(t), "H-RLS": linear_model.HRLS(t)}
    >>> evaluate.regret(stream.take(300), models, stream.reference, losses.h_loss, delay=50)
    {'H-PERC': 74.976, 'H-RLS': 25.340}

    """
    check_ends(dataset)
    run = _Pass(dataset, model, comparator, loss)
    for _ in run.states(sys.maxsize, moment, delay, measure_time=False):
        pass
    return run.state({"Step": 0})["Regret"]


def fixed(model: Any) -> Any:
    """A comparator that answers as a model does now: a copy, which does not go on learning.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate, linear_model, losses
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy([("animal", "mammal"), ("animal", "bird"), ("mammal", "wolf")])
    >>> stream, model = synth.LinearLabels(t, n_features=5, seed=42), linear_model.HRLS(t)
    >>> for x, y in stream.take(100):
    ...     model.learn_one(x, y)
    >>> new = stream.where(lambda x, y: x[0] > 0.5).take(500)
    >>> evaluate.regret(new, model, evaluate.fixed(model), losses.h_loss)
    -5.236

    """
    return _Fixed(copy.deepcopy(model))


def best(comparators: Iterable[Any], switches: int = 0) -> Any:
    """The best of several comparators in hindsight; regret against it is *tracking* regret.

    After T examples, its loss is the least of all sequences of comparators that change from one to
    another at most `switches` times. An example takes O(comparators * switches) time.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate, linear_model, losses
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy([("animal", "mammal"), ("animal", "bird"), ("mammal", "wolf")])
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42, drift_at=500)
    >>> family = [stream.reference.at(0), stream.reference.at(500)]
    >>> comparators = {k: evaluate.best(family, switches=k) for k in (0, 1)}
    >>> evaluate.regret(stream.take(1000), linear_model.HRLS(t), comparators, losses.h_loss)
    {0: -49.886, 1: 118.999}

    """
    check_integer("switches", switches, at_least=0)
    if not (family := list(comparators)):
        raise ValueError("`comparators` must hold models, got none")
    return _Best(family, switches)


def adaptive_regret(states: Iterable[Mapping[str, Any]]) -> dict[Any, Any]:
    """The largest regret of a model in any interval of a stream, and the ends of the interval.

    If the best comparator changes, a total hides how long the model takes to follow. This is the
    largest increase of the regret between two states, against any of the comparators. Of several
    losses or models, there is one for each, by name.

    Parameters
    ----------
    states
        Those of `iter_regret`.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate, linear_model, losses
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy([("animal", "mammal"), ("animal", "bird"), ("mammal", "wolf")])
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42, drift_at=500)
    >>> moments = {"before": stream.reference.at(0), "after": stream.reference.at(500)}
    >>> run = stream.take(1000), linear_model.HRLS(t), moments, losses.h_loss
    >>> evaluate.adaptive_regret(evaluate.iter_regret(*run, step=100))
    {'Regret': 103.393, 'From': 500, 'To': 1000}

    """
    rows = list(states)
    if rows and isinstance(rows[0]["Loss"], Mapping):
        keys = "Loss", "Regret"
        return {
            name: adaptive_regret([{**row, **{k: row[k][name] for k in keys}} for row in rows])
            for name in rows[0]["Loss"]
        }
    largest: dict[str, Any] = {"Regret": 0.0, "From": 0, "To": 0}
    lowest: dict[Any, tuple[float, int]] = {}
    for row in rows:
        step, value = row["Step"], row["Regret"]
        for name, total in (value if isinstance(value, Mapping) else {None: value}).items():
            least, since = lowest.get(name, (0.0, 0))
            if total - least > largest["Regret"]:
                largest = {"Regret": total - least, "From": since, "To": step}
            lowest[name] = min((least, since), (total, step))
    return largest


class _Fixed(NamedTuple):
    model: Any


class _Best(NamedTuple):
    family: list[Any]
    switches: int


class _Pass:
    """All models as one for River's loop, and the metric that sums the losses of each."""

    _supervised = True  # asked by River's loop

    def __init__(self, dataset: Any, model: Any, comparator: Any, loss: Any) -> None:
        self.dataset, self.model, self.comparator, self.loss = dataset, model, comparator, loss
        losses = {id(one): read_loss(one, dataset) for one in _all(loss)}
        self.values = {key: value for key, (_, value) in losses.items()}
        self.models: dict[int, Any] = {}  # one that is both is asked and learns once
        self.takes: dict[int, bool] = {}  # of those that learn, whether they take weights
        self.kinds: dict[tuple[int, int], str] = {}  # what a model is asked for, for a loss
        # Of sequences that end in a member (column) after some switches (row), the least loss
        self.least: dict[tuple[int, int], tuple[list[int], Any]] = {}
        for role, given in (("model", model), ("comparator", comparator)):
            for one in _all(given):
                family = one.family if isinstance(one, _Best) else [one]
                for member in family:
                    self._add(role, member, losses)
                for key in losses if isinstance(one, _Best) else ():
                    table = np.zeros((one.switches + 1, len(family)))
                    self.least[key, id(one)] = [*map(id, family)], table
        self.sums = dict.fromkeys(self.kinds, 0.0)
        self.edits = edits(dataset)
        self.unasked: dict[int, set[int]] = {}  # by step, the samplers that do not learn it

    def _add(self, role: str, one: Any, losses: dict[int, Any]) -> None:
        model = one.model if isinstance(one, _Fixed) else one
        asked = last_step(model).classifier if _samples(model) else model
        for key, (metric, _) in losses.items():
            if not metric.works_with(asked):
                kind = type(metric).__name__
                raise TypeError(f"`{role}` must be a classifier, as {kind} needs it, got {model}")
            self.kinds[key, id(one)] = kind = _kind(metric, asked)
            if kind in VIEWS:
                VIEWS[kind](asked)  # raises if it has none
        self.models[id(one)] = model
        if model is one:
            self.takes[id(one)] = takes_weights(model)

    def states(
        self, step: int, moment: Any, delay: Any, measure_time: bool
    ) -> Iterator[dict[str, Any]]:
        """The state after every so many examples, and the last one."""
        # Models are told the step of an example whenever they answer, so none counts calls.
        dataset = self.dataset
        numbered = dataset._numbered() if isinstance(dataset, Stream) else enumerate(dataset)
        examples = (
            (x, y, {**(more[0] if more else {}), "step": i}) for i, (x, y, *more) in numbered
        )
        loop: Any = river_evaluate.iter_progressive_val_score
        progress: dict[str, Any] = {}
        for progress in loop(examples, self, self, moment, delay, measure_time=measure_time):
            if progress["Step"] % step == 0:
                yield self.state(progress)
        if progress and progress["Step"] % step:
            yield self.state(progress)

    def works_with(self, model: Any) -> bool:
        """Whether the metric is for a model; they are the same object."""
        return model is self

    def predict_one(self, x: Any, step: int, **kwargs: Any) -> Any:
        """The example, and the answers; `None` if any is missing, which River's loop passes by."""
        while self.edits and step >= self.edits[0].edited_at:
            edit = self.edits.pop(0).edit
            for last in map(last_step, self.models.values()):
                if hasattr(last, "adopt"):
                    last.adopt(edit)
        answers: dict[tuple[int, str], Any] = {}
        for key, model in self.models.items():
            asked, given = model.at(step) if hasattr(model, "at") else model, x
            if _samples(model):
                if not model.predict_one(x, **kwargs)[1]:
                    self.unasked.setdefault(step, set()).add(key)
                asked, given = last_step_and_input(model, x)
                asked = asked.classifier
            for kind in dict.fromkeys(self.kinds[loss, key] for loss in self.values):
                view = VIEWS[kind](asked) if kind in VIEWS else asked
                ask = view.predict_proba_one if kind == "distribution" else view.predict_one
                answers[key, kind] = ask(given, **kwargs)
        missing = any(answer is None or answer == {} for answer in answers.values())
        return None if missing else (x, step, answers)

    def update(self, y_true: Any, y_pred: Any) -> None:
        """Add the losses of an example."""
        x, step, answers = y_pred
        values = {
            (loss, key): self.values[loss](x, y_true, step, answers[key, kind])
            for (loss, key), kind in self.kinds.items()
        }
        for of, value in values.items():
            self.sums[of] += value
        for (loss, _), (family, least) in self.least.items():
            least[1:] = np.minimum(least[1:], least[:-1].min(axis=1, keepdims=True))
            least += [values[loss, key] for key in family]

    def learn_one(self, x: Any, y: Any, step: int, w: Any = None, **kwargs: Any) -> None:
        """Teach each model that learns."""
        unasked = self.unasked.pop(step, ())
        for key, takes in self.takes.items():
            if key not in unasked:
                weight = {"w": w} if w is not None and takes else {}
                self.models[key].learn_one(x, y, **kwargs, **weight)

    def state(self, progress: dict[str, Any]) -> dict[str, Any]:
        """The sums so far, in the form in which the losses and models were given."""

        def sums(f: Callable[[Any], Any]) -> Any:
            return _each(self.loss, lambda loss: f(lambda one: self._total(loss, one)))

        def beyond(total: Any, value: float) -> Any:
            return _each(self.comparator, lambda other: value - total(other))

        return {
            "Step": progress["Step"],
            "Loss": sums(lambda total: _each(self.model, total)),
            "Comparator": sums(lambda total: _each(self.comparator, total)),
            "Regret": sums(lambda total: _each(self.model, lambda m: beyond(total, total(m)))),
            **({"Time": progress["Time"]} if "Time" in progress else {}),
        }

    def _total(self, loss: Any, model: Any) -> float:
        of = id(loss), id(model)
        return float(self.least[of][1].min()) if of in self.least else self.sums[of]


def _all(given: Any) -> Iterable[Any]:
    return given.values() if isinstance(given, Mapping) else [given]


def _each(given: Any, f: Callable[[Any], Any]) -> Any:
    """f of one, or of each by name."""
    return {k: f(one) for k, one in given.items()} if isinstance(given, Mapping) else f(given)


def _samples(model: Any) -> bool:
    return ActiveLearningClassifier in type(last_step(model)).__mro__


def _kind(metric: Any, model: Any) -> str:
    """What a model is asked for, as by River's loop, which asks for a distribution of one label."""
    reads: str = getattr(metric, "_reads", "labels")
    if reads != "labels" and getattr(last_step(model), "_predicts_labels", True):
        return reads
    one = isinstance(model, base.Classifier)
    return "distribution" if one and not metric.requires_labels else "labels"


def streams(dataset: Any) -> Iterator[Any]:
    """A stream, and those of which it is a view, from the outside in."""
    yield dataset
    while isinstance(dataset, Transformed | View):
        dataset = dataset.stream
        yield dataset


def edits(dataset: Any) -> list[Edited]:
    """The edits in a stream, the first one first."""
    return [one for one in streams(dataset) if isinstance(one, Edited)][::-1]


def check_ends(dataset: Any) -> None:
    """Raise an error if a stream that must be read to its end has none."""
    whole = [*streams(dataset)]
    dataset = whole[-1]
    endless = isinstance(dataset, SyntheticDataset) and dataset.n_samples is None
    if endless and not any(isinstance(one, Prefix) for one in whole):
        raise ValueError(
            f"{type(dataset).__name__} is endless; give a prefix of it, such as .take(1000)"
        )


METRICS: dict[Any, type[MeanScore]] = {
    metric._loss: metric
    for metric in vars(metrics).values()
    if hasattr(metric, "_loss") and not metric.bigger_is_better
}


# Metrics that are means; of single labels, micro averages are the accuracy.
MEANS: Any = MeanScore, river_metrics.Accuracy, river_metrics.MicroF1, river_metrics.MicroPrecision
MEANS += river_metrics.CrossEntropy, river_metrics.LogLoss, river_metrics.multioutput.ExactMatch


class _Function:
    """What a function of one's own has of a metric."""

    requires_labels = True
    works_with: Any = TaxonomyMetric.works_with

    def __init__(self, f: Any) -> None:
        self.f = f


def read_loss(loss: Any, dataset: Any) -> tuple[Any, Callable[..., float]]:
    """The metric, and the loss of an example: a function of x, y, the step and the answer."""
    metric, known = _metric(loss, dataset), getattr(dataset, "probabilities", None)
    if isinstance(metric, _Function):
        return metric, lambda x, y, step, answer: metric.f(y, answer)
    if isinstance(metric, MeanLoss) and known and metric.taxonomy_._arrays.is_tree:
        at = "step" in inspect.signature(known).parameters
        return metric, lambda x, y, step, answer: metric.expected(
            known(x, step) if at else known(x), answer
        )

    def observed(x: Any, y: Any, step: int, answer: Any) -> float:
        if isinstance(y, Evidence) and not isinstance(metric, MeanScore):
            raise TypeError(f"{type(metric).__name__} needs whole labels, got {y}; leave it out")
        metric.update(y, answer)
        value = float(metric.get())
        metric.revert(y, answer)
        return 1.0 - value if metric.bigger_is_better else value

    return metric, observed


def _metric(loss: Any, dataset: Any) -> Any:
    """A metric of its own: that of a function, or a copy."""
    if isinstance(loss, MEANS):
        return loss.clone()
    if inspect.isfunction(loss) and loss in METRICS:
        taxonomy = getattr(dataset, "taxonomy", None)
        if taxonomy is None:
            raise ValueError(
                f"losses.{loss.__name__} needs a taxonomy, but the dataset has none; pass "
                f"metrics.{METRICS[loss].__name__}(taxonomy) instead"
            )
        return METRICS[loss](taxonomy)
    if callable(loss) and not isinstance(loss, type):
        with suppress(TypeError, ValueError):
            inspect.signature(loss).bind(None, None)
            return _Function(loss)
    kind = loss.__name__ if hasattr(loss, "__name__") else type(loss).__name__
    raise TypeError(
        "`loss` must be a metric that is a mean, such as metrics.HLoss(taxonomy), a function of "
        f"losses, such as losses.h_loss, or f(y, prediction), got {kind}"
    )
