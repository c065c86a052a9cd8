"""The numbers of the nodes of a taxonomy: labels and parents by number, and numbers by label."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Self

from .arrays import Arrays
from .graph import Label
from .node_table import NodeTable
from .paths import TUPLES, Parents, PathFormat


class NumberedNodes:
    """Labels and their parents, as the first rows of a table; immutable."""

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
        """Like `_parent_indices`, but those that had been there before `flatten`.

        They are on in `_closure_mask` with their nodes.
        """
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

    def _extends(self, other: NumberedNodes) -> bool:
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
        """The position of each label; there may be further labels, with larger numbers."""
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
