"""Huge pages, with which a fork is fast.

A fork copies an entry for each page of memory. A huge page of Linux, of 2 MiB, has one entry, and
as small pages the same memory has 512. While a child process lives, huge pages in which the
program changes something are divided. They are joined again when the child has ended, so that the
next fork takes about a quarter of the time of the first.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress

_SIZE = 1 << 21
_AT_ONCE = 16 * _SIZE  # joined without Python's lock
_SMALLEST = 1 << 22  # of the mappings that are joined
_COLLAPSE = 25  # `MADV_COLLAPSE` of Linux 6.1; older systems return an error

_stop = threading.Event()


def join_after(child: int) -> None:
    """Join the pages of this program in a thread, once a child process has ended."""
    if sys.platform == "linux":
        threading.Thread(target=_join, args=(child,), daemon=True).start()


def stop() -> None:
    """Stop joining pages: a fork is about to divide them again."""
    _stop.set()


def _join(child: int) -> None:
    with suppress(ChildProcessError):
        os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    _stop.clear()
    madvise = ctypes.CDLL(None).madvise
    with suppress(OSError):  # there is no /proc
        for start, end in _mappings():
            for first in range(-(-start // _SIZE) * _SIZE, end, _AT_ONCE):
                if _stop.is_set():
                    return
                size = min(_AT_ONCE, end - first)
                madvise(ctypes.c_void_p(first), ctypes.c_size_t(size), _COLLAPSE)


def _mappings() -> Iterator[tuple[int, int]]:
    """The addresses of memory that is mostly used, and not shared: joining would copy it."""
    start = end = 0
    with open("/proc/self/smaps") as file:
        lines = file.readlines()
    for line in lines:
        name, *values = line.split()
        if not name.endswith(":"):
            start, end = (int(address, 16) for address in name.split("-"))
            if values[0] != "rw-p" or values[3] != "0" or end - start < _SMALLEST:  # a file's
                start = end
        elif name == "Rss:" and 2 * 1024 * int(values[0]) < end - start:  # a stack, for instance
            start = end
        elif name == "Shared_Dirty:" and start < end and values[0] == "0":
            yield start, end
