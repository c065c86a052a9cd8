"""Base class of the streams, and their prefixes."""

from __future__ import annotations

import abc
import itertools
import operator
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from river import datasets
from river import stream as river_stream

from ..base.checks import check_integer
from ..taxonomy import Taxonomy

__all__ = ["TaxonomyDataset", "data_home"]

_untyped: Any = datasets.base  # River's streams have no annotations


def data_home() -> Path:
    """River's folder for downloaded data."""
    return Path(_untyped.get_data_home())


class Stream:
    """What streams and views of them have in common."""

    def _numbered(self) -> Iterator[tuple[int, Any]]:
        """The examples with their steps, counted from 0; in a view they are those of its stream."""
        examples: Any = self
        return enumerate(examples)

    def take(self, k: int) -> Prefix:
        """Return the first `k` examples as a stream with the same taxonomy."""
        return Prefix(self, k)

    def where(self, keep: Callable[[Any, Any], bool]) -> Selected:
        """Return the examples for which `keep(x, y)` is true, as a stream."""
        return Selected(self, keep)

    def shuffle(self, buffer_size: int = 10_000, seed: int | None = None) -> Shuffled:
        """Return the examples in random order, as a stream with the same taxonomy.

        This is needed if a file is sorted by label, or else a learner would forget the first ones.

        Parameters
        ----------
        buffer_size
            The number of examples in memory. If the whole stream fits, all orders are equally
            likely; otherwise, no example can move forward by more than this number.
        seed
            Seed of the random order.

        """
        return Shuffled(self, buffer_size, seed)


class TaxonomyDataset(Stream, datasets.base.Dataset):
    """Base class of the streams with a taxonomy.

    A subclass defines `taxonomy` and `__iter__`, which must start from the beginning each time:
    seed generators and open files there. As a base, it comes before River's `SyntheticDataset`.

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

    Examples
    --------
    >>> from river import evaluate
    >>> from river_hier import Taxonomy, datasets, linear_model, metrics

    >>> class Numbers(datasets.base.TaxonomyDataset):
    ...     taxonomy = Taxonomy.from_nested({"number": {"even": [0, 2], "odd": [1, 3]}})
    ...     def __init__(self):
    ...         super().__init__("Multi-class classification", n_features=4, n_classes=4)
    ...     def __iter__(self):
    ...         return (({i % 4: 1.0}, i % 4) for i in range(40))

    >>> stream = Numbers()
    >>> model = linear_model.PathSoftmax(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream, model, metrics.TreeInducedError(stream.taxonomy))
    TreeInducedError: 0.35
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


class View(Stream):
    """Base class of the streams that yield examples of another stream, and have its attributes."""

    def __init__(self, stream: Stream) -> None:
        self.stream: Any = stream  # has what any stream has

    @abc.abstractmethod
    def _numbered(self) -> Iterator[tuple[int, Any]]: ...

    def __iter__(self) -> Iterator[tuple[dict[Any, Any], Any]]:
        return (example for _, example in self._numbered())

    def __getattr__(self, name: str) -> Any:
        # copy and pickle look up attributes before __init__ has run; avoid infinite recursion.
        if name.startswith("_") or "stream" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.stream, name)


class Prefix(View):
    """The first `k` examples of a stream, with its attributes, such as `taxonomy`.

    Unlike the result of River's `take`, a prefix can be iterated any number of times.
    """

    def __init__(self, stream: Stream, k: int) -> None:
        self.k: int = operator.index(k)
        if self.k < 0:
            raise ValueError(f"`k` must be at least 0, got {k}")
        super().__init__(stream)

    def _numbered(self) -> Iterator[tuple[int, Any]]:
        return itertools.islice(self.stream._numbered(), self.k)

    @property
    def n_samples(self) -> int | None:
        """The number of examples, or None if the stream is finite, but its length is unknown."""
        stream: Any = self.stream
        if stream.n_samples is not None:
            return min(self.k, int(stream.n_samples))
        while isinstance(vars(stream).get("stream"), Stream):
            stream = stream.stream
            if stream.n_samples is not None:  # some of a finite stream
                return None
        return self.k if isinstance(stream, datasets.base.SyntheticDataset) else None

    def __repr__(self) -> str:
        return f"the first {self.k:,} examples of {shown_stream(self.stream)}"


class Selected(View):
    """The examples of a stream for which a function is true; how many is not known."""

    n_samples = None

    def __init__(self, stream: Stream, keep: Callable[[Any, Any], bool]) -> None:
        super().__init__(stream)
        self.keep = keep

    def _numbered(self) -> Iterator[tuple[int, Any]]:
        return ((i, (x, y)) for i, (x, y) in self.stream._numbered() if self.keep(x, y))

    def __repr__(self) -> str:
        return f"some examples of {shown_stream(self.stream)}"


class Shuffled(View):
    """The examples of a stream in random order, the same order in every iteration.

    When the buffer is full, each new example replaces a random one, which is yielded.
    """

    def __init__(self, stream: Stream, buffer_size: int = 10_000, seed: int | None = None) -> None:
        check_integer("buffer_size", buffer_size, 1)
        super().__init__(stream)
        self.buffer_size = buffer_size
        self.seed = seed
        self._seed = random.randrange(2**32) if seed is None else seed

    def _numbered(self) -> Iterator[tuple[int, Any]]:
        shuffled: Iterator[tuple[int, Any]]
        shuffled = river_stream.shuffle(self.stream._numbered(), self.buffer_size, self._seed)
        return shuffled

    def __repr__(self) -> str:
        return f"{shown_stream(self.stream)}, shuffled"


def shown_stream(stream: Stream) -> str:
    """A description of a stream in one line; River's repr of a dataset has several."""
    return repr(stream) if isinstance(stream, View) else type(stream).__name__
