"""The nodes of a taxonomy and the relations between them, as an immutable value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from . import graph
from .arrays import Arrays, NodeTable
from .errors import UnknownLabelError
from .graph import Label
from .paths import TUPLES, Parents, PathFormat
from .show import page, text


class Nodes:
    """Labels in topological order, each with its parents: immutable, compared by value."""

    _table: NodeTable  # of which this taxonomy has the first `_size`
    _size: int
    _implied: Parents | None  # after `flatten`
    _reader: Any = None  # see `_core.labels_of`
    _path_format: PathFormat

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a taxonomy is immutable: {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a taxonomy is immutable: {name!r} cannot be deleted")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def _assemble(
        self,
        nodes: tuple[Label, ...],
        parents: Parents,
        path_format: PathFormat = TUPLES,
        implied: Parents | None = None,
    ) -> None:
        implied = None if implied == parents else implied
        self._set(NodeTable(nodes, parents), len(nodes), path_format, implied)

    def _set(
        self, table: NodeTable, size: int, path_format: PathFormat, implied: Parents | None = None
    ) -> None:
        vars(self).update(_table=table, _size=size, _path_format=path_format, _implied=implied)

    def _keep_reader(self, reader: Any) -> None:
        vars(self)["_reader"] = reader

    @classmethod
    def _of(cls, *parts: Any) -> Self:
        taxonomy = cls.__new__(cls)
        taxonomy._assemble(*parts)
        return taxonomy

    def _with_nodes(
        self,
        labels: Iterable[Label],
        parents: Iterable[tuple[int, ...]],
        path_format: PathFormat | None = None,
    ) -> Self:
        """This taxonomy, which was not flattened, with new nodes, the last ones: O(new nodes)."""
        labels, taxonomy = tuple(labels), type(self).__new__(type(self))
        table = self._table.with_nodes(self._size, labels, parents)
        taxonomy._set(table, self._size + len(labels), path_format or self._path_format)
        return taxonomy

    @cached_property
    def nodes(self) -> tuple[Label, ...]:
        """All labels in taxonomy order, the root first."""
        return tuple(self._table.labels[: self._size])

    @cached_property
    def _parent_indices(self) -> Parents:
        """The indices of each node's parents."""
        return tuple(self._table.parents[: self._size])

    @property
    def _implied_parents(self) -> Parents:
        """The parents before `flatten`, which are on in `_closure_mask` with their nodes."""
        return self._implied or self._parent_indices

    @property
    def _parent_rows(self) -> Sequence[tuple[int, ...]]:
        """Like `_parent_indices`, but O(1): there may be further rows."""
        return self._table.parents

    @property
    def _implied_rows(self) -> Sequence[tuple[int, ...]]:
        """Like `_implied_parents`, but O(1): there may be further rows."""
        return self._implied or self._table.parents

    def _rows_from(self, first: int) -> tuple[Any, ...]:
        """The labels of the nodes from `first` on, their parents, and the implied ones."""
        span = slice(first, self._size)
        columns = self._table.labels, self._parent_rows, self._implied_rows
        return tuple(column[span] for column in columns)

    def _extends(self, other: Nodes) -> bool:
        """Whether this is the other taxonomy with new nodes, all of them the last ones."""
        n = len(other)
        if self._table is other._table:
            return len(self) >= n
        return (
            self.nodes[:n] == other.nodes
            and self._parent_indices[:n] == other._parent_indices
            and self._implied_parents[:n] == other._implied_parents
        )

    @property
    def _label_numbers(self) -> dict[Label, int]:
        """The position of each label, and perhaps of further ones."""
        return self._table.index

    def _label(self, v: int) -> Label:
        """The label of a node, by its position in taxonomy order."""
        return self._table.labels[v]

    def _known_index(self, label: Label) -> int | None:
        """The position of a label, spelled as in the taxonomy; None if there is no such label."""
        v = self._table.index.get(label)
        return None if v is None or v >= self._size else v

    def _known_indices(self, labels: Iterable[Label]) -> list[int]:
        """The positions of labels, spelled as in the taxonomy; a `KeyError` if one is unknown."""
        found = list(map(self._table.index.__getitem__, labels))
        if found and max(found) >= self._size:
            raise KeyError("a label of a later taxonomy")
        return found

    @cached_property
    def _arrays(self) -> Arrays:
        """The taxonomy as arrays of integers."""
        return self._table.arrays(self._size)

    def _children_of(self, v: int) -> tuple[int, ...]:
        """The indices of a node's children: O(children)."""
        return self._table.children(v, self._size)

    @cached_property
    def _child_indices(self) -> tuple[tuple[int, ...], ...]:
        """The indices of each node's children."""
        below: list[list[int]] = [[] for _ in self.nodes]
        for v, above in enumerate(self._parent_indices):
            for p in above:
                below[p].append(v)
        return tuple(map(tuple, below))

    def __len__(self) -> int:
        return self._size

    def _labels(self, indices: Iterable[int]) -> tuple[Label, ...]:
        return tuple(self._table.labels[v] for v in indices)

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
    def _inner(self) -> tuple[Label, ...]:
        """The labels with children."""
        return tuple(self.nodes[v] for v, below in enumerate(self._child_indices) if below)

    @property
    def height(self) -> int:
        """The largest depth."""
        return len(self._arrays.levels)

    @property
    def _is_tree(self) -> bool:
        """Whether no node has more than one parent."""
        return len(self._arrays.parent_index) == len(self) - 1

    @property
    def _is_star(self) -> bool:
        """Whether all nodes are children of the root, also before `flatten`."""
        return self._implied is None and len(self._child_indices[0]) == len(self) - 1

    def _check_tree(self) -> None:
        """Raise an error that names a node with several parents, if there is one."""
        if not self._is_tree:
            for v in range(len(self)):
                self._parent_index(v)

    def index(self, label: Label) -> int:
        """The position of a label in taxonomy order; a path stands for the label at its end."""
        v = self._find(label)
        if v is None:
            raise UnknownLabelError(label, self.nodes)
        return v

    def nearest(self, path: Label) -> Label:
        """The label of a path, or of its nearest ancestor in the taxonomy: at worst the root."""
        known = self._known_index(path)
        if known is not None:
            return self._label(known)
        v, names = 0, self._path_format.names(path)
        for level, label in enumerate(self._path_format.labels(names)):
            below = self._known_index(label)
            if below is None or not (v in self._implied_rows[below] or below == level == 0):
                break
            v = below
        return self._label(v)

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
        up, down = self._climb(self.index(u)), self._climb(self.index(v))
        return self._label([a for a, b in zip(up, down, strict=False) if a == b][-1])

    def distance(self, u: Label, v: Label) -> int:
        """The number of edges between u and v. Trees only; O(depth)."""
        up, down = self._climb(self.index(u)), self._climb(self.index(v))
        shared = sum(a == b for a, b in zip(up, down, strict=False))
        return len(up) + len(down) - 2 * shared

    def show(self, max_depth: int | None = None) -> str:
        """The taxonomy as text, one line for each node.

        With `labels="path"`, the last name of each path is shown. A node of a DAG has its children
        below its first parent only. O(nodes that are shown).

        Parameters
        ----------
        max_depth
            The depth of the lowest nodes to show; `(+12)` stands for the 12 nodes below a node.

        Examples
        --------

        >>> from river_hier import Taxonomy

        >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
        >>> t.show()
        animal
        ├── mammal
        │   ├── wolf
        │   └── whale
        └── bird
            └── owl

        >>> t.show(max_depth=1)
        animal
        ├── mammal (+2)
        └── bird (+1)

        """
        return text(self, max_depth)

    def _repr_html_(self) -> str:
        return page(self)

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
        return type(self)._of, parts

    def __repr__(self) -> str:
        kind = "" if self._is_tree else "DAG, "
        leaves = len(self.leaves)
        return (
            f"Taxonomy(root={self.root!r}, {kind}{len(self)} node{'s'[: len(self) != 1]}, "
            f"{leaves} lea{'f' if leaves == 1 else 'ves'}, height {self.height})"
        )

    def _parent_index(self, v: int) -> int | None:
        above = self._table.parents[v]
        if len(above) > 1:
            one, other, *_ = self._labels(above)
            raise ValueError(
                f"node {self._label(v)!r} has {len(above)} parents ({one!r}, {other!r}"
                f"{', ...' * (len(above) > 2)}), and this is defined in trees only. Multilabel "
                "models take a DAG. If a tree was intended: edges are (parent, child) pairs, and "
                'Taxonomy.from_paths(paths, labels="path") tells nodes of the same name apart'
            )
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
