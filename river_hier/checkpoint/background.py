"""Checkpoints that a child process writes while the program continues."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import threading
import time
from contextlib import nullcontext as Uninterrupted
from pathlib import Path
from typing import Any

from . import huge_pages
from .file import FilePath, checked_path, in_background, save

_PAUSE = 0.005  # seconds between two checks of a process
_LONGEST = 4096  # bytes of an error, which a pipe holds until it is read


def save_in_background(state: Any, path: FilePath) -> Saving:
    """Save a state to a file like `save`, without waiting until it is written.

    The state is saved as it is at the moment of the call: a child process, started by `fork`, has a
    copy of it, which it pickles and writes with low priority. The call takes the time of the fork,
    about 30 ms per GB of the program's memory; the models of other threads finish their current
    step first. On Linux, a thread makes huge pages of the memory when the child has ended, so that
    later calls take about a quarter of that, and the full time only for memory that is new since;
    partly used pages then take memory as a whole. The system copies memory that changes meanwhile.
    If the child is killed, or the disk is full, the old file is kept, as with `save`, and
    `Saving.wait` raises the error.

    Where there is no `fork`, as on Windows, the call saves the state itself. A child inherits open
    files and connections, and keeps them open until it ends. Only the thread that calls exists in
    the child: if pickling a part of the state takes a lock of another library, which another thread
    holds at that moment, the child waits forever; `Saving.cancel` ends it. The library's own locks
    are safe. A `distributed.Sharded` must be gathered first, as its shards cannot be used in a
    child.

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
    RuntimeError
        If the last `save_in_background` to this path is not done.
    FileNotFoundError
        If the folder does not exist.
    OSError
        If `path` is a folder, a pipe or a device, or if there is no memory for a child. Errors of
        pickling and writing are raised by `Saving.wait`.

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
    path = checked_path(path)
    for saving in list(in_background.values()):
        saving.done()  # its process has ended, perhaps, and must not be left behind
    if path in in_background:
        raise RuntimeError(
            f"the last checkpoint {str(path)!r} is still being saved; save less often, or `wait` "
            "for the `Saving` that the last call returned"
        )
    if not hasattr(os, "fork"):
        return _saved(state, path)
    with Uninterrupted():  # until the child is known
        reading, writing = os.pipe()
        huge_pages.stop()
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            if not (child := os.fork()):
                _save_and_exit(state, path, writing)
        except BaseException:
            os.close(reading)
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            os.close(writing)
        saving = in_background[path] = Saving(path, child, reading)
        huge_pages.join_after(child)
    return saving


class Saving:
    """A checkpoint that `save_in_background` writes.

    Attributes
    ----------
    path
        The file.

    """

    def __init__(self, path: Path, child: int | None, pipe: int) -> None:
        self.path: Path = path
        self._child = child  # the process; `None` once it has ended
        self._pipe = pipe  # from which its error is read, without waiting
        self._error: BaseException | None = None
        self._lock = threading.Lock()
        if child is not None:
            os.set_blocking(pipe, False)

    def done(self) -> bool:
        """Return whether the process has ended: the file is written, or could not be."""
        return self._ended(os.WNOHANG)

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
        RuntimeError
            If the process that saves was killed.
        Exception
            The error of `save`, if the file could not be written; every call raises it.

        """
        self.finish(timeout)
        if self._error is not None:
            raise self._error

    def cancel(self) -> None:
        """Stop saving; the old file is kept, unless the new one is already in its place."""
        if not self.done() and self._child is not None:
            os.kill(self._child, signal.SIGKILL)
            self.finish()

    def finish(self, timeout: float | None = None) -> None:
        """Wait until the process has ended, whether or not the file is written."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self.done():
            if end is not None and time.monotonic() >= end:
                raise TimeoutError(f"{str(self.path)!r} is still being saved after {timeout:g} s")
            time.sleep(_PAUSE)

    def _ended(self, options: int) -> bool:
        with Uninterrupted(), self._lock:
            if self._child is None:
                return True
            try:
                if os.waitpid(self._child, options)[0] == 0:
                    return False
            except ChildProcessError:  # the program waits for all its children itself
                pass
            try:
                message = os.read(self._pipe, _LONGEST)
            except BlockingIOError:  # other child processes may have the pipe, too
                message = b""
            os.close(self._pipe)
            killed = RuntimeError(f"the process that saved {str(self.path)!r} was killed")
            self._error = pickle.loads(message) if message else killed
            self._child = None
            if in_background.get(self.path) is self:
                del in_background[self.path]
            return True


def _saved(state: Any, path: Path) -> Saving:
    """A checkpoint that is saved at once."""
    saving = Saving(path, None, -1)
    try:
        save(state, path)
    except Exception as error:
        saving._error = error
    return saving


def _save_and_exit(state: Any, path: Path, pipe: int) -> None:
    """Save in a child process, and end it without the exit handlers of the program."""
    found: BaseException | None = None
    try:
        # Signals are for the program; the file can be completed after Ctrl-C.
        signal.set_wakeup_fd(-1)
        for number in signal.valid_signals():
            if callable(signal.getsignal(number)):
                signal.signal(number, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.nice(10)
        gc.disable()  # it would write to memory that is shared with the program
        save(state, path)
    except BaseException as error:
        found = error
    try:
        os.write(pipe, _message(found))
    finally:
        os._exit(0)


def _message(error: BaseException | None) -> bytes:
    """An error, or None, as the program can read it."""
    try:
        message = pickle.dumps(error)
        if len(message) <= _LONGEST and type(pickle.loads(message)) is type(error):
            return message
    except Exception:  # not all errors can be pickled
        pass
    return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"[:1000]))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=in_background.clear)
