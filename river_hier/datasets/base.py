"""What our streams share: they know their taxonomy, and so do their prefixes."""

from __future__ import annotations

import abc
import itertools
import operator
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from river import datasets

from ..taxonomy import Taxonomy

__all__ = ["Prefix", "TaxonomyDataset", "data_home"]

_untyped: Any = datasets.base  # River's streams have no annotations


def data_home() -> Path:
    """River's folder for what is downloaded."""
    return Path(_untyped.get_data_home())


class TaxonomyDataset(datasets.base.Dataset):
    """Base class of the streams that know their taxonomy.

    A subclass has a `taxonomy` and starts anew each time it is iterated: seeds and files are opened
    in `__iter__`. Beside River's `SyntheticDataset` this class comes first, for its `take`.

    Parameters
    ----------
    task
        One of River's tasks.
    n_features
        The number of features.
    n_samples
        The number of examples, where it is known and finite.
    n_classes
        The number of labels of single-label examples.
    n_outputs
        The number of labels of multilabel examples.
    sparse
        Whether most features are left out of an x.

    """

    def __init__(
        self,
        task: str,
        n_features: int,
        *,
        n_samples: int | None = None,
        n_classes: int | None = None,
        n_outputs: int | None = None,
        sparse: bool = False,
    ) -> None:
        river: Any = super()  # not annotated
        river.__init__(task, n_features, n_samples, n_classes, n_outputs, sparse)

    @property
    @abc.abstractmethod
    def taxonomy(self) -> Taxonomy:
        """The taxonomy of the labels."""

    def take(self, k: int) -> Prefix:
        """The first `k` examples, as a stream that can be iterated again and knows the taxonomy."""
        return Prefix(self, k)


class Prefix:
    """The first `k` examples of a stream.

    River's `take` is an iterator: it is used up after one pass and forgets where it came from. A
    prefix can be iterated any number of times and answers for its stream: `taxonomy`, and whatever
    else the stream knows.

    Parameters
    ----------
    stream
        The stream. Iterating it twice must give the same examples.
    k
        The number of examples; a shorter stream is given whole.

    Examples
    --------

    >>> from river_hier.datasets import synth

    >>> prefix = synth.PrototypeTree(branching=2, depth=2, seed=1).take(1000)
    >>> prefix
    the first 1,000 examples of PrototypeTree
    >>> [y for _, y in prefix] == [y for _, y in prefix]
    True
    >>> len(prefix.taxonomy)
    7

    """

    def __init__(self, stream: TaxonomyDataset, k: int) -> None:
        self.k: int = operator.index(k)
        if self.k < 0:
            raise ValueError(f"`k` must be at least 0, got {k}")
        self.stream = stream

    def __iter__(self) -> Iterator[tuple[dict[Any, Any], Any]]:
        return itertools.islice(self.stream, self.k)

    @property
    def n_samples(self) -> int | None:
        """River's name for the number of examples: None where the stream does not know its own."""
        n = self.stream.n_samples
        return None if n is None else min(self.k, n)

    def take(self, k: int) -> Prefix:
        """The first `k` examples of this prefix."""
        return Prefix(self.stream, min(operator.index(k), self.k))

    def __getattr__(self, name: str) -> Any:
        # copy and pickle ask before __init__ has run: without the guard they would recurse.
        if name.startswith("_") or "stream" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.stream, name)

    def __repr__(self) -> str:
        return f"the first {self.k:,} examples of {type(self.stream).__name__}"
