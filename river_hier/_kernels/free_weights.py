"""Weights that a step written in Python can move, whichever core is chosen."""

from __future__ import annotations

from typing import Any

import numpy as np

from .names import Vector
from .weights import Weights


class FreeWeights(Weights):
    """The reference weights under a name of their own, so that no pickle turns them into others.

    The compiled weights take the steps that were compiled with them, and no others.
    """


def vector_of(found: Any) -> Vector:
    """What either core's `find` or `insert` gives, as the reference weights take it."""
    return Vector(found.rows.astype(np.intp, copy=False), found.values, found.norm2)
