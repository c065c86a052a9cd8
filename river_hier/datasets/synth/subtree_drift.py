"""Labels that change their meaning, in one branch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...base import check_integer
from ...taxonomy import Label
from ..base import Prefix, TaxonomyDataset
from . import sampling
from .transformed import Transformed, families, path_ends, renamed


class SubtreeDrift(Transformed):
    """A stream in one branch of which the labels change places.

    From a step on, every path that ends below `drift_in` ends at the next sibling instead, the
    last one's next being the first: what was called a wolf is called a fox, what was called a fox a
    dog. Features stay as they are, and so do all other labels, `drift_in` itself included; so do
    ancestors, and multilabels are closed upwards. So the labels below one node change their
    meaning, and nothing else does: a learner's losses on the other branches go on as they were.
    Paths still pass through the same nodes, so a label with children of its own comes to cover what
    does not resemble them, and may be harder to learn than it was.

    The truth stays known: `stream` has the labels of before, example by example, and `renamed` says
    what becomes of each. Drifts in several branches, or one after the other, are several of these,
    each around the one before. An example takes O(labels of y) steps beside what it takes there.
    (Where labels are `LinearLabels`, its own `drift_in` is another such drift: there weights turn.)

    In a DAG siblings are the nodes with the very same parents.

    Parameters
    ----------
    stream
        Any stream of `datasets`, or a prefix of one.
    drift_in
        The node below which the labels change places: two siblings at least must be there, else a
        `ValueError`.
    drift_at
        The step, counted from 0, at which the labels begin to change places.
    drift_width
        The number of steps that the change takes; 1 is an abrupt drift. On the way every example
        has either its old labels or its new ones, with the probability of the new rising evenly.
    seed
        Random seed number used for reproducibility, where the change takes more than one step.

    Attributes
    ----------
    renamed
        The label that each label below `drift_in` becomes, `{label: label}`.

    Examples
    --------

    >>> from river_hier import linear_model
    >>> from river_hier.datasets import synth

    >>> steady = synth.PrototypeTree(branching=2, depth=3, noise=0.04, seed=42)
    >>> stream = synth.SubtreeDrift(steady, drift_in="2", drift_at=1000)
    >>> stream.renamed
    {'2.1': '2.2', '2.2': '2.1', '2.1.1': '2.1.2', '2.1.2': '2.1.1', '2.2.1': '2.2.2', '2.2.2': '2.2.1'}

    The mistakes among 1,000 examples before the drift and 1,000 after it, by branch:

    >>> model = linear_model.AveragedHieron(stream.taxonomy)
    >>> mistakes = {"1": [0, 0], "2": [0, 0], "root": [0, 0]}
    >>> for step, (x, y) in enumerate(stream.take(2000)):
    ...     mistakes[y.split(".")[0]][step // 1000] += model.predict_one(x) != y
    ...     model.learn_one(x, y)
    >>> mistakes["1"], mistakes["2"]
    ([66, 17], [75, 419])

    """  # noqa: E501

    def __init__(
        self,
        stream: TaxonomyDataset | Prefix,
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
                f"`drift_in` is {drift_in!r}, but no two siblings are below it to change places"
            )
        self.drift_in = drift_in
        self.drift_at = drift_at
        self.drift_width = drift_width
        self.seed = seed

    @property
    def renamed(self) -> dict[Label, Label]:
        """The label that each label below `drift_in` becomes."""
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
