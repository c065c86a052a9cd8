"""Streams that change the labels of another stream."""

import inspect
import reprlib
from collections.abc import Iterator, Mapping
from itertools import compress
from typing import Any

import numpy as np
from river.datasets.base import MULTI_CLF

from ...base.checks import check_integer
from ...taxonomy import Edit, Label, Taxonomy, check_edits, closure_mask
from ..base import Stream, TaxonomyDataset, shown_stream
from . import sampling


class Transformed(TaxonomyDataset):
    """Base class of the streams that modify another stream; only its taxonomy is passed on."""

    def __init__(self, stream: Stream) -> None:
        if not isinstance(stream, Stream):
            raise TypeError(
                "`stream` must be a stream with a taxonomy, such as datasets.RCV1(), or a prefix "
                f"of one, got {type(stream).__name__}; for your own data subclass "
                "datasets.base.TaxonomyDataset"
            )
        known: Any = stream  # a prefix has the attributes of its stream
        sizes = ("n_samples", "n_classes", "n_outputs", "sparse")
        sizes_of = {name: getattr(stream, name) for name in sizes}
        super().__init__(known.task, known.n_features, **sizes_of)
        self.stream = known

    @property
    def taxonomy(self) -> Taxonomy:
        """The taxonomy of the stream."""
        return self.stream.taxonomy

    @property
    def _repr_content(self) -> dict[str, str]:
        content: dict[str, str] = super()._repr_content
        for name in inspect.signature(type(self)).parameters:
            content[name] = reprlib.repr(getattr(self, name))
        content["stream"] = shown_stream(self.stream)
        return content


class Appearing(Transformed):
    """A stream whose labels appear one after the other, as in a growing catalogue.

    Each label appears at a given step, but not before its ancestors. Until then, a single label is
    replaced by its deepest ancestor that has appeared, and a multilabel leaves it out. `taxonomy`
    is the final taxonomy, `taxonomy_at` the one at a step. It takes O(labels of y) an example.

    Parameters
    ----------
    stream
        A stream of `datasets`, or a prefix of one, of single labels only in a tree.
    appears_at
        `{label: step}`: the first example, counted from 0, that may have the label. Other labels
        are known from the start. Unknown labels raise an `UnknownLabelError`.

    Examples
    --------
    >>> from river_hier import Taxonomy
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> whole = synth.PrototypePaths(t, noise=0.01, seed=42)
    >>> stream = synth.Appearing(whole, {"wolf": 300, "bird": 600})
    >>> [len(y) for _, y in stream.take(900)][::300]
    [2, 3, 5]
    """

    def __init__(self, stream: Stream, appears_at: Mapping[Label, int]) -> None:
        super().__init__(stream)
        if not isinstance(appears_at, Mapping):
            raise TypeError(
                f"`appears_at` must be {{label: step}}, got {type(appears_at).__name__}"
            )
        taxonomy = self.taxonomy
        if self.task == MULTI_CLF:
            taxonomy._arrays.check_tree()
        for label, step in appears_at.items():
            if taxonomy.index(label) == 0:
                raise ValueError(f"`appears_at` must not hold the root, {label!r}: it is always on")
            check_integer(f"appears_at[{label!r}]", step, at_least=0)
        self.appears_at = appears_at
        self._since: list[int] = []  # of each node
        for label, parents in zip(taxonomy.nodes, taxonomy._arrays.parents, strict=True):
            own = int(appears_at.get(label, 0))
            self._since.append(max([own, *(self._since[p] for p in parents)]))

    def taxonomy_at(self, step: int) -> Taxonomy:
        """Return the taxonomy of the labels that have appeared by a step, counted from 0."""
        there = [since <= step for since in self._since]
        return self.taxonomy.subset(list(compress(self.taxonomy.nodes, there)))

    def __iter__(self) -> Iterator[tuple[dict[Any, Any], Any]]:
        taxonomy, since = self.taxonomy, self._since
        for step, (x, y) in enumerate(self.stream):
            if isinstance(y, Mapping):
                yield x, {v: on for v, on in y.items() if since[taxonomy.index(v)] <= step}
            else:
                v = taxonomy.index(y)
                while since[v] > step:
                    (v,) = taxonomy._arrays.parents[v]
                yield x, taxonomy.nodes[v]


