"""Threads: each call of a model waits for its turn.

A model has one lock, which its wrappers share. Every public method holds it, so that a call from
another thread waits. A batch releases it between rows every few milliseconds, so that predictions
need not wait for the whole batch; other calls that learn do. Signal handlers wait meanwhile, too:
what they raise has the number of rows learned as `n_learned`.
"""

from __future__ import annotations

import atexit
import copy
import functools
import os
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any, ParamSpec, Self, TypeVar

from .interrupts import Uninterrupted

P = ParamSpec("P")
Y = TypeVar("Y")

SLICE = 4096  # rows that a compiled batch learns at most without looking up
SECONDS = 0.02  # that a batch keeps the lock, between looks at the signals that have arrived
IN_COMPANY = 0.002  # the same if there are other threads, which may be waiting


class Turn:
    """The locks of a model and its wrappers. A thread may take each several times.

    `lock` is held during each call, and `batch` by the thread that learns, also while a batch lets
    predictions in. These line up: the first of them holds `queue` until it is done. So does the
    batch while it takes the lock back, or it might be first again and again. Locks are taken in the
    order `batch`, `queue`, `lock`.
    """

    def __init__(self) -> None:
        self.lock: Any = threading.RLock()
        self.batch = threading.RLock()
        self.queue = threading.RLock()
        self.in_batch = False
        _all.add(self)

    def __reduce__(self) -> tuple[type[Turn], tuple[()]]:
        return Turn, ()  # a copy of a model has a lock of its own


_all: weakref.WeakSet[Turn] = weakref.WeakSet()
_held: list[tuple[Turn, bool]] = []


def _hold_all(seconds: float = 1.0) -> None:
    """Wait until no other thread is in the middle of a step, and let none start another."""
    for turn in list(_all):
        if turn.queue.acquire(timeout=seconds):
            held = turn.lock.acquire(timeout=seconds)
            _held.append((turn, held))


def _let_go() -> None:
    while _held:
        turn, held = _held.pop()
        turn.queue.release()
        if held:
            turn.lock.release()


def _start_child() -> None:
    """In a child process: let go, also of the batches of threads that have not come along."""
    for turn in list(_all):
        turn.batch, turn.in_batch = threading.RLock(), False
    _let_go()


# A child process must not start with half a step; at the end of the process, Python stops daemon
# threads wherever they ask for its lock, and compiled code that is stopped there aborts.
atexit.register(_hold_all, 5.0)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold_all, after_in_parent=_let_go, after_in_child=_start_child)


def turn_of(model: Any) -> Turn:
    """The lock of a model, which is made when it is first needed."""
    try:
        turn: Turn = model._turn
    except AttributeError:
        turn = vars(model).setdefault("_turn", Turn())
    return turn


def snapshot(model: Any) -> dict[str, Any]:
    """The attributes of a model for a copy or a pickle, while other threads may change it."""
    with turn_of(model).lock:
        state = without_turn(model)
        return copy.deepcopy(state) if threading.active_count() > 1 else state


def without_turn(model: Any) -> dict[str, Any]:
    """The attributes of a model without its lock, which copies and pickles do not share."""
    return {name: value for name, value in vars(model).items() if name != "_turn"}


class Rows(Uninterrupted):
    """The rows of a batch that is being learned, in turn with predictions."""

    def __init__(self, turn: Turn, within: bool = True) -> None:
        self._turn = turn
        self._within = within  # another change of the same model, so the lock is not given away
        self._due = time.perf_counter() + self.seconds
        self.first = 0  # how many rows earlier stages had
        self.n_learned = 0

    def __enter__(self) -> Self:
        super().__enter__()
        self._turn.in_batch = True
        return self

    def __exit__(self, *error: object) -> None:
        self._turn.in_batch = self._within
        super().__exit__()

    @property
    def seconds(self) -> float:
        """For how long rows may be learned without a call of `learned`."""
        return IN_COMPANY if threading.active_count() > 1 else SECONDS

    def learned(self, n: int) -> None:
        """Another n rows have been learned: now and then, let handlers and other threads in."""
        self.n_learned = self.first + n
        if time.perf_counter() < self._due:
            return
        self.deliver()
        if not self._within:
            self._turn.lock.release()
            with self._turn.queue:
                self._turn.lock.acquire()
        self._due = time.perf_counter() + self.seconds


def change(model: Any, work: Callable[[Rows], Y], whole: bool = False) -> Y:
    """Let work change a model when its turn comes, and let interrupts wait.

    Whatever is raised has the attribute `n_learned`, the number of rows learned; 0 if work changes
    the model as a `whole`, or not at all, and has not come to its end.
    """
    turn = turn_of(model)
    rows = Rows(turn, within=turn.lock._is_owned())
    done = False
    try:
        with turn.batch, turn.lock, rows:
            result = work(rows)
            done = True
        return result
    except BaseException as error:
        vars(error)["n_learned"] = rows.n_learned if done or not whole else 0
        raise


def reads(method: Callable[P, Y]) -> Callable[P, Y]:
    """Let a method wait for its turn."""

    @functools.wraps(method)
    def in_turn(*args: P.args, **kwargs: P.kwargs) -> Y:
        turn = turn_of(args[0])
        if turn.in_batch and not turn.lock._is_owned():
            with turn.queue, turn.lock:
                return method(*args, **kwargs)
        with turn.lock:
            return method(*args, **kwargs)

    return in_turn


def changes(method: Callable[P, Y]) -> Callable[P, Y]:
    """Let a method that changes the model wait for its turn, and interrupts for its end.

    A model whose steps are single compiled calls, which nothing interrupts, says so by `_atomic`.
    """

    @functools.wraps(method)
    def in_turn(*args: P.args, **kwargs: P.kwargs) -> Y:
        if getattr(args[0], "_atomic", False):
            with turn_of(args[0]).lock:
                return method(*args, **kwargs)

        def work(rows: Rows) -> Y:
            result = method(*args, **kwargs)
            rows.n_learned = 1
            return result

        return change(args[0], work)

    return in_turn
