"""The nodes of a taxonomy and the relations between them, as an immutable value."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import graph
from .errors import UnknownLabelError, several_parents
from .graph import Label
from .numbering import NumberedNodes
from .show import Shown


class Nodes(NumberedNodes, Shown):
    """Labels in topological order, each with its parents: immutable, compared by value."""

    # Relations

    @property
    def edges(self) -> tuple[tuple[Label, Label], ...]:
        """The pairs `(parent, child)`, sorted by parents, and then by children."""
        nodes = self.nodes
        return tuple(
            (nodes[p], nodes[v]) for p, below in enumerate(self._child_indices) for v in below
        )

    @property
    def root(self) -> Label:
        """The label of the root."""
        return self._table.labels[0]

    @property
    def leaves(self) -> tuple[Label, ...]:
        """The labels without children."""
        return tuple(self.nodes[v] for v, below in enumerate(self._child_indices) if not below)

    @property
    def inner(self) -> tuple[Label, ...]:
        """The labels with children."""
        return tuple(self.nodes[v] for v, below in enumerate(self._child_indices) if below)

    @property
    def height(self) -> int:
        """The largest depth."""
        return len(self._arrays.levels)

    @property
    def is_tree(self) -> bool:
        """Whether no node has more than one parent."""
        return len(self._arrays.parent_index) == len(self) - 1

    @property
    def _is_star(self) -> bool:
        """Whether all nodes are children of the root, also before `flatten`."""
        return self._implied is None and len(self._child_indices[0]) == len(self) - 1

    def _check_tree(self) -> None:
        """Raise an error that names a node with several parents, if there is one."""
        if not self.is_tree:
            for v in range(len(self)):
                self._parent_index(v)

    def index(self, label: Label) -> int:
        """The position of a label in taxonomy order; a path stands for the label at its end."""
        v = self._find(label)
        if v is None:
            raise UnknownLabelError(label, self.nodes)
        return v

    def _find(self, label: Label) -> int | None:
        try:
            v = self._known_index(label)
        except TypeError:
            graph.check_label(label)
            raise
        if v is None:
            v = self._path_format.find(label, self)
        return v

    def parent(self, label: Label) -> Label | None:
        """The parent; `None` for the root. Trees only."""
        v = self._parent_index(self.index(label))
        return None if v is None else self._label(v)

    def parents(self, label: Label) -> tuple[Label, ...]:
        """The parents, in taxonomy order."""
        return self._labels(self._parent_rows[self.index(label)])

    def children(self, label: Label) -> tuple[Label, ...]:
        """The children, in taxonomy order; in a tree, as they were given."""
        return self._labels(self._children_of(self.index(label)))

    def ancestors(self, label: Label) -> tuple[Label, ...]:
        """The ancestors of a label, the root first, without the label itself."""
        return self._labels(sorted(graph.reach(self._parent_rows, self.index(label))))

    def path(self, label: Label) -> tuple[Label, ...]:
        """The nodes from the root down to the label, both included. Trees only."""
        return self._labels(self._climb(self.index(label)))

    def descendants(self, label: Label) -> tuple[Label, ...]:
        """The descendants of a label, in taxonomy order, without the label itself."""
        return self._labels(sorted(graph.reach(self._child_indices, self.index(label))))

    def subtree(self, label: Label) -> tuple[Label, ...]:
        """The label and its descendants, in taxonomy order."""
        return (self.nodes[self.index(label)], *self.descendants(label))

    def _branch(self, label: Label) -> NDArray[np.uint32]:
        """The numbers of the label and its descendants, without the root."""
        v = self.index(label)
        nodes = {v, *graph.reach(self._child_indices, v)} - {0}
        return np.array(sorted(nodes), dtype=np.uint32)

    def depth(self, label: Label) -> int:
        """The number of edges from the root; in a DAG, along the longest path."""
        return int(self._arrays.depth[self.index(label)])

    def lca(self, u: Label, v: Label) -> Label:
        """The lowest common ancestor, which may be u or v itself. Trees only; O(depth)."""
        shared = 0
        for a, b in zip(self._climb(self.index(u)), self._climb(self.index(v)), strict=False):
            if a != b:
                break
            shared = a
        return self._label(shared)

    def distance(self, u: Label, v: Label) -> int:
        """The number of edges between u and v. Trees only; O(depth)."""
        up, down = self._climb(self.index(u)), self._climb(self.index(v))
        shared = sum(a == b for a, b in zip(up, down, strict=False))
        return len(up) + len(down) - 2 * shared

    # Immutability and comparison

    def __iter__(self) -> Iterator[Label]:
        return iter(self.nodes)

    def __contains__(self, label: object) -> bool:
        try:
            return self._find(label) is not None
        except ValueError:  # not a path
            return False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Nodes):
            return NotImplemented
        return self is other or (
            len(self) == len(other)
            and self.nodes == other.nodes
            and self._parent_indices == other._parent_indices
            and self._implied_parents == other._implied_parents
        )

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.nodes, self._parent_indices))

    def __reduce__(self) -> tuple[Any, ...]:
        parts = self.nodes, self._parent_indices, self._path_format, self._implied
        return type(self)._of, parts if self._implied else parts[:3]

    def __repr__(self) -> str:
        kind = "" if self.is_tree else "DAG, "
        leaves = len(self.leaves)
        return (
            f"Taxonomy(root={self.root!r}, {kind}{len(self)} node{'s'[: len(self) != 1]}, "
            f"{leaves} lea{'f' if leaves == 1 else 'ves'}, height {self.height})"
        )

    def _parent_index(self, v: int) -> int | None:
        above = self._table.parents[v]
        if len(above) > 1:
            raise ValueError(several_parents(self._label(v), self._labels(above)))
        return above[0] if above else None

    def _climb(self, v: int) -> list[int]:
        """The path from the root to v."""
        path = [v]
        while (above := self._parent_index(path[-1])) is not None:
            path.append(above)
        return path[::-1]


def check_taxonomy(taxonomy: object) -> None:
    """`taxonomy` must be a Taxonomy."""
    if not isinstance(taxonomy, Nodes):
        raise TypeError(
            f"`taxonomy` must be a Taxonomy, got {type(taxonomy).__name__}; "
            "build one with Taxonomy([(parent, child), ...]) or Taxonomy.from_paths(paths)"
        )
