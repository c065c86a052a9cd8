"""Trees over classes by agglomeration, and their errors on examples that are left out."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from river import base
from scipy import sparse

from .._core.batch import sparse_rows
from ..base.checks import check_integer, checked_weight, number
from ..base.memory import raw_memory_usage
from ..taxonomy import Label, Taxonomy
from ..taxonomy.graph import check_label
from .binary_tree import BinaryTree, Children
from .divergence import (
    Floats,
    Joint,
    Split,
    divergences,
    joints,
    merge,
    read_counts,
    recursion,
    upper_bound,
)

Ints = NDArray[np.intp]


class Side(NamedTuple):
    """The classes below a node: their counts, and those examples to be classified."""

    counts: sparse.csr_array  # (1, d), of features
    n: float  # weight of the examples counted
    rows: Ints  # of the matrix of examples


class LeaveOneOut:
    """Examples with weights, to be classified, each by the counts of all others.

    An example of weight 2 counts as two, of which one is left out. The classifier of an inner node
    is multinomial naive Bayes with Laplace's smoothing.
    """

    def __init__(
        self,
        feature_counts: Mapping[Label, Mapping[Any, float]],
        class_counts: Mapping[Label, float],
        examples: Iterable[tuple[Mapping[Any, float], Label, float]],
    ) -> None:
        names = dict.fromkeys(name for counts in feature_counts.values() for name in counts)
        columns = {name: j for j, name in enumerate(names)}
        number = {label: c for c, label in enumerate(class_counts)}
        examples = list(examples)
        self._X = sparse_rows([x for x, _, _ in examples], columns)
        self._w = np.array([w for _, _, w in examples], dtype=float)
        owners = np.array([number[y] for _, y, _ in examples], dtype=np.intp)
        self._classes = [
            Side(sparse_rows([feature_counts[label]], columns), n, np.flatnonzero(owners == c))
            for c, (label, n) in enumerate(class_counts.items())
        ]

    def errors(self, children: Sequence[Children]) -> float:
        """The weight of the examples that leave the path to their class."""
        wrong = np.zeros(self._X.shape[0], dtype=bool)
        nodes: list[Side] = []
        for pair in children:
            left, right = (nodes[v] if v >= 0 else self._classes[~v] for v in pair)
            for own, other in ((left, right), (right, left)):
                wrong[own.rows] |= self._margins(own, other) <= 0.0
            rows = np.concatenate((left.rows, right.rows))
            nodes.append(Side(left.counts + right.counts, left.n + right.n, rows))
        return float(self._w @ wrong)

    def _margins(self, own: Side, other: Side) -> Floats:
        """log of n(own) p(x | own) / (n(other) p(x | other)) for each example on its own side."""
        x, d = self._X[own.rows], self._X.shape[1]
        out = self._w[own.rows].clip(max=1.0)  # how much of each is left out
        rows = np.repeat(np.arange(len(out)), np.diff(x.indptr))
        here, there = (side.counts.toarray().ravel() for side in (own, other))
        terms = np.log((here[x.indices] - out[rows] * x.data + 1.0) / (there[x.indices] + 1.0))
        margins = np.zeros(len(out))
        np.add.at(margins, rows, x.data * terms)
        sizes = np.asarray(x.sum(axis=1)).ravel()
        margins -= sizes * np.log((here.sum() - out * sizes + d) / (there.sum() + d))
        margins += np.log((own.n - out + 1.0) / (other.n + 1.0))
        return margins


class JensenShannonTree(base.Estimator):
    r"""Build a full binary tree over classes from their feature counts.

    `taxonomy` starts from the classes and merges two trees at a time, drawn with probability
    proportional to $2^{-e \, JS}$. $JS$ is the Jensen-Shannon divergence of their feature
    distributions in bits, weighted by their priors; the exponent e depends on `sharpness`. This is
    repeated, and the tree that errs least on recent examples is kept.

    Learning takes O(features of x), memory O(features of all classes and of the recent examples).
    Drawing a tree of k classes takes $O(k \cdot \text{features of all classes})$.

    Parameters
    ----------
    n_restarts
        The number of trees drawn; one if `sharpness` is infinite.
    sharpness
        How much similar pairs are preferred. The exponent is `sharpness` times the number of tokens
        of the two trees, but at least 1. With the default, `math.inf`, the pair that loses the
        least information about the class is always merged.
    n_recent
        The number of latest examples on which the trees drawn are compared: the fewest errors, and
        then the largest $R(root)$, the paper's estimate of the accuracy (Eq. 6), which alone
        decides with 0, as in the paper. With infinite `sharpness`, none are kept.
    seed
        Random seed.

    Attributes
    ----------
    class_counts : dict
        The number of examples of each class.
    feature_counts : dict
        The sum of each feature over the examples of a class: `{class: {feature: count}}`.

    Notes
    -----
    The procedure after Proposition 4 of the paper [^1], without smoothing. An x
    that is empty or zero is ignored. The exponent is reconstructed from a footnote: it is n for
    trees with n tokens (`sharpness=1`). The paper keeps the tree with the largest $R(root)$, which
    prefers skewed trees that are often less accurate. Here trees are compared by the errors of hard
    decoding with multinomial naive Bayes classifiers; each example is left out of the counts that
    classify it. A feature that is negative or not finite raises a `ValueError`, as does `taxonomy`
    before the first example.

    Examples
    --------
    >>> from river import feature_extraction
    >>> from river_hier import induction

    >>> texts = [
    ...     ("goal match goal referee", "football"),
    ...     ("match racket serve serve", "tennis"),
    ...     ("aria stage tenor", "opera"),
    ...     ("stage dancer dancer", "ballet"),
    ... ]
    >>> bag = feature_extraction.BagOfWords()
    >>> builder = induction.JensenShannonTree()
    >>> for text, label in texts:
    ...     builder.learn_one(bag.transform_one(text), label)

    >>> builder.taxonomy().path("opera")
    ('split 1', 'split 3', 'opera')

    References
    ----------
    [^1]: El-Yaniv, R. and Etzion-Rosenberg, N., 2002. Hierarchical multiclass decompositions with
        application to authorship determination.
    """

    _raw_memory_usage = raw_memory_usage

    def __init__(
        self,
        n_restarts: int = 10,
        sharpness: float = math.inf,
        n_recent: int = 1000,
        seed: int | None = None,
    ) -> None:
        check_integer("n_restarts", n_restarts, at_least=1)
        if isinstance(sharpness, bool) or not number(sharpness) >= 0.0:
            raise ValueError(
                "`sharpness` must be at least 0, or math.inf to merge the closest pair every time, "
                f"got {sharpness!r}"
            )
        check_integer("n_recent", n_recent, at_least=0)
        if seed is not None:
            check_integer("seed", seed, at_least=0)
        self.n_restarts = n_restarts
        self.sharpness = sharpness
        self.n_recent = n_recent
        self.seed = seed
        self.class_counts: dict[Label, float] = {}
        self.feature_counts: dict[Label, dict[Any, float]] = {}
        self._recent: list[tuple[dict[Any, float], Label, float]] = []

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"sharpness": 0.0, "n_recent": 100}  # trees of different seeds differ

    def learn_one(self, x: Mapping[Any, Any], y: Label, w: float = 1) -> None:
        """Count the features of an example of class y.

        x has non-negative weights, such as those of `BagOfWords`; it counts w times, at least 0.
        """
        if w != 1 and not (w := checked_weight(w)):
            return
        check_label(y)
        values = read_counts(x)
        if not values.any():
            return
        self.class_counts[y] = self.class_counts.get(y, 0) + w
        counts = self.feature_counts.setdefault(y, {})
        given = {name: v for name, v in zip(x, values.tolist(), strict=True) if v}
        for name, value in given.items():
            counts[name] = counts.get(name, 0.0) + w * value
        self._recent.append((given, y, w))
        if len(self._recent) > (0 if self.sharpness == math.inf else self.n_recent):
            del self._recent[0]

    def taxonomy(self) -> Taxonomy:
        """Build the full binary tree of the classes from what has been counted so far.

        Its inner nodes are `"split 1"`, the root, `"split 2"` and so on, unless a class is.
        """
        if not self.class_counts:
            raise ValueError("no example with features has been learned, so there is no class yet")
        classes = joints(self.class_counts, self.feature_counts)
        n_tokens = sum(sum(counts.values()) for counts in self.feature_counts.values())
        n = self.sharpness * n_tokens if self.sharpness else 0.0
        costs, rng = all_costs(classes, n), np.random.default_rng(self.seed)
        n_draws = 1 if self.sharpness == math.inf else self.n_restarts
        draws = [agglomerate(classes, costs, n, rng) for _ in range(n_draws)]
        children, _ = draws[0]
        if n_draws > 1:
            held_out = LeaveOneOut(self.feature_counts, self.class_counts, self._recent)
            accuracy = [(-held_out.errors(c), recursion(c, s, upper_bound)) for c, s in draws]
            children, _ = draws[accuracy.index(max(accuracy))]
        return BinaryTree.build(tuple(self.class_counts), tuple(children)).taxonomy()


def agglomerate(
    classes: Sequence[Joint], costs: Floats, n: float, rng: np.random.Generator
) -> tuple[list[Children], list[Split]]:
    """Merge two trees at a time, drawn proportionally to 2^-cost, in place of the left one."""
    forest = dict(enumerate(classes))
    number = {c: ~c for c in forest}  # the number of each tree in the result
    children: list[Children] = []
    splits: list[Split] = []
    costs = costs.copy()
    while len(forest) > 1:
        left, right = _draw(costs, n, rng)
        forest[left], split = merge(forest[left], forest.pop(right))  # the mutual source
        children.append((number.pop(left), number.pop(right)))
        splits.append(split)
        number[left] = len(splits) - 1
        costs[right], costs[:, right] = np.inf, np.inf
        others = np.array([v for v in forest if v != left], dtype=np.intp)
        merged = costs_of(forest[left], [forest[v] for v in others], n)
        costs[np.minimum(left, others), np.maximum(left, others)] = merged
    return children, splits


def _draw(costs: Floats, n: float, rng: np.random.Generator) -> tuple[int, int]:
    """A pair of finite cost; if n is infinite, the first one with the smallest cost."""
    if n == math.inf:
        pair = int(costs.argmin())
    else:
        weights = np.exp2(costs.min() - costs).cumsum()
        pair = int(weights.searchsorted(rng.random() * weights[-1], side="right"))
    left, right = divmod(pair, len(costs))
    return left, right


def costs_of(one: Joint, others: Sequence[Joint], n: float) -> Floats:
    """JS of one tree and each other, times max(n times prior, 1); if n is infinite, times prior."""
    JS, weights = divergences(one, others)
    return weights * JS if n == math.inf else np.maximum(n * weights, 1.0) * JS


def all_costs(classes: Sequence[Joint], n: float) -> Floats:
    """The cost of each pair of classes above the diagonal, infinity elsewhere."""
    costs = np.full((len(classes), len(classes)), np.inf)
    for c in range(len(classes) - 1):
        costs[c, c + 1 :] = costs_of(classes[c], classes[c + 1 :], n)
    return costs
