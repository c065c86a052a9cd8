"""Ctrl-C wherever Python may run its handler in the library."""

from __future__ import annotations

import dis
import functools
import itertools
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import river_hier

HOME = str(Path(river_hier.__file__).parent)  # `__path__` of an editable install has two


def _interruptible(frame: FrameType) -> bool:
    """Whether handlers may run before the next bytecode; also when a frame begins."""
    code, last = frame.f_code, frame.f_lasti
    return code.co_filename.startswith(HOME) and (last < 2 or last in _ends_of_calls(code))


@functools.cache
def _ends_of_calls(code: CodeType) -> set[int]:
    """The bytecodes before which Python runs handlers: those after a call, and jumps of loops.

    Between the bytecodes that enter and leave `with lock`, it does not. The error of a handler that
    runs at the end of a call belongs to the call, so the next bytecode must have the same `except`.
    """
    bytecode = dis.Bytecode(code)
    entries = bytecode.exception_entries  # type: ignore[attr-defined]

    def target(each: dis.Instruction) -> int | None:
        return next((e.target for e in entries if e.start <= each.offset < e.end), None)

    found = list(bytecode)
    calls = (
        (a, b) for a, b in itertools.pairwise(found) if a.opname.startswith(("CALL", "RESUME"))
    )
    after = {b.offset for a, b in calls if target(a) == target(b)}
    return after | {each.offset for each in found if each.opname == "JUMP_BACKWARD"}


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
