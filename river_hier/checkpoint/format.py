"""The bytes of a checkpoint: three lines of text that anyone can read, then a pickle."""

from __future__ import annotations

import functools
import hashlib
import pickle
import platform
import re
from importlib import metadata
from typing import Any

from .. import __version__

FORMAT = 1
# Of pickle; whatever Python's default becomes, 3.11 must be able to read it.
PROTOCOL = 5
Bytes = bytes | bytearray | memoryview

_first_line = re.compile(rb"river_hier checkpoint, format ([0-9]{1,9})\n")
_digest_line = re.compile(rb"sha256 ([0-9a-f]{64})\n")
_writer_line = re.compile(rb"written by ([ -~]+)\n")


def dumps(state: Any) -> bytes:
    """A state as bytes, which `loads` makes the state of again.

    Takes the time of a pickle and of one pass of SHA-256, and while it runs twice the memory of the
    pickle.

    Parameters
    ----------
    state
        Whatever can be pickled: a model, a pipeline, or a dictionary of all that a program needs
        in order to go on, such as model, metric, position in the stream and pending examples.
        Lambdas and open files cannot be pickled.

    Returns
    -------
    The bytes of a checkpoint. They begin with three lines of text: the format, a SHA-256 of all
    that follows it, and the versions that wrote it.

    Raises
    ------
    TypeError
        If the state cannot be pickled.

    Examples
    --------

    >>> from river_hier import checkpoint, linear_model

    >>> model = linear_model.HAROW()
    >>> model.learn_one({"howls": 1.0}, {"wolf"})

    >>> data = checkpoint.dumps({"model": model, "position": 1})
    >>> print(data[:31].decode())
    river_hier checkpoint, format 1

    >>> state = checkpoint.loads(data)
    >>> state["position"], state["model"].score_one({"howls": 1.0})
    (1, {'wolf': 0.5})

    """
    return b"".join(written(state))


def loads(data: Bytes) -> Any:
    """The state that `dumps` has made these bytes of.

    The payload is a pickle, and a pickle can run any program when it is opened: **open only what
    you, or somebody whom you trust as much, have written.** The checksum tells damage, not
    origin: it is no signature. Nothing is unpickled before the checksum has been found right.

    Parameters
    ----------
    data
        All bytes of a checkpoint.

    Returns
    -------
    The state, on the core that runs now: a checkpoint of the compiled core opens on the numpy one,
    and the other way round.

    Raises
    ------
    TypeError
        If `data` is not bytes.
    ValueError
        If it is no checkpoint, is cut short or damaged, has a format that this version does not
        know, or holds classes that are not here as they were where it was written.

    Examples
    --------

    >>> from river_hier import checkpoint

    >>> data = checkpoint.dumps({"position": 7})
    >>> checkpoint.loads(data)["position"]
    7
    >>> checkpoint.loads(data[:-1])
    Traceback (most recent call last):
    ...
    ValueError: this checkpoint is cut short or damaged: its checksum is wrong; go back to an ...

    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"`data` must be bytes, as `dumps` makes them, got {type(data).__name__}")
    return read(data, "this checkpoint")


def written(state: Any) -> tuple[bytes, bytes]:
    """The three lines, and the pickle."""
    try:
        payload = pickle.dumps(state, PROTOCOL)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise TypeError(
            f"`state` cannot be pickled: {error}; keep functions and whatever is open out of it"
        ) from error
    writer = f"written by {_versions()}\n".encode()
    digest = _digest(writer, payload)
    return f"river_hier checkpoint, format {FORMAT}\nsha256 {digest}\n".encode() + writer, payload


def read(data: Bytes, name: str) -> Any:
    """The state; `name` says in errors what was read."""
    whole = memoryview(data)
    if (first := _first_line.match(whole)) is None:
        start = bytes(whole[:20])
        raise ValueError(
            f"{name} is no checkpoint of river_hier: it begins with {start!r}, "
            "expected b'river_hier checkpoint'"
        )
    if (found := int(first[1])) != FORMAT:
        raise ValueError(
            f"{name} has format {found}, and this version of river_hier reads format {FORMAT}; "
            "open it with the version that wrote it"
        )
    digest = _digest_line.match(whole, first.end())
    writer = digest and _writer_line.match(whole, digest.end())
    if not digest or not writer or digest[1].decode() != _digest(whole[digest.end() :]):
        raise ValueError(
            f"{name} is cut short or damaged: its checksum is wrong; go back to an earlier one"
        )
    try:
        return pickle.loads(whole[writer.end() :])
    except Exception as error:  # whatever the makers of a foreign class raise
        raise ValueError(
            f"{name} cannot be opened with {_versions()}; it was written by "
            f"{writer[1].decode()}: {error}"
        ) from error


def _digest(*parts: Bytes) -> str:
    sha256 = hashlib.sha256()
    for part in parts:
        sha256.update(part)
    return sha256.hexdigest()


@functools.cache
def _versions() -> str:
    others = (f"{name} {metadata.version(name)}" for name in ("river", "numpy"))
    return ", ".join([f"river_hier {__version__}", *others, f"Python {platform.python_version()}"])
