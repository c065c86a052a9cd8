"""How often labels come where few are common and many are rare."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def zipf(n: int, exponent: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Zipf's law for n labels ranked at random: `rank ** -exponent`, so 1 for the first."""
    ranks = 1 + rng.permutation(n)
    return np.asarray(ranks ** -float(exponent), dtype=np.float64)
