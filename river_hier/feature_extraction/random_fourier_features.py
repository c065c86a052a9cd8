"""Random features whose dot product approximates the Gaussian kernel."""

import hashlib
import math
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river import base
from scipy import sparse

from .._core import read
from .._core.features import by_name, canonical
from ..base.checks import check_integer, check_positive
from ..base.dataframes import answer_frame, frame_like, read_batch, valid
from ..base.memory import raw_memory_usage

Floats = NDArray[np.float64]

LARGEST = 2**21  # random numbers that are stored: 16 MB


class RandomFourierFeatures(base.MiniBatchTransformer):
    r"""Random features that let a linear learner approximate one with a Gaussian kernel.

    With $m$ = `n_components` / 2 random frequencies $\omega_1, \dots, \omega_m$, the features of x
    are

    $$z(x) = \sqrt{1 / m} \, \bigl(\cos \omega_1 \cdot x, \dots, \cos \omega_m \cdot x,
    \sin \omega_1 \cdot x, \dots, \sin \omega_m \cdot x \bigr).$$

    The components of the frequencies are normal with deviation $1 / \sigma$, so that the expected
    value of $z(x) \cdot z(x')$ is $\exp(-\|x - x'\|^2 / (2 \sigma^2))$, the kernel of `kernel.RBF`.
    The error is of the order of $1 / \sqrt m$. The norm of z(x) is 1 for any x.

    Use it if labels are not linear in x, with a few dozen to a few hundred dense features. Scale
    them first: after a `preprocessing.StandardScaler()` of d features, $\sigma = \sqrt d$ is a good
    start. Bags of words do not profit from it.

    The transformer learns nothing. The random numbers of a feature are derived from `seed` and its
    name, so all transformers with equal parameters agree.

    Parameters
    ----------
    sigma
        The width of the kernel, in the units of the features.
    n_components
        The number of random features, an even number.
    seed
        The seed of the random numbers.

    Notes
    -----
    The features are those of [^1] with sines, whose variance is lower than that of cosines with
    random phases [^2], as in scikit-learn's `RBFSampler`, which writes $\gamma = 1 / (2 \sigma^2)$.
    A feature that is too large for `sigma` raises a `ValueError`.

    With d features in x, `transform_one` takes O(d m); `transform_many` takes O(d m) per row, in
    one matrix product. Some 16 MB of random numbers are stored at most. Names are distinguished by
    their `repr`, which must be the same in every process.

    Examples
    --------
    >>> from river_hier import feature_extraction

    >>> rff = feature_extraction.RandomFourierFeatures(sigma=2.0, n_components=2_000)
    >>> z, z_ = rff.transform_one({"x": 1.0, "y": 1.0}), rff.transform_one({"x": 3.0, "y": 1.0})
    >>> sum(z[name] * z_[name] for name in z)
    0.620

    References
    ----------
    [^1]: [Rahimi, A. and Recht, B., 2007. Random features for large-scale kernel machines. Advances in Neural Information Processing Systems 20.](https://papers.nips.cc/paper/2007/hash/013a006f03dbc5392effeb8f18fda755-Abstract.html)
    [^2]: [Sutherland, D. and Schneider, J., 2015. On the error of random Fourier features. Conference on Uncertainty in Artificial Intelligence.](https://arxiv.org/abs/1506.02785)

    """  # noqa: E501

    _raw_memory_usage = raw_memory_usage

    _latest: tuple[tuple[Hashable, ...], list[int], Floats]  # names; see `_frequencies`

    def __init__(self, sigma: float = 1.0, n_components: int = 1_000, seed: int = 0) -> None:
        check_positive("sigma", sigma)
        check_integer("n_components", n_components, 2)
        check_integer("seed", seed, 0)
        if n_components % 2:
            raise ValueError(
                f"`n_components` must be even, a cosine and a sine for each frequency, got "
                f"{n_components}"
            )
        self.sigma = sigma
        self.n_components = n_components
        self.seed = seed
        self._forget()

    def transform_one(self, x: Mapping[Any, Any]) -> dict[Hashable, float]:
        """Return the random features of x, `{0: value, 1: value, ...}`; missing features are 0."""
        x = by_name(x)
        values, _ = read(x)
        return dict(enumerate(self._features(values, tuple(x)).tolist()))

    def transform_many(self, X: Any) -> Any:
        """Return the random features of the rows of a batch, as `transform_one` does.

        X is a dataframe, or an array whose columns are the features `0 .. d-1`. The answer is a
        dataframe of pandas if X is one, otherwise an array, with the columns `0 .. n_components-1`.
        """
        batch, like = valid(read_batch(X, None)), frame_like(X)
        values: Any = batch.values
        if batch.columns is not None and batch.start is not None:
            shape = batch.n, len(batch.names)
            values = sparse.csr_array((batch.values, batch.columns, batch.start), shape)
        features = self._features(values, tuple(batch.names))
        pandas = like is not None and like.implementation.is_pandas_like()
        return answer_frame(like if pandas else None, features, range(self.n_components))

    def _features(self, values: Any, names: tuple[Hashable, ...]) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):
            order, frequencies = self._frequencies(names)
            angles = values[..., order] @ frequencies
        if not np.isfinite(angles).all():
            raise ValueError(f"the features are too large for sigma = {self.sigma}; scale x")
        features = np.concatenate([np.cos(angles), np.sin(angles)], axis=-1)
        features *= math.sqrt(2.0 / self.n_components)
        return features

    def _frequencies(self, names: tuple[Hashable, ...]) -> tuple[list[int], Floats]:
        """The order in which to add up features, whatever their order in x, and the frequencies."""
        latest, order, frequencies = self._latest
        if latest == names:  # as in most streams of dense features
            return order, frequencies
        m = self.n_components // 2
        if len(self._drawn) * m > LARGEST:
            self._forget()
        drawn = self._drawn
        with np.errstate(over="ignore"):
            for name in names:
                if name not in drawn:
                    drawn[name] = normal(self.seed, name, m) / self.sigma
        order = sorted(range(len(names)), key=lambda i: repr(names[i]))
        frequencies = np.array([drawn[names[i]] for i in order]).reshape(len(names), m)
        self._latest = names, order, frequencies
        return order, frequencies

    def _forget(self) -> None:
        self._drawn: dict[Hashable, Floats] = {}
        self._latest = (), [], np.empty((0, self.n_components // 2))

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("sigma", "n_components", "seed")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._forget()


def normal(seed: int, name: Hashable, n: int) -> Floats:
    """Standard normal numbers of a seed and a name, by Box and Muller, the same in any version.

    >>> normal(0, "x", 3).round(3).tolist()
    [0.637, -0.885, 0.588]
    """
    text = f"{seed} {canonical(name)!r}".encode()
    words = np.frombuffer(hashlib.shake_128(text).digest(16 * n), dtype="<u8")
    uniform = (words + 0.5) / 2.0**64
    return np.sqrt(-2.0 * np.log(uniform[:n])) * np.cos(2.0 * np.pi * uniform[n:])
