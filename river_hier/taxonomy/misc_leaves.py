"""Leaves for examples that end at inner nodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .graph import Label
from .multilabel import closure_nodes

if TYPE_CHECKING:
    from .taxonomy import Taxonomy


class MiscLeaves:
    """A taxonomy in which inner nodes have a "miscellaneous" leaf, and the conversion of labels.

    Label rankers and other models of leaves have no label for an example that ends at an inner
    node. Cai and Hofmann [^1] add a leaf below each inner node for such examples, as
    `Taxonomy.misc_leaves` does, in O(nodes). `leaves` and `labels` take O(labels that are on and
    their ancestors).

    Attributes
    ----------
    taxonomy : Taxonomy
        The taxonomy with the new leaves, each the last child of its inner node.
    leaf_of : dict
        `{inner node: its new leaf}`, in taxonomy order.

    Examples
    --------

    >>> from river_hier import Taxonomy

    >>> t = Taxonomy.from_nested({"sport": ["tennis", "rowing"], "weather": None})
    >>> misc = t.misc_leaves([["sport"], ["tennis"]])
    >>> misc.taxonomy.leaves
    ('weather', 'tennis', 'rowing', 'sport, other')

    >>> misc.leaves(["sport", "weather"])
    ['sport, other', 'weather']

    >>> sorted(misc.labels(["weather", "sport, other"]))
    ['root', 'sport', 'weather']

    A label ranker can now learn from a text on sport in general:

    >>> from river_hier import linear_model

    >>> model = linear_model.HMinOver(misc.taxonomy)
    >>> for x, y in [({"ball": 0.5}, ["tennis"]), ({"club": 0.75}, ["sport"])] * 10:
    ...     model.learn_one(x, misc.leaves(y))
    >>> scores = model.score_one({"club": 0.75})
    >>> scores["sport, other"] - scores["tennis"]
    1.6875

    References
    ----------
    [^1]: Cai, L. and Hofmann, T., 2007. Exploiting known taxonomies in learning overlapping
        concepts. In Proceedings of the 20th International Joint Conference on Artificial
        Intelligence, pp. 714-719.

    """

    def __init__(self, taxonomy: Taxonomy, multilabels: Iterable[Any] | None, name: str) -> None:
        self._before = taxonomy
        if not isinstance(name, str) or "{}" not in name:
            raise ValueError(f"`name` must be text with {{}} for the inner node, got {name!r}")
        inner = taxonomy.inner
        if multilabels is not None:
            ends = {v for y in multilabels for v in self._ends(y)}
            inner = tuple(v for v in inner if v in ends)
        self.leaf_of: dict[Label, Label] = {v: name.replace("{}", str(v)) for v in inner}
        owners: dict[Label, Label] = {}
        for v, leaf in self.leaf_of.items():
            if leaf in taxonomy or owners.setdefault(leaf, v) != v:
                taken = "is a label already" if leaf in taxonomy else f"is that of {owners[leaf]!r}"
                raise ValueError(
                    f"the new leaf of {v!r} would be {leaf!r}, which {taken}; give another `name` "
                    'with {} for the label of the inner node, such as "{}, miscellaneous"'
                )
        self.taxonomy: Taxonomy = taxonomy.extend(self.leaf_of.items())

    def __repr__(self) -> str:
        return f"MiscLeaves({self.taxonomy!r}, {len(self.leaf_of)} of them new)"

    def leaves(self, y: Any) -> list[Label]:
        """Return the leaves at which a multilabel ends.

        For each label of y without a child that is on: the label if it is a leaf, else its new
        leaf.
        """
        found = []
        for v in self._ends(y):
            if not self._before.children(v):
                found.append(v)
            elif v in self.leaf_of:
                found.append(self.leaf_of[v])
            else:
                raise ValueError(
                    f"the example ends at {v!r}, which has no leaf of its own, since none of the "
                    "given multilabels ends there; without multilabels, `misc_leaves()` adds a "
                    "leaf to every inner node"
                )
        return found

    def labels(self, y: Any) -> frozenset[Label]:
        """Convert a multilabel of the new taxonomy to labels of the original one.

        These are its labels and their ancestors, the root included, without the new leaves.
        """
        return self.taxonomy.closure(y).difference(self.leaf_of.values())

    def _ends(self, y: Any) -> list[Label]:
        """The labels of y none of whose children is on, in taxonomy order."""
        on = closure_nodes(self._before, y)
        below = self._before._child_indices
        return [self._before.nodes[v] for v in sorted(on) if on.isdisjoint(below[v])]
