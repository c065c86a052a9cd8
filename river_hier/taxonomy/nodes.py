"""The nodes of a taxonomy and the relations between them, as an immutable value."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

from . import graph
from .arrays import Arrays, Parents
from .errors import UnknownLabelError
from .graph import Label
from .paths import TUPLES, PathFormat
from .show import page, text


class Nodes:
    """Labels in topological order, each with its parents: immutable, compared by value."""

    _arrays: Arrays  # all that other modules read of what is not public
    _path_format: PathFormat

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a taxonomy is immutable: {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a taxonomy is immutable: {name!r} cannot be deleted")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    @classmethod
    def _of(
        cls,
        nodes: Sequence[Label],
        parents: Parents,
        path_format: PathFormat = TUPLES,
        implied: Parents | None = None,
        aliases: Mapping[Label, int] | None = None,
    ) -> Self:
        return cls.__new__(cls)._with(Arrays.of(nodes, parents, implied, aliases), path_format)

    def _with(self, arrays: Arrays, path_format: PathFormat = TUPLES) -> Self:
        vars(self).update(_arrays=arrays, _path_format=path_format)
        return self

    def _with_nodes(
        self,
        labels: Iterable[Label],
        parents: Iterable[tuple[int, ...]],
        path_format: PathFormat | None = None,
    ) -> Self:
        """This taxonomy, which was not flattened, with new nodes, the last ones: O(new nodes)."""
        arrays = self._arrays.with_nodes(tuple(labels), parents)
        return type(self).__new__(type(self))._with(arrays, path_format or self._path_format)

    @cached_property
    def nodes(self) -> tuple[Label, ...]:
        """All labels in taxonomy order, the root first."""
        return self._arrays.nodes

    def __len__(self) -> int:
        return self._arrays.n

    @property
    def edges(self) -> tuple[tuple[Label, Label], ...]:
        """The pairs `(parent, child)`, sorted by parents, and then by children."""
        nodes = self.nodes
        return tuple(
            (nodes[p], nodes[v]) for p, below in enumerate(self._arrays.children) for v in below
        )

    @property
    def root(self) -> Label:
        """The label of the root."""
        return self._arrays.label(0)

    @property
    def leaves(self) -> tuple[Label, ...]:
        """The labels without children."""
        return self._arrays.labels(self._arrays.leaves.tolist())

    @property
    def height(self) -> int:
        """The largest depth."""
        return len(self._arrays.levels)

    def index(self, label: Label) -> int:
        """The position of a label in taxonomy order; a path stands for the label at its end."""
        v = self._find(label)
        if v is None:
            raise UnknownLabelError(label, self.nodes)
        return v

    def nearest(self, path: Label) -> Label:
        """The label of a path, or of its nearest ancestor in the taxonomy: at worst the root."""
        path = tuple(path) if isinstance(path, list) else path
        known = self._arrays.number(path)
        if known is not None:
            return self._arrays.label(known)
        v, names = 0, self._path_format.names(path)
        for level, label in enumerate(self._path_format.labels(names)):
            below = self._arrays.number(label)
            if below is None or not (v in self._arrays.implied_rows[below] or below == level == 0):
                break
            v = below
        return self._arrays.label(v)

    def _find(self, label: Label) -> int | None:
        label = tuple(label) if isinstance(label, list) else label
        try:
            v = self._arrays.number(label)
        except TypeError:
            graph.check_label(label)
            raise
        if v is None:
            v = self._path_format.find(label, self)
        return v

    def parent(self, label: Label) -> Label | None:
        """The parent; `None` for the root. Trees only."""
        v = self._arrays.parent(self.index(label))
        return None if v is None else self._arrays.label(v)

    def parents(self, label: Label) -> tuple[Label, ...]:
        """The parents, in taxonomy order."""
        return self._arrays.labels(self._arrays.rows[self.index(label)])

    def children(self, label: Label) -> tuple[Label, ...]:
        """The children, in taxonomy order; in a tree, as they were given."""
        return self._arrays.labels(self._arrays.children_of(self.index(label)))

    def ancestors(self, label: Label) -> tuple[Label, ...]:
        """The ancestors of a label, the root first, without the label itself."""
        return self._arrays.labels(sorted(graph.reach(self._arrays.rows, self.index(label))))

    def path(self, label: Label) -> tuple[Label, ...]:
        """The nodes from the root down to the label, both included. Trees only."""
        return self._arrays.labels(self._arrays.path(self.index(label)))

    def _names(self, label: Label) -> tuple[Label, ...]:
        """The path as names, by which the label is read too; none for a root that is on no path."""
        path, names = self.path(label), self._path_format.names
        if not self._path_format.whole:
            return path
        is_above = len(path) == 1 and all(len(names(v)) == 1 for v in self.children(label)[:1])
        return () if is_above else names(label)

    def descendants(self, label: Label) -> tuple[Label, ...]:
        """The descendants of a label, in taxonomy order, without the label itself."""
        return self._arrays.labels(sorted(graph.reach(self._arrays.children, self.index(label))))

    def depth(self, label: Label) -> int:
        """The number of edges from the root; in a DAG, along the longest path."""
        return int(self._arrays.depth[self.index(label)])

    def lca(self, u: Label, v: Label) -> Label:
        """The lowest common ancestor, which may be u or v itself. Trees only; O(depth)."""
        up, down = self._arrays.path(self.index(u)), self._arrays.path(self.index(v))
        return self._arrays.label([a for a, b in zip(up, down, strict=False) if a == b][-1])

    def distance(self, u: Label, v: Label) -> int:
        """The number of edges between u and v. Trees only; O(depth)."""
        up, down = self._arrays.path(self.index(u)), self._arrays.path(self.index(v))
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
        return len(self) == len(other) and self._arrays.extends(other._arrays)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.nodes, self._arrays.parents))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of, self.__getstate__()

    def __getstate__(self) -> tuple[Any, ...]:
        arrays = self._arrays
        return self.nodes, arrays.parents, self._path_format, arrays.implied, arrays.aliases

    def __setstate__(self, parts: tuple[Any, ...]) -> None:  # by skops
        vars(self).update(vars(type(self)._of(*parts)))

    def __repr__(self) -> str:
        kind = "" if self._arrays.is_tree else "DAG, "
        leaves = len(self._arrays.leaves)
        return (
            f"Taxonomy(root={self.root!r}, {kind}{len(self)} node{'s'[: len(self) != 1]}, "
            f"{leaves} lea{'f' if leaves == 1 else 'ves'}, height {self.height})"
        )


def check_taxonomy(taxonomy: object) -> None:
    """`taxonomy` must be a Taxonomy."""
    if not isinstance(taxonomy, Nodes):
        raise TypeError(
            f"`taxonomy` must be a Taxonomy, got {type(taxonomy).__name__}; "
            "build one with Taxonomy([(parent, child), ...]), Taxonomy.from_nested(dictionary) or "
            "Taxonomy.from_paths(paths)"
        )
