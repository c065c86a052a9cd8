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

SIGNALS = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM", "SIGUSR1", "SIGUSR2")
    if hasattr(signal, name)
]


class Uninterrupted:
    """A context that delays signal handlers until its end, or until `deliver` is called.

    Python runs handlers in the main thread only; in other threads the context does nothing. Of
    nested contexts, only the outermost one has an effect.
    """

    _active = False  # read and written by the main thread only

    def __init__(self) -> None:
        self._handlers: dict[int, Any] = {}
        self._arrived: list[tuple[Any, int, Any]] = []

    def __enter__(self) -> Self:
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and not Uninterrupted._active:
            try:
                for number in SIGNALS:
                    if callable(handler := _signal.getsignal(number)):
                        self._handlers[number] = handler
                        _signal.signal(number, self._record)
                Uninterrupted._active = bool(self._handlers)
            except BaseException:  # raised by the handler of a signal that arrived just now
                self._restore()
                raise
        return self

    def __exit__(self, *error: object) -> None:
        self._restore()
        self.deliver()

    def deliver(self) -> None:
        """Run the handlers of the signals received so far."""
        while self._arrived:
            handler, number, frame = self._arrived.pop(0)
            handler(number, frame)

    def _record(self, number: int, frame: Any) -> None:
        self._arrived.append((self._handlers[number], number, frame))

    def _restore(self) -> None:
        if self._handlers:
            Uninterrupted._active = False
        try:
            while self._handlers:
                number = next(iter(self._handlers))
                _signal.signal(number, self._handlers[number])
                del self._handlers[number]
        finally:
            if self._handlers:  # a handler that was just restored has raised an error
                self._restore()
