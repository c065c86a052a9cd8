"""The locks of models, and what becomes of them when a process forks or exits."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from typing import Any

from .._backend import native
from .interrupts import start_child

Lock: Any = native.Lock if native else threading.RLock


class Turn:
    """The reentrant locks of a model and its wrappers.

    `lock` is held during each call. `batch` is held by the thread that learns, for the whole batch.
    `queue` is held by the one prediction that is next to take `lock`, until it is done, and by a
    batch while it takes `lock` back; without it, the batch might take `lock` back every time before
    a waiting prediction could. Locks are taken in the order `batch`, `queue`, `lock`. If all are
    free, compiled methods take what they need without `queue` (`in_turn` of `_backend`).
    """

    def __init__(self) -> None:
        self.lock: Any = Lock()
        self.batch: Any = Lock()
        self.queue: Any = Lock()
        _all.add(self)

    def is_held(self) -> bool:
        """Whether this thread is inside a call, or waits for `lock` in one."""
        return bool(self.lock._is_owned() or self.queue._is_owned())

    def to_read(self) -> Any:
        """The lock that a prediction takes before `lock`: `queue`, except inside another call."""
        return self.lock if self.is_held() else self.queue

    def to_change(self) -> Any:
        """The lock that a change takes before `lock`: `batch`, except inside another call.

        A signal handler may change the model during a prediction that a batch has let in; if it
        waited for the end of the batch, each would wait for the other.
        """
        return self.lock if self.is_held() else self.batch

    def __reduce__(self) -> tuple[type[Turn], tuple[()]]:
        return Turn, ()  # a copy of a model gets new locks


_all: weakref.WeakSet[Turn] = weakref.WeakSet()
_held: list[list[Any]] = []
_forks = threading.RLock()  # held while a thread forks


def _hold_all(seconds: float = 1.0) -> None:
    """Take all locks, so that no other thread is in the middle of a step or starts one."""
    _forks.acquire()
    _held.append([])
    for turn in list(_all):
        if turn.queue.acquire(timeout=seconds):
            _held[-1].append(turn.queue)
            if turn.lock.acquire(timeout=seconds):
                _held[-1].append(turn.lock)


def _let_go() -> None:
    """Release the locks that `_hold_all` has taken."""
    for lock in _held.pop():
        lock.release()
    _forks.release()


def _start_child() -> None:
    """Release all locks in a child process, also those of threads that exist only in the parent."""
    _let_go()
    for turn in list(_all):
        for name in ("batch", "queue", "lock"):
            if not getattr(turn, name)._is_owned():
                setattr(turn, name, Lock())
    start_child()


def _stop_all() -> None:
    """Take all locks for good; threads that read a batch have a second to reach them and wait."""
    _hold_all(5.0)
    for turn in list(_all):
        turn.batch.acquire(timeout=1.0)


# A child process must not start in the middle of a step. When a process exits, Python stops daemon
# threads that ask for its global lock; stopped inside compiled code, they would abort the process.
atexit.register(_stop_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold_all, after_in_parent=_let_go, after_in_child=_start_child)