class Edited(Transformed):
    """A stream whose taxonomy is edited at a given step, as a shop's at the end of a season.

    From then on, labels are those that the edit has made of them, and `taxonomy` is the new one,
    which also reads those of before unless the edit says otherwise. It takes O(labels of y) an
    example. In `evaluate.regret`, models and comparators adopt the edit by themselves.

    Parameters
    ----------
    stream
        A stream of `datasets`, or a prefix of one.
    edit
        An edit of its taxonomy.
    edited_at
        The first example, counted from 0, with a label of the new taxonomy.

    Examples
    --------
    >>> from river import evaluate
    >>> from river_hier import linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> whole = synth.PrototypeTree(branching=3, depth=3, noise=0.04, seed=42)
    >>> edit = whole.taxonomy.edit([{"move": "1.1", "to": "2"}, {"rename": "3", "to": "three"}])
    >>> stream = synth.Edited(whole, edit, edited_at=500)
    >>> model, metric = linear_model.PathSoftmax(whole.taxonomy), metrics.ZeroOneLoss(edit.after)
    >>> for step, (x, y) in enumerate(stream.take(1000)):
    ...     if step == 500:
    ...         model.adopt(edit)
    ...     metric.update([y], [model.predict_one(x)])
    ...     model.learn_one(x, y)
    >>> metric
    ZeroOneLoss: 22.10%
    """

    def __init__(self, stream: Stream, edit: Edit, edited_at: int) -> None:
        super().__init__(stream)
        check_edits(self.stream.taxonomy, edit)
        check_integer("edited_at", edited_at, at_least=0)
        self.edit = edit
        self.edited_at = edited_at

    @property
    def taxonomy(self) -> Taxonomy:
        """The taxonomy after the edit."""
        return self.edit.after

    def __iter__(self) -> Iterator[tuple[dict[Any, Any], Any]]:
        before, after = self.edit.before, self.edit.after
        for step, (x, y) in enumerate(self.stream):
            if step < self.edited_at:
                yield x, y
            elif isinstance(y, Mapping):
                on = {*self.edit._closed(np.flatnonzero(closure_mask(before, y)).tolist())}
                yield x, {label: v in on for v, label in enumerate(after.nodes) if v}
            else:
                yield x, after.nodes[self.edit._nodes[before.index(y)]]


class SubtreeDrift(Transformed):
    """A stream with concept drift in one branch, where labels are exchanged.

    From a given step on, every path that ends below `drift_in` ends at the next sibling instead,
    and those of the last sibling end at the first: wolves are labelled as foxes, foxes as dogs.
    Features, ancestors and all other labels, including `drift_in` itself, do not change.

    `renamed` maps the original labels to the new ones. In a DAG siblings are nodes with exactly the
    same parents. The additional time is O(labels of y) per example.

    Parameters
    ----------
    stream
        A stream of `datasets`, or a prefix of one.
    drift_in
        The node below which labels are exchanged; at least two siblings must be below it.
    drift_at
        The step, counted from 0, at which the drift begins.
    drift_width
        The steps in which the probability of new labels increases linearly; 1 is an abrupt drift.
    seed
        The seed, if the drift takes more than one step.

    Examples
    --------
    >>> from river_hier.datasets import synth

    >>> steady = synth.PrototypeTree(branching=2, depth=3, noise=0.04, seed=42)
    >>> stream = synth.SubtreeDrift(steady, drift_in="2", drift_at=1000)
    >>> stream.renamed
    {'2.1': '2.2', '2.2': '2.1', '2.1.1': '2.1.2', '2.1.2': '2.1.1', '2.2.1': '2.2.2', '2.2.2': '2.2.1'}

    >>> sum(y != z for (_, y), (_, z) in zip(steady.take(2000), stream))
    420

    """  # noqa: E501

    def __init__(
        self,
        stream: Stream,
        drift_in: Label,
        drift_at: int,
        drift_width: int = 1,
        seed: int | None = None,
    ) -> None:
        super().__init__(stream)
        check_integer("drift_at", drift_at, at_least=0)
        check_integer("drift_width", drift_width, at_least=1)
        self._entropy = sampling.entropy(seed)
        below = {self.taxonomy.index(label) for label in self.taxonomy.descendants(drift_in)}
        families = [group.tolist() for group in self.taxonomy._arrays.groups if len(group) > 1]
        self._next = {
            v: following
            for family in families
            for v, following in zip(family, [*family[1:], family[0]], strict=True)
            if v in below
        }
        if not self._next:
            raise ValueError(
                f"`drift_in` is {drift_in!r}, but no two siblings are below it to exchange"
            )
        self.drift_in = drift_in
        self.drift_at = drift_at
        self.drift_width = drift_width
        self.seed = seed

    @property
    def renamed(self) -> dict[Label, Label]:
        """The new label of each label below `drift_in`."""
        nodes = self.taxonomy.nodes
        return {nodes[v]: nodes[u] for v, u in self._next.items()}

    def __iter__(self) -> Iterator[tuple[dict[Any, Any], Any]]:
        # Streams number their purposes from 0, so one and a drift in it may have the same seed.
        rng = sampling.generator(self._entropy, 103)
        for step, (x, y) in enumerate(self.stream):
            if rng.random() < (step + 1 - self.drift_at) / self.drift_width:
                y = self._exchanged(y)
            yield x, y

    def _exchanged(self, y: Any) -> Any:
        """A copy of y whose paths end at the next siblings, which have the same ancestors."""
        taxonomy, nodes = self.taxonomy, self.taxonomy.nodes
        if not isinstance(y, Mapping):
            v = taxonomy.index(y)
            return nodes[self._next.get(v, v)]
        on = np.flatnonzero(closure_mask(taxonomy, y)).tolist()
        passed = {p for v in on for p in taxonomy._arrays.parents[v]}
        ends = [v for v in on if v in self._next and v not in passed]
        old = {nodes[v]: False for v in ends}
        return {**y, **old, **{nodes[self._next[v]]: True for v in ends}}
