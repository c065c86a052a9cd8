"""Ctrl-C before any bytecode of the library."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import river_hier

HOME = str(river_hier.__path__[0])


def _interruptible(frame: FrameType) -> bool:
    """Handlers do not run between the bytecodes of `with lock`, of which the table has some."""
    name = frame.f_code.co_filename
    return name.startswith(HOME) and not name.endswith("node_table.py")


def count(work: Callable[[], None]) -> int:
    """The number of bytecodes of the library that work executes."""
    n = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal n
        if not _interruptible(frame):
            return None
        frame.f_trace_opcodes = True
        n += event == "opcode"
        return trace

    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(None)
    return n


def interrupt(work: Callable[[], None], at: int) -> BaseException | None:
    """The error of work that gets a Ctrl-C before that bytecode."""
    n = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal n
        if not _interruptible(frame):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            n += 1
            if n == at:
                signal.raise_signal(signal.SIGINT)
        return trace

    sys.settrace(trace)
    try:
        # A generator has an exception state of its own. An error before a bytecode that ends an
        # `except` would otherwise leave the exception that was handled in `sys.exc_info()`.
        next(work() for _ in "1")
    except KeyboardInterrupt as error:
        return error
    finally:
        sys.settrace(None)
    return None
