"""Streams that change the labels of another stream."""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Iterator, Mapping
from itertools import compress
from typing import Any

import numpy as np
from river.datasets.base import MULTI_CLF

from ...base.checks import check_integer
from ...taxonomy import Label, Taxonomy
from ..base import TaxonomyDataset, View, shown_stream
from . import sampling


class Transformed(TaxonomyDataset):
    """Base class of the streams that modify another stream, which is the attribute `stream`.

    Only its taxonomy is passed on; its probabilities or prototypes may not hold any more.
    """

    def __init__(self, stream: TaxonomyDataset | View) -> None:
        if not isinstance(stream, TaxonomyDataset | View):
            raise TypeError(
                "`stream` must be a stream with a taxonomy, such as datasets.RCV1(), or a prefix "
                f"of one, got {type(stream).__name__}; for your own data subclass "
                "datasets.base.TaxonomyDataset"
            )
        known: Any = stream  # a prefix has the attributes of its stream
        super().__init__(
            known.task,
            known.n_features,
            n_samples=known.n_samples,
            n_classes=known.n_classes,
            n_outputs=known.n_outputs,
            sparse=known.sparse,
        )
        self.stream = stream

    @property
    def taxonomy(self) -> Taxonomy:
        """The taxonomy of the stream."""
        taxonomy: Taxonomy = self.stream.taxonomy
        return taxonomy

    @property
    def _repr_content(self) -> dict[str, str]:
        content: dict[str, str] = super()._repr_content
        for name in inspect.signature(type(self)).parameters:
            content[name] = reprlib.repr(getattr(self, name))
        content["stream"] = shown_stream(self.stream)
        return content


def path_ends(taxonomy: Taxonomy, y: Any) -> list[int]:
    """The ends of the paths of y: the nodes that are on and have no child that is on.

    The end of a single label is the label itself; if no label is on, the end is the root.
    """
    if not isinstance(y, Mapping):
        return [taxonomy.index(y)]
    on = np.flatnonzero(taxonomy._closure_mask(y)).tolist()
    passed = {p for v in on for p in taxonomy._parent_indices[v]}
    return [v for v in on if v not in passed]


def renamed(taxonomy: Taxonomy, y: Any, new: Mapping[int, int]) -> Any:
    """A copy of y in which some ends of paths are replaced by siblings.

    Siblings have the same ancestors, so the copy respects the taxonomy like y.
    """
    nodes = taxonomy.nodes
    if not isinstance(y, Mapping):
        v = taxonomy.index(y)
        return nodes[new.get(v, v)]
    return {**y, **{nodes[v]: False for v in new}, **{nodes[v]: True for v in new.values()}}


def families(taxonomy: Taxonomy) -> dict[int, tuple[list[int], int]]:
    """For every node with siblings: its siblings, including itself, and its position among them.

    Siblings are the nodes with exactly the same parents; in a tree, the children of one node.
    """
    groups = [group.tolist() for group in taxonomy._arrays.groups if len(group) > 1]
    return {v: (group, place) for group in groups for place, v in enumerate(group)}


class Appearing(Transformed):
    """A stream whose labels appear one after the other, as in a growing catalogue.

    Each label appears at a given step, but not before its ancestors. Until then, a single label is
    replaced by its deepest ancestor that has appeared, and a multilabel leaves it out. A learner
    with an open taxonomy thus encounters each label when it appears.

    `taxonomy` is the final taxonomy; `taxonomy_at` returns the one at a given step. Noisy labels
    must appear as well, so put `Appearing` around `LabelNoise`, not the other way round. The
    additional time is O(labels of y) per example.

    Parameters
    ----------
    stream
        A stream of `datasets`, or a prefix of one. If it has single labels, the taxonomy must be a
        tree.
    appears_at
        `{label: step}`: the first example, counted from 0, that may have the label. Other labels
        are known from the start. Unknown labels raise an `UnknownLabelError`.

    Examples
    --------

    >>> from river_hier import Taxonomy, linear_model
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> whole = synth.PrototypePaths(t, noise=0.01, seed=42)
    >>> stream = synth.Appearing(whole, {"wolf": 300, "bird": 600})
    >>> stream.taxonomy_at(300).nodes
    ('animal', 'mammal', 'wolf', 'whale')

    The number of labels that a learner with an open taxonomy knows after every 300 examples:

    >>> model = linear_model.HAROW()
    >>> for step, (x, y) in enumerate(stream.take(900), start=1):
    ...     model.learn_one(x, y)
    ...     if step % 300 == 0:
    ...         print(len(model.weights))
    2
    3
    5

    """

    def __init__(self, stream: TaxonomyDataset | View, appears_at: Mapping[Label, int]) -> None:
        super().__init__(stream)
        if not isinstance(appears_at, Mapping):
            raise TypeError(
                f"`appears_at` must be {{label: step}}, got {type(appears_at).__name__}"
            )
        taxonomy = self.taxonomy
        if self.task == MULTI_CLF:
            taxonomy._check_tree()
        for label, step in appears_at.items():
            if taxonomy.index(label) == 0:
                raise ValueError(f"`appears_at` must not hold the root, {label!r}: it is always on")
            check_integer(f"appears_at[{label!r}]", step, at_least=0)
        self.appears_at = appears_at
        self._since: list[int] = []  # of each node
        for label, parents in zip(taxonomy.nodes, taxonomy._parent_indices, strict=True):
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
                    (v,) = taxonomy._parent_indices[v]
                yield x, taxonomy.nodes[v]


