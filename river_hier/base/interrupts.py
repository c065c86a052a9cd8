"""Interrupts: signal handlers are delayed while a model changes.

Python may run a signal handler between any two bytecodes of the main thread. The handler of Ctrl-C
raises `KeyboardInterrupt`, which would leave a model in the middle of a step.
"""

from __future__ import annotations

import importlib
import signal
import threading
from typing import Any, Self

# `signal.signal` converts its arguments to enums, which takes longer than a step.
_signal: Any = importlib.import_module("_signal")

# All but those of a program that cannot continue.
SIGNALS = sorted(
    signal.valid_signals()
    - {
        getattr(signal, name, None)
        for name in ("SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV", "SIGKILL", "SIGSTOP")
    }
)


class Uninterrupted:
    """A context that delays signal handlers until its end, or until `deliver` is called.

    Python runs handlers in the main thread only; in other threads the context does nothing. Of
    nested contexts, only the outermost one has an effect.
    """

    _active: Uninterrupted | None = None  # the outermost context, of the main thread

    def __init__(self) -> None:
        self._handlers: dict[int, Any] = {}
        self._arrived: list[tuple[Any, int, Any]] = []

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread() and Uninterrupted._active is None:
            try:
                for number in SIGNALS:
                    if callable(handler := _signal.getsignal(number)):
                        self._handlers[number] = handler
                        _signal.signal(number, self._record)
                if self._handlers:
                    Uninterrupted._active, self._thread = self, threading.get_ident()
            except BaseException:  # raised by the handler of a signal that arrived just now
                Uninterrupted.__exit__(self)
                raise
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self._restore()
        finally:
            self._deliver()

    def deliver(self) -> None:
        """Restore all handlers, run those of the signals received so far, and delay them again."""
        if self._arrived:
            Uninterrupted.__exit__(self)
            Uninterrupted.__enter__(self)

    def forget(self) -> None:
        """Do not run the handlers of the signals received so far: a parent process runs them."""
        self._arrived.clear()

    def _deliver(self) -> None:
        try:
            while self._arrived:
                handler, number, frame = self._arrived.pop(0)
                handler(number, frame)
        finally:
            if self._arrived:  # a handler has raised an error
                self._deliver()

    def _record(self, number: int, frame: Any) -> None:
        self._arrived.append((self._handlers[number], number, frame))

    def _restore(self) -> None:
        if Uninterrupted._active is self:
            Uninterrupted._active = None
        try:
            while self._handlers:
                number = next(iter(self._handlers))
                _signal.signal(number, self._handlers[number])
                del self._handlers[number]
        finally:
            if self._handlers:  # a handler that was just restored has raised an error
                self._restore()


def start_child() -> None:
    """Restore the handlers in a child process that another thread than the main one has forked."""
    context = Uninterrupted._active
    if context is not None and context._thread != threading.get_ident():
        context._restore()
