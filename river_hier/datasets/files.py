"""Reading the files of a folder or an archive, compressed or not.

Archives are never extracted into a folder, so a malicious file name cannot write outside of it.
Links and devices in archives are ignored; of several files with the same name the last one counts.
"""

import contextlib
import gzip
import io
import math
import os
import reprlib
import shutil
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any, Self, cast

from .._core import labels_of
from ..taxonomy import Taxonomy
from ..taxonomy.errors import UnknownLabelError

DAMAGE = (EOFError, OSError, zlib.error, zipfile.BadZipFile, tarfile.TarError, UnicodeError)
GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"


class Files:
    """The files of a folder or an archive (zip, tar, tar.gz), or a single file.

    Read them inside a `with` statement. Names are relative to the path, with `/`, sorted, and
    without `.gz`. A `tar.gz` is decompressed into a temporary file, other files as they are read. A
    damaged archive raises a `ValueError`.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path: Path = Path(path)
        self._opened = contextlib.ExitStack()
        self._members: dict[str, Any] = {}

    def __enter__(self) -> Self:
        if not self.path.exists():
            raise FileNotFoundError(f"there is no file or folder {str(self.path)!r}")
        try:
            members = self._found()
        except DAMAGE as error:
            self._opened.close()
            if isinstance(error, PermissionError):  # not a damaged file
                raise
            raise damage(self.path.name, None, error) from error
        self._members = {
            plain(name): members[name]
            for name in sorted(members, key=lambda name: (plain(name), name))
            if not PurePosixPath(name).name.startswith("._")  # metadata written by macOS
        }
        return self

    def __exit__(self, *error: object) -> None:
        self._opened.close()

    @property
    def names(self) -> list[str]:
        """The names of all files."""
        return list(self._members)

    def matching(self, pattern: str) -> list[str]:
        """The files whose names match the pattern, ignoring case."""
        folded = pattern.lower()
        return [name for name in self._members if PurePosixPath(name.lower()).match(folded)]

    def one(self, pattern: str) -> str:
        """The only file that matches the pattern; `_files` has seen to it that there is one."""
        names = self.matching(pattern)
        if len(names) > 1:
            raise ValueError(
                f"{str(self.path)!r} holds {len(names)} files like {pattern!r}, expected one: "
                f"{', '.join(names[:3])}{', ...' * (len(names) > 3)}"
            )
        return names[0]

    @contextlib.contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """Open a file, decompressed."""
        with contextlib.ExitStack() as opened:
            raw = opened.enter_context(self._raw(name))
            try:
                if raw.peek(len(GZIP)).startswith(GZIP):
                    raw = gzip.GzipFile(fileobj=raw)
                yield opened.enter_context(raw)
            except DAMAGE as error:
                raise damage(name, None, error) from error

    def _raw(self, name: str) -> Any:
        """Open a file as it is stored, possibly compressed."""
        member = self._members[name]
        if isinstance(member, Path):
            return member.open("rb")
        if isinstance(member, tarfile.TarInfo):
            return self._archive.extractfile(member)
        try:
            return io.BufferedReader(self._archive.open(member))
        except RuntimeError as error:  # encrypted, or an unknown compression
            raise ValueError(f"{name} cannot be unpacked: {error}") from error
        except DAMAGE as error:
            raise damage(name, None, error) from error

    def _found(self) -> dict[str, Any]:
        self._archive: Any
        if self.path.is_dir():
            paths = (path for path in self.path.rglob("*") if path.is_file())
            return {path.relative_to(self.path).as_posix(): path for path in paths}
        if zipfile.is_zipfile(self.path):
            self._archive = self._opened.enter_context(zipfile.ZipFile(self.path))
            members = (m for m in self._archive.infolist() if not m.is_dir())
            return {m.filename.replace("\\", "/"): m for m in members}
        with self.path.open("rb") as raw:
            if raw.read(len(ZIP)) == ZIP:  # without the directory at the end of a zip file
                raise EOFError
        if tarfile.is_tarfile(self.path):
            try:
                archive = tarfile.open(fileobj=self._seekable())  # noqa: SIM115
            except tarfile.ReadError:  # gzipped text that looks like a tar file by chance
                return {self.path.name: self.path}
            self._archive = self._opened.enter_context(archive)
            packed = {m.name.removeprefix("./"): m for m in archive if m.isfile()}
            unpacked: Any = archive.fileobj
            unpacked.seek(archive.offset)
            if not unpacked.read(1):  # blocks of zeros must follow the last member
                raise EOFError
            return packed
        return {self.path.name: self.path}

    def _seekable(self) -> IO[bytes]:
        raw = self._opened.enter_context(self.path.open("rb"))
        if not raw.peek(len(GZIP)).startswith(GZIP):
            return raw
        unpacked = self._opened.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
        shutil.copyfileobj(gzip.GzipFile(fileobj=raw), unpacked)
        unpacked.seek(0)
        return cast(IO[bytes], unpacked)


def plain(name: str) -> str:
    """The name without `.gz`."""
    return name[:-3] if name.lower().endswith(".gz") else name


def lines(files: Files, name: str, encoding: str = "utf-8-sig") -> Iterator[tuple[int, str]]:
    """The lines of a text file without line ends, numbered from 1."""
    line = 0
    with files.open(name) as raw:
        try:
            if oddity := _oddity(raw):
                raise ValueError(f"{name} is {oddity}, expected text, packed with gzip or not")
            # Only "\n" and "\r\n" end a line, unlike in `str.splitlines`.
            with io.TextIOWrapper(raw, encoding, newline="\n") as text:
                for line, content in enumerate(text, 1):
                    yield line, content.rstrip("\r\n")
        except DAMAGE as error:
            raise damage(name, line, error) from error


def damage(name: str, line: int | None, error: BaseException) -> ValueError:
    """The error to raise for a file that could not be read."""
    after = "" if line is None else f" after line {line:,}"
    if isinstance(error, EOFError):
        return ValueError(f"{name} is cut off{after}; delete it and get it again")
    if isinstance(error, UnicodeError):
        return ValueError(f"{name} is not text{after}: {error}")
    return ValueError(f"{name} is damaged{after}: {error}")


def _oddity(raw: Any) -> str | None:
    head = raw.peek(512)[:512]
    if not head:
        return "empty"
    if head.startswith(ZIP):
        return "a zip archive"
    if head.lstrip().lower().startswith((b"<!doctype html", b"<html")):
        return "a web page"
    return "a binary file" if b"\0" in head else None


def check_whole(path: Path, kind: str) -> None:
    """Read a file; a ValueError if it is empty, damaged, or not of its kind, e.g. `.zip`."""
    with path.open("rb") as raw:
        head = raw.read(len(ZIP))
    if (kind == ".gz" and not head.startswith(GZIP)) or (kind == ".zip" and head != ZIP):
        raise ValueError(f"a {kind} file was expected, got one that begins with {head!r}")
    with Files(path) as files:
        names = files.names
        alone = names == [plain(path.name)]
        for name in names:
            with files.open(name) as raw:
                oddity = _oddity(raw) if alone else None
                if oddity in ("empty", "a web page"):
                    raise ValueError(f"it is {oddity}")
                while raw.read(1 << 20):
                    pass


KEPT = 10  # messages; a broken file of several gigabytes must not fill memory with them


class ErrorHandler:
    """Called for each broken record: raises a ValueError, or counts it and keeps the first ten."""

    def __init__(self, on_error: str = "raise") -> None:
        if on_error not in ("raise", "skip"):
            raise ValueError(f"`on_error` must be 'raise' or 'skip', got {on_error!r}")
        self.on_error = on_error
        self.n: int = 0
        self.first: list[str] = []

    def __call__(self, file: str, line: int, message: str) -> None:
        error = error_at(file, line, message)
        if self.on_error == "raise":
            raise error
        self.n += 1
        if len(self.first) < KEPT:
            self.first.append(str(error))


def error_at(file: str, line: int, message: str) -> ValueError:
    """The error to raise for a line without which the taxonomy would be a different one."""
    return ValueError(f"{file}, line {line:,}: {message}")


@contextlib.contextmanager
def named(file: str) -> Iterator[None]:
    """Put the name of the file in front of a `ValueError`."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from error


