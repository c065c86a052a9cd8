"""Many machines: workers learn from parts of a stream, and their models are merged into one."""

import copy
import inspect
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import singledispatch
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from river import base, compose, preprocessing, stats

from ._core import Calibration, FeatureIndex, Labels, LinearState
from .base.classifiers import shown
from .base.explanation import Floats
from .base.linear import LinearLearner
from .decision.bayes import Decoder, TreeBayes
from .decision.calibration import Calibrated, Tempered
from .feature_extraction import LogTFIDF
from .linear_model import Averaged, HMinOver
from .metrics.base import Partials, Sums, TaxonomyMetric, plus
from .probabilistic import LinearDiscriminant
from .taxonomy import Taxonomy
from .taxonomy.open import with_labels

__all__ = ["merge"]

Model = TypeVar("Model")
Rows = NDArray[np.intp]


def merge(models: Iterable[Model], start: Model | None = None) -> Model:
    """Merge models that have learned from different examples into a new one.

    Sums, counts and moments add up, so `LinearDiscriminant`, `LogTFIDF` and metrics are what they
    would be after all examples; only what depends on a first example may differ in
    `LinearDiscriminant`: the frequency of its label, and the matrix D. The weights of
    `HPerceptron`, `Hieron` and `AveragedHieron` become their mean, in which a model counts as much
    as its examples[^1]. Those of `HAROW`, `PathSoftmax` and `HierarchicalSoftmax` become a mean
    that is weighted by the precision that each model has gained, and precisions add up. Averages
    are over the hypotheses of all models. Calibrations become means, too, weighted by the squares
    of their gradients. Pipelines and wrappers merge part by part, and open taxonomies are united.

    Let each worker learn all of its examples, and merge once. Perceptrons may also be merged, sent
    back and go on learning, which the learners with variances do not bear. Groups of models may be
    merged first. Takes O(size of all models).

    Parameters
    ----------
    models
        The models, at least one. Their order has no effect but on rounding and the order of labels.
        Their parameters and taxonomies must be the same.
    start
        The model that the others were copies of before they learned their examples, if any. None
        may have learned from fewer examples.

    Returns
    -------
    A model.

    Examples
    --------
    >>> from river_hier import Taxonomy, distributed, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d", "e"]}, "f": ["g", "h"]}})
    >>> stream = list(synth.LinearLabels(t, n_features=20, seed=42).take(3000))
    >>> models = [linear_model.HAROW(t) for _ in range(4)]
    >>> for i, (x, y) in enumerate(stream[:2000]):
    ...     models[i % 4].learn_one(x, y)

    >>> for model in [models[0], distributed.merge(models)]:
    ...     metric = metrics.HLoss(t)
    ...     for x, y in stream[2000:]:
    ...         metric.update(y, model.predict_one(x))
    ...     print(metric)
    HLoss: 1.344
    HLoss: 1.282

    References
    ----------
    [^1]: [McDonald, R., Hall, K. and Mann, G., 2010. Distributed training strategies for the
        structured perceptron. NAACL HLT, pp. 456-464.](https://aclanthology.org/N10-1069/)
    """
    models = list(models)
    if not models:
        raise ValueError("`models` must hold at least one model, got none")
    for other in [*models[1:], *([] if start is None else [start])]:
        _check_alike(models[0], other)
    if len(models) == 1:
        return copy.deepcopy(models[0])
    return _merged(models[0], models, start)


@singledispatch
def _merged(first: Any, models: Sequence[Any], start: Any) -> Any:
    """The merged model; the first of the models says by which rule."""
    with suppress(ValueError):  # arrays
        if all(model.__getstate__() == first.__getstate__() for model in models):
            return copy.deepcopy(first)  # a transformer that does not learn
    raise TypeError(
        f"`models` must be models that can be merged, got {shown(first)}; these are `HPerceptron`, "
        "`Hieron`, `AveragedHieron`, `HAROW`, `PathSoftmax`, `HierarchicalSoftmax`, learners of "
        "your own, `LinearDiscriminant`, `LogTFIDF`, `TextViews`, `StandardScaler`, metrics, and "
        "of these pipelines, `Averaged`, `Calibrated`, `Tempered`, `TreeBayes` and decoders"
    )


