"""Labels taken for their siblings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...taxonomy import Label
from ..base import Prefix, TaxonomyDataset
from . import sampling
from .transformed import Transformed, families, path_ends, renamed


class LabelNoise(Transformed):
    """A stream whose labels are sometimes taken for their siblings.

    Who labels examples by hand goes down the taxonomy, and errs at the last step: a wolf is called
    a fox, but not a submarine. So every end of a path (a single label; in a multilabel, a node that
    is on without any child) is taken, with probability `rate`, for another child of its parent, all
    of them being equally likely. Ancestors stay as they are: multilabels are closed upwards, and
    paths keep their lengths. What has no siblings is never mistaken, so the noise that was asked
    for is an upper bound of the noise that there is. Two paths may come to end at one node.

    The clean labels are those of `stream`, example by example. An example takes
    O(labels of y) steps beside what it takes there.

    In a DAG siblings are the nodes with the very same parents.

    Parameters
    ----------
    stream
        Any stream of `datasets`, or a prefix of one.
    rate
        The probability that an end is mistaken, if it has siblings.
    seed
        Random seed number used for reproducibility. Without one, each object has a noise of its
        own, which can still be iterated again.

    Examples
    --------

    >>> from river_hier import linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> clean = synth.PrototypeTree(branching=3, depth=3, noise=0.04, seed=42)
    >>> noisy = synth.LabelNoise(clean, rate=0.2, seed=42)
    >>> [(y, z) for (_, y), (_, z) in zip(clean.take(8), noisy) if y != z]
    [('1.1.3', '1.1.1')]
    >>> noisy.transitions("3.1")
    {'3.1': 0.8, '3.2': 0.1, '3.3': 0.1}

    Taught with noise and scored without, the average of many hypotheses suffers less than the last:

    >>> for learner in (linear_model.Hieron, linear_model.AveragedHieron):
    ...     model, metric = learner(clean.taxonomy), metrics.TreeInducedError(clean.taxonomy)
    ...     for (x, y), (_, z) in zip(clean.take(2000), noisy):
    ...         metric.update(y, model.predict_one(x))
    ...         model.learn_one(x, z)
    ...     print(learner.__name__, metric.get())
    Hieron 0.9815
    AveragedHieron 0.422

    """

    def __init__(
        self, stream: TaxonomyDataset | Prefix, rate: float = 0.1, seed: int | None = None
    ) -> None:
        sampling.check_probability("rate", rate)
        self._entropy = sampling.entropy(seed)
        super().__init__(stream)
        self.rate = rate
        self.seed = seed

    def transitions(self, label: Label) -> dict[Label, float]:
        """What a path that ends at the label ends at here: a probability for each of its family."""
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
