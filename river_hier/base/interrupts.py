"""Interrupts: while a model changes, signal handlers wait.

Python runs signal handlers between any two bytecodes of the main thread, and that of Ctrl-C raises
`KeyboardInterrupt` there, which would leave half a step behind.
"""

from __future__ import annotations

import importlib
import signal
import threading
from typing import Any, Self

# The module `signal` converts to enums, which takes longer than a step.
_signal: Any = importlib.import_module("_signal")

SIGNALS = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM", "SIGUSR1", "SIGUSR2")
    if hasattr(signal, name)
]


class Uninterrupted:
    """A context within which signal handlers wait; they run at its end, or at `deliver`.

    Only the main thread runs handlers. Contexts may be nested: the outermost one counts.
    """

    _active = False  # read and written by the main thread only

    def __enter__(self) -> Self:
        self._handlers: dict[int, Any] = {}
        self._arrived: list[tuple[Any, int, Any]] = []
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and not Uninterrupted._active:
            try:
                for number in SIGNALS:
                    if callable(handler := _signal.getsignal(number)):
                        self._handlers[number] = handler
                        _signal.signal(number, self._record)
                Uninterrupted._active = bool(self._handlers)
            except BaseException:  # from the handler of a signal that has just arrived
                self._restore()
                raise
        return self

    def __exit__(self, *error: object) -> None:
        self._restore()
        self.deliver()

    def deliver(self) -> None:
        """Run the handlers of the signals that have arrived."""
        while self._arrived:
            handler, number, frame = self._arrived.pop(0)
            handler(number, frame)

    def _record(self, number: int, frame: Any) -> None:
        self._arrived.append((self._handlers[number], number, frame))

    def _restore(self) -> None:
        Uninterrupted._active = False
        try:
            while self._handlers:
                number = next(iter(self._handlers))
                _signal.signal(number, self._handlers[number])
                del self._handlers[number]
        finally:
            if self._handlers:  # a handler that has been restored has raised an error
                self._restore()