def _check_alike(first: Any, other: Any) -> None:
    """Raise an error unless both have the same class and parameters."""
    if type(first) is not type(other):
        raise TypeError(
            f"models must have the same class to be merged, got {shown(first)} and {shown(other)}"
        )
    if isinstance(first, compose.Pipeline | compose.TransformerUnion):
        parts, others = _parts(first), _parts(other)
        if parts.keys() != others.keys():
            raise ValueError(
                "pipelines must have the same steps to be merged, got "
                f"{', '.join(map(str, parts))} and {', '.join(map(str, others))}"
            )
        for name, part in parts.items():
            _check_alike(part, others[name])
    elif isinstance(first, base.Base):
        for name in inspect.signature(type(first)).parameters:
            one, another = getattr(first, name, None), getattr(other, name, None)
            if isinstance(one, base.Base):
                _check_alike(one, another)
            elif isinstance(one, list) and any(isinstance(part, base.Base) for part in one):
                continue  # no such model can be merged
            elif name != "taxonomy" and not (one is another or one == another):
                raise ValueError(
                    f"models must have the same parameters to be merged, got {name}={one!r} and "
                    f"{name}={another!r} in {type(first).__name__}"
                )


# Pipelines and wrappers, part by part


def _parts(pipeline: Any) -> dict[Any, Any]:
    return getattr(pipeline, "steps", None) or pipeline.transformers


def _part(models: Sequence[Any], start: Any, part: Callable[[Any], Any]) -> Any:
    """One part of all models, merged."""
    parts = [part(model) for model in models]
    return _merged(parts[0], parts, None if start is None else part(start))


def _step(name: Any) -> Callable[[Any], Any]:
    return lambda pipeline: _parts(pipeline)[name]


@_merged.register(compose.Pipeline)
@_merged.register(compose.TransformerUnion)
def _(first: Any, models: Sequence[Any], start: Any) -> Any:
    return type(first)(*((name, _part(models, start, _step(name))) for name in _parts(first)))


@_merged.register(Averaged)
@_merged.register(TreeBayes)
def _with_model(first: Any, models: Sequence[Any], start: Any) -> Any:
    merged = copy.copy(first)
    name = "classifier" if isinstance(first, TreeBayes) else "model"
    setattr(merged, name, _part(models, start, attrgetter(name)))
    return merged


@_merged.register
def _(first: Calibrated, models: Sequence[Any], start: Any) -> Any:
    """AdaGrad's steps become the mean, weighted by the squares of their gradients."""
    merged = _with_model(first, models, start)
    taxonomy: Taxonomy = merged._taxonomy

    def placed(model: Any) -> tuple[Floats, Floats]:
        shared, own = model._calibration.saved()
        places = [taxonomy.index(label) for label in model._taxonomy.nodes[: len(own)]]
        wide = np.tile([0.0, 1.0, 0.0, 1.0], (len(taxonomy), 1))
        wide[places] = own
        return shared, wide

    if start is None:
        start = copy.copy(first)
        start._calibration = Calibration(0)
    (shared0, own0), *saved = map(placed, [start, *models])
    shared = _total([s for s, _ in saved], shared0)
    for i in (2, 4):
        shared[i : i + 2] = _descended([s[i : i + 2] for s, _ in saved], shared0[i : i + 2])
    own = np.concatenate(
        [_descended([o.T[i : i + 2] for _, o in saved], own0.T[i : i + 2]) for i in (0, 2)]
    )
    merged._calibration = Calibration(shared, np.ascontiguousarray(own.T))
    return merged


@_merged.register
def _(first: Decoder, models: Sequence[Any], start: Any) -> Any:
    """The counts of all parts add up."""
    merged = _with_model(first, models, start)

    taxonomy: Taxonomy = merged._taxonomy

    def placed(model: Any) -> Floats:
        counts = np.zeros((len(taxonomy), 7))
        labels = model._taxonomy.nodes[: len(model._counts)]
        counts[[taxonomy.index(label) for label in labels]] = model._counts
        return counts

    before = 0.0 if start is None else placed(start)
    merged._counts = _total(list(map(placed, models)), before)
    return merged


