"""Precision-recall curves as arrays: bins for scores, and the area under what the bins count."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DROPPED = np.int64(52 - 10)  # of the 52 bits after the point of a float64
MAGNITUDE = np.int64(2**63 - 1)  # all bits but the sign


def bins(scores: Floats) -> NDArray[np.int64]:
    """The number of each score's bin: 1,024 between a power of two and the next.

    The bits of a float64, read as an integer, are in the order of the floats, but for the sign. So
    a score's bin is known without knowing the range of the others, and a higher score never falls
    into a lower bin.

    >>> bins(np.array([-np.inf, -1.0, -0.0, 0.0, 0.5, 0.9999, 1.0, 1.0009, 1.001])).tolist()
    [-2096128, -1047552, 0, 0, 1046528, 1047551, 1047552, 1047552, 1047553]

    """
    bits = scores.view(np.int64)
    return np.where(bits < 0, -(bits & MAGNITUDE), bits) >> DROPPED


def area(true: Floats, false: Floats) -> float:
    r"""The area under the curve of Davis and Goadrich; 0 where nothing is true.

    `true` and `false` are the weights that each bin adds, the bin of the highest scores first.
    Within a bin false positives grow evenly with true ones, from n to m positives in all and from t
    to t + d true ones, so that with $b = (m - n) / d$ its share of the area, times all that is true,
    is

    $$\int \frac{\tau}{\nu} \, d\tau
    = \frac{1}{b} \left( (t - n / b) \ln \frac{m}{n} + \frac{m - n}{b} \right).$$

    O(bins).

    >>> area(np.array([1.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0]))  # (1 + 1 - ln(3 / 2)) / 2
    0.797267

    """  # noqa: E501
    grows = true > 0.0
    if not grows.any():
        return 0.0
    d = true[grows]
    t = np.cumsum(true)[grows] - d
    m = np.cumsum(true + false)[grows]
    width = d + false[grows]
    n = m - width
    b = width / d
    n_ = np.where(n > 0.0, n, 1.0)  # where nothing comes before, t is 0, too
    shares = ((t - n / b) * np.log1p(np.where(n > 0.0, width / n_, 0.0)) + d) / b
    return float(shares.sum() / true.sum())
