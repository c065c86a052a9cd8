"""Random rounding to 16-bit weights and 8-bit variances.

A number between two that can be stored becomes the upper one with a probability equal to its place
between them, so that its mean is exact: of many steps that are smaller than the distance of
neighbours, some move the weight by this distance. The native backend does the same, bit for bit
(`native/store/cells.hpp`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bits = NDArray[np.uint64]

_CODES = np.arange(256)
# The variances of all codes, less 1: 16 values between powers of 2.
VARIANCES: Floats = np.ldexp(1.0 - _CODES % 16 / 32, -(_CODES // 16)) - 1.0
_ONE = np.float64(1.0).view(np.uint64)  # the bits of 1.0
_MOST = np.uint64(0x7BFF)  # 65504, the largest number of 16 bits
# Random numbers of 64 bits that round to the nearest: each half is the middle of its range.
NEAREST = np.uint64(0x8000000080000000)


def dither(seed: int, draws: NDArray[np.uint32], n_features: int) -> Bits:
    """Random numbers (features, nodes), for nodes that have changed `draws` times before.

    Those of a node are a hash value plus multiples of the golden ratio, so that the features of an
    x are rounded up and down in turn. They depend neither on other nodes nor on names of features.
    """
    of_nodes = _mixed(_mixed(np.array([seed], dtype=np.uint64)) + draws + np.uint64(1))
    steps = np.arange(n_features, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return of_nodes[None, :] + steps[:, None]


def round_weights(w: Floats, random: Bits | np.uint64) -> NDArray[np.float16]:
    """Weights of 16 bits, at most 65504 in size, rounded by the upper halves of random numbers."""
    high, size = random >> np.uint64(32), np.abs(w)
    small = size < 2.0**-14  # the distance of neighbours is 2^-24 there
    codes = (np.where(small, size, 0.0) * 2.0**24 + high * 2.0**-32).astype(np.uint64)
    offset = np.uint64(1008 << 10)  # the difference of the exponents of 1.0
    large = np.maximum((size.view(np.uint64) + (high << np.uint64(10))) >> np.uint64(42), offset)
    codes = np.where(small, codes, np.minimum(large - offset, _MOST)).astype(np.uint16)
    rounded: NDArray[np.float16] = codes.view(np.float16)
    return np.where(w < 0.0, -rounded, rounded)


def round_variances(s: Floats, random: Bits | np.uint64) -> NDArray[np.uint8]:
    """Codes of variances less 1, rounded by the lower halves."""
    low = random & np.uint64(0xFFFFFFFF)
    below = _ONE - np.clip(1.0 + s, 2.0**-17, 1.0).view(np.uint64)
    codes = (below + (low << np.uint64(16))) >> np.uint64(48)
    stored: NDArray[np.uint8] = np.minimum(codes, np.uint64(255)).astype(np.uint8)
    return stored


def _mixed(z: Bits) -> Bits:
    """A hash function: the finaliser of SplitMix64."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
