"""Base class of the streams that read files, and the download of files."""

import abc
import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from .base import TaxonomyDataset, data_home
from .files import ErrorHandler, Files, check_whole, plain


class Source(NamedTuple):
    """Where a file can be downloaded: the publisher and mirrors, tried in this order."""

    urls: Sequence[str]
    sha256: str | None
    check: Callable[[Path], object] | None = None  # of the content, without a SHA-256


class FileDataset(TaxonomyDataset):
    """Base class of the streams that read files.

    A subclass defines `taxonomy`, `HELP` (how to get files) and `_examples(report)`, a generator
    that opens the files each time. It calls `report(file, line, message)` for each broken record
    and, if that returns, continues with the next one. A truncated or damaged file is always an
    error, and so is one of which every record had to be skipped.
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
        self._errors = ErrorHandler(on_error)
        self.path = path
        self.on_error = on_error

    @abc.abstractmethod
    def _examples(self, report: ErrorHandler) -> Iterator[tuple[dict[Any, Any], Any]]:
        """Read the files once."""

    def __iter__(self) -> Iterator[tuple[dict[Any, Any], Any]]:
        self._errors = errors = ErrorHandler(self.on_error)
        return _not_all_skipped(self._examples(errors), errors)

    @property
    def n_skipped(self) -> int:
        """The number of records that the latest iteration has skipped."""
        return self._errors.n

    @property
    def skipped(self) -> tuple[str, ...]:
        """The messages of the first ten skipped records."""
        return tuple(self._errors.first)

    @property
    def location(self) -> Path:
        """The place of the files, whether or not they exist."""
        return data_home() / type(self).__name__ if self.path is None else Path(self.path)

    @property
    def is_downloaded(self) -> bool:
        """Whether all files that `download` gets are there, as in River's remote datasets."""
        return all((self.location / plain(name)).exists() for name in self._sources() or [""])

    def download(self) -> None:
        """Download the missing files. Without `path` this happens automatically when needed."""
        self._fetch(self._sources())

    def _sources(self) -> Mapping[str, Source]:
        """The sources of the files that can be downloaded; a licensed corpus has none."""
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
                    fetch(url, self.location / name, sources[name].sha256, sources[name].check)
                    break
                except (ConnectionError, ValueError) as error:
                    if url == sources[name].urls[-1]:
                        yourself = f"; or put {name} into {str(self.location)!r} yourself"
                        raise type(error)(f"{error}{yourself}") from error

    @contextlib.contextmanager
    def _files(self, *names: str, at: str | os.PathLike[str] | None = None) -> Iterator[Files]:
        """Open the files at `at` or `location`; missing ones of these names are downloaded."""
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
    examples: Iterator[tuple[dict[Any, Any], Any]], errors: ErrorHandler
) -> Iterator[tuple[dict[Any, Any], Any]]:
    """The examples. If every record was broken, the files are probably not the expected ones."""
    example = None
    for example in examples:
        yield example
    if example is None and errors.n:
        raise ValueError(f"every record had to be skipped ({errors.n:,}): {errors.first[0]}")


_TIMEOUT = 60.0  # seconds without data, not of the whole download


def checked_subset(name: str, values: Any, known: Iterable[str]) -> tuple[str, ...]:
    """The values, which must be a collection of one or more of the known names."""
    known = tuple(known)
    try:
        fits = not isinstance(values, str) and bool(values) and set(values) <= set(known)
    except TypeError:  # not iterable, or not hashable
        fits = False
    if not fits:
        raise ValueError(f"`{name}` must be a list or tuple of some of {known}, got {values!r}")
    return tuple(values)


def fetch(
    url: str,
    path: str | os.PathLike[str],
    sha256: str | None = None,
    check: Callable[[Path], object] | None = None,
) -> Path:
    """Download a file. If `path` exists, nothing is downloaded.

    The data are written to `<path>.part`, which is renamed when its SHA-256 is right or, without
    one, `check_whole` and `check` accept it, and deleted otherwise. A `ConnectionError` if the
    server did not send all; a `ValueError` if it is another file.
    """
    path = Path(path)
    if path.exists():
        return path
    try:
        import pooch
        from requests import RequestException  # pooch's own
    except ImportError:
        raise ImportError(
            "downloads need the extra `download`: pip install 'river-hier[download]'; or put "
            f"{url} into {str(path.parent)!r} yourself"
        ) from None
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)
    downloader = pooch.HTTPDownloader(
        progressbar=True, timeout=_TIMEOUT, headers={"Accept-Encoding": "identity"}
    )
    try:
        pooch.retrieve(url, sha256, part.name, part.parent, downloader=downloader)
        if sha256 is None:
            check_whole(part, path.suffix)
            if check is not None:
                check(part)
    except RequestException as error:
        raise ConnectionError(f"{url}: {error}") from error
    except ValueError as error:
        part.unlink(missing_ok=True)
        reason = str(error).partition(". Deleted")[0]  # pooch says more of it
        raise ValueError(f"{url}: {reason}; the download was deleted") from error
    os.replace(part, path)
    return path
