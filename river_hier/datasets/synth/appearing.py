"""Labels that appear in the course of the stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import compress
from typing import Any

from river.datasets.base import MULTI_CLF

from ...base import check_integer
from ...taxonomy import Label, Taxonomy
from ..base import Prefix, TaxonomyDataset
from .transformed import Transformed


class Appearing(Transformed):
    """A stream whose labels are not all there from the start: what a growing catalogue gives.

    A label appears at a step, and not before its ancestors do. Up to there its examples are called
    by what there is: in place of a single label that has not appeared stands its deepest ancestor
    that has, and a multilabel does not mention labels that have not appeared. So a learner that
    starts from an open taxonomy meets each label when it appears.

    `taxonomy` is the final one; `taxonomy_at` has those on the way there. The labels that nothing
    is missing from are those of `stream`, example by example. Labels that noise brings must appear
    as well: put `Appearing` around `LabelNoise`, not the other way round. An example takes
    O(labels of y) steps beside what it takes there.

    Parameters
    ----------
    stream
        Any stream of `datasets`, or a prefix of one. Where it has single labels, the taxonomy must
        be a tree.
    appears_at
        `{label: step}`, with steps counted from 0: the first example that may have the label. What
        is not in it is there from the start. Labels that are not in the taxonomy raise an
        `UnknownLabelError`.

    Examples
    --------

    >>> from river_hier import Taxonomy, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> whole = synth.PrototypePaths(t, noise=0.01, seed=42)
    >>> stream = synth.Appearing(whole, {"wolf": 300, "bird": 600})
    >>> stream.taxonomy_at(300).nodes
    ('animal', 'mammal', 'wolf', 'whale')

    A learner of an open taxonomy meets the labels one after the other. How many it knows, and its
    loss on each 100 examples:

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
    3 0.05
    3 0.00
    3 0.00
    5 0.07
    5 0.00
    5 0.00

    """

    def __init__(self, stream: TaxonomyDataset | Prefix, appears_at: Mapping[Label, int]) -> None:
        super().__init__(stream)
        if not isinstance(appears_at, Mapping):
            raise TypeError(
                f"`appears_at` must be {{label: step}}, got {type(appears_at).__name__}"
            )
        taxonomy = self.taxonomy
        if self.task == MULTI_CLF:
            taxonomy.check_tree()
        for label, step in appears_at.items():
            if taxonomy.index(label) == 0:
                raise ValueError(f"`appears_at` must not hold the root, {label!r}: it is always on")
            check_integer(f"appears_at[{label!r}]", step, at_least=0)
        self.appears_at = appears_at
        self._since: list[int] = []  # of each node
        for label, parents in zip(taxonomy.nodes, taxonomy.parent_indices, strict=True):
            own = int(appears_at.get(label, 0))
            self._since.append(max([own, *(self._since[p] for p in parents)]))

    def taxonomy_at(self, step: int) -> Taxonomy:
        """The taxonomy of the labels that have appeared by that step, counted from 0."""
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
                    (v,) = taxonomy.parent_indices[v]
                yield x, taxonomy.nodes[v]
