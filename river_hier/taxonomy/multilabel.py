"""Reading multilabels: a label, an iterable of labels or `{label: bool}` -> sets of nodes."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import compress
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .errors import short
from .nodes import Nodes, check_taxonomy

V = TypeVar("V")

# Labels that are ranked. Collection[Label] would refuse a list[str], as the type is invariant.
Candidates = Collection[Any]


def implied_nodes(taxonomy: Nodes, y: Any) -> set[int]:
    """The closure of y; in a flattened taxonomy, with the ancestors in the original taxonomy."""
    return closure_nodes(taxonomy, y, implied=True)


def closure_mask(taxonomy: Nodes, y: Any) -> NDArray[np.bool_]:
    """The same as a mask, (nodes,)."""
    mask = np.zeros(len(taxonomy), dtype=np.bool_)
    mask[list(implied_nodes(taxonomy, y))] = True
    return mask


def closure_nodes(taxonomy: Nodes, y: Any, implied: bool = False) -> set[int]:
    """The nodes of y and all their ancestors, root included.

    If a label is on although one of its ancestors, including the root, is explicitly False, an
    error is raised. `{root: False}` alone means that only the root is on.
    """
    on, stated = _read(taxonomy, y)
    parents = taxonomy._arrays.implied_rows if implied else taxonomy._arrays.rows
    nodes = _close(parents, on)
    if stated is not None and on and len(nodes) > len(on):
        for v in sorted(nodes):
            label = taxonomy._arrays.label(v)
            if label in stated and not stated[label]:
                child = taxonomy._arrays.label(next(u for u in on if v in _close(parents, [u])))
                raise ValueError(
                    f"label {child!r} is on but its ancestor {label!r} is False; "
                    "a node is on only if its ancestors are. A set or list of labels includes them"
                )
    return nodes


def predicted_nodes(taxonomy: Nodes, y: Any) -> set[int]:
    """The nodes of a prediction, root included.

    Like `closure_nodes`, but an ancestor that the prediction explicitly switches off stays off, as
    in the predictions of flat learners. `None`, no prediction, is the root alone.
    """
    if y is None:
        check_taxonomy(taxonomy)
        return {0}
    on, stated = _read(taxonomy, y)
    if stated is None:
        return _close(taxonomy._arrays.rows, on)
    nodes = set(on)
    if len(stated) - (taxonomy.root in stated) < len(taxonomy) - 1:  # fill in missing labels
        off = {taxonomy.index(label) for label, value in stated.items() if not value}
        nodes = _close(taxonomy._arrays.rows, on, blocked=off)
    nodes.add(0)
    return nodes


def given_closure(taxonomy: Nodes, y: Any) -> set[int]:
    """The nodes that y switches on and their ancestors, even those that y switches off."""
    return _close(taxonomy._arrays.parents, _read(taxonomy, y)[0])


def given_nodes(taxonomy: Nodes, y: Any) -> set[int]:
    """The nodes of y as given; only the root is added."""
    return {0, *_read(taxonomy, y)[0]}


def _close(
    parents: Sequence[tuple[int, ...]], on: Iterable[int], blocked: Collection[int] = ()
) -> set[int]:
    nodes = {0}
    stack = list(on)
    while stack:
        v = stack.pop()
        if v not in nodes:
            nodes.add(v)
            stack += [p for p in parents[v] if p not in blocked]
    return nodes


def _read(taxonomy: Nodes, y: Any) -> tuple[list[int], Mapping[Any, Any] | None]:
    """The nodes that y switches on; y itself, spelled as in the taxonomy, if it is a mapping."""
    check_taxonomy(taxonomy)  # the order of a loss's arguments is easily mistaken
    if isinstance(y, Mapping):
        values = _bools(y)
        try:
            nodes = taxonomy._arrays.numbers(y)
        except KeyError:
            nodes, y = [taxonomy.index(label) for label in y], {}
            for v, on in zip(nodes, values, strict=True):  # the labels may be paths
                label = taxonomy._arrays.label(v)
                if y.setdefault(label, bool(on)) != bool(on):
                    raise ValueError(
                        f"label {label!r} is given twice, once as True and once as False"
                    ) from None
        return list(compress(nodes, values)), y
    if y is None:
        raise ValueError("y is None: it must be a label, an iterable of labels or {label: bool}")
    try:
        one = is_one(y) or taxonomy._arrays.number(y) is not None
    except TypeError:  # a list or a set: not hashable, so not a label
        one = False
    if one or (taxonomy._path_format.whole and isinstance(y, tuple)):  # a path
        return [taxonomy.index(y)], None
    return [taxonomy.index(label) for label in y], None


def spelled(taxonomy: Nodes, values: Mapping[Any, V]) -> Mapping[Any, V]:
    """The same mapping with its labels as in the taxonomy; those that are unknown stay."""
    try:
        taxonomy._arrays.numbers(values)
        return values
    except KeyError:
        return {
            taxonomy._arrays.label(taxonomy.index(label)) if label in taxonomy else label: value
            for label, value in values.items()
        }


def is_one(y: Any) -> bool:
    """Whether y can only be a single label: text, or not iterable."""
    if isinstance(y, str | bytes):
        return True
    try:
        iter(y)
    except TypeError:  # numpy's 0-d arrays have an __iter__ that fails
        return True
    return False


def _bools(y: Mapping[Any, Any]) -> bytes:
    """The values of y, 1 or 0 each."""
    try:
        values = bytes(y.values())  # bool and int by themselves; much faster than a loop
    except (TypeError, ValueError):
        values = b"\2"
    if values.strip(b"\0\1"):
        return bytes(_bool(label, on) for label, on in y.items())
    return values


def _bool(label: Any, on: Any) -> bool:
    try:
        if on in (0, 1):
            return bool(on)
    except (TypeError, ValueError):
        pass
    raise ValueError(f"label {label!r} is {short(on)}: it must be True or False")


def candidate_nodes(taxonomy: Nodes, candidates: Candidates | None) -> NDArray[np.intp]:
    """The indices of the candidates, in taxonomy order; `None` means the leaves but the root."""
    if candidates is None:
        leaves = taxonomy._arrays.leaves
        return leaves[leaves > 0]
    if isinstance(candidates, str | bytes) or not isinstance(candidates, Collection):
        raise TypeError(
            "`candidates` must be a collection of labels, such as taxonomy.leaves, "
            f"got {candidates!r}"
        )
    nodes = sorted({taxonomy.index(label) for label in candidates})
    if not nodes:
        raise ValueError("`candidates` must not be empty; name labels, or leave it out")
    if nodes[0] == 0:
        raise ValueError(f"`candidates` must not hold the root, {taxonomy.root!r}: it is always on")
    return np.array(nodes, dtype=np.intp)
