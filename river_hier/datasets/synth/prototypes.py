"""Examples around the prototypes of nodes, of one label and of several."""

import functools
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from river.datasets.base import MO_BINARY_CLF, MULTI_CLF

from ...base.checks import check_integer
from ...taxonomy import Label, Taxonomy
from . import sampling


class PrototypeTree(sampling.Generator):
    r"""Examples around the prototypes of a symmetric tree.

    The synthetic data of the Hieron paper[^1], section 5. The tree has `depth` levels below the
    root and `branching` children at every inner node, $n$ nodes in total, which are named `"root"`,
    `"1"`, `"1.2"` and so on. Every node $v$ has a unit vector $w^v$ in $\mathbb{R}^n$, orthogonal
    to all the others, and the prototype

    $$W^v = \sum_{u \in P(v)} w^u$$

    where $P(v)$ is the path from the root to $v$, both included. An example is
    $x = W^y + \textrm{noise}$ with a label $y$ drawn uniformly from all nodes, including the root
    and the inner nodes. The prototypes of labels `d` edges apart have the distance $\sqrt{d}$.

    The stream is infinite. The prototypes take $O(n^3)$ once, an example takes $O(n)$. The paper
    uses 100 training and 50 test examples of each label; here labels are drawn independently, and
    its "some orthonormal set" is a random rotation of the axes. With the variance of 0.16 that it
    states, no classifier errs in less than a fifth of them; with 0.04, its results are possible.

    Parameters
    ----------
    branching
        The number of children of every inner node.
    depth
        The depth of the leaves.
    noise
        The variance of the Gaussian noise on each feature.
    seed
        The seed; without one, each object is a different stream, the same in each iteration.

    Examples
    --------
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=2, depth=2, noise=0.16, seed=42)
    >>> for x, y in stream.take(2):
    ...     print(y, x[0], x[6])
    root 0.094786 -0.556335
    1.1 -0.151258 -0.365693

    References
    ----------
    [^1]: [Dekel, Keshet and Singer, 2004. ICML 21.](https://doi.org/10.1145/1015330.1015374)
    """

    _ROTATION, _EXAMPLES = range(2)  # purposes of the random numbers

    def __init__(
        self, branching: int = 3, depth: int = 4, noise: float = 0.16, seed: int | None = None
    ) -> None:
        check_integer("branching", branching, at_least=1)
        check_integer("depth", depth, at_least=1)
        sampling.check_number("noise", noise, what="a variance, ")
        super().__init__(_symmetric_tree(branching, depth), seed, MULTI_CLF)
        self.branching = branching
        self.depth = depth
        self.noise = noise

    @functools.cached_property
    def _prototypes(self) -> NDArray[np.float64]:
        W = sampling.rotation(len(self.taxonomy), self._random(self._ROTATION))
        for v, parents in enumerate(self.taxonomy._arrays.parents):
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
        rng = self._random(self._EXAMPLES)
        labels = [str(label) for label in self.taxonomy]
        n, deviation = len(labels), math.sqrt(self.noise)
        while True:
            y = rng.integers(n, size=sampling.BLOCK)
            x = self._prototypes[y] + deviation * rng.standard_normal((sampling.BLOCK, n))
            for v, row in zip(y.tolist(), x.tolist(), strict=True):
                yield dict(enumerate(row)), labels[v]


def _symmetric_tree(branching: int, depth: int) -> Taxonomy:
    """A symmetric tree, with the children in the order of their numbers."""
    edges, level = list[tuple[str, str]](), {"root": ""}  # labels, and prefixes of those below
    for _ in range(depth):
        numbers = range(1, branching + 1)
        edges += [(v, f"{start}{i}") for v, start in level.items() for i in numbers]
        level = {v: f"{v}." for _, v in edges[-branching * len(level) :]}
    return Taxonomy(edges)


