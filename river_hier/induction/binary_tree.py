"""A full binary tree over classes, stored in flat tuples: no recursion, however deep it is."""

from __future__ import annotations

from itertools import count
from typing import NamedTuple

from ..taxonomy import Label, Taxonomy

Children = tuple[int, int]  # left and right: the number of a split, or ~c for the c-th class


class BinaryTree(NamedTuple):
    """The classes are the leaves, the *splits* the inner nodes.

    Splits are numbered bottom up: each comes after its children, and the last one is the root.
    """

    classes: tuple[Label, ...]
    number: dict[Label, int]  # the number of each class
    splits: tuple[Children, ...]
    above: dict[int, tuple[int, bool]]  # {node: (parent, is right child)}, without the root

    @classmethod
    def build(cls, classes: tuple[Label, ...], splits: tuple[Children, ...]) -> BinaryTree:
        above = {
            child: (v, bool(right))
            for v, pair in enumerate(splits)
            for right, child in enumerate(pair)
        }
        number = dict(zip(classes, range(len(classes)), strict=True))
        return cls(classes, number, splits, above)

    @classmethod
    def of(cls, taxonomy: Taxonomy) -> BinaryTree:
        """The tree of a taxonomy, whose leaves are the classes."""
        taxonomy._arrays.check_tree()
        leaves = taxonomy.leaves
        node = {label: ~c for c, label in enumerate(leaves)}
        splits: list[Children] = []
        for label in reversed(taxonomy._arrays.inner):
            below = taxonomy.children(label)
            if len(below) != 2:
                raise ValueError(
                    f"node {label!r} has {len(below)} child{'ren'[: 3 * (len(below) != 1)]}; "
                    "a binary decomposition needs two under every inner node, as "
                    "JensenShannonTree().taxonomy() gives them"
                )
            node[label] = len(splits)
            splits.append((node[below[0]], node[below[1]]))
        return cls.build(leaves, tuple(splits))

    def taxonomy(self) -> Taxonomy:
        """The tree as a taxonomy, whose inner nodes are `"split 1"`, `"split 2"`, ... in order."""
        if not self.splits:
            return Taxonomy.flat([], root=self.classes[0])
        downwards = [self.root]
        for v in downwards:
            downwards += [child for child in self.splits[v] if child >= 0]
        free = (name for i in count(1) if (name := f"split {i}") not in self.number)
        names = dict(zip(downwards, free, strict=False))
        return Taxonomy(
            (names[v], names[child] if child >= 0 else self.classes[~child])
            for v in downwards
            for child in self.splits[v]
        )

    @property
    def root(self) -> int:
        """The last split; without splits, the only class."""
        return len(self.splits) - 1

    def path(self, label: Label) -> list[tuple[int, bool]]:
        """The splits from the root to a class, and whether the class is on the right of each."""
        node, path = ~self.number[label], []
        while node != self.root:
            node, right = self.above[node]
            path.append((node, right))
        return path[::-1]

    def with_label(self, label: Label) -> BinaryTree:
        """The tree with one more class, beside all the others under a new root."""
        if not self.classes:
            return BinaryTree.build((label,), ())
        n, new = len(self.splits), ~len(self.classes)
        return BinaryTree(
            (*self.classes, label),
            self.number | {label: len(self.classes)},
            (*self.splits, (self.root, new)),
            self.above | {self.root: (n, False), new: (n, True)},
        )

    def sides(self, number: dict[Label, int]) -> list[tuple[int, int]]:
        """The classes on the left and right of each split, as sets of the bits `number[c]`."""
        merges: list[tuple[int, int]] = []
        for pair in self.splits:
            left, right = (
                merges[child][0] | merges[child][1]
                if child >= 0
                else 1 << number[self.classes[~child]]
                for child in pair
            )
            merges.append((left, right))
        return merges
