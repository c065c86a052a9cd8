"""The y of a mini-batch."""

from collections.abc import Hashable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from .._core import Batch, labels_of, path_difference
from .._core.batch import check_distinct
from ..taxonomy import Below, Evidence, Known, Label, Taxonomy, UnknownLabelError, part_of
from ..taxonomy.evidence import above
from ..taxonomy.multilabel import closure_nodes, given_nodes, implied_nodes
from ..taxonomy.open import named, stated, with_labels
from .checks import check_single_label, checked_weight
from .classifiers import is_multilabel
from .dataframes import as_frame, check_shape, is_sparse, numbers


def series(y: Any, n: int, name: str = "y", what: str = "label") -> list[Any]:
    """The items of a series or any other sequence, one per row."""
    if np.ma.is_masked(y):
        raise ValueError(f"{name} has masked items; each row needs its {what}")
    if not isinstance(y, list | np.ndarray):
        y = nw.from_native(y, series_only=True, pass_through=True)
    several = hasattr(y, "__len__") and not isinstance(y, str | bytes | Mapping)
    if isinstance(y, nw.Series):
        items = y.to_list()
    elif not several or as_frame(y) is not None:
        raise TypeError(f"{name} must be a series or a sequence of {what}s, got {type(y).__name__}")
    else:
        items = y.tolist() if hasattr(y, "tolist") else list(y)
    check_length(len(items), n, what)
    return items


def levels(y: Any) -> Any:
    """y, or the paths in the rows of its levels: a dataframe, a matrix, or a sequence of lists.

    Tables of numbers are multilabels, and those of one column are errors: both are left alone.
    """
    if (frame := as_frame(y)) is not None:
        return y if frame.shape[1] < 2 or numbers(frame) is not None else list(frame.iter_rows())
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.dtype.kind in "OU":
        return list(map(tuple, y.tolist()))
    if hasattr(y, "__len__") and len(y) and isinstance(next(iter(y)), list):
        return [tuple(path) if isinstance(path, list) else path for path in y]
    return y


def with_weights(X: Batch, y: Any, w: Any) -> tuple[Batch, Any]:
    """The rows with their weights and their targets, without rows of weight 0."""
    if w is None:
        return X, y
    items = series(w, len(y), "w", "weight")
    weights = np.ones(X.n)
    for i, item in enumerate(items[: X.n]):
        try:
            weights[i] = checked_weight(item)
        except (TypeError, ValueError) as error:
            X = replace(X.part(0, i), error=error)
            break
    weights = weights[: X.n]
    X = replace(X, weights=weights)
    if weights.all():
        return X, y
    kept = np.flatnonzero(weights)
    return X.keep(kept), y.keep(kept) if isinstance(y, Batch) else [y[i] for i in kept]


def check_length(n_labels: int, n: int, what: str = "label") -> None:
    """Raise an error unless X has as many rows as there are labels, or weights."""
    if n_labels != n:
        name = "w" if what == "weight" else "y"
        raise ValueError(f"X has {n} rows and {name} has {n_labels}; each row needs its {what}")


def multilabel_rows(y: Any, labels: Iterable[Hashable] | None, n: int) -> Batch | list[Any]:
    """A matrix, or one multilabel per row, as `learn_one` takes it."""
    if labels is not None:
        names = list(labels)
        check_shape("y", y, "labels", names)
        check_distinct(names)
        check_length(y.shape[0], n)
        if not is_sparse(y):
            return Batch(names, np.asarray(y, dtype=np.float64))
        return [[names[c] for c in row] for row in y.astype(bool).tolil().rows]
    if is_sparse(y) or (isinstance(y, np.ndarray) and y.ndim == 2):
        raise TypeError("a matrix y has no names for its columns; give them as `labels`")
    if (frame := as_frame(y)) is not None:
        check_length(len(frame), n)
        names = list(frame.columns)
        if (cells := numbers(frame)) is not None:
            return Batch(names, cells)
        return [dict(zip(names, row, strict=True)) for row in frame.iter_rows()]
    return [list(y) if hasattr(y, "__next__") else y for y in series(y, n)]