class Imbalanced(Transformed):
    r"""A subsampled stream in which few labels are common and many are rare.

    Labels, including the root and the inner nodes, are ranked at random. Each example of the label
    of rank $r$ is kept independently with probability $r^{-s}$: Zipf's law with exponent $s$. The
    label of a path is the node at its end, and the rarest path of a multilabel determines the
    probability that it is kept. The selection depends on labels only, so $P(x \mid y)$ is
    unchanged. Of $n$ equally frequent labels, as in `PrototypeTree`, a share of
    $\sum_k k^{-s} / n$ of the examples is kept; the others are generated and discarded.

    Parameters
    ----------
    stream
        A stream of `datasets`, or a prefix of one.
    exponent
        The exponent $s$, at least 0; with 0 all examples are kept.
    seed
        The seed; without one, each object has different ranks, the same in each iteration.

    Examples
    --------

    >>> from river_hier.datasets import synth

    >>> balanced = synth.PrototypeTree(branching=2, depth=2, noise=0.04, seed=42)
    >>> stream = synth.Imbalanced(balanced, exponent=1.0, seed=42)
    >>> stream.shares
    {'root': 0.167, '1': 0.143, '2': 1.0, '1.1': 0.25, '1.2': 0.2, '2.1': 0.5, '2.2': 0.333}

    >>> [sum(y == "2" for _, y in data.take(500)) for data in (balanced, stream)]
    [79, 196]

    """

    def __init__(
        self, stream: TaxonomyDataset | View, exponent: float = 1.0, seed: int | None = None
    ) -> None:
        sampling.check_number("exponent", exponent, at_least=0)
        self._entropy = sampling.entropy(seed)
        super().__init__(stream)
        self.n_samples: int | None = None  # unknown in advance
        self.exponent = exponent
        self.seed = seed

    @property
    def shares(self) -> dict[Label, float]:
        """The share of examples kept for each label."""
        nodes = self.taxonomy.nodes
        rng = sampling.generator(self._entropy, sampling.RANKS)
        return dict(zip(nodes, sampling.zipf(len(nodes), self.exponent, rng).tolist(), strict=True))

    def __iter__(self) -> Iterator[tuple[dict[Any, Any], Any]]:
        rng = sampling.generator(self._entropy, sampling.CHOICES)
        taxonomy = self.taxonomy
        shares = list(self.shares.values())
        for x, y in self.stream:
            if rng.random() < min(shares[v] for v in path_ends(taxonomy, y)):
                yield x, y


