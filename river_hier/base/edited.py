"""The weights of linear learners after an edit of their taxonomy: sums of those before it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from ..taxonomy import Arrays, Edit

Matrix = Any  # of scipy.sparse: features in rows, weight vectors in columns


def matrices(rows: Sequence[Any], n: int) -> list[Matrix]:
    """The planes that a state has saved, with n columns."""
    start, nodes, *planes = rows
    shape = len(start) - 1, n
    return [sparse.csr_matrix((np.asarray(p, float), nodes, start), shape) for p in planes]


def rows_of(planes: Sequence[Matrix], dtype: str) -> list[Any]:
    """Planes as a state saves them: the places where one is not 0, and their numbers there."""
    both = (planes[0] + 1j * (planes[-1] if len(planes) > 1 else 0 * planes[0])).tocsr()
    both.sort_indices()
    values = [both.data.real, both.data.imag][: len(planes)]
    start, nodes = both.indptr.astype(np.int64), both.indices.astype(np.uint32)
    return [start, nodes, *(plane.astype(dtype) for plane in values)]


def ones(rows: Any, columns: Any, shape: tuple[int, int]) -> Matrix:
    """A matrix of zeros, and ones at these places."""
    return sparse.csc_matrix((np.ones(len(rows)), (rows, columns)), shape)


def paths(tree: Arrays) -> Matrix:
    """1 where a node, of the row, is on the path of another, of the column."""
    above, below = [], []
    up = down = np.arange(tree.n)
    parent = np.append(0, tree.parent_index)
    while len(up):
        above.append(up)
        below.append(down)
        up, down = parent[up[up > 0]], down[up > 0]
    return ones(np.concatenate(above), np.concatenate(below), (tree.n, tree.n))


def steps(tree: Arrays) -> Matrix:
    """What sums along paths are multiplied by to give the weight vectors."""
    child = np.arange(1, tree.n)
    return sparse.identity(tree.n, format="csc") - ones(tree.parent_index, child, (tree.n, tree.n))


def origins(edit: Edit) -> Any:
    """The old node of each new one, or that of its nearest ancestor that has one."""
    origins, parents = edit._first.copy(), edit.after._arrays.parents
    for v in np.flatnonzero(origins < 0).tolist():
        origins[v] = origins[parents[v][0]]
    return origins


def of_the_surest(columns: Any, s: Any = None) -> Any:
    """For each feature the number of the vector, (features, vectors), to take its weight from.

    Its variance is the least one; without variances, the weight is the largest.
    """
    return (np.abs(columns) if s is None else -s).argmax(axis=1)[:, None]


def gains(w: Matrix, s: Matrix | None, edit: Edit, places: Matrix) -> list[Matrix]:
    """What merged nodes get beyond the first one of each, (features, new nodes).

    The vector of an old node is a sum of columns of w, in the column of the node in `places`; s has
    the variances of nodes. Returns what is added to weights and, if there are any, to variances.
    """
    merged = edit._merged
    more: tuple[list[Any], list[Any]] = [], []
    some = np.array([u for old in merged.values() for u in old], dtype=np.intp)
    ends = np.cumsum([len(old) for old in merged.values()])[:-1]
    vectors = np.split((w @ places[:, some]).toarray(), ends, axis=1)
    sure = [None] * len(merged) if s is None else np.split(s[:, some].toarray(), ends, axis=1)
    for parts in zip(vectors, sure, strict=True) if merged else ():
        best = of_the_surest(*parts)
        for gained, columns in zip(more, parts, strict=True):
            if columns is not None:
                gained.append(np.take_along_axis(columns, best, 1)[:, 0] - columns[:, 0])
    spread = ones(np.arange(len(merged)), list(merged), (len(merged), len(edit.after)))
    shape = len(merged), w.shape[0]
    planes = more if s is not None else more[:1]
    return [sparse.csc_matrix(np.reshape(gained, shape).T) @ spread for gained in planes]


def replaced_columns(plane: Matrix, places: list[int], columns: Sequence[Any]) -> Matrix:
    """The matrix with these columns at these places."""
    if not places:
        return plane
    others = sparse.diags(1.0 * ~np.isin(np.arange(plane.shape[1]), places))
    spread = ones(range(len(places)), places, (len(places), plane.shape[1]))
    return plane @ others + sparse.csc_matrix(np.array(columns).T) @ spread


def pairs(first: Matrix, second: Matrix) -> Matrix:
    """A matrix of two columns for each node: one of the first matrix, and one of the second."""
    return sparse.kron(first, np.array([[1, 0]]), "csc") + sparse.kron(
        second, np.array([[0, 1]]), "csc"
    )


def stacked(first: Matrix, second: Matrix) -> Matrix:
    """A matrix of two rows for each node: one of the first matrix, and one of the second."""
    return pairs(first.T, second.T).T.tocsc()


def label_places(tree: Arrays) -> Any:
    """The column of each label of two columns a node: its own one if it is an inner node."""
    inner = np.zeros(tree.n, dtype=np.intp)
    inner[tree.parent_index] = 1
    return 2 * np.arange(tree.n) + inner


def kept_pairs(edit: Edit) -> Matrix:
    """Two columns of each node go where the first old node is now; those of labels to labels."""
    first = edit._first
    was, now = label_places(edit.before._arrays), label_places(edit.after._arrays)
    known = np.flatnonzero(first >= 0)
    source = 2 * np.repeat(first, 2) + np.tile([0, 1], len(first))
    source[now[known]] = was[first[known]]
    places = np.flatnonzero(source >= 0)
    return ones(source[places], places, (2 * len(edit.before), len(source)))
