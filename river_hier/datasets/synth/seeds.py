"""Where the randomness of a synthetic stream comes from."""

from __future__ import annotations

from typing import cast

import numpy as np

from ...base import check_integer

# Examples are drawn so many at a time. A constant, so that the stream does not depend on how it
# is consumed; changing it changes every stream.
BLOCK = 256

# What transformers draw random numbers for. A generator counts its purposes from 0; these are none
# of them, since a stream and what is put around it may well be given the same seed.
MISTAKES, RANKS, CHOICES, CHANGES = range(100, 104)


def entropy(seed: int | None) -> int:
    """The seed, or fresh entropy for `None`: kept by the stream, so that it can be repeated."""
    if seed is not None:
        check_integer("seed", seed, at_least=0)
    return cast(int, np.random.SeedSequence(seed).entropy)  # numpy declares what else it may be


def generator(entropy: int, purpose: int) -> np.random.Generator:
    """A fresh generator; each purpose has a stream of random numbers of its own."""
    return np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(purpose,)))
