"""Packed bytes, unpacked as far as they may be what they say."""

from __future__ import annotations

import gzip
import io
from typing import Any

__all__ = ["check_size", "ungzipped"]

# Texts become ten times as large, tables of zeros a hundred times. What becomes still larger was
# made to fill memory or disk.
ROOM = 2**30  # bytes that anything may become
RATIO = 200


def ungzipped(raw: Any, name: str, size: int) -> io.BufferedReader:
    """The bytes behind `size` bytes that gzip has packed; a ValueError where they are too many."""
    return io.BufferedReader(_Watched(gzip.GzipFile(fileobj=raw), name, size), 1 << 16)


def check_size(name: str, size: int, unpacked: int) -> None:
    """A ValueError where so many bytes must not become so many."""
    if unpacked > max(ROOM, RATIO * size):
        raise ValueError(
            f"{name} unpacks to more than {max(ROOM, RATIO * size):,} bytes, of {size:,}; if that "
            "is right, unpack it yourself"
        )


class _Watched(io.RawIOBase):
    """Counts what comes out."""

    def __init__(self, unpacked: gzip.GzipFile, name: str, size: int) -> None:
        self._unpacked = unpacked
        self._name = name
        self._size = size
        self._n = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        n = self._unpacked.readinto(buffer)
        self._n += n
        check_size(self._name, self._size, self._n)
        return n
