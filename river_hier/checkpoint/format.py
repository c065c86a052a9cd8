"""The format of checkpoints: three lines of text, then a pickle."""

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
# Fixed, whatever Python's default is, so that Python 3.11 can read it.
PROTOCOL = 5
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
        Any object that can be pickled: a model, a pipeline, or a dictionary of all that a program
        needs to resume, such as model, metric, position in the stream and pending examples.
        Lambdas and open files cannot be pickled.

    Returns
    -------
    The bytes of a checkpoint. They begin with three lines of text: the format, the SHA-256 of
    everything after that line, and the versions that wrote it.

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
    (1, {'wolf': 0.667})

    """
    payload = pickled(state)
    return header(payload) + payload


def loads(data: Bytes) -> Any:
    """Restore a state from the bytes of `dumps`.

    The payload is a pickle, and unpickling can run arbitrary code: **open only bytes from sources
    that you trust.** The checksum detects damage; it is not a signature and does not prove where
    the bytes come from. Nothing is unpickled unless the checksum is correct.

    Parameters
    ----------
    data
        All bytes of a checkpoint.

    Returns
    -------
    The state.

    Raises
    ------
    TypeError
        If `data` is not bytes.
    ValueError
        If it is not a checkpoint, is truncated or damaged, has a format that this version does not
        know, or contains classes that are missing or different here.

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
    return decode(data, "this checkpoint")


def pickled(state: Any) -> bytes:
    try:
        return pickle.dumps(state, PROTOCOL)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise TypeError(
            f"`state` cannot be pickled: {error}; keep functions and whatever is open out of it"
        ) from error


def header(payload: bytes) -> bytes:
    """The three lines of text in front of a pickle."""
    writer = f"written by {_versions()}\n".encode()
    digest = _digest(writer, payload)
    return f"river_hier checkpoint, format {FORMAT}\nsha256 {digest}\n".encode() + writer


def decode(data: Bytes, name: str) -> Any:
    """The state; error messages call the data `name`."""
    view = memoryview(data)
    if (first := _first_line.match(view)) is None:
        start = bytes(view[:20])
        raise ValueError(
            f"{name} is no checkpoint of river_hier: it begins with {start!r}, "
            "expected b'river_hier checkpoint'"
        )
    if (found := int(first[1])) != FORMAT:
        raise ValueError(
            f"{name} has format {found}, and this version of river_hier reads format {FORMAT}; "
            "open it with the version that wrote it"
        )
    digest = _digest_line.match(view, first.end())
    writer = digest and _writer_line.match(view, digest.end())
    if not digest or not writer or digest[1].decode() != _digest(view[digest.end() :]):
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


def _digest(*chunks: Bytes) -> str:
    sha256 = hashlib.sha256()
    for chunk in chunks:
        sha256.update(chunk)
    return sha256.hexdigest()


@functools.cache
def _versions() -> str:
    others = (f"{name} {metadata.version(name)}" for name in ("river", "numpy"))
    return ", ".join([f"river_hier {__version__}", *others, f"Python {platform.python_version()}"])
