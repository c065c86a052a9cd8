"""Mapping from the nodes of a changed taxonomy to those of the old one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .graph import Label
from .multilabel import spelled
from .nodes import Nodes, check_taxonomy
from .taxonomy import Taxonomy

# {old label: new label, or None to forget it}; `Any`, as the key type of a mapping is invariant.
Renamed = Mapping[Any, Label | None]


class NodeMapping(NamedTuple):
    """The sources of each node of `after`: the nodes of `before` that it continues.

    A node without sources is new; a node with several sources merges them. The source of the root
    is always the root.
    """

    before: Taxonomy
    after: Taxonomy
    sources: tuple[tuple[int, ...], ...]

    @property
    def reset(self) -> frozenset[int]:
        """The nodes of `after` whose labels are in `before`, but that have no sources."""
        pairs = enumerate(zip(self.after.nodes, self.sources, strict=True))
        return frozenset(v for v, (label, old) in pairs if not old and label in self.before)

    def check_unmerged(self, model: object) -> None:
        """Raise an error if nodes are merged, which this model cannot do."""
        for label, sources in zip(self.after.nodes, self.sources, strict=True):
            if len(sources) > 1:
                one, other = (self.before.nodes[u] for u in sources[:2])
                raise ValueError(
                    f"{type(model).__name__} cannot merge nodes, and {one!r} and {other!r} would "
                    f"both be {label!r}; forget one of them: renamed={{{other!r}: None}}"
                )


def only_adds(before: Taxonomy, after: Taxonomy, renamed: Renamed | None) -> bool:
    """Whether `after` is `before` with new nodes, the last ones, so that all others stay."""
    check_taxonomy(after)
    return (renamed is None or renamed == {}) and after._extends(before)


def without_branch(taxonomy: Taxonomy, label: Label) -> NodeMapping:
    """The same taxonomy, in which a node and all nodes below it have no sources."""
    below = set(map(taxonomy.index, taxonomy.subtree(label)))
    sources = tuple(() if v and v in below else (v,) for v in range(len(taxonomy)))
    return NodeMapping(taxonomy, taxonomy, sources)


def map_nodes(before: Taxonomy, after: Taxonomy, renamed: Renamed | None = None) -> NodeMapping:
    """Map nodes by their labels, except for those in `renamed`."""
    check_taxonomy(after)
    if renamed is None:
        renamed = {}
    if not isinstance(renamed, Mapping):
        raise TypeError(f"`renamed` must be {{old label: new label}}, got {renamed!r}")
    renamed = spelled(before, renamed)
    for label in renamed:
        before.index(label)
    sources: list[list[int]] = [[] for _ in after.nodes]
    for u, label in enumerate(before.nodes):
        v = _new_root(after, label, renamed) if u == 0 else _new_node(after, label, renamed)
        if v is not None:
            sources[v].append(u)
    return NodeMapping(before, after, tuple(map(tuple, sources)))


def _new_node(after: Nodes, label: Label, renamed: Renamed) -> int | None:
    if label in renamed:
        target = renamed[label]
        return None if target is None else after.index(target)
    v = after._known_index(label)
    if v is None:
        raise ValueError(
            f"label {label!r} is not in the new taxonomy; `renamed` says what becomes of it: "
            f"{{{label!r}: another label}}, or {{{label!r}: None}} to forget it"
        )
    if v == 0:
        raise ValueError(
            f"label {label!r} would be the root, which has no weights to keep; if that is meant, "
            f"say renamed={{{label!r}: {label!r}}}"
        )
    return v


def _new_root(after: Nodes, root: Label, renamed: Renamed) -> int:
    target = renamed.get(root, root if root in after else after.root)
    if target != after.root:
        raise ValueError(
            f"the root {root!r} must stay the root, and in the new taxonomy that is {after.root!r}"
        )
    return 0