class MultilabelReader:
    """Makes the multilabel `{label: bool}` of the labels of a record, to which ancestors are added.

    With `kept`, a part of the taxonomy, the multilabels have its labels only.
    """

    def __init__(self, taxonomy: Taxonomy, kept: Taxonomy | None = None) -> None:
        self._labels = labels_of(taxonomy)
        self._nodes: Any = taxonomy.nodes
        self._all_off: dict[str, bool] = dict.fromkeys(
            map(str, (kept or taxonomy).nodes[1:]), False
        )

    def __call__(self, labels: Iterable[str]) -> dict[str, bool]:
        y = self._all_off.copy()
        above = (self._nodes[v] for v in self._labels.closure(list(labels)))
        y.update({node: True for node in above if node in y})
        return y

    def read(
        self, labels: Iterable[str], report: ErrorHandler, file: str, line: int
    ) -> dict[str, bool] | None:
        """The same, or None if a label is unknown, which is reported."""
        try:
            return self(labels)
        except UnknownLabelError as error:
            report(file, line, str(error))
            return None


def pair_error(pairs: str) -> str:
    """Say why `read_pairs` refuses a text of pairs."""
    seen = set()
    for pair in pairs.split():
        name, _, value = pair.partition(":")
        try:
            finite = math.isfinite(float(value))
        except ValueError:
            name = ""
        if not name:
            return f"expected `term:weight`, got {reprlib.repr(pair)}"
        if not finite:
            return f"feature {name!r} is {float(value)}"
        if name in seen:
            return f"feature {name!r} comes twice"
        seen.add(name)
    return "the weights are too large to add up"
