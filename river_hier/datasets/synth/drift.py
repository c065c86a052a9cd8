"""Drifting weights: unit vectors that turn into other unit vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class DriftingVectors:
    """Rows of norm 1, each of which rotates at constant speed in a plane into another such row.

    Row i is `cos(a) u_i + sin(a) direction_i`, where a grows from 0 to `angle_i` in the `width`
    steps from `start`; with `start=None` there is no drift. The angle of rows that do not drift
    is 0.
    """

    def __init__(
        self,
        before: Floats,
        after: Floats,
        drifting: NDArray[np.bool_],
        start: int | None,
        width: int,
    ) -> None:
        self.u = before
        cosine = (before * after).sum(axis=1, keepdims=True)
        self.angle: Floats = np.where(drifting, np.arccos(np.clip(cosine[:, 0], -1, 1)), 0.0)
        self.direction: Floats = unit(after - cosine * before)
        self.start = start
        self.width = width

    def dot(self, X: Floats, steps: NDArray[np.intp]) -> Floats:
        """The product of each row x with each vector at its step; steps must not decrease."""
        scores: Floats = X @ self.u.T
        if self.start is None or steps[-1] < self.start:
            return scores
        progress = np.clip((steps + 1 - self.start) / self.width, 0, 1)
        angle = progress[:, None] * self.angle
        scores = np.cos(angle) * scores + np.sin(angle) * (X @ self.direction.T)
        return scores


def unit(rows: Floats) -> Floats:
    """The rows, scaled to norm 1."""
    scaled: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return scaled