def whole(model: Any, y: Any) -> Any:
    """y, as a whole label if no other one is left."""
    if not isinstance(y, Evidence):
        return y
    several, taxonomy = is_multilabel(model), model._taxonomy
    if type(y) is not Below and several != (type(y) is Known):
        wanted = "Known({label: True or False})" if several else "Below, Not or Among"
        raise TypeError(f"y is {y}; what a model of this kind learns of a label is {wanted}")
    with suppress(TypeError, UnknownLabelError):
        if not several:
            node = part_of(taxonomy, y)
            return taxonomy.nodes[node] if isinstance(node, int) else y
        nodes = [taxonomy.index(label) for label in stated(y)]
        if type(y) is Known and any(nodes) and not unknown_nodes(taxonomy, y):
            return y.label
        if type(y) is Below and any(nodes) and not any(map(taxonomy._arrays.children_of, nodes)):
            return y.label
    return y


def says_nothing(model: Any, y: Evidence) -> bool:
    """Whether every label remains possible, each as before."""
    with suppress(UnknownLabelError):
        if not is_multilabel(model):
            return getattr(part_of(model._taxonomy, y), "cuts", None) == {0: True}
        start = type(y) is Below or not len(y.label)
        return start and implied_nodes(model._taxonomy, y.label) == {0}
    return False


def unknown_nodes(taxonomy: Taxonomy, y: Any) -> set[int]:
    """The nodes of which it is not known whether they are on, though their parents are."""
    on = closure_nodes(taxonomy, y.label)
    given = on if type(y) is Known else given_nodes(taxonomy, y.label) - {0}
    named_nodes = set(map(taxonomy.index, named(y.label)))
    return {c for v in given for c in taxonomy._arrays.children_of(v)} - named_nodes - on


def judged(taxonomy: Taxonomy, y: Evidence, y_pred: Any) -> tuple[Any, Any]:
    """The label and the prediction that metrics compare."""
    if isinstance(y, Below | Known):
        return y.label, _known_part(taxonomy, y, y_pred)
    part, tree = part_of(taxonomy, y), taxonomy._arrays
    if isinstance(part, int):
        return taxonomy.nodes[part], y_pred
    v = 0 if y_pred is None else taxonomy.index(y_pred)
    if part.cuts[cut := part.cut_above(tree, v)]:  # it may be right
        return taxonomy.nodes[cut], taxonomy.nodes[cut]
    near = (u for u in above(tree, v) if part.cuts[part.cut_above(tree, u)])
    starts = [u for u, on in part.cuts.items() if on] + [u for u in [next(near, None)] if u]
    truth = min(starts, key=lambda u: len(path_difference(u, v, tree)[0]))
    return taxonomy.nodes[truth], y_pred


def _known_part(taxonomy: Taxonomy, y: Below | Known, y_pred: Any) -> Any:
    """A prediction without the nodes of which it is not known whether they are on."""
    labels, said = labels_of(taxonomy), y.label
    off = [v for v, on in said.items() if not on] if isinstance(said, Mapping) else []
    start = {0} if type(y) is Known else given_nodes(taxonomy, said) - {0} or {0}
    unknown, known = (
        {u for v in nodes for u in taxonomy._arrays.branch(v).tolist()}
        for nodes in (start, map(taxonomy.index, off))
    )
    kept = labels.predicted(y_pred) - (unknown - known - labels.closure(said))
    one = isinstance(y_pred, Hashable) and y_pred in taxonomy
    return taxonomy.nodes[max(kept)] if one else {taxonomy.nodes[v] for v in kept}


def read_label(model: Any, y: Label) -> tuple[Taxonomy, int]:
    """The taxonomy with the label y, and the node of y."""
    taxonomy, y = model._taxonomy, whole(model, y)
    try:
        if not isinstance(model.taxonomy, Taxonomy):
            taxonomy = with_labels(model.taxonomy, taxonomy, [y])
        return taxonomy, taxonomy.index(y)
    except (TypeError, UnknownLabelError):
        check_single_label(model, y)
        raise
