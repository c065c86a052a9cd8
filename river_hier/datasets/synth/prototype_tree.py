"""The synthetic data of the Hieron paper: examples around the prototypes of nodes."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from river.datasets import base

from ...base.checks import check_integer
from ...taxonomy import Label, Taxonomy
from ..base import TaxonomyDataset
from . import sampling

ROTATION, EXAMPLES = range(2)  # purposes of the random numbers


class PrototypeTree(TaxonomyDataset, base.SyntheticDataset):
    r"""Examples around the prototypes of a symmetric tree.

    The synthetic data of the Hieron paper[^1], section 5. The tree has `depth` levels below the
    root and `branching` children at every inner node, $n$ nodes in total. Every node $v$ has a unit
    vector $w^v$ in $\mathbb{R}^n$, orthogonal to all the others, and the prototype

    $$W^v = \sum_{u \in P(v)} w^u$$

    where $P(v)$ is the path from the root to $v$, both included. An example is
    $x = W^y + \textrm{noise}$ with a label $y$ drawn uniformly from all nodes, including the root
    and the inner nodes. The prototypes of labels `d` edges apart have the distance $\sqrt{d}$.

    The stream is infinite. The prototypes take $O(n^3)$ once, at the first example; an example
    takes $O(n)$.

    Differences from the paper: it uses 100 training and 50 test examples of each label; here labels
    are drawn independently (`examples/papers/dekel_2004.py` takes as many of each). The paper's
    "some orthonormal set" is a random rotation of the axes here. Its results, down to 4 % errors,
    cannot be obtained with the variance of 0.16 that it states: since neighbours have a distance of
    1, the error of any classifier is at least $2 \Phi(-1.25) (n - 1) / n$, a fifth of the examples.
    With 0.04, a few percent are possible.

    Parameters
    ----------
    branching
        The number of children of every inner node.
    depth
        The depth of the leaves.
    noise
        The variance of the Gaussian noise on each feature.
    seed
        Random seed number used for reproducibility. Without one, each object is a different stream,
        which can still be iterated several times.

    Attributes
    ----------
    taxonomy
        The tree. Nodes are named by their path: `"root"`, `"1"`, `"1.2"`, `"1.2.3"`, ...

    Examples
    --------

    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=2, depth=2, noise=0.16, seed=42)
    >>> stream.taxonomy.nodes
    ('root', '1', '2', '1.1', '1.2', '2.1', '2.2')

    >>> for x, y in stream.take(2):
    ...     print(y, x[0], x[6])
    root 0.094786 -0.556335
    1.1 -0.151258 -0.365693

    >>> W = stream.prototypes
    >>> sum((W["1.2"][i] - W["1"][i]) ** 2 for i in range(7))
    1.0

    References
    ----------
    [^1]: [Dekel, O., Keshet, J. and Singer, Y., 2004. Large margin hierarchical classification.
        ICML 21.](https://doi.org/10.1145/1015330.1015374)

    """

    def __init__(
        self, branching: int = 3, depth: int = 4, noise: float = 0.16, seed: int | None = None
    ) -> None:
        check_integer("branching", branching, at_least=1)
        check_integer("depth", depth, at_least=1)
        sampling.check_variance("noise", noise)
        self._entropy = sampling.entropy(seed)
        self._taxonomy = _symmetric_tree(branching, depth)
        n = len(self._taxonomy)
        super().__init__(base.MULTI_CLF, n, n_classes=n)
        self.branching = branching
        self.depth = depth
        self.noise = noise
        self.seed = seed

    @property
    def taxonomy(self) -> Taxonomy:
        """The tree."""
        return self._taxonomy

    @functools.cached_property
    def _prototypes(self) -> NDArray[np.float64]:
        W = sampling.rotation(len(self.taxonomy), sampling.generator(self._entropy, ROTATION))
        for v, parents in enumerate(self.taxonomy._parent_indices):
            for parent in parents:
                W[v] += W[parent]  # Eq. 2, from the root downwards
        return W

    @property
    def prototypes(self) -> dict[str, dict[int, float]]:
        """The prototype of each label, `{label: {feature: weight}}`; O(n^2) at every call."""
        return {
            str(label): dict(enumerate(W_v))
            for label, W_v in zip(self.taxonomy, self._prototypes.tolist(), strict=True)
        }

    def __iter__(self) -> Iterator[tuple[dict[int, float], str]]:
        rng = sampling.generator(self._entropy, EXAMPLES)
        labels = [str(label) for label in self.taxonomy]
        n = len(labels)
        deviation = math.sqrt(self.noise)
        while True:
            y = rng.integers(n, size=sampling.BLOCK)
            x = self._prototypes[y] + deviation * rng.standard_normal((sampling.BLOCK, n))
            for v, row in zip(y.tolist(), x.tolist(), strict=True):
                yield dict(enumerate(row)), labels[v]


def _symmetric_tree(branching: int, depth: int) -> Taxonomy:
    """A symmetric tree, with the children in the order of their numbers."""
    parents: dict[Label, Label | None] = {"root": None}
    above = {"": "root"}  # prefixes of the labels of the next level, and their parents
    for _ in range(depth):
        numbers = range(1, branching + 1)
        below = {f"{start}{i}": parent for start, parent in above.items() for i in numbers}
        parents.update(below)
        above = {f"{label}.": label for label in below}
    return Taxonomy.from_parents(parents)