class LabelNoise(Transformed):
    """A stream whose labels are sometimes confused with their siblings.

    Human annotators descend the taxonomy and tend to err at the last step: a wolf is confused with
    a fox, but not with a submarine. Each end of a path (a single label; in a multilabel, a node
    that is on and has no child that is on) is replaced, with probability `rate`, by another child
    of its parent, chosen uniformly. Ancestors do not change. Labels without siblings never do, so
    the actual noise may be lower than `rate`. Two paths may end at the same node afterwards.

    In a DAG siblings are nodes with exactly the same parents. The additional time is O(labels of y)
    per example.

    Parameters
    ----------
    stream
        A stream of `datasets`, or a prefix of one.
    rate
        The probability that the end of a path is replaced, if it has siblings.
    seed
        The seed; without one, each object has different noise, the same in each iteration.

    Examples
    --------

    >>> from river_hier.datasets import synth

    >>> clean = synth.PrototypeTree(branching=3, depth=3, noise=0.04, seed=42)
    >>> noisy = synth.LabelNoise(clean, rate=0.2, seed=42)
    >>> [(y, z) for (_, y), (_, z) in zip(clean.take(8), noisy) if y != z]
    [('1.1.3', '1.1.1')]
    >>> noisy.transitions("3.1")
    {'3.1': 0.8, '3.2': 0.1, '3.3': 0.1}

    """

    def __init__(
        self, stream: TaxonomyDataset | View, rate: float = 0.1, seed: int | None = None
    ) -> None:
        sampling.check_number("rate", rate, at_most=1, what="a probability, ")
        self._entropy = sampling.entropy(seed)
        super().__init__(stream)
        self.rate = rate
        self.seed = seed

    def transitions(self, label: Label) -> dict[Label, float]:
        """Return the probabilities of the label and its siblings, given the clean label."""
        nodes = self.taxonomy.nodes
        v = self.taxonomy.index(label)
        family_of = families(self.taxonomy)
        if v not in family_of:
            return {nodes[v]: 1.0}
        family, _ = family_of[v]
        mistake = self.rate / (len(family) - 1)
        return {nodes[u]: 1 - self.rate if u == v else mistake for u in family}

    def __iter__(self) -> Iterator[tuple[dict[Any, Any], Any]]:
        rng = sampling.generator(self._entropy, sampling.MISTAKES)
        taxonomy = self.taxonomy
        family_of = families(taxonomy)
        for x, y in self.stream:
            mistaken = {}
            for v in path_ends(taxonomy, y):
                if v in family_of and rng.random() < self.rate:
                    family, place = family_of[v]
                    further = int(rng.integers(1, len(family)))  # not 0, which is v itself
                    mistaken[v] = family[(place + further) % len(family)]
            yield x, renamed(taxonomy, y, mistaken)


class SubtreeDrift(Transformed):
    """A stream with concept drift in one branch, where labels are exchanged.

    From a given step on, every path that ends below `drift_in` ends at the next sibling instead,
    and those of the last sibling end at the first: wolves are labelled as foxes, foxes as dogs.
    Features, ancestors and all other labels, including `drift_in` itself, do not change. Inner
    nodes then cover examples unlike those of their children and may be harder to learn than before.

    `renamed` maps the original labels to the new ones. In a DAG siblings are nodes with exactly the
    same parents. For several drifts, nest the transformers. The additional time is O(labels of y)
    per example.

    Parameters
    ----------
    stream
        A stream of `datasets`, or a prefix of one.
    drift_in
        The node below which labels are exchanged; at least two siblings must be below it.
    drift_at
        The step, counted from 0, at which the drift begins.
    drift_width
        The duration of the drift in steps; 1 is an abrupt drift. During the drift, the probability
        that an example has its new labels increases linearly.
    seed
        The seed, if the drift takes more than one step.

    Examples
    --------

    >>> from river_hier import linear_model
    >>> from river_hier.datasets import synth

    >>> steady = synth.PrototypeTree(branching=2, depth=3, noise=0.04, seed=42)
    >>> stream = synth.SubtreeDrift(steady, drift_in="2", drift_at=1000)
    >>> stream.renamed
    {'2.1': '2.2', '2.2': '2.1', '2.1.1': '2.1.2', '2.1.2': '2.1.1', '2.2.1': '2.2.2', '2.2.2': '2.2.1'}

    The numbers of mistakes in 1,000 examples before and after the drift, by branch:

    >>> model = linear_model.AveragedHieron(stream.taxonomy)
    >>> mistakes = {"1": [0, 0], "2": [0, 0], "root": [0, 0]}
    >>> for step, (x, y) in enumerate(stream.take(2000)):
    ...     mistakes[y.split(".")[0]][step // 1000] += model.predict_one(x) != y
    ...     model.learn_one(x, y)
    >>> mistakes["1"], mistakes["2"]
    ([67, 17], [72, 419])

    """  # noqa: E501

    def __init__(
        self,
        stream: TaxonomyDataset | View,
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
        self._next = {
            v: family[(place + 1) % len(family)]
            for v, (family, place) in families(self.taxonomy).items()
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
        rng = sampling.generator(self._entropy, sampling.CHANGES)
        taxonomy = self.taxonomy
        for step, (x, y) in enumerate(self.stream):
            if rng.random() < (step + 1 - self.drift_at) / self.drift_width:
                ends = path_ends(taxonomy, y)
                y = renamed(taxonomy, y, {v: self._next[v] for v in ends if v in self._next})
            yield x, y
