"""What the streams that read their publishers' files share."""

from __future__ import annotations

import abc
import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from .base import TaxonomyDataset, data_home
from .complaints import Complaints
from .download import fetch
from .files import Files, plain

__all__ = ["FileDataset", "Source"]


class Source(NamedTuple):
    """Where a file is to be had: the publisher and mirrors, tried in this order."""

    urls: Sequence[str]
    sha256: str | None


class FileDataset(TaxonomyDataset):
    """Base class of the streams that read files.

    A subclass has a `taxonomy`; `HELP`, how to get the files, for the message where there are none;
    and `_examples(complain)`, a generator that opens the files anew each time. Where something in
    them is wrong it calls `complain(file, line, message)` and, should that return, goes on behind
    it. A file that is cut off or damaged is always an error: nobody knows how much is missing. So
    are files of which nothing is left once all that is wrong has been skipped.

    Parameters
    ----------
    path
        The file, folder or archive. By default the folder of the class's name in River's data home.
    on_error
        `"raise"` raises a `ValueError` with file and line where something is wrong; `"skip"` passes
        over it and counts.
    task
        One of River's tasks.
    n_features
        The number of features.
    sizes
        What else `TaxonomyDataset` takes.

    """

    HELP: ClassVar[str]

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        on_error: str,
        task: str,
        n_features: int,
        **sizes: Any,
    ) -> None:
        super().__init__(task, n_features, **sizes)
        self._complaints = Complaints(on_error)
        self.path = path
        self.on_error = on_error

    @abc.abstractmethod
    def _examples(self, complain: Complaints) -> Iterator[tuple[dict[Any, Any], Any]]:
        """Read the files once."""

    def __iter__(self) -> Iterator[tuple[dict[Any, Any], Any]]:
        self._complaints = complaints = Complaints(self.on_error)
        return _not_all_skipped(self._examples(complaints), complaints)

    @property
    def n_skipped(self) -> int:
        """How much the iteration that was begun last has passed over."""
        return self._complaints.n

    @property
    def skipped(self) -> tuple[str, ...]:
        """The first ten messages of what it has passed over."""
        return tuple(self._complaints.first)

    @property
    def location(self) -> Path:
        """Where the files are, or will be."""
        return data_home() / type(self).__name__ if self.path is None else Path(self.path)

    def download(self) -> None:
        """Fetch what the folder lacks; without `path` this is done when it is needed."""
        self._fetch(self._sources())

    def _sources(self) -> Mapping[str, Source]:
        """Where each file that anyone may have is to be had; none of a licensed corpus."""
        return {}

    def _fetch(self, names: Iterable[str]) -> None:
        sources = self._sources()
        if self.location.is_file():
            file = str(self.location)
            raise NotADirectoryError(f"`path` must be a folder to download into, got {file!r}")
        for name in names:
            if name not in sources or (self.location / plain(name)).exists():
                continue
            for url in sources[name].urls:
                try:
                    fetch(url, self.location / name, sources[name].sha256)
                    break
                except ConnectionError as error:
                    if url == sources[name].urls[-1]:
                        raise ConnectionError(
                            f"{error}; or put {name} into {str(self.location)!r} yourself"
                        ) from error

    @contextlib.contextmanager
    def _files(self, *names: str, at: str | os.PathLike[str] | None = None) -> Iterator[Files]:
        """The files, open; these are there, and were downloaded if they had to be.

        Those that the publisher has packed, or that have a path of their own, lie elsewhere: `at`.
        """
        if self.path is None:
            self._fetch(names)
        try:
            with Files(self.location if at is None else at) as files:
                if missing := [name for name in names if not files.matching(plain(name))]:
                    raise FileNotFoundError(f"{str(files.path)!r} lacks {', '.join(missing)}")
                yield files
        except FileNotFoundError as error:
            raise FileNotFoundError(f"{error}; {self.HELP}") from error

    @property
    def _repr_content(self) -> dict[str, str]:
        content: dict[str, str] = super()._repr_content
        content["Path"] = "River's data home" if self.path is None else os.fspath(self.path)
        return content


def _not_all_skipped(
    examples: Iterator[tuple[dict[Any, Any], Any]], complaints: Complaints
) -> Iterator[tuple[dict[Any, Any], Any]]:
    """The examples; files that are wrong from end to end are not those that were expected."""
    example = None
    for example in examples:
        yield example
    if example is None and complaints.n:
        raise ValueError(f"all of it had to be skipped ({complaints.n:,}): {complaints.first[0]}")
