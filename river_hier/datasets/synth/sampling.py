"""Random numbers of the synthetic streams: seeds, distributions, and checks of their parameters."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ...base.checks import check_integer, number

Floats = NDArray[np.float64]

# Examples are drawn in blocks of this size. It is a constant, so that a stream does not depend on
# how it is consumed; changing it changes every stream.
BLOCK = 256


def entropy(seed: int | None) -> int:
    """The seed, or fresh entropy for `None`; a stream keeps it, so that it can be repeated."""
    if seed is not None:
        check_integer("seed", seed, at_least=0)
    return cast(int, np.random.SeedSequence(seed).entropy)  # numpy's type is wider


def generator(entropy: int, purpose: int) -> np.random.Generator:
    """A new generator; each purpose has its own sequence of random numbers."""
    return np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(purpose,)))


def rotation(n: int, rng: np.random.Generator) -> Floats:
    """Orthonormal rows, uniformly distributed (QR of Gaussian numbers, signs made unique)."""
    Q, R = np.linalg.qr(rng.standard_normal((n, n)))
    return Q * np.sign(np.diag(R))


def check_number(name: str, value: Any, at_least: int = 0, what: str = "") -> None:
    """Raise unless the value is a finite number of at least this; `what` says which."""
    if not at_least <= number(value) < math.inf:
        raise ValueError(f"`{name}` must be {what}a number of at least {at_least}, got {value!r}")
