"""The end of a process while other threads copy or pickle compiled objects.

When a process ends, Python stops its daemon threads wherever they ask for the global lock; stopped
inside compiled code, they abort the process. Methods of models hold locks that are taken at the end
(`base.locks`). Copies and pickles are also read and made outside of these.
"""

from __future__ import annotations

import atexit
import functools
import os
import threading
import time
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
Y = TypeVar("Y")

_LONGEST = 5.0  # seconds to wait for the calls of other threads
_calls: set[Any] = set()  # a token for each call
_main: list[int] = []  # the thread that ends the process
_never = threading.Lock()
_never.acquire()


def unless_it_ends(method: Callable[P, Y]) -> Callable[P, Y]:
    """Decorate a function: when the process ends, other threads wait instead of calling it."""

    @functools.wraps(method)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> Y:
        token = object()
        _calls.add(token)
        try:
            while _main and threading.get_ident() not in _main:
                _calls.discard(token)
                _never.acquire()
            return method(*args, **kwargs)
        finally:
            _calls.discard(token)

    return guarded


def _end() -> None:
    _main.append(threading.get_ident())
    end = time.monotonic() + _LONGEST
    while _calls and time.monotonic() < end:
        time.sleep(0.001)


atexit.register(_end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_calls.clear)
