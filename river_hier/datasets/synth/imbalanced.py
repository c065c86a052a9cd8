"""Imbalanced labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...taxonomy import Label
from ..base import TaxonomyDataset, View
from . import sampling
from .transformed import Transformed, path_ends


class Imbalanced(Transformed):
    r"""A subsampled stream in which few labels are common and many are rare.

    Labels, including the root and the inner nodes, are ranked at random. Each example of the label
    of rank $r$ is kept independently with probability $r^{-s}$: Zipf's law with exponent $s$. If
    the labels are equally frequent, as in `PrototypeTree`, the frequency of the label of rank $r$
    becomes $r^{-s} / \sum_k k^{-s}$. The label of a path is the node at its end, and the rarest
    path of a multilabel determines the probability that it is kept.

    The selection depends on labels only, so $P(x \mid y)$ is unchanged. Of $n$ equally frequent
    labels, a share of $\sum_k k^{-s} / n$ of the examples is kept; the others are generated and
    discarded.

    Parameters
    ----------
    stream
        A stream of `datasets`, or a prefix of one.
    exponent
        The exponent $s$, at least 0; with 0 all examples are kept.
    seed
        Random seed number used for reproducibility. Without one, each object has different ranks,
        but can still be iterated several times.

    Attributes
    ----------
    shares
        The share of examples kept for each label, `{label: share}`.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> balanced = synth.PrototypeTree(branching=2, depth=2, noise=0.04, seed=42)
    >>> stream = synth.Imbalanced(balanced, exponent=1.0, seed=42)
    >>> stream.shares
    {'root': 0.167, '1': 0.143, '2': 1.0, '1.1': 0.25, '1.2': 0.2, '2.1': 0.5, '2.2': 0.333}

    Rare labels are learned slowly, but contribute little to the error:

    >>> for stream in (balanced, stream):
    ...     model = linear_model.Hieron(stream.taxonomy)
    ...     metric = metrics.TreeInducedError(stream.taxonomy)
    ...     print(evaluate.progressive_val_score(stream.take(500), model, metric))
    TreeInducedError: 0.222
    TreeInducedError: 0.198

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
