"""Regret: the cumulative loss of a model minus that of a comparator on the same stream."""

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from river import evaluate as river_evaluate
from river.datasets.base import SyntheticDataset

from .. import metrics
from ..base.checks import check_integer
from ..base.classifiers import takes_weights
from ..datasets.base import Selected, Shuffled, Stream
from ..datasets.synth.transformers import Transformed
from ..metrics.base import MeanScore


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

    All predict and learn from each example, in one pass of River's `iter_progressive_val_score`.
    After $T$ examples the regret, Eq. (5) of the paper of `linear_model.HRLS`, is

    $$\sum_{t=1}^T \left( E\,\ell(\hat y_t, V_t) - E\,\ell(y_t, V_t) \right)$$

    with $\hat y_t$ the prediction of the model and $y_t$ that of the comparator. Expectations are
    exact if the dataset has `probabilities` and the loss has an expected form; otherwise, observed
    labels are used. If any prediction is empty (`None` or `{}`), the example is scored for none.

    A comparator with a method `at` is asked as `comparator.at(step)`, with the step counted from 0;
    in a view of a stream, such as `stream.where(keep)`, it is that of the stream. If the comparator
    changes, as the `reference` of a stream that drifts, this is dynamic regret.

    Parameters
    ----------
    dataset
        A stream of `(x, y)`, or of `(x, y, kwargs)` as in River's loop. It may be endless.
    model
        A classifier or multilabel classifier, or a pipeline that ends in one; or `{name: model}`.
    comparator
        What to compare with, likewise one or several. It learns as well, unless it is fitted
        (`batch`); one that is also a model learns once.
    loss
        A metric that is the mean of a loss, not updated, or a function of `losses`.
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
    several models or comparators, the values are dictionaries by name: first of the model.

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
        A metric that is the mean of a loss, or a function of `losses`.
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
    return run.regret()


def adaptive_regret(states: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The largest regret of a model in any interval of a stream, and the ends of the interval.

    If the best comparator changes, a total hides how long the model takes to follow. This is the
    largest increase of the regret between two states, against any of the comparators.

    Parameters
    ----------
    states
        Those of `iter_regret`, for one model and one or several comparators.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate, linear_model, losses
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy([("animal", "mammal"), ("animal", "bird"), ("mammal", "wolf")])
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42, drift_at=500)
    >>> fixed = {"before": stream.reference.at(0), "after": stream.reference.at(500)}
    >>> run = stream.take(1000), linear_model.HRLS(t), fixed, losses.h_loss
    >>> evaluate.adaptive_regret(evaluate.iter_regret(*run, step=100))
    {'Regret': 103.393, 'From': 500, 'To': 1000}

    """
    found: dict[str, Any] = {"Regret": 0.0, "From": 0, "To": 0}
    lowest: dict[Any, tuple[float, int]] = {}
    for state in states:
        step, value = state["Step"], state["Regret"]
        for name, total in (value if isinstance(value, Mapping) else {None: value}).items():
            least, since = lowest.get(name, (0.0, 0))
            if total - least > found["Regret"]:
                found = {"Regret": total - least, "From": since, "To": step}
            lowest[name] = min((least, since), (total, step))
    return found


class _Pass:
    """All models as one for River's loop, and the metric that sums the loss of each."""

    _supervised = True  # asked by River's loop

    def __init__(self, dataset: Any, model: Any, comparator: Any, loss: Any) -> None:
        metric = read_loss(loss, dataset)
        self.dataset, self.model, self.comparator = dataset, model, comparator
        self.models: dict[int, Any] = {}  # one that is both is asked and learns once
        for name, given in (("model", model), ("comparator", comparator)):
            for one in given.values() if isinstance(given, Mapping) else [given]:
                if not metric.works_with(one):
                    raise TypeError(
                        f"`{name}` must be a classifier, of one label or several, got {one}"
                    )
                self.models[id(one)] = one
        self.takes = {key: takes_weights(one) for key, one in self.models.items()}
        self.sums = dict.fromkeys(self.models, 0.0)
        self.loss: Callable[[Any, Any], float] = metric._eval
        self.truth: Callable[[Any, Any, int], Any] = lambda x, y, step: y
        expected = getattr(metric, "expected", None) if metric.taxonomy_._arrays.is_tree else None
        if expected and (known := getattr(dataset, "probabilities", None)):
            takes_step = "step" in inspect.signature(known).parameters
            self.loss = expected
            self.truth = lambda x, y, step: known(x, step) if takes_step else known(x)

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
        found: dict[str, Any] = {}
        for found in loop(examples, self, self, moment, delay, measure_time=measure_time):
            if found["Step"] % step == 0:
                yield self.state(found)
        if found and found["Step"] % step:
            yield self.state(found)

    def works_with(self, model: Any) -> bool:
        """Whether the metric is for a model; they are the same object."""
        return model is self

    def predict_one(self, x: Any, step: int, **kwargs: Any) -> Any:
        """The example, and the answers; `None` if any is missing, which River's loop passes by."""
        answers = {}
        for key, model in self.models.items():
            asked = model.at(step) if hasattr(model, "at") else model
            answers[key] = asked.predict_one(x, **kwargs)
        missing = any(answer is None or answer == {} for answer in answers.values())
        return None if missing else (x, step, answers)

    def update(self, y_true: Any, y_pred: Any) -> None:
        """Add the losses of an example."""
        x, step, answers = y_pred
        truth = self.truth(x, y_true, step)
        for key, answer in answers.items():
            self.sums[key] += self.loss(truth, answer)

    def learn_one(self, x: Any, y: Any, step: int, w: Any = None, **kwargs: Any) -> None:
        """Teach each model."""
        for key, model in self.models.items():
            weight = {"w": w} if w is not None and self.takes[key] else {}
            model.learn_one(x, y, **kwargs, **weight)

    def regret(self) -> Any:
        """The loss of each model beyond that of each comparator."""
        loss = self._loss
        return _each(self.model, lambda m: _each(self.comparator, lambda c: loss(m) - loss(c)))

    def state(self, found: dict[str, Any]) -> dict[str, Any]:
        """The sums so far, in the form in which the models were given."""
        return {
            "Step": found["Step"],
            "Loss": _each(self.model, self._loss),
            "Comparator": _each(self.comparator, self._loss),
            "Regret": self.regret(),
            **({"Time": found["Time"]} if "Time" in found else {}),
        }

    def _loss(self, model: Any) -> float:
        return self.sums[id(model)]


def _each(given: Any, f: Callable[[Any], Any]) -> Any:
    """f of one model, or of each by name."""
    return {k: f(one) for k, one in given.items()} if isinstance(given, Mapping) else f(given)


def check_ends(dataset: Any) -> None:
    """Raise an error if a stream that must be read to its end has none."""
    while isinstance(dataset, Transformed | Selected | Shuffled):
        dataset = dataset.stream
    if isinstance(dataset, SyntheticDataset) and dataset.n_samples is None:
        raise ValueError(
            f"{type(dataset).__name__} is endless; give a prefix of it, such as .take(1000)"
        )


METRICS: dict[Any, type[MeanScore]] = {
    metric._loss: metric
    for metric in vars(metrics).values()
    if hasattr(metric, "_loss") and not metric.bigger_is_better
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
