"""Unit vectors that turn into others: arrays only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class TurningVectors:
    """Rows of norm 1 that turn, with constant speed and each in a plane, into other such rows.

    Row i is `cos(a) u_i + sin(a) direction_i`, with a growing from 0 to `angle_i` over `width`
    steps from the step `start` on; with `start=None` nothing turns. Rows that do not turn at all
    have an angle of 0.
    """

    def __init__(
        self,
        before: Floats,
        after: Floats,
        turning: NDArray[np.bool_],
        start: int | None,
        width: int,
    ) -> None:
        self.u = before
        cosine = (before * after).sum(axis=1, keepdims=True)
        self.angle = np.where(turning, np.arccos(np.clip(cosine[:, 0], -1, 1)), 0.0)
        self.direction = unit(after - cosine * before)
        self.start = start
        self.width = width

    def dot(self, X: Floats, steps: NDArray[np.intp]) -> Floats:
        """Each row x, at its step, times each vector; steps do not decrease."""
        scores: Floats = X @ self.u.T
        if self.start is None or steps[-1] < self.start:
            return scores
        progress = np.clip((steps + 1 - self.start) / self.width, 0, 1)
        angle = progress[:, None] * self.angle
        scores = np.cos(angle) * scores + np.sin(angle) * (X @ self.direction.T)
        return scores


def unit(rows: Floats) -> Floats:
    """The rows at norm 1."""
    scaled: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return scaled
