"""The taxonomy."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import arrays, doors, graph, multilabel
from .errors import UnknownLabelError

if TYPE_CHECKING:
    import networkx as nx

Label = Hashable


class Taxonomy:
    """An immutable rooted taxonomy: a tree, or a DAG in which a node has several parents.

    Nodes are named by labels, any hashable value. They stand in *taxonomy order*: topological,
    level by level, the root first, children in the order in which they were given. The root is
    always on. Building and validating takes O(nodes + edges); no table over pairs of nodes is
    ever made.

    Parameters
    ----------
    edges
        Pairs `(parent, child)`. The one node without a parent is the root; several such nodes
        are joined under a new root.
    root
        The label of that new root, `"root"` by default. Where the edges have one root already,
        it may be repeated here.

    Examples
    --------

    >>> from river_hier import Taxonomy

    >>> t = Taxonomy([
    ...     ("animal", "mammal"), ("animal", "bird"),
    ...     ("mammal", "wolf"), ("mammal", "whale"), ("bird", "owl"),
    ... ])
    >>> t
    Taxonomy(root='animal', 6 nodes, 3 leaves, height 2)

    >>> t.nodes
    ('animal', 'mammal', 'bird', 'wolf', 'whale', 'owl')

    >>> t.path("wolf")
    ('animal', 'mammal', 'wolf')

    >>> sorted(t.closure(["wolf", "bird"]))
    ['animal', 'bird', 'mammal', 'wolf']

    >>> t.lca("wolf", "owl")
    'animal'

    >>> t.distance("wolf", "owl")
    4

    """

    __slots__ = ("_arrays", "_child_indices", "_hash", "label_index", "nodes", "parent_indices")

    nodes: tuple[Label, ...]
    """All labels in taxonomy order, the root first."""
    label_index: dict[Label, int]
    parent_indices: tuple[tuple[int, ...], ...]

    def __init__(self, edges: Iterable[tuple[Label, Label]], root: Label | None = None):
        self._assemble(*graph.build(edges, root=root))

    def _assemble(self, nodes: tuple[Label, ...], parents: tuple[tuple[int, ...], ...]) -> None:
        below: list[list[int]] = [[] for _ in nodes]
        for v, above in enumerate(parents):
            for p in above:
                below[p].append(v)
        for name, value in (
            ("nodes", nodes),
            ("label_index", {label: i for i, label in enumerate(nodes)}),
            ("parent_indices", parents),
            ("_child_indices", tuple(map(tuple, below))),
            ("_arrays", None),
            ("_hash", None),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def _of(cls, nodes: tuple[Label, ...], parents: tuple[tuple[int, ...], ...]) -> Taxonomy:
        taxonomy = cls.__new__(cls)
        taxonomy._assemble(nodes, parents)
        return taxonomy

    # Other doors in and out

    @classmethod
    def from_parents(
        cls, parents: Mapping[Label, Label | None], root: Label | None = None
    ) -> Taxonomy:
        """From `{child: parent}`; a root may be listed with parent `None`."""
        nodes, edges = doors.from_parents(parents)
        return cls._of(*graph.build(edges, nodes, root))

    @classmethod
    def from_paths(cls, paths: Iterable[Iterable[Label]], root: Label | None = None) -> Taxonomy:
        """From `[(a, b, c), ...]`, paths that start at the top."""
        nodes, edges = doors.from_paths(paths)
        return cls._of(*graph.build(edges, nodes, root))

    @classmethod
    def from_nested(cls, nested: Mapping[Label, Any], root: Label | None = None) -> Taxonomy:
        """From `{label: what is below it}`: mappings, lists of labels, or `None` for a leaf."""
        nodes, edges = doors.from_nested(nested)
        return cls._of(*graph.build(edges, nodes, root))

    @classmethod
    def from_networkx(cls, g: nx.DiGraph[Any], root: Label | None = None) -> Taxonomy:
        """From a `networkx.DiGraph` whose edges point from parent to child."""
        return cls._of(*graph.build(g.edges, g.nodes, root))

    @classmethod
    def flat(cls, labels: Iterable[Label], root: Label = graph.DEFAULT_ROOT) -> Taxonomy:
        """A star: all the labels under one root."""
        return cls._of(*graph.build(((root, label) for label in labels), [root], root))

    @property
    def edges(self) -> Iterator[tuple[Label, Label]]:
        """The pairs `(parent, child)`: `Taxonomy(t.edges) == t`."""
        for v, label in enumerate(self.nodes):
            for child in self._child_indices[v]:
                yield label, self.nodes[child]

    def to_networkx(self) -> nx.DiGraph[Any]:
        """A `networkx.DiGraph` with an edge from each parent to each child."""
        import networkx as nx  # an extra: only this door needs it

        g: nx.DiGraph[Any] = nx.DiGraph()
        g.add_nodes_from(self.nodes)
        g.add_edges_from(self.edges)
        return g

    # Looking around

    @property
    def root(self) -> Label:
        """The label of the root."""
        return self.nodes[0]

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
        return int(self.arrays.depth[-1])

    @property
    def is_tree(self) -> bool:
        """Whether no node has more than one parent."""
        return all(len(above) <= 1 for above in self.parent_indices)

    @property
    def arrays(self) -> arrays.Arrays:
        """The taxonomy as the kernels see it; made at the first call and kept."""
        if self._arrays is None:
            object.__setattr__(self, "_arrays", arrays.build(self.parent_indices))
        return self._arrays  # type: ignore[no-any-return]

    def index(self, label: Label) -> int:
        """The position of a label in taxonomy order."""
        try:
            return self.label_index[label]
        except KeyError:
            raise UnknownLabelError(label, self.nodes) from None
        except TypeError:
            graph.check_label(label, "y")
            raise

    def parent(self, label: Label) -> Label | None:
        """The parent; `None` for the root. Trees only."""
        v = self._parent_index(self.index(label))
        return None if v is None else self.nodes[v]

    def parents(self, label: Label) -> tuple[Label, ...]:
        """The parents, in taxonomy order."""
        return self._labels(self.parent_indices[self.index(label)])

    def children(self, label: Label) -> tuple[Label, ...]:
        """The children, in the order in which they were given."""
        return self._labels(self._child_indices[self.index(label)])

    def ancestors(self, label: Label) -> tuple[Label, ...]:
        """The nodes above, the root first; the label itself is not among them."""
        return self._labels(sorted(_reach(self.parent_indices, self.index(label))))

    def path(self, label: Label) -> tuple[Label, ...]:
        """The nodes from the root down to the label, both included. Trees only."""
        return self._labels(self._climb(self.index(label)))

    def descendants(self, label: Label) -> tuple[Label, ...]:
        """The nodes below, in taxonomy order; the label itself is not among them."""
        return self._labels(sorted(_reach(self._child_indices, self.index(label))))

    def subtree(self, label: Label) -> tuple[Label, ...]:
        """The label and its descendants, in taxonomy order."""
        return (self.nodes[self.index(label)], *self.descendants(label))

    def depth(self, label: Label) -> int:
        """Edges from the root; along the longest way, where a DAG offers several."""
        return int(self.arrays.depth[self.index(label)])

    def lca(self, u: Label, v: Label) -> Label:
        """The lowest common ancestor, which may be u or v itself. Trees only; O(depth)."""
        shared = 0
        for a, b in zip(
            self._climb(self.index(u)), self._climb(self.index(v)), strict=False
        ):
            if a != b:
                break
            shared = a
        return self.nodes[shared]

    def distance(self, u: Label, v: Label) -> int:
        """Edges on the way from u to v. Trees only; O(depth)."""
        up, down = self._climb(self.index(u)), self._climb(self.index(v))
        shared = sum(a == b for a, b in zip(up, down, strict=False))
        return len(up) + len(down) - 2 * shared

    # Multilabels

    def closure(self, labels: Any) -> frozenset[Label]:
        """The labels and all their ancestors, root included."""
        return frozenset(self._labels(multilabel.closed(self, labels)))

    def multilabel(self, y: Any) -> NDArray[np.bool_]:
        """The closure of a label, an iterable of labels or `{label: bool}`, as a mask `(n,)`."""
        mask = np.zeros(len(self), dtype=np.bool_)
        mask[list(multilabel.closed(self, y))] = True
        return mask

    def truncate(self, y: Any) -> frozenset[Label]:
        """The labels of y all of whose ancestors are in y too, and the root."""
        kept: set[int] = set()
        for v in sorted(multilabel.literal(self, y)):  # parents come before their children
            if all(p in kept for p in self.parent_indices[v]):
                kept.add(v)
        return frozenset(self._labels(kept))

    # Other taxonomies

    def flatten(self) -> Taxonomy:
        """The same labels as one star around the same root."""
        return Taxonomy._of(self.nodes, ((), *(((0,),) * (len(self) - 1))))

    def subset(self, labels: Iterable[Label]) -> Taxonomy:
        """The taxonomy induced by the root and these labels.

        A node whose parent is left out hangs under the nearest ancestor that is kept.
        """
        kept = {0, *map(self.index, labels)}
        above: dict[int, set[int]] = {}  # of every node, its nearest ancestors that are kept
        for v, parents in enumerate(self.parent_indices):
            nearest = {u for p in parents for u in ({p} if p in kept else above[p])}
            if not kept.issuperset(parents):  # a way around may have made an edge redundant
                nearest -= {a for u in nearest for a in _reach(self.parent_indices, u)}
            above[v] = nearest
        edges = ((self.nodes[p], self.nodes[v]) for v in sorted(kept) for p in sorted(above[v]))
        return Taxonomy._of(*graph.build(edges, [self.root], self.root))

    # A value

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Label]:
        return iter(self.nodes)

    def __contains__(self, label: object) -> bool:
        return label in self.label_index

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Taxonomy):
            return NotImplemented
        return self is other or (
            self.nodes == other.nodes and self.parent_indices == other.parent_indices
        )

    def __hash__(self) -> int:
        if self._hash is None:
            object.__setattr__(self, "_hash", hash((self.nodes, self.parent_indices)))
        return self._hash  # type: ignore[no-any-return]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a taxonomy is immutable: {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a taxonomy is immutable: {name!r} cannot be deleted")

    def __copy__(self) -> Taxonomy:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Taxonomy:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Taxonomy._of, (self.nodes, self.parent_indices)

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
            raise ValueError(
                f"node {self.nodes[v]!r} has {len(above)} parents ({self.nodes[above[0]]!r}, "
                f"{self.nodes[above[1]]!r}{', ...' if len(above) > 2 else ''}); "
                "this is defined in trees only"
            )
        return above[0] if above else None

    def _climb(self, v: int) -> list[int]:
        """The path from the root to v."""
        path = [v]
        while (above := self._parent_index(path[-1])) is not None:
            path.append(above)
        return path[::-1]


def _reach(neighbours: tuple[tuple[int, ...], ...], v: int) -> set[int]:
    """All nodes that can be reached from v, itself left out."""
    reached: set[int] = set()
    stack = list(neighbours[v])
    while stack:
        u = stack.pop()
        if u not in reached:
            reached.add(u)
            stack += neighbours[u]
    return reached
