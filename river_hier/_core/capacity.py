"""Arrays that grow by a quarter, so that appending costs O(1) on average."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", np.float64, np.float32, np.intp)


def ensure_capacity(a: NDArray[T], *shape: int) -> NDArray[T]:
    """`a` itself if it has room for `shape`, else a larger copy, padded with zeros.

    The copy is a view of its memory, as River would count the numbers of any other array twice.
    """
    if all(have >= need for have, need in zip(a.shape, shape, strict=True)):
        return a
    room = tuple(
        have if have >= need else max(need, have + have // 4)
        for have, need in zip(a.shape, shape, strict=True)
    )
    larger = np.zeros(room, a.dtype)
    larger[tuple(map(slice, a.shape))] = a
    return larger[...]
