"""A file that is replaced as a whole: whatever happens, it is the old one or the new one."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .format import read, written

Where = str | os.PathLike[str]


def save(state: Any, path: Where) -> None:
    """Write a state into a file, in place of what the file held.

    The file is replaced in one piece: a program that is killed at any moment, or a machine that
    goes down, leaves the old checkpoint or the new one. The new one is written beside it, as
    `.name.<16 digits>.part`, brought to the disk, and renamed. Such a file that a killed
    program has left is never read, and the next `save` to the same path deletes it. One program
    writes to a path; of two that do so at once one may get an error, and the file is whole still.

    Takes the time of a pickle, of one pass of SHA-256, and of bringing the bytes to the disk; while
    it runs, the memory of the pickle.

    Parameters
    ----------
    state
        Whatever can be pickled; see `dumps`.
    path
        The file. Its folder must be there. A symbolic link is followed, and the permissions of
        the old file are those of the new one.

    Raises
    ------
    TypeError
        If the state cannot be pickled.
    FileNotFoundError
        If there is no such folder.
    OSError
        If the disk is full, `path` is a pipe or a device, or the like. The old file is still there.

    Examples
    --------

    >>> import pathlib, tempfile
    >>> from river import metrics
    >>> from river_hier import checkpoint, linear_model

    >>> state = {"model": linear_model.Hieron(), "metric": metrics.Accuracy(), "position": 0}
    >>> stream = [({"howls": 1.0}, "wolf"), ({"hoots": 1.0}, "owl"), ({"howls": 2.0}, "wolf")]
    >>> for x, y in stream:
    ...     state["metric"].update(y, state["model"].predict_one(x))
    ...     state["model"].learn_one(x, y)
    ...     state["position"] += 1

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "stream.checkpoint")
    ...     checkpoint.save(state, path)
    ...     again = checkpoint.load(path)

    >>> again["position"], again["metric"]
    (3, Accuracy: 33.33%)

    """
    path = Path(os.path.realpath(path))
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r} to save into; make it")
    if path.exists() and not path.is_file():
        raise OSError(f"{str(path)!r} is a pipe or a device, which cannot be replaced; name a file")
    parts = written(state)
    _delete_leftovers(path)
    new = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        _write(new, parts, path)
        os.replace(new, path)
    except BaseException:  # an interrupt too
        new.unlink(missing_ok=True)
        raise
    if os.name == "posix":  # elsewhere folders cannot be opened
        _sync_folder(path.parent)


def load(path: Where) -> Any:
    """The state in a file that `save` has written.

    The payload is a pickle, and a pickle can run any program when it is opened: **open only files
    that you, or somebody whom you trust as much, have written.** The checksum tells damage, not
    origin: it is no signature. Nothing is unpickled before the checksum has been found right.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    The state; see `loads`.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is no checkpoint, is cut short or damaged, has a format that this version does not
        know, or holds classes that are not here as they were where it was written.

    Examples
    --------

    >>> import pathlib, tempfile
    >>> from river_hier import checkpoint, linear_model

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "model.checkpoint")
    ...     model = linear_model.HAROW()
    ...     model.learn_one({"howls": 1.0}, {"wolf"})
    ...     checkpoint.save(model, path)
    ...     print(checkpoint.load(path).score_one({"howls": 1.0}))
    {'wolf': 0.5}

    """
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no checkpoint {os.fspath(path)!r}") from None
    return read(data, f"the checkpoint {os.fspath(path)!r}")


def _write(path: Path, parts: Sequence[bytes], old: Path) -> None:
    with path.open("xb") as file:
        if old.exists():
            shutil.copymode(old, path)  # before there is anything to read
        for part in parts:
            file.write(part)
        file.flush()
        os.fsync(file.fileno())  # or the name might reach the disk before the bytes do


def _delete_leftovers(path: Path) -> None:
    ours = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{16}}\.part")
    for name in os.listdir(path.parent):
        if ours.fullmatch(name):
            path.with_name(name).unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
