"""The base class of the generators and their random numbers: seeds, distributions, and checks."""

import math
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from river.datasets.base import MO_BINARY_CLF, SyntheticDataset

from ...base.checks import check_integer, number
from ...taxonomy import Taxonomy, check_taxonomy
from ..base import TaxonomyDataset

Floats = NDArray[np.float64]

# Examples are drawn in blocks of this size. It is a constant, so that a stream does not depend on
# how it is consumed; changing it changes every stream.
BLOCK = 256


class Generator(TaxonomyDataset, SyntheticDataset):
    """A stream that is drawn at random; each purpose has its own sequence of random numbers."""

    def __init__(
        self, taxonomy: Taxonomy, seed: int | None, task: str, n_features: int | None = None
    ) -> None:
        check_taxonomy(taxonomy)
        if (n := len(taxonomy)) < 2:
            raise ValueError(f"`taxonomy` must have a node besides the root, got {taxonomy!r}")
        sizes: Any = {"n_outputs": n - 1} if task == MO_BINARY_CLF else {"n_classes": n}
        super().__init__(task, n_features or n, **sizes)
        self._entropy = entropy(seed)
        self._taxonomy = taxonomy
        self.seed = seed

    @property
    def taxonomy(self) -> Taxonomy:
        """The taxonomy."""
        return self._taxonomy

    def _random(self, purpose: int) -> np.random.Generator:
        return generator(self._entropy, purpose)


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
