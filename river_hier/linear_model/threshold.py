"""The threshold on scores that decides how many labels are on, learned online."""

import sys

import numpy as np
from numpy.typing import NDArray

from .._core.pickles import set_state

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

sys.modules["river_hier._core.threshold"] = sys.modules[
    __name__
]  # where files of 0.1.0 look for it
RIDGE = 1e-3  # makes the system solvable with few examples


class Threshold:
    """A linear function of z = (1, top score, mean score): least squares on the best thresholds.

    Elisseeff and Weston (2002) regress on all scores. These three numbers follow the scale of the
    scores as well, and the state is only twelve numbers. Each ranking is divided by the largest of
    its three, so that all have equal weight, however large the scores, and no sum overflows.
    """

    def __init__(self) -> None:
        self.a: Floats = RIDGE * np.eye(3)  # l2 I + Z^T Z
        self.b: Floats = np.zeros(3)  # Z^T (best thresholds)

    __setstate__ = set_state

    def at(self, scores: Floats) -> float:
        """The threshold for a ranking: candidates that reach it are on. O(candidates)."""
        if not len(scores):  # an open taxonomy without labels
            return 0.0
        return float(np.linalg.solve(self.a, self.b) @ _summary(scores))

    def learn(self, scores: Floats, relevant: Mask, weight: float = 1.0) -> None:
        """Learn from a ranking and its true labels: O(candidates log candidates).

        An error changes nothing. Compiled code does the same, in place.
        """
        if not len(scores):
            return
        z = _summary(scores)
        size = np.abs(z).max()
        z /= size
        a = self.a + weight * np.outer(z, z)
        self.b = self.b + weight * best_threshold(scores, relevant) / size * z
        self.a = a


def best_threshold(scores: Floats, relevant: Mask) -> float:
    """The highest of the thresholds with the fewest candidates on the wrong side.

    Thresholds lie midway between two scores. Beyond the first or last score there is no midpoint;
    that score itself is used, as values farther out would bias the regression.
    """
    order = np.argsort(-scores)
    steps, good = scores[order], relevant[order]
    wrong = np.append(0, np.where(good, -1, 1).cumsum())  # with k candidates on, less a constant
    ks = np.flatnonzero(np.concatenate(([True], steps[1:] < steps[:-1], [True])))
    k = int(ks[wrong[ks].argmin()])
    return float(steps[max(k - 1, 0)] + steps[min(k, len(steps) - 1)]) / 2.0


def _summary(scores: Floats) -> Floats:
    return np.array([1.0, scores.max(), scores.mean()])