@_merged.register
def _(first: Tempered, models: Sequence[Any], start: Any) -> Any:
    merged = _with_model(first, models, start)
    merged._temperatures = temperatures = copy.deepcopy(first._temperatures)
    befores = type(temperatures)() if start is None else start._temperatures
    each = [model._temperatures for model in models]
    learned = [t.n - befores.n for t in each]
    temperatures.n = _total([t.n for t in each], befores.n)
    if total := sum(learned):  # the scale is that of the latest scores, so it does not add up
        squares = [t.scale.squares / max(t.scale.n, 1.0) for t in each]
        temperatures.scale.n = max(t.scale.n for t in each)
        temperatures.scale.squares = temperatures.scale.n * float(np.dot(learned, squares)) / total
    for name in ("sharp", "flat", "mixture"):
        of = [getattr(t, name) for t in (befores, *each)]
        first_, *others = (np.array([descent.value, descent.squares]) for descent in of)
        descent = getattr(temperatures, name)
        descent.value, descent.squares = _descended(others, first_).tolist()
    return merged


def _total(parts: Sequence[Any], before: Any) -> Any:
    """The sum of what the parts have added to `before`, and of that."""
    return before + sum(part - before for part in parts)


def _descended(parts: Sequence[Floats], before: Floats) -> Floats:
    """Values and squares of gradients of AdaGrad, in two rows."""
    gained = [part[1] - before[1] for part in parts]
    moved = sum(g * (part[0] - before[0]) for g, part in zip(gained, parts, strict=True))
    total = np.asarray(sum(gained))
    return np.array([before[0] + moved / np.where(total > 0.0, total, 1.0), before[1] + total])


# Labels and features


def _taxonomy_of(models: Sequence[Any], start: Any) -> Taxonomy:
    """The taxonomy of the merged model; open ones are united."""
    given = models[0].taxonomy
    everyone = list(models) if start is None else [start, *models]
    joined: Taxonomy = everyone[0].taxonomy_
    for model in everyone:
        if not isinstance(given, Taxonomy):
            joined = with_labels(given, joined, model.taxonomy_.nodes[1:])
        elif model is not start and model.taxonomy_ != models[0].taxonomy_:
            raise ValueError(
                "models to merge must have the same taxonomy, got taxonomies of "
                f"{len(models[0].taxonomy_)} and {len(model.taxonomy_)} nodes; let all models "
                "adopt the larger one, or start from an OpenTaxonomy"
            )
    return models[0].taxonomy_ if isinstance(given, Taxonomy) else joined


def _nodes(model: Any, taxonomy: Taxonomy) -> Rows:
    """The place of each node of a model in the merged taxonomy."""
    nodes = np.array([taxonomy.index(label) for label in model.taxonomy_.nodes], dtype=np.intp)
    renamed = not model.taxonomy_._arrays.aliases.keys().isdisjoint(taxonomy.nodes)
    if renamed or taxonomy._arrays.labels(nodes.tolist()) != model.taxonomy_.nodes:
        raise ValueError(
            "models to merge, and their `start`, must have adopted the same edits, but a label of "
            "one is read as another one by the others"
        )
    return nodes


def _fresh(models: Sequence[Any], start: Any) -> Any:
    """A model that has learned nothing, with the labels that the merged one will have."""
    first, taxonomy = models[0], _taxonomy_of(models, start)
    fresh = first.clone()
    if taxonomy is not fresh.taxonomy_:
        fresh._extend(taxonomy, unseen=False)
    unseen = set[Any](taxonomy.nodes)  # in all models that have it
    for model in models:
        known = model.taxonomy_.nodes
        unseen -= set(known) - {known[v] for v in model._labels.unseen}
    learned = any(model._labels.has_learned for model in models)
    fresh._labels = Labels(taxonomy, sorted(map(taxonomy.index, unseen)), learned)
    return fresh


def _rows(merged: FeatureIndex, features: FeatureIndex) -> Rows:
    """The row of each feature of a model in the merged one, to which new ones are added."""
    return merged.insert(dict.fromkeys(features.names(), 1.0)).rows.astype(np.intp)


# Learners