class PrototypePaths(sampling.Generator):
    r"""Multilabels of several, possibly partial, paths with imbalanced labels.

    An example has $1 + K$ paths, with $K$ drawn from a Poisson distribution. Each path ends
    independently at a node $v$ other than the root with probability

    $$p_v = \frac{r_v^{-s}}{\sum_u r_u^{-s}},$$

    which is Zipf's law with random ranks $r_v$. The multilabel is the union of the paths. Every
    node has a unit vector $w^v$, orthogonal to all the others, and

    $$x = \sum_{v\,\textrm{on}} w^v + \textrm{noise}$$

    over all nodes that are on, including the root. So $w^v \cdot x$ is 1 if $v$ is on, else 0, plus
    Gaussian noise. With $n$ nodes the first of endless examples takes $O(n^3)$, others $O(n^2)$.

    Parameters
    ----------
    taxonomy
        A tree or a DAG, in which a path is a node with all its ancestors.
    paths
        The mean number of paths, $1 + E K$; they may coincide, or one may be part of another.
    exponent
        The exponent $s$ of Zipf's law, at least 0; with 0 all ends are equally likely.
    noise
        The variance of the Gaussian noise on each feature.
    seed
        The seed; without one, each object is a different stream, the same in each iteration.

    Examples
    --------
    >>> from river_hier import Taxonomy
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy([("animal", "mammal"), ("animal", "bird"), ("mammal", "wolf")])
    >>> stream = synth.PrototypePaths(t, seed=42)
    >>> stream.priors
    {'mammal': 0.810, 'bird': 0.365, 'wolf': 0.253}
    """

    _ROTATION, _RANKS, _EXAMPLES = range(3)  # purposes of the random numbers

    def __init__(
        self,
        taxonomy: Taxonomy,
        paths: float = 1.5,
        exponent: float = 1.0,
        noise: float = 0.04,
        seed: int | None = None,
    ) -> None:
        super().__init__(taxonomy, seed, MO_BINARY_CLF)
        sampling.check_number("paths", paths, at_least=1)
        sampling.check_number("exponent", exponent, at_least=0)
        sampling.check_number("noise", noise, what="a variance, ")
        self.paths = paths
        self.exponent = exponent
        self.noise = noise
        ranks = 1 + self._random(self._RANKS).permutation(len(taxonomy) - 1)
        weights = ranks ** -float(exponent)
        self._p = weights / weights.sum()

    @functools.cached_property
    def _w(self) -> NDArray[np.float64]:
        return sampling.rotation(len(self.taxonomy), self._random(self._ROTATION))

    @property
    def vectors(self) -> dict[Label, dict[int, float]]:
        """The vector $w^v$ of each node, including the root: O(n^2) at every call."""
        rows = (dict(enumerate(w_v)) for w_v in self._w.tolist())
        return dict(zip(self.taxonomy.nodes, rows, strict=True))

    @property
    def popularity(self) -> dict[Label, float]:
        """The probability $p_v$ that a path ends at a node, for each node except the root."""
        return dict(zip(self.taxonomy.nodes[1:], self._p.tolist(), strict=True))

    @property
    def priors(self) -> dict[Label, float]:
        """The probability that a node is on, for each node except the root."""
        p, known = self.popularity, {}
        for label in p:
            q = math.fsum(p[end] for end in (label, *self.taxonomy.descendants(label)))
            known[label] = 1 - (1 - q) * math.exp((1 - self.paths) * q)  # E (1 - q)^(1 + K)
        return known

    def __iter__(self) -> Iterator[tuple[dict[int, float], dict[Label, bool]]]:
        rng = self._random(self._EXAMPLES)
        labels = self.taxonomy.nodes[1:]
        n, m = len(self.taxonomy), sampling.BLOCK
        deviation = math.sqrt(self.noise)
        while True:
            n_paths = 1 + rng.poisson(self.paths - 1, m)
            on = np.zeros((m, n), dtype=np.bool_)
            ends = 1 + rng.choice(n - 1, n_paths.sum(), p=self._p)
            on[np.repeat(np.arange(m), n_paths), ends] = True
            for v in range(n - 1, 0, -1):  # from the leaves upwards
                for parent in self.taxonomy._arrays.parents[v]:
                    on[:, parent] |= on[:, v]
            X = on @ self._w + deviation * rng.standard_normal((m, n))
            for x, y in zip(X.tolist(), on[:, 1:].tolist(), strict=True):
                yield dict(enumerate(x)), dict(zip(labels, y, strict=True))
