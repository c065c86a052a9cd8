"""Arrays that grow by doubling, so that appending costs O(1) on average."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

A = TypeVar("A", bound="np.ndarray[Any, Any]")


def grown(a: A, *shape: int) -> A:
    """`a` itself if it has room for `shape`, else a copy with more, filled up with zeros."""
    if all(have >= need for have, need in zip(a.shape, shape, strict=True)):
        return a
    room = tuple(
        have if have >= need else max(need, 2 * have)
        for have, need in zip(a.shape, shape, strict=True)
    )
    larger: A = np.zeros(room, a.dtype, order="F" if np.isfortran(a) else "C")  # type: ignore[assignment]
    larger[tuple(map(slice, a.shape))] = a
    return larger
