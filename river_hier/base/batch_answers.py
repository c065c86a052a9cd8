"""Answers to a mini-batch, of the same kind as the dataframe that was given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
from numpy.typing import NDArray

from ..taxonomy import Label
from .batches import Frame


def series(like: Frame, answers: Sequence[Label], nodes: Sequence[Label]) -> Any:
    """A label a row. `nodes` are the labels that might have come."""
    one_type = len(set(map(type, nodes))) == 1
    if like.implementation.is_pandas_like():
        pandas = nw.get_native_namespace(like)
        kind = None if one_type and len(answers) else object
        return pandas.Series(list(answers), index=like.to_native().index, dtype=kind)
    # Columns elsewhere hold one type, and would make a list of a tuple: all else becomes text.
    scalars = one_type and isinstance(nodes[0], str | int | float)
    items = list(answers) if scalars else list(map(str, answers))
    return nw.new_series("", items, backend=like.implementation).to_native()


def frame(like: Frame, cells: NDArray[Any], labels: Sequence[Label]) -> Any:
    """A row a row, a column a label."""
    if like.implementation.is_pandas_like():
        pandas = nw.get_native_namespace(like)
        columns = pandas.Index(list(labels), dtype=object, tupleize_cols=False)
        return pandas.DataFrame(cells, index=like.to_native().index, columns=columns)
    names = list(map(str, labels))
    if len(set(names)) < len(names):
        twin = next(name for name in names if names.count(name) > 1)
        raise ValueError(
            f"two labels are written {twin!r}, and here columns are named by text; ask with a "
            "pandas.DataFrame"
        )
    schema = dict.fromkeys(names, nw.Boolean() if cells.dtype == bool else nw.Float64())
    columns = {name: cells[:, j] for j, name in enumerate(names)}
    return nw.from_dict(columns, schema, backend=like.implementation).to_native()
