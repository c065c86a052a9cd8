"""The rows of a batch that are learned are counted, and a refused one is named."""

from __future__ import annotations

from typing import Any, Self

from .._core import Batch
from ..taxonomy import UnknownLabelError
from .dataframes import of_row

ROWS = 4096  # maximum number of rows of a slice
SECONDS = 0.004  # how long a call of the compiled core may learn


class Counted:
    """Says in an exception how many rows were learned: an error is that of the next row."""

    batch: Batch | None = None  # once it has been read

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        if error is None:
            return
        n = 0 if self.batch is None else self.batch.number(self.batch.n_learned)
        vars(error)["n_learned"] = n
        if self.batch and isinstance(error, TypeError | ValueError | UnknownLabelError):
            named = of_row(n, error)
            vars(named)["n_learned"] = n
            raise named from None
