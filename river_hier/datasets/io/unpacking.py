"""Decompression of files that expand no more than text and tables do."""

from __future__ import annotations

import gzip
import io
from typing import Any

# Text compresses to a tenth of its size, tables of zeros to a hundredth. A file that expands more
# is likely an attack on memory, disk space or processor time.
ROOM = 2**26  # bytes; any file may expand to this size
RATIO = 200


def check_size(name: str, size: int, unpacked: int) -> None:
    """Raise a ValueError if `size` bytes must not expand to `unpacked` bytes."""
    if unpacked > max(ROOM, RATIO * size):
        raise ValueError(
            f"{name} unpacks to more than {max(ROOM, RATIO * size):,} bytes, of {size:,}; if that "
            "is right, unpack it yourself"
        )


class Gunzip(io.RawIOBase):
    """Decompresses a gzip stream of `size` bytes; a ValueError if it expands too much."""

    def __init__(self, raw: Any, name: str, size: int) -> None:
        self._unpacked = gzip.GzipFile(fileobj=raw)
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
