"""Rankings of labels by their attributes in a taxonomy (Cai and Hofmann, 2007)."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..taxonomy import Arrays
from .paths import closure_difference, closure_of, closure_sums, subtree_maxima

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Mask = NDArray[np.bool_]

LARGEST = 1e300  # of a score: differences and sums of several are finite


class Ranking(NamedTuple):
    """Candidates and their attributes: lambda_v(y) = t_v if v in anc(y), else 0."""

    taxonomy: Arrays
    t: Floats  # (nodes,)
    candidates: Ints  # in taxonomy order

    @property
    def attributes(self) -> Floats:
        """Lambda(y) of each candidate y as a column, (nodes, candidates)."""
        columns = np.zeros((len(self.t), len(self.candidates)))
        for a, y in enumerate(self.candidates):
            above = closure_of(y, self.taxonomy)
            columns[above, a] = self.t[above]
        return columns

    def scores(self, values: Floats) -> Floats:
        """F(x, y) = sum_v lambda_v(y) <w_v, x> of every node, from the <w_v, x>.

        Scores that overflow are cut off, so that they can be compared and averaged.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            scores = closure_sums((values.T * self.t).T, self.taxonomy)
        if not np.abs(scores).max(initial=0.0) <= LARGEST:
            scores = np.nan_to_num(scores).clip(-LARGEST, LARGEST)
        return scores

    def step(self, y: int, other: int) -> tuple[Ints, Floats]:
        """The nodes above either y or the other, and lambda(y) - lambda(other) there."""
        nodes, signs = closure_difference(y, other, self.taxonomy)
        return nodes, signs * self.t[nodes]

    def answer(self, scores: Floats, threshold: Any) -> Mask:
        """The candidates that reach the threshold, and all above them: O(nodes + edges)."""
        on = np.zeros(scores.shape, dtype=bool)
        on[self.candidates] = scores[self.candidates] >= threshold
        on[0] = True
        return subtree_maxima(on, self.taxonomy)

    def marginals(self, given: Floats) -> Floats:
        """The probability of each node: the largest of the candidates in its subtree."""
        marginals = np.zeros_like(given)
        marginals[self.candidates] = given[self.candidates]
        marginals = subtree_maxima(marginals, self.taxonomy)
        marginals[0] = 1.0
        return marginals


def worst_pair(scores: Floats, relevant: Mask) -> tuple[int, int] | None:
    """The pair with the smallest margin: the lowest relevant candidate and the highest other one.

    None if there is no pair. Ties go to the first.
    """
    if relevant.all() or not relevant.any():
        return None
    low = np.where(relevant, scores, np.inf).argmin()
    high = np.where(relevant, -np.inf, scores).argmax()
    return int(low), int(high)
