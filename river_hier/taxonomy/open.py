"""Open taxonomies, to which labels are added as they arrive."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from . import editing
from .errors import is_missing, short
from .evidence import Below, Evidence, Known
from .graph import Label
from .multilabel import is_one
from .nodes import check_taxonomy
from .paths import PathFormat, check_separator
from .taxonomy import Taxonomy


@dataclass(frozen=True)
class OpenTaxonomy:
    """A taxonomy that grows with a stream whose labels are paths.

    It is given to a model or metric in place of a `Taxonomy`. A label is the path to its node from
    below the root. With a `separator`, labels are strings: `"sports/tennis"` is a child of
    `"sports"`, a child of the root, `""`; it may be given as a tuple or list, too. Without one,
    they are tuples: `("sports", "tennis")`, and the root is `()`. Missing ancestors of a new label
    are added with it.

    Parameters
    ----------
    separator
        The separator between the parts of a path, e.g. `"/"`; `None` if labels are tuples.
    max_depth
        The number of names on the path of a new label, at most; as each node on it is named by its
        path, the memory of a label of d levels is that of $d^2 / 2$ names.

    Notes
    -----
    Nodes are in the order in which they arrive, each after its parent: O(new nodes) a label. The
    labels of a model are those of its `taxonomy_`, read as by `Taxonomy.from_paths`. A path with a
    missing name inside raises a `ValueError`.

    Examples
    --------
    >>> from river_hier import OpenTaxonomy, linear_model

    >>> model = linear_model.Hieron(OpenTaxonomy(separator="/"))
    >>> for _ in range(3):
    ...     model.learn_one({"racket": 1.0, "ball": 1.0}, "sports/tennis")
    ...     model.learn_one({"goal": 1.0, "ball": 1.0}, "sports/football")
    ...     model.learn_one({"vote": 1.0}, "politics")

    >>> model.learn_one({"serve": 1.0}, "sports/tennis/doubles")
    >>> model.score_one({"racket": 1.0})["sports/tennis/doubles"]
    1.105
    """

    separator: str | None = None
    max_depth: int = 64

    def __post_init__(self) -> None:
        check_separator(self.separator)
        if self.separator is not None and self.separator.isalnum():
            raise ValueError(
                f'`separator` must stand between the names of a path, as "/" does, got '
                f"{self.separator!r}; the root of an open taxonomy is the empty path"
            )
        if type(self.max_depth) is not int or self.max_depth < 1:
            raise ValueError(
                f"`max_depth` must be an integer of at least 1, got {self.max_depth!r}"
            )

    @property
    def root(self) -> Label:
        """The label of the root: the empty path."""
        return () if self.separator is None else ""

    @property
    def _format(self) -> PathFormat:
        return PathFormat(self.separator, whole=True)

    def path(self, label: Any) -> list[Label]:
        """The labels from the root down to a label, both included."""
        if is_missing(label):
            raise TypeError(
                f"label {short(label)} is a missing value; leave out examples without a label"
            )
        names = self._format.names(label)
        if not names and label not in (self.root, ()):
            raise ValueError(
                f"label {label!r} holds no name; the label of the root is {self.root!r}"
            )
        if len(names) > self.max_depth:
            raise ValueError(
                f"label {short(label)} has {len(names):,} levels, and `max_depth` is "
                f"{self.max_depth}; give OpenTaxonomy a larger one if this is no mistake"
            )
        return [self.root, *self._format.labels(names)]

    def with_labels(self, taxonomy: Taxonomy, labels: Iterable[Any]) -> Taxonomy:
        """Add labels to a taxonomy, as the last nodes, or return the same object: O(new nodes)."""
        given, new = list(labels), dict[Label, int]()
        labels = given if not taxonomy._arrays.aliases else [self._now(taxonomy, y) for y in given]
        try:
            taxonomy._arrays.numbers(labels)
        except (KeyError, TypeError):  # a new label, or an invalid one
            parents: list[tuple[int]] = []
            for label in labels:
                above = self._parent(label, taxonomy) or 0  # reading a whole path takes longer
                for node in [label] if above else self.path(label)[1:]:
                    v = taxonomy._arrays.number(node)
                    if v is None and (v := new.get(node)) is None:
                        v = new[node] = len(taxonomy) + len(new)
                        parents.append((above,))
                    above = v
        grown = taxonomy._with_nodes(new, parents, self._format) if new else taxonomy
        for old, now in zip(given, labels, strict=True):
            if old != now:
                grown._arrays.table.read(old, grown.index(now))
        return grown

    def _now(self, taxonomy: Taxonomy, label: Any) -> Any:
        """The path of a new label whose ancestors were edited."""
        names = self._format.names(label)
        for k in range(len(names), 0, -1):
            if (v := taxonomy._arrays.number(self._format.label(names[:k]))) is not None:
                editing.check_kept(taxonomy, self._format.label(names[:k]), v)
                above = self._format.names(taxonomy._arrays.label(v))
                return self._format.label((*above, *names[k:]))
        return label

    def _parent(self, label: Any, taxonomy: Taxonomy) -> int | None:
        """The parent of a label that is spelled as in the taxonomy, unless the parent is new."""
        if self.separator is None or not isinstance(label, str):
            return None
        above, _, name = label.rpartition(self.separator)
        spelled = above and name and name == name.strip() and self.separator.strip() not in name
        spelled = spelled and label.count(self.separator) < self.max_depth
        return taxonomy._arrays.number(above) if spelled else None


TaxonomyLike = Taxonomy | OpenTaxonomy | None


def initial_taxonomy(taxonomy: TaxonomyLike) -> Taxonomy:
    """The taxonomy of a model before its first example."""
    if taxonomy is None:
        return Taxonomy.flat([])
    if isinstance(taxonomy, OpenTaxonomy):
        return Taxonomy._of((taxonomy.root,), ((),), taxonomy._format)
    check_taxonomy(taxonomy)
    return taxonomy


def named(y: Any) -> Collection[Label]:
    """The labels in y, on or off; in an open taxonomy a tuple is one label."""
    if isinstance(y, Mapping):
        return y.keys()
    return [y] if is_one(y) or isinstance(y, tuple) else list(y)


def stated(y: Any) -> Collection[Label]:
    """The same, also of what is known of y."""
    if not isinstance(y, Evidence):
        return named(y)
    return named(y.label) if isinstance(y, Below | Known) else y._stated()


def with_labels(start: OpenTaxonomy | None, taxonomy: Taxonomy, labels: Iterable[Any]) -> Taxonomy:
    """Add new labels; if there is nothing to add, the same taxonomy is returned."""
    change = editing.with_children if start is None else start.with_labels
    return change(taxonomy, labels)
