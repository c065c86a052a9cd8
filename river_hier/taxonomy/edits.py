"""Edits of a taxonomy: nodes are renamed, moved, merged, split and retired, in one checked step."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, cast

import numpy as np

from .arrays import Arrays, Ints
from .editing import check_current
from .errors import UnknownLabelError, short
from .graph import Label, check_label, reach, topological
from .nodes import Nodes, check_taxonomy


class Edit:
    """What becomes of each node of a taxonomy when it is edited, for `model.adopt`.

    `Taxonomy.edit` makes it from a list of changes. If there is no such list, it is derived from
    the two taxonomies and the labels that differ.

    Parameters
    ----------
    before
        The taxonomy before the edit.
    after
        The one after it.
    to
        `{old label: new label}` of the nodes whose label differs. Nodes with the same new label are
        merged; a node that becomes its parent is retired.
    split
        Leaves of `before` whose new children share their examples. Other new nodes are unseen.

    Attributes
    ----------
    labels : dict
        `{old label: new label}` of all nodes whose label differs.
    new : tuple
        The labels of the nodes that were no node before.

    Examples
    --------
    >>> from river_hier import Taxonomy
    >>> from river_hier.taxonomy import Edit

    >>> before = Taxonomy.from_nested({"shop": {"men": ["shirts", "caps"], "shoes": None}})
    >>> after = Taxonomy.from_nested({"shop": {"men": ["tops"], "footwear": None}})
    >>> edit = Edit(before, after, {"shirts": "tops", "caps": "men", "shoes": "footwear"})
    >>> edit.labels
    {'shoes': 'footwear', 'shirts': 'tops', 'caps': 'men'}
    >>> len(edit.after)
    4
    """

    def __init__(
        self,
        before: Nodes,
        after: Nodes,
        to: Mapping[Label, Label] | None = None,
        split: Iterable[Label] = (),
    ) -> None:
        check_taxonomy(before)
        check_taxonomy(after)
        became: dict[int, Any] = {}
        for old, new in (to or {}).items():
            became[before.index(old)] = after.index(new)
        for v, label in enumerate(before.nodes):
            became.setdefault(v, after._arrays.number(label))
            if became[v] is None:
                raise ValueError(
                    f"label {label!r} is not in the new taxonomy; say in `to` what has become of "
                    "it: its parent, if it is retired"
                )
        if became[0] != 0:
            raise ValueError(f"the root {before.root!r} must become the root {after.root!r}")
        nodes = np.array([became[v] for v in range(len(before))], dtype=np.intp)
        shared = {c for leaf in split for c in after._arrays.children_of(nodes[before.index(leaf)])}
        self._with(before, after, nodes, np.array(sorted(shared.difference(nodes.tolist()))))

    def _with(self, before: Nodes, after: Nodes, nodes: Ints, split: Ints) -> "Edit":
        self.before: Any = before
        self.after: Any = after
        self._nodes = nodes  # the new node of each old one
        self._split = split.astype(np.intp)  # the new nodes that share with their parents
        return self

    def __repr__(self) -> str:
        return f"Edit({len(self.labels)} labels, {self.before!r} -> {self.after!r})"

    @cached_property
    def labels(self) -> dict[Label, Label]:
        new = self.after._arrays.labels(self._nodes.tolist())
        return {u: v for u, v in zip(self.before.nodes, new, strict=True) if u != v}

    @property
    def new(self) -> tuple[Label, ...]:
        return self.after._arrays.labels(np.flatnonzero(self._first < 0).tolist())

    @cached_property
    def _first(self) -> Ints:
        """For each new node an old one that it was, that of its label if it is one; -1 if none."""
        first = np.full(len(self.after), -1)
        first[self._nodes[::-1]] = np.arange(len(self._nodes))[::-1]
        for v in np.flatnonzero(np.bincount(self._nodes, minlength=len(first)) > 1).tolist():
            old = self.before._arrays.number(self.after._arrays.label(v))
            first[v] = old if old is not None and self._nodes[old] == v else first[v]
        return first

    @cached_property
    def _renames(self) -> bool:
        """Whether nothing but labels differs."""
        before, after = self.before._arrays, self.after._arrays
        same = before.n == after.n and before.parents == after.parents
        return same and bool((self._nodes == np.arange(before.n)).all())

    def _rows(self, rows: Any, new: Any = 0.0) -> Any:
        """The rows of the old nodes that the new ones first were, and those of new nodes."""
        known = self._first >= 0
        return np.where(known.reshape(-1, *[1] * (rows.ndim - 1)), rows[self._first], new)

    def _closed(self, on: Iterable[int]) -> list[int]:
        """What becomes of a closed multilabel: the lowest old nodes, with their ancestors now."""
        on, above = set(on), self.after._arrays.parents
        inner = {p for v in on for p in self.before._arrays.parents[v]}
        low = {int(self._nodes[v]) for v in on - inner}
        return sorted(low.union(*(reach(above, v) for v in low)))

    @cached_property
    def _moves(self) -> list[tuple[int, set[int], set[int]]]:
        """The old nodes that are below other nodes now than they were.

        Of each come the old nodes that it has left, with itself, and its new ancestors.
        """
        old, new = self.before._arrays.parents, self.after._arrays.parents
        nodes, moves = self._nodes.tolist(), []
        for u, above in enumerate(old):
            v = nodes[u]
            if u and not {nodes[p] for p in above}.issubset((v, *new[v])):
                now, was = reach(new, v), {u, *reach(old, u)}
                left = {x for x in was if nodes[x] not in now}
                moves.append((u, left, now.difference(nodes[x] for x in was)))
        return moves

    @cached_property
    def _merged(self) -> dict[int, list[int]]:
        """The new nodes that were several old ones, and these, the first one first."""
        several = np.bincount(self._nodes, minlength=len(self.after)) > 1
        first, merged = self._first, dict[int, list[int]]()
        for u in np.flatnonzero(several[self._nodes]).tolist():
            merged.setdefault(int(self._nodes[u]), []).append(u)
        return {v: sorted(old, key=lambda u: u != first[v]) for v, old in merged.items()}


def check_edits(taxonomy: Nodes, edit: Edit) -> None:
    """Raise an error if this is an edit of another taxonomy."""
    if edit.before != taxonomy:
        raise ValueError(
            f"the edit is one of another taxonomy, {edit.before!r}, than {taxonomy!r}; make it by "
            "model.taxonomy_.edit(changes)"
        )


class Draft:
    """A taxonomy to which one change after the other is applied; its first nodes are the old ones.

    A change takes O(nodes that it touches), `finished` O(nodes).
    """

    def __init__(self, before: Nodes) -> None:
        if before._arrays.implied is not None:
            raise ValueError("a flattened taxonomy cannot be edited; edit it before `flatten`")
        self.before = before
        self.n: int = len(before)
        self._path = before._path_format
        self._above = self._path.whole and not before._names(before.root)  # no path has the root
        self._rows: dict[int, tuple[int, ...]] = {}  # of the nodes whose parents change
        self._labels: dict[int, Label] = {}  # of those that are new or renamed
        self._numbers: dict[Label, int | None] = {}  # of the labels that come and go
        self._became: dict[int, int] = {}  # what is merged or retired
        self._split: list[int] = []

    def apply(self, changes: Iterable[Mapping[str, Any]]) -> None:
        for number, change in enumerate(changes):
            try:
                self._apply(change)
            except (TypeError, ValueError, UnknownLabelError) as error:
                raise ValueError(f"change {number}, {short(change)}: {error}") from None

    def _apply(self, change: Any) -> None:
        verbs = {"rename": self.rename, "move": self.move, "merge": self.merge, "split": self.split}
        if not isinstance(change, Mapping) or not (
            change.keys() == {"retire"} or (len(change) == 2 and "to" in change)
        ):
            raise TypeError('a change must be {"rename": label, "to": label} or of another kind')
        if "retire" in change:
            return self.retire(self.node(change["retire"]))
        (verb,) = change.keys() - {"to"}
        if verb not in verbs:
            raise ValueError(f"{verb!r} must be one of {', '.join(verbs)} and retire")
        verbs[verb](change[verb], change["to"])

    # The changes

    def rename(self, label: Label, to: Label) -> None:
        v = self.node(label)
        self._call(v, self._named(v, to))

    def move(self, label: Label, to: Label) -> None:
        v, parent = self._below_root(label), self.node(to)
        if v == parent or v in self._ancestors(parent):
            raise ValueError(f"{self.label(parent)!r} lies below {self.label(v)!r} itself")
        self._put(v, (parent,))

    def merge(self, labels: Sequence[Label], to: Label) -> None:
        if not isinstance(labels, list | tuple):
            raise TypeError(f"`merge` must be a list of labels, got {short(labels)}")
        target = None if self._number(to) is None else self.node(to)
        nodes = [self._below_root(label) for label in labels]
        nodes = [*dict.fromkeys([*([] if target is None else [target]), *nodes])]
        for v in nodes:
            if above := self._ancestors(v).intersection(nodes):
                raise ValueError(f"{self.label(v)!r} lies below {self.label(above.pop())!r}")
        first, *others = nodes
        for v in others:
            self._become(v, first)
        if target is None:
            self._call(first, self._named(first, to))

    def split(self, label: Label, to: Sequence[Label]) -> None:
        v = self.node(label)
        if not isinstance(to, list | tuple) or not to:
            raise TypeError(f"`to` must be a list of the children's labels, got {short(to)}")
        if below := self.children(v):
            raise ValueError(f"it has children, as {self.label(below[0])!r}; only leaves are split")
        for name in to:
            self._rows[self.n] = (v,)
            self._call(self.n, self._named(self.n, name))
            self._split.append(self.n)
            self.n += 1

    def retire(self, v: int) -> None:
        if len(above := self[v]) != 1:
            raise ValueError(
                f"it has {len(above)} parents, to one of which its examples would belong"
                if above
                else "the root cannot be retired"
            )
        self._become(v, above[0])

    # The nodes

    def __getitem__(self, v: int) -> tuple[int, ...]:
        """The parents of a node."""
        return self._rows[v] if v in self._rows else self.before._arrays.rows[v]

    def _ancestors(self, v: int) -> set[int]:
        return reach(cast(Any, self), v)

    def label(self, v: int) -> Label:
        return self._labels[v] if v in self._labels else self.before._arrays.label(v)

    def children(self, v: int) -> list[int]:
        old = self.before._arrays.children_of(v) if v < len(self.before) else ()
        below = [*(u for u in old if u not in self._rows), *self._rows]
        return [u for u in below if u not in self._became and v in self[u]]

    def node(self, label: Label) -> int:
        label = tuple(label) if isinstance(label, list) else label
        if (v := self._number(label)) is None:
            raise UnknownLabelError(label, self.before.nodes)
        if label not in self._numbers:
            check_current(self.before, label, v)
        return v

    def _number(self, label: Label) -> int | None:
        label = tuple(label) if isinstance(label, list) else label
        check_label(label)
        if label in self._numbers:
            return self._numbers[label]
        v = self.before._find(label)
        return None if v in self._labels or v in self._became else v

    def _below_root(self, label: Label) -> int:
        if not (v := self.node(label)):
            raise ValueError(f"{label!r} is the root, which stays where it is")
        return v

    def _named(self, v: int, name: Label) -> Label:
        """The label of a node if it gets a new name, which may be given as its whole path."""
        name = tuple(name) if isinstance(name, list) else name
        check_label(name)
        if not self._path.whole or (not v and self._above):
            return name
        above = self.label(self[v][0]) if v and not (self._above and self[v] == (0,)) else None
        *path, name = self._path.names(name) if self._is_path(name) else (name,)
        if path and tuple(path) != (() if above is None else self._path.names(above)):
            raise ValueError(f"{short(name)} would lie below another node; move it first")
        return self._path.child(above, self._path.name(name))

    def _is_path(self, name: Label) -> bool:
        return isinstance(name, tuple) or bool(self._path.separator)

    def _call(self, v: int, label: Label) -> None:
        """Give a node a label; where labels are paths, what is below it is renamed with it."""
        known = v < len(self.before) or v in self._labels
        if known and (old := self.label(v)) == label:
            return
        if self._number(label) not in (None, v):
            raise ValueError(f"the label {label!r} is taken; merge nodes of one name from below")
        if known and self._numbers.get(old, v) == v:
            self._numbers[old] = None
        self._labels[v], self._numbers[label] = label, v
        if self._path.whole:
            for u in self.children(v):
                self._call(u, self._named(u, self._path.names(self.label(u))[-1]))

    def _put(self, v: int, parents: tuple[int, ...]) -> None:
        self._rows.pop(v, None)
        self._rows[v] = parents  # the last of its siblings
        if self._path.whole:
            self._call(v, self._named(v, self._path.names(self.label(v))[-1]))

    def _become(self, v: int, other: int) -> None:
        below = self.children(v)
        self._became[v] = other
        self._numbers[self.label(v)] = None
        for u in below:
            self._put(u, tuple(dict.fromkeys(other if p == v else p for p in self[u])))

    # The result

    def finished(self, old_labels: bool) -> Edit:
        before, gone = self.before._arrays, self._became
        order = self._order()
        nodes = np.zeros(self.n, dtype=np.intp)
        nodes[order] = np.arange(len(order))
        for v in gone:
            u = v
            while u in gone:
                u = gone[u]
            nodes[v] = nodes[u]
        labels, rows = list(before.nodes), before.parents
        labels += [None] * (self.n - len(labels))
        for v, label in self._labels.items():
            labels[v] = label
        if self._rows or gone:
            new = nodes.tolist()
            parents = [*rows, *((),) * (self.n - before.n)]
            for v, row in self._rows.items():
                parents[v] = row
            rows = tuple(tuple(sorted([new[p] for p in parents[v]])) for v in order)
            labels = [labels[v] for v in order]
        aliases = dict[Label, int]()
        if old_labels:
            changed = {v for v in (*self._labels, *gone) if v < before.n}
            aliases = {label: int(nodes[v]) for label, v in before.aliases.items()}
            aliases |= {before.label(v): int(nodes[v]) for v in changed}
        arrays = Arrays.of(tuple(labels), rows, None, aliases)
        after = type(self.before).__new__(type(self.before))._with(arrays, self._path)
        split = nodes[[v for v in self._split if v not in gone]]
        return Edit.__new__(Edit)._with(self.before, after, nodes[: before.n], split)

    def _order(self) -> list[int]:
        """The nodes that stay, parents first: those that cannot stay in their place are last."""
        late, waiting = set[int](), [v for v, row in self._rows.items() if max(row, default=0) > v]
        while waiting:
            if (v := waiting.pop()) not in late:
                late.add(v)
                waiting += self.children(v)
        late -= self._became.keys()
        children = {v: self.children(v) for v in late}
        above = {v: len(late.intersection(self[v])) for v in late}
        last = topological(children, above, sorted(v for v in late if not above[v]))
        skipped = late | self._became.keys()
        return [*self._staying(skipped), *last]

    def _staying(self, skipped: set[int]) -> Iterator[int]:
        return (v for v in range(self.n) if v not in skipped) if skipped else iter(range(self.n))
