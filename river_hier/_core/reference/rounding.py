"""Codes of 14 bits for weights and of 10 bits for variances, rounded at random.

A number between two that have codes becomes the one with the larger code with a probability equal
to its place between them, so that its mean is exact: of many steps that are smaller than the
distance of neighbours, some move the weight by this distance. The native backend does the same,
bit for bit (`native/store/cells.hpp`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bits = NDArray[np.uint64]

# Random numbers of 64 bits that round to the nearest: each half is the middle of its range.
NEAREST = np.uint64(0x8000000080000000)
WEIGHTS, VARIANCES = np.dtype("int16"), np.dtype("uint16")  # the types of codes

_SMALLEST = 2.0**-16
_LARGEST = 2.0**16 - 2.0**7 - _SMALLEST
_LEAST_VARIANCE = 65 * 2.0**-22
_LEAST, _ONE = np.array([_SMALLEST, 1.0]).view(np.uint64)  # the bits of these numbers


def dither(seed: int, draws: NDArray[np.uint32], n_features: int) -> Bits:
    """Random numbers (features, nodes), for nodes that have changed `draws` times before.

    Those of a node are a hash value plus multiples of the golden ratio, so that the features of an
    x are rounded up and down in turn. They depend neither on other nodes nor on names of features.
    """
    of_nodes = _mixed(_mixed(np.array([seed], dtype=np.uint64)) + draws + np.uint64(1))
    steps = np.arange(n_features, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return of_nodes[None, :] + steps[:, None]


def encode(numbers: NDArray[Any], dtype: np.dtype[Any], random: Bits | np.uint64 = NEAREST) -> Any:
    """Numbers as they are stored in this type: codes if it is that of codes.

    The code of a weight w is the exponent of |w| + 2^-16, from -16 to 15, and 8 bits of its
    fraction, with the sign of w; that of a variance is the number of steps down from 1, where an
    octave has 64. `numbers` are weights, or variances less 1.
    """
    if dtype == WEIGHTS:
        sizes = np.minimum(np.abs(numbers), _LARGEST) + _SMALLEST
        codes = (sizes.view(np.uint64) - _LEAST + (random >> np.uint64(20))) >> np.uint64(44)
        return np.where(numbers < 0.0, -codes.astype(dtype), codes.astype(dtype))
    if dtype == VARIANCES:
        steps = _ONE - np.clip(1.0 + numbers, _LEAST_VARIANCE, 1.0).view(np.uint64)
        low = random << np.uint64(32) >> np.uint64(18)
        return ((steps + low) >> np.uint64(46)).astype(dtype)
    return numbers.astype(dtype)


def decode(stored: NDArray[Any]) -> Floats:
    """The numbers that are stored."""
    if stored.dtype == WEIGHTS:
        bits = (np.abs(stored).astype(np.uint64) << np.uint64(44)) + _LEAST
        numbers: Floats = np.copysign(bits.view(np.float64) - _SMALLEST, stored)
    elif stored.dtype == VARIANCES:
        numbers = (_ONE - (stored.astype(np.uint64) << np.uint64(46))).view(np.float64) - 1.0
    else:
        numbers = stored.astype(np.float64)
    return numbers


def _mixed(z: Bits) -> Bits:
    """A hash function: the finaliser of SplitMix64."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
