"""Few common labels, many rare ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...taxonomy import Label
from ..base import Prefix, TaxonomyDataset
from . import sampling
from .transformed import Transformed, path_ends


class Imbalanced(Transformed):
    r"""A stream thinned out, so that few labels are common and many are rare.

    Labels, the root and the inner nodes included, are ranked at random, and of the examples of the
    label of rank $r$ a share of $r^{-s}$ is kept, each example by a toss of its own: Zipf's law
    with the exponent $s$. Where labels come equally often, as in `PrototypeTree`, the popularity of
    the label of rank $r$ then is $r^{-s} / \sum_k k^{-s}$. A multilabel is kept as its rarest path
    is, the label of a path being the node where it ends.

    Which examples are dropped depends on their labels only, so $P(x \mid y)$ stays as it is. Of
    $n$ labels that come equally often, a share of $\sum_k k^{-s} / n$ is kept: the others are made
    in vain.

    Parameters
    ----------
    stream
        Any stream of `datasets`, or a prefix of one.
    exponent
        The exponent $s$, at least 0, which keeps everything.
    seed
        Random seed number used for reproducibility. Without one, each object has ranks of its
        own, and can still be iterated again.

    Attributes
    ----------
    shares
        The share that is kept of each label's examples, `{label: share}`.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> balanced = synth.PrototypeTree(branching=2, depth=2, noise=0.04, seed=42)
    >>> stream = synth.Imbalanced(balanced, exponent=1.0, seed=42)
    >>> stream.shares
    {'root': 0.167, '1': 0.143, '2': 1.0, '1.1': 0.25, '1.2': 0.2, '2.1': 0.5, '2.2': 0.333}

    What is rare is learned slowly, and hardly matters:

    >>> for stream in (balanced, stream):
    ...     model = linear_model.Hieron(stream.taxonomy)
    ...     metric = metrics.TreeInducedError(stream.taxonomy)
    ...     print(evaluate.progressive_val_score(stream.take(500), model, metric))
    TreeInducedError: 0.222
    TreeInducedError: 0.198

    """

    def __init__(
        self, stream: TaxonomyDataset | Prefix, exponent: float = 1.0, seed: int | None = None
    ) -> None:
        sampling.check_number("exponent", exponent, at_least=0)
        self._entropy = sampling.entropy(seed)
        super().__init__(stream)
        self.n_samples = None  # nobody knows before it is over
        self.exponent = exponent
        self.seed = seed

    @property
    def shares(self) -> dict[Label, float]:
        """The share that is kept of each label's examples."""
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
