"""The taxonomy."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from . import editing, graph
from .arrays import Arrays
from .edits import Draft, Edit
from .errors import is_missing
from .graph import Label
from .multilabel import closure_nodes, given_nodes
from .names import Names, names_of
from .nodes import Nodes
from .paths import PathReader


class Taxonomy(Nodes):
    """An immutable rooted taxonomy: a tree, or a DAG in which a node has several parents.

    Nodes are named by labels, any hashable value. They are sorted in *taxonomy order*:
    topologically, level by level, the root first, and children in the order in which they were
    given; nodes that `extend` adds are the last ones. The root is always on. Every change returns a
    new taxonomy; a model continues with it after `adopt`. Building one takes O(nodes + edges).

    Parameters
    ----------
    edges
        Pairs `(parent, child)`. The one node without a parent is the root; several such nodes
        are joined under a new root.
    root
        The label of that new root, `"root"` by default, or of the one that there is.

    Examples
    --------
    >>> from river_hier import Taxonomy

    >>> t = Taxonomy([
    ...     ("animal", "mammal"), ("animal", "bird"),
    ...     ("mammal", "wolf"), ("mammal", "whale"), ("bird", "owl"),
    ... ])
    >>> t
    Taxonomy(root='animal', 6 nodes, 3 leaves, height 2)

    >>> t.path("wolf")
    ('animal', 'mammal', 'wolf')

    >>> t.distance("wolf", "owl")
    4
    """

    def __init__(self, edges: Iterable[Sequence[Label]], root: Label | None = None):
        self._with(Arrays.of(*graph.build(edges, root=root)))

    # Conversions

    @classmethod
    def from_parents(
        cls, parents: Mapping[Label, Label | None], root: Label | None = None
    ) -> Taxonomy:
        """From `{child: parent}`; the parent of a root is `None`, or missing as in tables."""
        if not isinstance(parents, Mapping):
            raise TypeError(
                f"`parents` must be {{child: parent}}, got {type(parents).__name__}; "
                "a Series has .to_dict()"
            )
        edges = [(above, child) for child, above in parents.items() if not is_missing(above)]
        roots = [child for child, above in parents.items() if is_missing(above)]
        return cls._of(*graph.build(edges, roots, root))

    @classmethod
    def from_paths(
        cls,
        paths: Any,
        separator: str | None = None,
        labels: str = "name",
        root: Label | None = None,
        min_count: int = 1,
    ) -> Taxonomy:
        """From paths of names, each from the top downwards.

        Wherever a label is read afterwards, by models, metrics, losses or `index`, a path may stand
        for the label at its end, so that the column that made a taxonomy is also a valid `y`.

        Parameters
        ----------
        paths
            Tuples, lists, or strings with a separator: any iterable, a column of a dataframe
            (pandas, polars, pyarrow), or a dataframe or 2-D array of levels. Whitespace around a
            name is removed. Missing values, empty paths, empty or missing names at the end of a
            path, and a separator at the beginning are left out. Any other missing name is an error.
            `Below(path)`, a label that is known to some depth, is read as its path.
        separator
            The separator between the names in paths that are strings, e.g. `" > "`, and in labels
            that are paths; `None` if these are tuples. Strings may omit the spaces around it.
        labels
            `"name"`: the label of a node is its name, and a name in two places is an error.
            `"path"`: it is the whole path, a string with the separator, or a tuple.
        root
            The label of a new root, if paths start at several nodes; `"root"` by default.
        min_count
            The number of paths that a node needs at or below it. Rarer ones are left out: what is
            in them belongs to their parents, `nearest(path)`.

        Examples
        --------

        >>> from river_hier import Taxonomy

        >>> paths = ["men > shirts", "men > shoes > boots", "women > shirts"]
        >>> t = Taxonomy.from_paths(paths, separator=" > ", labels="path")
        >>> t.leaves
        ('men > shirts', 'women > shirts', 'men > shoes > boots')

        >>> t.distance("men > shirts", "women>shirts")
        4

        """
        reader = PathReader(separator, labels)
        reader.add_paths(paths, min_count, root)
        return cls._of(*graph.build(reader.edges, reader.tops, root), reader.format)

    @classmethod
    def from_nested(
        cls,
        nested: Mapping[Label, Any],
        separator: str | None = None,
        labels: str = "name",
        root: Label | None = None,
    ) -> Taxonomy:
        """From `{name: children}`: mappings, lists of names, or `None` for a leaf.

        Names and `labels` are treated as by `from_paths`. With a `separator`, labels that are paths
        are strings; without one, they are tuples. A `root` is put above the names unless it is
        the only one at the top.
        """
        reader = PathReader(separator, labels)
        reader.add_nested(nested, root)
        return cls._of(*graph.build(reader.edges, reader.tops, root), reader.format)

    def to_nested(self) -> dict[Label, Any]:
        """The tree as `{name: children}`, for JSON if names are texts.

        `from_nested` makes it again. If labels are paths, give it `labels="path"`, the `separator`
        and the `root`, which is left out if it is on no path.

        Examples
        --------

        >>> import json
        >>> from river_hier import Taxonomy

        >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
        >>> t.to_nested()["animal"]["bird"]
        {'owl': {}}
        >>> len(Taxonomy.from_nested(json.loads(json.dumps(t.to_nested()))))
        6

        """
        self._arrays.check_tree()
        path, below = self._path_format, dict[Label, dict[Label, Any]]()
        for v in reversed(self.nodes):
            of = {path.names(u)[-1] if path.whole else u: u for u in self.children(v)}
            below[v] = {name: below.pop(u) for name, u in of.items()}
        top = below[self.root]
        if not path.whole:
            return {self.root: top}
        on_no_path = all(path.child(None, name) in self for name in top)
        return top if on_no_path else {path.names(self.root)[-1]: top}

    @classmethod
    def flat(cls, labels: Iterable[Label], root: Label = graph.DEFAULT_ROOT) -> Taxonomy:
        """A flat taxonomy: all labels are children of one root."""
        if not isinstance(labels, Iterable):
            raise TypeError(f"`labels` must be an iterable of labels, got {type(labels).__name__}")
        graph.check_label(root)
        return editing.with_children(cls._of((root,), ((),)), labels)

    def names(
        self, on: Hashable | None = None, descriptions: Mapping[Label, str] | None = None
    ) -> Names:
        """The names of the labels below the root, as examples: what they say is worth some labels.

        A name is the last one on the path of its label, without separators and underscores, camel
        case and a code in front: "A02.1 Salmonella sepsis" and "kitchenTowels" are read as
        "Salmonella sepsis" and "kitchen Towels". `stream.learn_names` teaches them to a model.

        Parameters
        ----------
        on
            The name of the feature that holds the text; `None` if x is the text itself.
        descriptions
            `{label: text}`, for any of the labels. The text is read after the name.

        Returns
        -------
        A list of pairs `(x, label)` in taxonomy order. Its attribute `left_out` holds the labels
        without a text: those whose name is a number, a code, empty or no string.

        Examples
        --------

        >>> from river_hier import Taxonomy, feature_extraction, linear_model

        >>> t = Taxonomy.from_nested({"home": ["kitchen_towels", "bedLinen"], "17": None})
        >>> names = t.names(descriptions={"home": "house and garden"})
        >>> names
        [('home house and garden', 'home'), ('kitchen towels', 'kitchen_towels'),
         ('bed Linen', 'bedLinen')]
        >>> names.left_out
        ('17',)

        >>> model = feature_extraction.TextViews() | linear_model.PathSoftmax(t, margin=1)
        >>> for x, y in names:
        ...     model.learn_one(x, y)
        >>> model.predict_proba_one("a red towel")["kitchen_towels"]
        0.353

        """
        return names_of(self, on, descriptions)

    # Multilabels

    def closure(self, y: Any) -> frozenset[Label]:
        """The labels of y and all their ancestors, root included."""
        return frozenset(self._arrays.labels(closure_nodes(self, y)))

    def truncate(self, y: Any) -> frozenset[Label]:
        """The labels of y all of whose ancestors are in y, root included.

        The H-loss of this never exceeds that of y: Lemma 1 of the paper of `linear_model.HRLS`.
        """
        kept: set[int] = set()
        for v in sorted(given_nodes(self, y)):
            if kept.issuperset(self._arrays.parents[v]):
                kept.add(v)
        return frozenset(self._arrays.labels(kept))

    # Changes

    def extend(self, edges: Iterable[Sequence[Label]]) -> Taxonomy:
        """Add edges, pairs `(parent, child)`.

        New nodes are the last ones in taxonomy order, so that a model adopts them in O(new nodes).
        Existing edges are ignored. If a node of this taxonomy gets another parent, all nodes are
        sorted again, as if all edges had been given at once. The root stays the root. Where labels
        are paths, a new child is a path or a name.
        """
        edges = editing.with_paths(self, list(graph.checked_edges(edges)))
        for edge in filter(graph.is_pair, edges if self._arrays.aliases else ()):
            for label in edge:
                if (v := self._find(label)) is not None:
                    editing.check_current(self, label, v)
        new_nodes = None if self._arrays.implied else editing.new_nodes(self, edges)
        if new_nodes is not None:
            return self._with_nodes(*new_nodes)
        return self._changed(*graph.build(edges, [self.root], self.root, self.edges))

    def edit(self, changes: Iterable[Mapping[str, Any]], old_labels: bool = True) -> Edit:
        """Rename, move, merge, split and retire nodes, all of it or, after an error, nothing.

        Takes O(nodes) and, for each change, O(nodes that it touches). A node that can no longer
        stay behind its parent becomes one of the last in taxonomy order.

        Parameters
        ----------
        changes
            Dictionaries, which JSON can hold, applied in their order:

            * `{"rename": label, "to": label}`;
            * `{"move": label, "to": parent}`, with all that is below;
            * `{"merge": [label, ...], "to": label}`: one of them, another node, which is merged
              too, or a new label. Children of all become its children;
            * `{"split": leaf, "to": [label, ...]}`: new children of the leaf;
            * `{"retire": label}`: its children and its examples become those of its parent.

            Where labels are paths, a new label is a name or a path, and nodes below are renamed.
        old_labels
            Whether a label that is edited away, now or earlier, is still read, as that of the node
            that it has become. With `False` it is unknown, as in `edit([], old_labels=False)`.

        Returns
        -------
        An `Edit` with the new taxonomy, `after`, which `model.adopt` takes.

        Examples
        --------

        >>> from river_hier import Taxonomy

        >>> t = Taxonomy.from_nested({"shop": {"men": ["shirts", "caps"], "women": ["skirts"]}})
        >>> edit = t.edit([
        ...     {"rename": "caps", "to": "hats"},
        ...     {"merge": ["men", "women"], "to": "clothes"},
        ...     {"split": "shirts", "to": ["blouses", "tees"]},
        ... ])
        >>> edit.after.to_nested()
        {'shop': {'clothes': {'shirts': {'blouses': {}, 'tees': {}}, 'hats': {}, 'skirts': {}}}}
        >>> edit.labels
        {'men': 'clothes', 'women': 'clothes', 'caps': 'hats'}
        >>> edit.after.depth("caps")
        2

        """
        draft = Draft(self)
        draft.apply(changes)
        return draft.finished(old_labels)

    def flatten(self) -> Taxonomy:
        """The flat taxonomy with the same labels and root, for flat competitors.

        Learners in it still add to y the ancestors in this taxonomy, so they learn from the same
        multilabels. To change a flattened taxonomy, change this one and flatten it.
        """
        star = editing.star_parents(len(self))
        return Taxonomy._of(self.nodes, star, self._path_format, self._arrays.implied_parents)

    def subset(self, labels: Any) -> Taxonomy:
        """The taxonomy induced by the root and these labels.

        They are given as a multilabel: one label, an iterable of labels, or `{label: bool}`. A node
        whose parent is left out becomes a child of its nearest remaining ancestor.
        """
        kept = given_nodes(self, labels)
        above: dict[int, set[int]] = {}  # the nearest remaining ancestors of each node
        for v, parents in enumerate(self._arrays.parents):
            nearest = {u for p in parents for u in ({p} if p in kept else above[p])}
            if len(nearest) > 1 and not kept.issuperset(parents):  # an edge may be redundant
                nearest -= {a for u in nearest for a in graph.reach(self._arrays.parents, u)}
            above[v] = nearest
        edges = ((self.nodes[p], self.nodes[v]) for v in sorted(kept) for p in sorted(above[v]))
        return self._changed(*graph.build(edges, [self.root], self.root))

    def _changed(self, nodes: tuple[Label, ...], parents: tuple[tuple[int, ...], ...]) -> Taxonomy:
        return Taxonomy._of(nodes, parents, self._path_format)


class MiscLeaves:
    """A taxonomy in which inner nodes have a "miscellaneous" leaf, and the conversion of labels.

    Cai and Hofmann [^1] add a leaf below each inner node, in O(nodes), for examples that end there
    and have no label in models of leaves, such as label rankers. `leaves` and `labels` convert
    multilabels in O(labels that are on and their ancestors).

    Parameters
    ----------
    taxonomy
        A tree or a DAG.
    multilabels
        If they are given, only inner nodes at which one of them ends get a leaf.
    name
        The label of a new leaf; `{}` stands for the label of its inner node.

    Attributes
    ----------
    taxonomy : Taxonomy
        The taxonomy with the new leaves, each the last child of its inner node.
    leaf_of : dict
        `{inner node: its new leaf}`, in taxonomy order.

    Examples
    --------
    >>> from river_hier import Taxonomy
    >>> from river_hier.taxonomy import MiscLeaves

    >>> t = Taxonomy.from_nested({"sport": ["tennis", "rowing"], "weather": None})
    >>> misc = MiscLeaves(t, [["sport"], ["tennis"]])
    >>> misc.taxonomy.leaves
    ('weather', 'tennis', 'rowing', 'sport, other')

    >>> misc.leaves(["sport", "weather"])
    ['sport, other', 'weather']

    >>> sorted(misc.labels(["weather", "sport, other"]))
    ['root', 'sport', 'weather']
    >>> len(misc.taxonomy)
    6

    References
    ----------
    [^1]: Cai and Hofmann, IJCAI 2007. Exploiting known taxonomies in learning overlapping concepts.
    """

    def __init__(
        self, taxonomy: Taxonomy, multilabels: Iterable[Any] | None = None, name: str = "{}, other"
    ) -> None:
        self._before = taxonomy
        if not isinstance(name, str) or "{}" not in name:
            raise ValueError(f"`name` must be text with {{}} for the inner node, got {name!r}")
        inner = taxonomy._arrays.inner
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
        """Return the leaves at which a multilabel ends; those of inner nodes are the new ones."""
        ends = []
        for v in self._ends(y):
            if not self._before.children(v):
                ends.append(v)
            elif v in self.leaf_of:
                ends.append(self.leaf_of[v])
            else:
                raise ValueError(
                    f"the example ends at {v!r}, which has no leaf of its own, since none of the "
                    "given multilabels ends there; without multilabels, `MiscLeaves` adds a "
                    "leaf to every inner node"
                )
        return ends

    def labels(self, y: Any) -> frozenset[Label]:
        """Return the closure of a multilabel of the new taxonomy in the original one."""
        return self.taxonomy.closure(y).difference(self.leaf_of.values())

    def _ends(self, y: Any) -> list[Label]:
        """The labels of y none of whose children is on, in taxonomy order."""
        on = closure_nodes(self._before, y)
        below = self._before._arrays.children
        return [self._before.nodes[v] for v in sorted(on) if on.isdisjoint(below[v])]
