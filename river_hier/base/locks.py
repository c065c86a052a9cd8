"""The locks of models, and what becomes of them when a process forks or exits."""

from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from typing import Any

from .._core import native
from .interrupts import Uninterrupted, start_child

Lock: Any = native.Lock if native else threading.RLock


class Turn:
    """The reentrant locks of a model and its wrappers.

    `lock` is held during each call. `batch` is held by the thread that learns, for the whole batch.
    `queue` is held by the one prediction that is next to take `lock`, until it is done, and by a
    batch while it takes `lock` back; without it, the batch might take `lock` back every time before
    a waiting prediction could. Locks are taken in the order `batch`, `queue`, `lock`. If all are
    free, compiled methods take what they need without `queue` (`in_turn` of `_core`).
    """

    def __init__(self) -> None:
        self.lock: Any = Lock()
        self.batch: Any = Lock()
        self.queue: Any = Lock()
        self.between_rows = False  # of a batch, where signal handlers run
        _all[id(self)] = self

    def is_held(self) -> bool:
        """Whether this thread is inside a call, or waits for `lock` in one."""
        return bool(self.lock._is_owned() or self.queue._is_owned())

    def to_read(self) -> Any:
        """The lock that a prediction takes before `lock`: `queue`, except inside another call."""
        return self.lock if self.is_held() else self.queue

    def to_change(self) -> Any:
        """The lock that a change takes before `lock`: `batch`, except inside another change.

        Signal handlers, finalisers and methods of feature names run in the middle of a call. If
        they changed its model, the call would continue with another model than it began with.
        """
        changing, held = self.batch._is_owned(), self.is_held()
        if changing and held and not self.between_rows:
            return self.lock
        if changing or held:
            raise RuntimeError(
                "a model cannot be changed in the middle of another call of it, e.g. by a signal "
                "handler: let the handler set a flag, and change the model after the call"
            )
        return self.batch

    def __reduce__(self) -> tuple[type[Turn], tuple[()]]:
        return Turn, ()  # a copy of a model gets new locks


_all: weakref.WeakValueDictionary[int, Turn] = weakref.WeakValueDictionary()
_forks = threading.RLock()  # held while a thread forks
_forking: list[tuple[Uninterrupted, list[Any]]] = []  # for each fork, the locks that it holds


def turns() -> list[Turn]:
    """All of them; meanwhile, other threads may add some."""
    return [turn for ref in _all.valuerefs() if (turn := ref()) is not None]


def _take_all(held: list[Any], seconds: float) -> None:
    """Take all locks, so that no other thread is in the middle of a step or starts one.

    A step of several models holds the lock of one and waits for that of another. If a lock is not
    free in time, all are released, and this one is taken first. When the time is over, only those
    that are free are taken.
    """
    end, patience, order = time.monotonic() + seconds, 0.01, turns()
    while True:
        late = next((turn for turn in order if not _take(turn, held, patience)), None)
        if late is None:
            return
        if time.monotonic() >= end:
            break
        while held:
            held.pop().release()
        order.sort(key=lambda turn: turn is not late)
        patience *= 2.0
    for turn in order:
        _take(turn, held, 0.0)


def _take(turn: Turn, held: list[Any], seconds: float) -> bool:
    """Take the locks that all calls of a model need; say whether they were free in time."""
    for lock in turn.queue, turn.lock:
        if not lock.acquire(timeout=seconds):
            return False
        held.append(lock)
    return True


def _before_fork() -> None:
    # Python ignores exceptions of these functions; that of a signal handler would leave locks held.
    uninterrupted = Uninterrupted().__enter__()
    _forks.acquire()
    _forking.append((uninterrupted, []))
    _take_all(_forking[-1][1], 2.0)


def _after_fork(in_child: bool = False) -> None:
    if not _forking:  # a handler has raised an exception before any lock was taken
        return
    uninterrupted, held = _forking.pop()
    for lock in held:
        lock.release()
    _forks.release()
    if in_child:
        uninterrupted.forget()
    uninterrupted.__exit__()


def _start_child() -> None:
    """Release all locks in a child process, also those of threads that exist only in the parent."""
    _after_fork(in_child=True)
    for turn in turns():
        turn.between_rows &= turn.lock._is_owned()
        for name in ("batch", "queue", "lock"):
            if not getattr(turn, name)._is_owned():
                setattr(turn, name, Lock())
    start_child()


def _stop_all() -> None:
    """Take all locks for good; threads that read a batch have a second to reach them and wait."""
    _take_all([], 5.0)
    end = time.monotonic() + 1.0
    for turn in turns():
        turn.batch.acquire(timeout=max(0.0, end - time.monotonic()))


# A child process must not start in the middle of a step. When a process exits, Python stops daemon
# threads that ask for its global lock; stopped inside compiled code, they would abort the process.
atexit.register(_stop_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_start_child
    )
