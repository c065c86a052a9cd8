"""Concept drift of the labels in one branch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...base.checks import check_integer
from ...taxonomy import Label
from ..base import TaxonomyDataset, View
from . import sampling
from .transformed import Transformed, families, path_ends, renamed


class SubtreeDrift(Transformed):
    """A stream with concept drift in one branch, where labels are exchanged.

    From a given step on, every path that ends below `drift_in` ends at the next sibling instead,
    and those of the last sibling end at the first: wolves are labelled as foxes, foxes as dogs.
    Features, ancestors and all other labels, including `drift_in` itself, do not change, and
    multilabels still respect the taxonomy. Thus only the labels below one node change their meaning,
    and the losses of a learner in other branches are not affected. Paths still pass through the
    same inner nodes, so an inner node then covers examples unlike those of its children and may be
    harder to learn than before.

    The original labels are those of `stream`, example by example, and `renamed` maps them to the
    new ones. For drifts in several branches, or several consecutive drifts, nest the transformers.
    The additional time is O(labels of y) per example. (`LinearLabels` has another kind of drift in
    one branch, a rotation of the weights: see its `drift_in`.)

    In a DAG siblings are nodes with exactly the same parents.

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
        Random seed number used for reproducibility, if the drift takes more than one step.

    Attributes
    ----------
    renamed
        The new label of each label below `drift_in`, `{label: label}`.

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
