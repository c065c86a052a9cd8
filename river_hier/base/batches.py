"""Learning from batches by generators, which yield the number of rows learned after each slice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..taxonomy import Taxonomy

ROWS = 4096  # maximum number of rows per call of the compiled core
SECONDS = 0.004  # how long such a call may take

# First row, last row + 1, the taxonomy in which these are learned, and their targets.
Stage = tuple[int, int, Taxonomy, Any]


def learn_rows(slices: Iterator[int], whole: bool = False) -> None:
    """Learn a batch; exceptions get the attribute `n_learned`, the number of rows learned.

    This is 0 with `whole`, for a model that is dropped after an error.
    """
    n = 0
    try:
        for n in slices:  # noqa: B007
            pass
    except BaseException as error:
        vars(error)["n_learned"] = 0 if whole else vars(error).get("n_learned", n)
        raise
