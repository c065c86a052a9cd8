"""Labels that appear in the course of a stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import compress
from typing import Any

from river.datasets.base import MULTI_CLF

from ...base.checks import check_integer
from ...taxonomy import Label, Taxonomy
from ..base import TaxonomyDataset, View
from .transformed import Transformed


class Appearing(Transformed):
    """A stream whose labels appear one after the other, as in a growing catalogue.

    Each label appears at a given step, but not before its ancestors. Until then, a single label is
    replaced by its deepest ancestor that has appeared, and a multilabel leaves it out. A learner
    with an open taxonomy thus encounters each label when it appears.

    `taxonomy` is the final taxonomy; `taxonomy_at` returns the one at a given step. The complete
    labels are those of `stream`, example by example. Noisy labels must appear as well, so put
    `Appearing` around `LabelNoise`, not the other way round. The additional time is O(labels of y)
    per example.

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

    >>> from river_hier import Taxonomy, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> whole = synth.PrototypePaths(t, noise=0.01, seed=42)
    >>> stream = synth.Appearing(whole, {"wolf": 300, "bird": 600})
    >>> stream.taxonomy_at(300).nodes
    ('animal', 'mammal', 'wolf', 'whale')

    A learner with an open taxonomy encounters the labels one after the other. The number of labels
    it knows, and its loss, every 100 examples:

    >>> model = linear_model.HAROW()
    >>> for step, (x, y) in enumerate(stream.take(900)):
    ...     if step % 100 == 0:
    ...         metric = metrics.HLoss(t)
    ...     metric.update(y, model.predict_one(x))
    ...     model.learn_one(x, y)
    ...     if step % 100 == 99:
    ...         print(len(model.weights), f"{metric.get():.2f}")
    2 0.08
    2 0.01
    2 0.00
    3 0.07
    3 0.00
    3 0.00
    5 0.06
    5 0.00
    5 0.00

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