@_merged.register
def _(first: LinearLearner, models: Sequence[Any], start: Any) -> Any:
    """The mean of the weights; that of uncertain ones is weighted by the precision gained."""
    if isinstance(first, HMinOver):
        raise TypeError(
            f"`models` must be models that can be merged, got {first}: its threshold is fitted to "
            "the scores of its own weights; learn in one process, or merge `HPerceptron`"
        )
    merged = _fresh(models, start)
    taxonomy, vectors, kept = merged.taxonomy_, first._state.vectors, first._state

    def empty(labels: Labels) -> LinearState:
        state = first._empty_state(labels)
        if kept.from_first_round is not None:
            state.start_average(kept.from_first_round)
        return state

    def columns(model: Any) -> NDArray[np.uint32]:
        places = vectors * _nodes(model, taxonomy)[:, None] + np.arange(vectors)
        return places.ravel().astype(np.uint32)

    parts = [(model._state, columns(model)) for model in models]
    if start is None:
        labels = Labels(Taxonomy.flat([]))
        parts.append((empty(labels), np.arange(vectors, dtype=np.uint32)))
    else:
        parts.append((start._state, columns(start)))
        if any(state.n < start._state.n for state, _ in parts):
            raise ValueError(
                "`start` must be what the models began with, got one that has learned from more "
                f"examples, {start._state.n:g}, than {min(state.n for state, _ in parts):g}"
            )
    merged._state = empty(merged._labels)
    merged._averaged = first._averaged
    merged._state.merge(parts, first._prior_of_merging)
    return merged


@_merged.register
def _(first: LinearDiscriminant, models: Sequence[Any], start: Any) -> Any:
    """Counts, sums and second moments, which add up."""
    merged = _fresh(models, start)
    everyone = [merged if start is None else start, *models]
    rows = [_rows(merged._features, model._features) for model in everyone]
    merged._widen(len(merged._features))
    nodes = [_nodes(model, merged.taxonomy_) for model in everyone]
    merged._add_up(list(zip(everyone, nodes, rows, strict=True)))
    return merged


# Transformers and metrics


@_merged.register
def _(first: LogTFIDF, models: Sequence[Any], start: Any) -> Any:
    """The counts of documents and words."""
    merged = copy.copy(first)
    merged._learned = merged._matrix = None
    vocabulary: Any = first._vocabulary
    *options, _, least_idf = vocabulary.saved()
    counts = [_counts(model) for model in models]
    before = {} if start is None else _counts(start)
    words = {word: before.get(word, np.zeros(2, int)).copy() for of in counts for word in of}
    for of in counts:
        for word, count in of.items():  # a word that was rare may have been forgotten since
            words[word] += np.maximum(count - before.get(word, 0), 0)
    n = _total([model.n for model in models], 0 if start is None else start.n)
    occurrences, documents = np.array(list(words.values())).reshape(-1, 2).T.tolist()
    counted = n, list(words), occurrences, documents
    merged._vocabulary = type(vocabulary)(*options, counted, least_idf)
    return merged


def _counts(bag: LogTFIDF) -> dict[Any, NDArray[np.intp]]:
    """Occurrences and documents of each word."""
    *_, (_, words, *counts), _ = bag._vocabulary.saved()
    return dict(zip(words, np.array(counts).T, strict=True))


@_merged.register
def _(first: preprocessing.StandardScaler, models: Sequence[Any], start: Any) -> Any:
    """The moments of each feature, by River's `stats.Var`."""
    if first.window_size is not None:
        return _merged.dispatch(object)(first, models, start)
    merged, before = first.clone(), {} if start is None else _moments(start)
    totals = dict(before)
    for model in models:
        for name, part in _moments(model).items():
            gained = part - before[name] if name in before else part
            totals[name] = totals[name] + gained if name in totals else gained
    for name, total in totals.items():
        merged.counts[name], merged.means[name] = total.n, total.mean.get()
        if first.with_std:
            merged.vars[name] = total.get()
    return merged


def _moments(scaler: preprocessing.StandardScaler) -> dict[Any, stats.Var]:
    means, variances = scaler.means, scaler.vars
    return {
        name: stats.Var._from_state(n, means[name], variances.get(name, 0.0), ddof=0)
        for name, n in scaler.counts.items()
    }


@_merged.register
def _(first: TaxonomyMetric, models: Sequence[Any], start: Any) -> Any:
    """Sums, without rounding."""
    merged = copy.copy(first)
    merged.taxonomy_ = _taxonomy_of(models, start)
    merged._sums = Sums()
    before: dict[Any, Partials] = {} if start is None else start._sums._sums
    totals = dict(before)
    for model in models:
        of = model._sums._sums
        for key in [*of, *(key for key in before if key not in of)]:
            added = [*of.get(key, ()), *(-x for x in before.get(key, ()))]
            for x in added:
                totals[key] = plus(totals.get(key, ()), x)
    merged._sums._sums = {key: total for key, total in totals.items() if total}
    return merged
