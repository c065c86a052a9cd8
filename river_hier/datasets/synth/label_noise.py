"""Label noise between siblings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...taxonomy import Label
from ..base import TaxonomyDataset, View
from . import sampling
from .transformed import Transformed, families, path_ends, renamed


class LabelNoise(Transformed):
    """A stream whose labels are sometimes confused with their siblings.

    Human annotators descend the taxonomy and tend to err at the last step: a wolf is confused with
    a fox, but not with a submarine. Each end of a path (a single label; in a multilabel, a node
    that is on and has no child that is on) is replaced, with probability `rate`, by another child
    of its parent, chosen uniformly. Ancestors do not change, so multilabels still respect the
    taxonomy and paths keep their lengths. Labels without siblings never change, so the actual noise
    may be lower than `rate`. Two paths may end at the same node afterwards.

    The clean labels are those of `stream`, example by example. The additional time is
    O(labels of y) per example.

    In a DAG siblings are nodes with exactly the same parents.

    Parameters
    ----------
    stream
        A stream of `datasets`, or a prefix of one.
    rate
        The probability that the end of a path is replaced, if it has siblings.
    seed
        Random seed number used for reproducibility. Without one, each object has different noise,
        but can still be iterated several times.

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

    Trained on noisy labels and evaluated on clean ones, the average of all hypotheses is less
    affected than the last one:

    >>> for learner in (linear_model.Hieron, linear_model.AveragedHieron):
    ...     model, metric = learner(clean.taxonomy), metrics.TreeInducedError(clean.taxonomy)
    ...     for (x, y), (_, z) in zip(clean.take(2000), noisy):
    ...         metric.update(y, model.predict_one(x))
    ...         model.learn_one(x, z)
    ...     print(learner.__name__, metric.get())
    Hieron 0.9815
    AveragedHieron 0.403

    """

    def __init__(
        self, stream: TaxonomyDataset | View, rate: float = 0.1, seed: int | None = None
    ) -> None:
        sampling.check_probability("rate", rate)
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
