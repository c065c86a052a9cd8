"""Hash values of examples."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any
from zlib import crc32

from .feature_hasher import checksum_of

GOLDEN = 0x9E3779B97F4A7C15


def digests(x: Any) -> tuple[int, int]:
    """Hash values of the names of features, and of the names with their values: 32 bits each.

    They depend neither on the order of the features nor on the process.
    """
    if not isinstance(x, Mapping):
        whole = crc32(repr(x).encode("utf-8", "surrogatepass"))
        return whole, whole
    of_names = of_all = 0
    for name, value in x.items():
        checksum = checksum_of(name)
        of_names += checksum**2
        of_all += crc32(_bytes(value), checksum) ** 2
    return _mixed(of_names), _mixed(of_all)


def _bytes(value: Any) -> bytes:
    try:
        return struct.pack("<d", value)
    except (struct.error, OverflowError):  # not a number, or too large
        return repr(value).encode("utf-8", "surrogatepass")


def _mixed(total: int) -> int:
    """32 bits of the sum, mixed by a multiplication."""
    return (total * GOLDEN >> 32) & 0xFFFFFFFF
