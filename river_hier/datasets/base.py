"""Base class of the streams, and their prefixes."""

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
    """River's folder for downloaded data."""
    return Path(_untyped.get_data_home())


class TaxonomyDataset(datasets.base.Dataset):
    """Base class of the streams with a taxonomy.

    A subclass defines `taxonomy` and `__iter__`, which must start from the beginning each time:
    seed generators and open files there. If a subclass also inherits from River's
    `SyntheticDataset`, this class must come first in the list of bases, because of `take`.

    Parameters
    ----------
    task
        One of River's tasks.
    n_features
        The number of features.
    n_samples
        The number of examples, if it is known and finite.
    n_classes
        The number of labels of single-label examples.
    n_outputs
        The number of labels of multilabel examples.
    sparse
        Whether each x leaves out most of the features.

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
        """Return the first `k` examples as a stream with the same taxonomy."""
        return Prefix(self, k)


class Prefix:
    """The first `k` examples of a stream.

    Unlike the result of River's `take`, which is an iterator, a prefix can be iterated any number
    of times. It has the attributes of its stream, such as `taxonomy`.

    Parameters
    ----------
    stream
        The stream. Every iteration must yield the same examples.
    k
        The maximum number of examples.

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
        """The number of examples, or None if the length of the stream is unknown."""
        n = self.stream.n_samples
        return None if n is None else min(self.k, n)

    def take(self, k: int) -> Prefix:
        """Return the first `k` examples of this prefix."""
        return Prefix(self.stream, min(operator.index(k), self.k))

    def __getattr__(self, name: str) -> Any:
        # copy and pickle look up attributes before __init__ has run; avoid infinite recursion.
        if name.startswith("_") or "stream" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.stream, name)

    def __repr__(self) -> str:
        return f"the first {self.k:,} examples of {type(self.stream).__name__}"
