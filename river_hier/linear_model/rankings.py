"""Rankings of labels by their attributes in a taxonomy (Cai and Hofmann, 2007)."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._core import closure_difference, closure_of, closure_sums, subtree_maxima
from ..base.answer import Unseen
from ..base.checks import number
from ..taxonomy import Arrays, Taxonomy
from ..taxonomy.multilabel import Candidates, candidate_nodes

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Mask = NDArray[np.bool_]
# The t_v of all nodes, or {label: t_v}; `Any`, as the key type of a mapping is invariant.
Attributes = float | Mapping[Any, float]

LARGEST = 1e300  # of a score: differences and sums of several are finite


class LabelAttributes(NamedTuple):
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

    def difference(self, y: int, other: int) -> tuple[Ints, Floats]:
        """The nodes above either y or the other, and lambda(y) - lambda(other) there."""
        nodes, signs = closure_difference(y, other, self.taxonomy)
        return nodes, signs * self.t[nodes]

    def answer(self, scores: Floats, threshold: Any) -> Mask:
        """The candidates that reach the threshold, and all above them: O(nodes + edges)."""
        on = np.zeros(scores.shape, dtype=bool)
        on[self.candidates] = scores[self.candidates] >= threshold
        on[0] = True
        return subtree_maxima(on, self.taxonomy)


def worst_pair(scores: Floats, relevant: Mask) -> tuple[int, int] | None:
    """The pair with the smallest margin: the lowest relevant candidate and the highest other one.

    None if there is no pair. Ties go to the first.
    """
    if relevant.all() or not relevant.any():
        return None
    low = np.where(relevant, scores, np.inf).argmin()
    high = np.where(relevant, -np.inf, scores).argmax()
    return int(low), int(high)


def label_attributes(
    taxonomy: Taxonomy, t: Attributes, candidates: Candidates | None, unseen: Unseen = frozenset()
) -> LabelAttributes:
    """The ranking by these attributes of these candidates; an error if any is invalid.

    Unseen nodes are not ranked; `None` stands for the leaves of the taxonomy without them.
    """
    values = np.ones(len(taxonomy))
    if isinstance(t, Mapping):
        for label, value in t.items():
            values[taxonomy.index(label)] = _attribute(f"t[{label!r}]", value)
    else:
        values[:] = _attribute("t", t)
    arrays = taxonomy._arrays
    ranked = np.zeros(len(taxonomy), dtype=bool)
    if candidates is None:
        ranked[1:] = True
        ranked[list(unseen)] = False
        learned = np.repeat(ranked, np.diff(arrays.parent_ptr))  # for each edge, its child
        ranked[arrays.parent_index[learned]] = False
    else:
        ranked[candidate_nodes(taxonomy, candidates)] = True
        ranked[list(unseen)] = False
    return LabelAttributes(arrays, values, np.flatnonzero(ranked))


def unit_norm(taxonomy: Taxonomy, ranking: LabelAttributes) -> LabelAttributes:
    """Attributes with which those of each candidate have norm 1, the root's left out.

    They are divided by the largest norm of a candidate's attributes; then each candidate's own
    attribute is enlarged until their norm is 1. With t = 1 in a tree these are 1 / sqrt(D) and, for
    a candidate of depth d, sqrt(1 - (d - 1) / D), where D is the largest depth.
    """
    squares = ranking.t**2
    squares[0] = 0.0  # the root's attribute is in the score of every label
    norms2 = closure_sums(squares, ranking.taxonomy)[ranking.candidates]
    squares /= norms2.max(initial=0.0) or 1.0
    own = ranking.candidates
    is_candidate = np.zeros(len(squares), dtype=bool)
    is_candidate[own] = True
    for y in own:
        above = [int(v) for v in closure_of(y, ranking.taxonomy) if is_candidate[v] and v != y]
        if above:
            names = taxonomy.nodes[above[0]], taxonomy.nodes[y]
            raise ValueError(
                f"with `unit_norm` no candidate may be above another, but {names[0]!r} is above "
                f"{names[1]!r}; leave `candidates` out to rank the leaves, to which "
                "`taxonomy.MiscLeaves` adds one for each inner node"
            )
    above2 = closure_sums(squares, ranking.taxonomy)[own] - squares[own]
    squares[own] = (1.0 - above2).clip(0.0)
    return ranking._replace(t=np.sqrt(squares))


def _attribute(name: str, value: Any) -> float:
    if isinstance(value, bool) or not 0.0 <= number(value) < math.inf:
        raise ValueError(f"`{name}` must be a finite number of at least 0, got {value!r}")
    return float(value)
