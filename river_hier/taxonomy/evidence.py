"""What is known of a label that is not known as a whole."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Index = Callable[[Any], int | None]  # label -> node, `None` for one that an open taxonomy lacks


class Evidence:
    """What is known of a label; two parts of it are combined by `&`."""

    label: Any  # of `Below` and `Known`

    def __and__(self, other: Any) -> "Both":
        if not isinstance(other, Evidence) or Known in (type(self), type(other)):
            return NotImplemented
        return Both(self, other)

    def _stated(self) -> Sequence[Any]:
        """The labels that it names."""
        raise NotImplementedError

    def _may_be(self) -> Sequence[Any]:
        """Those of which one may be the true label."""
        return self._stated()

    def _in_place(self) -> Any:
        """A label, or several, where the form of labels is asked for."""
        return self._stated()[0]

    def _allows(self, path: Collection[int], index: Index) -> bool:
        """Whether the label at the end of a path may be the true one."""
        raise NotImplementedError


@dataclass(frozen=True)
class Below(Evidence):
    """A label that is known down to a node: the true one is this node or any node below it.

    `learn_one(x, Below("shoes"))` learns that x is some kind of shoe. What is decided at or above
    the node is learned, and what is decided below it is not. `Below` of a leaf is the leaf, and
    `Below` of the root changes nothing. In the metrics of labels, the nodes below it count neither
    as right nor as wrong; those of scores and probabilities refuse it.

    Parameters
    ----------
    label
        The label. For models of several labels a multilabel: each of its labels is on, and of their
        children those are unknown that it does not name.

    Examples
    --------

    >>> from river_hier import Below, Taxonomy, linear_model

    >>> t = Taxonomy([("goods", "shoes"), ("goods", "books"), ("shoes", "boots")])
    >>> model = linear_model.PathSoftmax(t)
    >>> model.learn_one({"leather": 1.0}, "boots")
    >>> model.learn_one({"suede": 1.0}, Below("shoes"))
    >>> sum(model.predict_proba_one({"suede": 1.0})[v] for v in ("shoes", "boots"))
    0.9

    """

    label: Any

    def _stated(self) -> Sequence[Any]:
        return [self.label]

    def _allows(self, path: Collection[int], index: Index) -> bool:
        return index(self.label) in path


@dataclass(frozen=True, init=False, repr=False)
class _OfLabels(Evidence):
    labels: tuple[Any, ...]

    def __init__(self, *labels: Any) -> None:
        if not labels:
            raise ValueError(f"`{type(self).__name__}` needs at least one label")
        object.__setattr__(self, "labels", labels)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.labels))})"

    def _stated(self) -> Sequence[Any]:
        return self.labels


class Not(_OfLabels):
    """What a label is not: none of these, nor any below them.

    `learn_one(x, Not("boots"))` is what a thumb down on the answer "boots" says; of some kind of
    shoe, say `Below("shoes") & Not("boots")`. If only one leaf is left, this is the label. In the
    metrics of labels, an answer that may be right counts as right down to where it is known, and
    another one as a mistake for the nearest label that may be right.

    Parameters
    ----------
    labels
        The labels.

    Examples
    --------

    >>> from river_hier import Not, Taxonomy, linear_model

    >>> t = Taxonomy([("goods", "shoes"), ("goods", "books"), ("shoes", "boots")])
    >>> model = linear_model.PathSoftmax(t)
    >>> model.learn_one({"leather": 1.0}, Not("shoes"))
    >>> sum(model.predict_proba_one({"leather": 1.0})[v] for v in ("shoes", "boots"))
    0.034

    """

    def _may_be(self) -> Sequence[Any]:
        return ()

    def _allows(self, path: Collection[int], index: Index) -> bool:
        return all(index(label) not in path for label in self.labels)


class Among(_OfLabels):
    """A label that is one of these, or below one of them.

    Which of them it is, is learned as far as the model believes it already. In the metrics of
    labels it counts as `Not` does.

    Parameters
    ----------
    labels
        The labels.

    Examples
    --------

    >>> from river_hier import Among, Taxonomy, linear_model

    >>> t = Taxonomy.flat(["red", "green", "blue"])
    >>> model = linear_model.PathSoftmax(t)
    >>> model.learn_one({"warm": 1.0}, Among("red", "green"))
    >>> model.predict_proba_one({"warm": 1.0})["blue"]
    0.039

    """

    def _allows(self, path: Collection[int], index: Index) -> bool:
        return any(index(label) in path for label in self.labels)


@dataclass(frozen=True)
class Both(Evidence):
    """Two things that are known of a label."""

    first: Evidence
    second: Evidence

    def __repr__(self) -> str:
        return f"{self.first} & {self.second}"

    def _stated(self) -> Sequence[Any]:
        return [*self.first._stated(), *self.second._stated()]

    def _may_be(self) -> Sequence[Any]:
        return [*self.first._may_be(), *self.second._may_be()]

    def _allows(self, path: Collection[int], index: Index) -> bool:
        return self.first._allows(path, index) and self.second._allows(path, index)


@dataclass(frozen=True)
class Known(Evidence):
    """What is known of several labels: those that it does not name may be on or off.

    Nodes above a label that is on are on, and those below one that is off are off. The rest teaches
    nothing, and does not count in metrics.

    Parameters
    ----------
    label
        `{label: whether it is on}`.

    Examples
    --------

    >>> from river_hier import Known, Taxonomy, linear_model

    >>> t = Taxonomy.flat(["red", "green", "blue"])
    >>> model = linear_model.HAROW(t)
    >>> model.learn_one({"warm": 1.0}, Known({"red": True, "blue": False}))
    >>> [model.score_one({"warm": 1.0})[v] for v in ("red", "green", "blue")]
    [0.66, 0.0, -0.66]

    """

    label: Mapping[Any, bool]

    def _stated(self) -> Sequence[Any]:
        return [*self.label]

    _in_place = _stated

    def __post_init__(self) -> None:
        if not isinstance(self.label, Mapping):
            raise TypeError(f"`Known` needs {{label: whether it is on}}, got {self.label!r}")


class Part(NamedTuple):
    """The labels of a tree of which one is the true one.

    All of them are at or below `node`. From a node of `cuts` on, as far as the next ones, labels
    are among them or not.
    """

    node: int
    cuts: dict[int, bool]

    def cut_above(self, tree: Any, v: int) -> int:
        """The cut on whose side a node is."""
        return next(u for u in above(tree, v) if u in self.cuts)

    def mask(self, tree: Any) -> NDArray[np.bool_]:
        """Which labels are among them, (nodes,)."""
        may = np.zeros(tree.n, dtype=bool)
        for v in sorted(self.cuts):
            may[v] = may[tree.branch(v)] = self.cuts[v]  # that of the root is without it
        return may


def above(tree: Any, v: int) -> Iterator[int]:
    """A node and its ancestors, up to the root."""
    yield v
    while v:
        v = int(tree.parents[v][0])
        yield v


def part_of(taxonomy: Any, y: Evidence, closed: bool = True) -> int | Part:
    """What is known of a label, or its node if nothing else is left: O(names * depth)."""
    tree = taxonomy._arrays

    def index(label: Any) -> int | None:
        return taxonomy.index(label) if closed or label in taxonomy else None

    paths = {v: list(above(tree, v)) for v in {0, *map(index, y._stated())} if v is not None}
    allowed = {v: y._allows(path, index) for v, path in paths.items()}
    cuts = {0: allowed[0]}
    for v in sorted(paths.keys() - {0}):
        if allowed[v] != y._allows(paths[v][1:], index):
            cuts[v] = allowed[v]
    starts = [v for v, on in cuts.items() if on]
    if not starts:
        raise ValueError(f"{y} leaves no label that could be the true one")
    leaves, ends, waiting = list[int](), list[int](), list(starts)
    while waiting and len(leaves) < 2:
        v = waiting.pop()
        children = tree.children_of(v)
        below = [u for u in children if cuts.get(u, True)]
        waiting += below
        if not below:  # a label, but if others are left, leaves only
            (ends if children else leaves).append(v)
    left = leaves or ends
    excludes = any(v and not on for v, on in cuts.items())
    if len(left) == 1 and (excludes or left[0] in cuts):
        return left[0]
    common = set(paths[starts[0]]).intersection(*(paths[v] for v in starts[1:]))
    return Part(max(common), cuts)
