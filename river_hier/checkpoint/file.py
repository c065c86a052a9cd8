"""Checkpoint files."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

from .format import decode, header, pickled
from .replacing import FilePath, checked, replace

_in_background: dict[Path, Saving] = {}  # those that are not done


def save(state: Any, path: FilePath) -> None:
    """Save a state to a file, replacing the file if it exists.

    The file is replaced atomically: if the program is killed or the machine goes down at any
    moment, the file holds the old checkpoint or the new one. The new one is written to
    `.name.<16 digits>.part` in the same folder, flushed to disk, and renamed. If a killed program
    leaves such a file, it is never read, and the next `save` to the same path deletes it. Several
    programs may save to one path: the file holds the state that was saved last.

    Saving takes the time to pickle, hash (SHA-256) and write the state, and the memory of the
    pickle; `save_in_background` does not wait for it. If that is still writing to the same path,
    `save` waits until it is done.

    Parameters
    ----------
    state
        Any object that can be pickled; see `dumps`.
    path
        The file, in an existing folder. Symbolic links are followed, and the permissions of an
        existing file are kept.

    Raises
    ------
    TypeError
        If the state cannot be pickled.
    FileNotFoundError
        If the folder does not exist.
    OSError
        If the file cannot be written, e.g. because the disk is full or `path` is a pipe or a
        device. The old file is kept.

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
    path = checked(path)
    if (earlier := _in_background.get(path)) is not None and not earlier.done():
        earlier._thread.join()  # or else it might replace this one
    payload = pickled(state)
    replace(path, header(payload), payload)


def save_in_background(state: Any, path: FilePath) -> Saving:
    """Save a state to a file like `save`, without waiting until it is written.

    The state is saved as it is at the moment of the call. The call pickles it into memory, which
    takes 1 to 4 s per GB and is the only pause of the program: nothing may change the state
    meanwhile, as always when an object is pickled. A thread then hashes the pickle and writes the
    file, while the program continues. The pickle stays in memory until it is written. A program
    that ends first waits for the thread. If writing fails, e.g. because the disk is full, the old
    file is kept, as with `save`, and `Saving.wait` raises the error.

    Parameters
    ----------
    state
        Any object that can be pickled; see `dumps`.
    path
        The file, in an existing folder.

    Returns
    -------
    A `Saving`, whose methods `done` and `wait` report when the file is written.

    Raises
    ------
    TypeError
        If the state cannot be pickled.
    RuntimeError
        If the last `save_in_background` to this path is not done.
    FileNotFoundError
        If the folder does not exist.
    OSError
        If `path` is a folder, a pipe or a device. Errors of writing are raised by `Saving.wait`.

    Examples
    --------

    >>> import pathlib, tempfile
    >>> from river_hier import checkpoint, linear_model

    >>> model = linear_model.HAROW()
    >>> model.learn_one({"howls": 1.0}, {"wolf"})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "model.checkpoint")
    ...     saving = checkpoint.save_in_background(model, path)
    ...     model.learn_one({"howls": 2.0}, {"wolf"})
    ...     saving.wait()
    ...     print(checkpoint.load(path).score_one({"howls": 1.0}))
    {'wolf': 0.667}

    """
    path = checked(path)
    if (earlier := _in_background.get(path)) is not None and not earlier.done():
        raise RuntimeError(
            f"the last checkpoint {str(path)!r} is still being saved; save less often, or `wait` "
            "for the `Saving` that the last call returned"
        )
    return Saving(path, pickled(state))


class Saving:
    """A checkpoint that `save_in_background` writes.

    Attributes
    ----------
    path
        The file.

    """

    def __init__(self, path: Path, payload: bytes) -> None:
        self.path: Path = path
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(payload,))
        _in_background[path] = self
        self._thread.start()

    def done(self) -> bool:
        """Return whether the thread has ended: the file is written, or could not be."""
        return not self._thread.is_alive()

    def wait(self, timeout: float | None = None) -> None:
        """Wait until the file is written.

        Parameters
        ----------
        timeout
            The longest time to wait, in seconds; `None` waits without limit.

        Raises
        ------
        TimeoutError
            If the file is still being written after this time.
        Exception
            The error of `save`, if the file could not be written; every call raises it.

        """
        self._thread.join(timeout)
        if not self.done():
            raise TimeoutError(f"{str(self.path)!r} is still being saved after {timeout:g} s")
        if self._error is not None:
            raise self._error

    def _run(self, payload: bytes) -> None:
        try:
            replace(self.path, header(payload), payload)
        except BaseException as error:
            self._error = error
        finally:
            _in_background.pop(self.path, None)


def load(path: FilePath) -> Any:
    """Load a state from a file that `save` has written.

    The payload is a pickle, and unpickling can run arbitrary code: **open only files from sources
    that you trust.** The checksum detects damage; it is not a signature and does not prove where a
    file comes from. Nothing is unpickled unless the checksum is correct.

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
        If the file does not exist.
    ValueError
        If the file is not a checkpoint, is truncated or damaged, has a format that this version
        does not know, or contains classes that are missing or different here.

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
    {'wolf': 0.667}

    """
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no checkpoint {os.fspath(path)!r}") from None
    return decode(data, f"the checkpoint {os.fspath(path)!r}")
