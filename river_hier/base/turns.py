"""Threads: calls of the methods of a model run one after the other.

A model and its wrappers share one lock. Every public method holds it, so that calls from other
threads wait. `learn_many` releases it between rows every few milliseconds, so that predictions need
not wait for the whole batch; calls that learn do. Signal handlers are delayed until the end of a
step or row, and an exception that they raise gets the attribute `n_learned`, the number of rows
learned.
"""

from __future__ import annotations

import functools
import inspect
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, Self, TypeVar

from .._core import native
from .interrupts import Uninterrupted
from .locks import Turn

P = ParamSpec("P")
Y = TypeVar("Y")

SLICE = 4096  # maximum number of rows per call of the compiled backend
SECONDS = 0.02  # how long a batch runs before it checks for signals
IN_COMPANY = 0.002  # the same if there are other threads, which may wait for the lock

_here = threading.local()  # `n_learned`, by the last change of this thread


def turn_of(model: Any) -> Turn:
    """The locks of a model, created when they are first needed."""
    try:
        turn: Turn = model._turn
    except AttributeError:  # of a copy
        turn = vars(model).setdefault("_turn", Turn())
        vars(model).pop("_private", None)  # see `copies`
    return turn


class Rows(Uninterrupted):
    """Progress of a batch: counts rows, and lets handlers and predictions run between them."""

    def __init__(self, turn: Turn, within: bool = True) -> None:
        super().__init__()
        self._turn = turn
        self._within = within  # inside another call of the same model: the lock is kept
        self._due: float = 0.0  # due at once, so that a single step need not read the clock
        self.first: int = 0  # the number of rows that earlier stages have learned
        self.n_learned: int = 0

    def __enter__(self) -> Self:
        self._with_handlers(super().__enter__)
        return self

    def _with_handlers(self, call: Callable[[], object]) -> None:
        """Call a method during which signal handlers may run, which cannot change the model."""
        self._turn.between_rows = True
        try:
            call()
        finally:
            self._turn.between_rows = False

    @property
    def seconds(self) -> float:
        """The longest time between two calls of `learned`."""
        return IN_COMPANY if threading.active_count() > 1 else SECONDS

    def slices(self, n: int) -> Iterator[tuple[int, int]]:
        """Yield slices of n rows; the caller learns each slice before it asks for the next one.

        Slices get about as many rows as can be learned in the time for which the lock is kept.
        """
        first, size = 0, 16
        while first < n:
            begun, last = time.perf_counter(), min(first + size, n)
            yield first, last
            took = max(time.perf_counter() - begun, 1e-9)
            self.learned(last)
            size = max(1, min(int(size * self.seconds / took), 2 * size))
            first = last

    def learned(self, n: int) -> None:
        """Record that n rows of this stage are learned; let handlers and threads run when due."""
        self.n_learned = self.first + n
        if time.perf_counter() < self._due:
            return
        self._with_handlers(self.deliver)
        if not self._within:
            self._turn.lock.release()
            with self._turn.queue:
                self._turn.lock.acquire()
        self._due = time.perf_counter() + self.seconds


def change(model: Any, work: Callable[[Rows], Y], whole: bool = False, read: bool = False) -> Y:
    """Call `work`, which changes a model, with the locks held and signal handlers delayed.

    Exceptions get the attribute `n_learned`, the number of rows learned. With `whole`, work changes
    the model completely or not at all, so the number is 0 unless work has returned. With `read`,
    `to_change` has been called before the batch was read.
    """
    turn = turn_of(model)
    rows = Rows(turn, within=turn.is_held())
    done = False
    try:
        with turn.batch if read else turn.to_change(), turn.lock, rows:
            result = work(rows)
            done = True
        return result
    except BaseException as error:
        vars(error)["n_learned"] = 0 if whole and not done else rows.n_learned
        raise
    finally:
        _here.n_learned = 0 if whole and not done else rows.n_learned


def step(model: Any, learn: Callable[..., None], *example: Any) -> None:
    """Call `learn` with an example, with the locks held and signal handlers delayed."""

    def work(rows: Rows) -> None:
        learn(*example)
        rows.n_learned = 1

    change(model, work)


def counts(method: Callable[P, Y]) -> Callable[P, Y]:
    """Decorate a method that learns a batch: all its exceptions get the attribute `n_learned`.

    `change` sets it for those raised while the model changes, this decorator for those raised
    before and after, e.g. while the batch is read.
    """

    @functools.wraps(method)
    def counted(*args: P.args, **kwargs: P.kwargs) -> Y:
        outer = getattr(_here, "n_learned", 0)
        _here.n_learned = 0
        try:
            return method(*args, **kwargs)
        except BaseException as error:
            vars(error)["n_learned"] = _here.n_learned
            raise
        finally:
            _here.n_learned = outer

    return counted


def reads(method: Callable[P, Y]) -> Callable[P, Y]:
    """Decorate a method that reads a model: it holds the lock, after waiting for it."""
    return one_at_a_time(method)


def steps(method: Callable[P, Y]) -> Callable[P, Y]:
    """Decorate a method that learns an example: it holds the locks, and calls `step` if necessary.

    A step that is a single compiled call need not delay signal handlers.
    """
    return one_at_a_time(method, changes=True)


def changes(method: Callable[P, Y]) -> Callable[P, Y]:
    """Decorate a method that changes a model: it holds the locks and delays signal handlers."""

    @functools.wraps(method)
    def in_turn_whole(*args: P.args, **kwargs: P.kwargs) -> Y:
        def work(rows: Rows) -> Y:
            result = method(*args, **kwargs)
            rows.n_learned = 1
            return result

        return change(args[0], work)

    return in_turn_whole


def one_at_a_time(
    method: Callable[..., Y],
    changes: bool = False,
    plain: Callable[..., Y] | None = None,
) -> Callable[..., Y]:
    """A method that holds the locks of its model.

    With `plain`, calls with x as their only argument may be calls of this method instead.
    """

    @functools.wraps(method)
    def waiting(*args: Any, **kwargs: Any) -> Y:
        turn = turn_of(args[0])
        with turn.to_change() if changes else turn.to_read(), turn.lock:
            return method(*args, **kwargs)

    if native is None:
        return waiting
    n_arguments = -1 if plain is None else 2  # with the model
    compiled = native.in_turn(plain or method, waiting, n_arguments, changes)
    compiled.__signature__ = inspect.signature(method)
    return functools.update_wrapper(compiled, method)
