"""Checkpoints: the state of a program in a file that is complete, or else refused."""

import functools
import hashlib
import os
import pickle
import platform
import re
import secrets
import shutil
import time
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

from . import __version__

__all__ = ["dumps", "load", "loads", "save"]


FilePath = str | os.PathLike[str]


def _checked(path: FilePath) -> Path:
    """The path without symbolic links, or an error if nothing can be saved there."""
    path = Path(os.path.realpath(path))
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r} to save into; make it")
    return path


def _replace(path: Path, *chunks: bytes) -> None:
    """Write a file that appears under its name when it is complete."""
    # Delete the part files to which no program has written for an hour.
    ours = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{16}}\.part")
    for name in filter(ours.fullmatch, os.listdir(path.parent)):
        with suppress(OSError):  # another program may have deleted it
            part = path.with_name(name)
            if time.time() - part.stat().st_mtime > _OLD:
                part.unlink()
    new = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        with new.open("xb") as file:
            if path.exists():
                shutil.copymode(path, new)  # while the file is still empty
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())  # before the rename can reach the disk
        os.replace(new, path)
    except BaseException:  # an interrupt too
        new.unlink(missing_ok=True)
        raise
    if os.name == "posix":  # elsewhere folders cannot be opened
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


_FORMAT = 1
_OLD = 3600.0  # seconds
# Fixed, whatever Python's default is, so that Python 3.11 can read it.
_PROTOCOL = 5
Bytes = bytes | bytearray | memoryview

_first_line = re.compile(rb"river_hier checkpoint, format ([1-9][0-9]{0,8})\n")
_digest_line = re.compile(rb"sha256 ([0-9a-f]{64})\n")
_writer_line = re.compile(rb"written by ([ -~]+)\n")


def dumps(state: Any) -> bytes:
    """Serialise a state to bytes, from which `loads` restores it.

    This takes the time to pickle and hash (SHA-256) the state, and twice the memory of the pickle.

    Parameters
    ----------
    state
        Any object that can be pickled, else a `TypeError`: a model, a pipeline, or a dictionary of
        all that a program needs to resume, such as model, metric and position in the stream.

    Returns
    -------
    The bytes of a checkpoint: three lines of text, namely the format, the SHA-256 of all that
    follows, and the versions that wrote it; and the pickle.

    Examples
    --------
    >>> from river_hier import checkpoint, linear_model

    >>> model = linear_model.HAROW()
    >>> model.learn_one({"howls": 1.0}, {"wolf"})
    >>> data = checkpoint.dumps({"model": model, "position": 1})
    >>> checkpoint.loads(data)["model"].score_one({"howls": 1.0})
    {'wolf': 0.667}
    """
    payload = _pickled(state)
    return _header(payload) + payload


def loads(data: Bytes) -> Any:
    """Restore a state from the bytes of `dumps`.

    Unpickling can run arbitrary code: **open only bytes from sources that you trust.** The checksum
    detects damage, before anything is unpickled; it does not prove where the bytes come from. A
    `ValueError` says if they are no checkpoint, truncated or damaged, have a format that this
    version does not know, or contain classes that are missing or different here.

    Examples
    --------
    >>> from river_hier import checkpoint

    >>> data = checkpoint.dumps({"position": 7})
    >>> checkpoint.loads(data)["position"]
    7
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"`data` must be bytes, as `dumps` makes them, got {type(data).__name__}")
    return _decode(data, "this checkpoint")


def _pickled(state: Any) -> bytes:
    try:
        return pickle.dumps(state, _PROTOCOL)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise TypeError(
            f"`state` cannot be pickled: {error}; keep functions and whatever is open out of it"
        ) from error


def _header(payload: bytes) -> bytes:
    """The three lines of text in front of a pickle."""
    writer = f"written by {_versions()}\n".encode()
    sha256 = hashlib.sha256(writer)
    sha256.update(payload)
    first = f"river_hier checkpoint, format {_FORMAT}\nsha256 {sha256.hexdigest()}\n"
    return first.encode() + writer


def _decode(data: Bytes, name: str) -> Any:
    """The state; error messages call the data `name`."""
    view = memoryview(data)
    if (first := _first_line.match(view)) is None:
        start = bytes(view[:20])
        raise ValueError(
            f"{name} is no checkpoint of river_hier: it begins with {start!r}, "
            "expected b'river_hier checkpoint'"
        )
    if (number := int(first[1])) != _FORMAT:
        raise ValueError(
            f"{name} has format {number}, and this version of river_hier reads format {_FORMAT}; "
            "open it with the version that wrote it"
        )
    digest = _digest_line.match(view, first.end())
    writer = digest and _writer_line.match(view, digest.end())
    if (
        not digest
        or not writer
        or digest[1].decode() != hashlib.sha256(view[digest.end() :]).hexdigest()
    ):
        raise ValueError(
            f"{name} is cut short or damaged: its checksum is wrong; go back to an earlier one"
        )
    try:
        return pickle.loads(view[writer.end() :])
    except Exception as error:  # unpickling can raise any error
        raise ValueError(
            f"{name} cannot be opened with {_versions()}; it was written by "
            f"{writer[1].decode()}: {error}"
        ) from error


@functools.cache
def _versions() -> str:
    others = (f"{name} {metadata.version(name)}" for name in ("river", "numpy"))
    return ", ".join([f"river_hier {__version__}", *others, f"Python {platform.python_version()}"])


def save(state: Any, path: FilePath) -> None:
    """Save a state to a file, replacing the file if it exists.

    The file is replaced atomically: whenever the program is killed or the machine goes down, it
    holds the old checkpoint or the new one, which is written to `.name.<16 digits>.part` in the
    same folder, flushed to disk, and renamed. A later `save` deletes the `.part` of a killed
    program after an hour. Several programs may save to one path.

    Saving takes the time to pickle, hash (SHA-256) and write the state, and the memory of the
    pickle. Nothing may change the state meanwhile; for a program that goes on learning, another
    thread saves a copy: `executor.submit(checkpoint.save, copy.deepcopy(state), path)`.

    Parameters
    ----------
    state
        Any object that can be pickled, such as a dictionary of a model and a position.
    path
        The file, in an existing folder. Links are followed, and an existing file's mode is kept.
        After an `OSError`, e.g. because the disk is full, the old file is kept.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from river_hier import checkpoint, linear_model

    >>> state = {"model": linear_model.Hieron(), "position": 2}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "stream.checkpoint")
    ...     checkpoint.save(state, path)
    ...     checkpoint.load(path)["position"]
    2
    """
    path = _checked(path)
    payload = _pickled(state)
    _replace(path, _header(payload), payload)


def load(path: FilePath) -> Any:
    """Load a state from a file that `save` has written.

    Unpickling can run arbitrary code: **open only files from sources that you trust**; see `loads`,
    whose errors are the same.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from river_hier import checkpoint

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "stream.checkpoint")
    ...     checkpoint.save({"position": 7}, path)
    ...     checkpoint.load(path)["position"]
    7
    """
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no checkpoint {os.fspath(path)!r}") from None
    return _decode(data, f"the checkpoint {os.fspath(path)!r}")
