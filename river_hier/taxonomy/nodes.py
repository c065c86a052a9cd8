"""The nodes of a taxonomy and the relations between them, as an immutable value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Self

from . import arrays, graph
from .errors import UnknownLabelError, several_parents
from .immutable import Immutable
from .paths import TUPLES, Parents, PathFormat
from .show import Shown

# Any hashable; `Any`, so that users with labels of type str get str back.
Label = Any


class Nodes(Immutable, Shown):
    """Labels in topological order, each with its parents: immutable, compared by value."""

    __slots__ = (
        "_arrays",
        "_children",
        "_hash",
        "_reader",
        "implied_parents",
        "label_index",
        "nodes",
        "parent_indices",
        "path_format",
    )

    _arrays: arrays.Arrays | None  # these four are computed when first needed
    _children: tuple[tuple[int, ...], ...] | None
    _hash: int | None
    _reader: Any  # see `_backend.labels_of`
    nodes: tuple[Label, ...]
    """All labels in taxonomy order, the root first."""
    label_index: dict[Label, int]
    parent_indices: Parents
    implied_parents: Parents  # on in `closure_mask` with their nodes; other ones after `flatten`
    path_format: PathFormat

    def _assemble(
        self,
        nodes: tuple[Label, ...],
        parents: Parents,
        path_format: PathFormat = TUPLES,
        implied: Parents | None = None,
    ) -> None:
        for name, value in (
            ("nodes", nodes),
            ("label_index", dict(zip(nodes, range(len(nodes)), strict=True))),
            ("parent_indices", parents),
            ("implied_parents", implied or parents),
            ("path_format", path_format),
            *((name, None) for name in ("_arrays", "_children", "_hash", "_reader")),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def _of(cls, *parts: Any) -> Self:
        taxonomy = cls.__new__(cls)
        taxonomy._assemble(*parts)
        return taxonomy

    # Relations

    @property
    def edges(self) -> tuple[tuple[Label, Label], ...]:
        """The pairs `(parent, child)`; `Taxonomy(t.edges) == t` if there are any."""
        nodes = self.nodes
        return tuple(
            (nodes[p], nodes[v]) for p, below in enumerate(self.child_indices) for v in below
        )

    @property
    def root(self) -> Label:
        """The label of the root."""
        return self.nodes[0]

    @property
    def leaves(self) -> tuple[Label, ...]:
        """The labels without children."""
        return tuple(self.nodes[v] for v, below in enumerate(self.child_indices) if not below)

    @property
    def inner(self) -> tuple[Label, ...]:
        """The labels with children."""
        return tuple(self.nodes[v] for v, below in enumerate(self.child_indices) if below)

    @property
    def height(self) -> int:
        """The largest depth."""
        return len(self.arrays.levels)

    @property
    def is_tree(self) -> bool:
        """Whether no node has more than one parent."""
        return len(self.arrays.parent_index) == len(self) - 1

    def check_tree(self) -> None:
        """Raise an error that names a node with several parents, if there is one."""
        if not self.is_tree:
            for v in range(len(self)):
                self._parent_index(v)

    @property
    def arrays(self) -> arrays.Arrays:
        """The taxonomy as arrays of integers."""
        if self._arrays is None:
            object.__setattr__(self, "_arrays", arrays.build(self.parent_indices))
        assert self._arrays is not None
        return self._arrays

    @property
    def child_indices(self) -> tuple[tuple[int, ...], ...]:
        """The indices of each node's children."""
        if self._children is None:
            below: list[list[int]] = [[] for _ in self.nodes]
            for v, above in enumerate(self.parent_indices):
                for p in above:
                    below[p].append(v)
            object.__setattr__(self, "_children", tuple(map(tuple, below)))
        assert self._children is not None
        return self._children

    def index(self, label: Label) -> int:
        """The position of a label in taxonomy order; a path stands for the label at its end."""
        try:
            return self.label_index[label]
        except (KeyError, TypeError):  # a path, or wrong
            v = self._find(label)
        if v is None:
            raise UnknownLabelError(label, self.nodes)
        return v

    def _find(self, label: Label) -> int | None:
        try:
            v = self.label_index.get(label)
        except TypeError:
            graph.check_label(label)
            raise
        if v is None:
            v = self.path_format.find(label, self.label_index, self.implied_parents)
        return v

    def parent(self, label: Label) -> Label | None:
        """The parent; `None` for the root. Trees only."""
        v = self._parent_index(self.index(label))
        return None if v is None else self.nodes[v]

    def parents(self, label: Label) -> tuple[Label, ...]:
        """The parents, in taxonomy order."""
        return self._labels(self.parent_indices[self.index(label)])

    def children(self, label: Label) -> tuple[Label, ...]:
        """The children, in taxonomy order; in a tree, as they were given."""
        return self._labels(self.child_indices[self.index(label)])

    def ancestors(self, label: Label) -> tuple[Label, ...]:
        """The ancestors of a label, the root first, without the label itself."""
        return self._labels(sorted(graph.reach(self.parent_indices, self.index(label))))

    def path(self, label: Label) -> tuple[Label, ...]:
        """The nodes from the root down to the label, both included. Trees only."""
        return self._labels(self._climb(self.index(label)))

    def descendants(self, label: Label) -> tuple[Label, ...]:
        """The descendants of a label, in taxonomy order, without the label itself."""
        return self._labels(sorted(graph.reach(self.child_indices, self.index(label))))

    def subtree(self, label: Label) -> tuple[Label, ...]:
        """The label and its descendants, in taxonomy order."""
        return (self.nodes[self.index(label)], *self.descendants(label))

    def depth(self, label: Label) -> int:
        """The number of edges from the root; in a DAG, along the longest path."""
        return int(self.arrays.depth[self.index(label)])

    def lca(self, u: Label, v: Label) -> Label:
        """The lowest common ancestor, which may be u or v itself. Trees only; O(depth)."""
        shared = 0
        for a, b in zip(self._climb(self.index(u)), self._climb(self.index(v)), strict=False):
            if a != b:
                break
            shared = a
        return self.nodes[shared]

    def distance(self, u: Label, v: Label) -> int:
        """The number of edges between u and v. Trees only; O(depth)."""
        up, down = self._climb(self.index(u)), self._climb(self.index(v))
        shared = sum(a == b for a, b in zip(up, down, strict=False))
        return len(up) + len(down) - 2 * shared

    # Immutability and comparison

    def __len__(self) -> int:
        return len(self.nodes)

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
            self.nodes == other.nodes
            and self.parent_indices == other.parent_indices
            and self.implied_parents == other.implied_parents
        )

    def __hash__(self) -> int:
        if self._hash is None:
            object.__setattr__(self, "_hash", hash((self.nodes, self.parent_indices)))
        assert self._hash is not None
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        parts = self.nodes, self.parent_indices, self.path_format, self.implied_parents
        return type(self)._of, parts if self.implied_parents != self.parent_indices else parts[:3]

    def __repr__(self) -> str:
        kind = "" if self.is_tree else "DAG, "
        leaves = len(self.leaves)
        return (
            f"Taxonomy(root={self.root!r}, {kind}{len(self)} node{'s'[: len(self) != 1]}, "
            f"{leaves} lea{'f' if leaves == 1 else 'ves'}, height {self.height})"
        )

    def _labels(self, indices: Iterable[int]) -> tuple[Label, ...]:
        return tuple(self.nodes[v] for v in indices)

    def _parent_index(self, v: int) -> int | None:
        above = self.parent_indices[v]
        if len(above) > 1:
            raise ValueError(several_parents(self.nodes[v], self._labels(above)))
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
            "build one with Taxonomy([(parent, child), ...])"
        )
