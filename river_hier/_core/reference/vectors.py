"""The vectors of a mini-batch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..batch import Batch, Floats
from .feature_map import FeatureMap, Vector


class Vectors(list[Vector]):
    """The vectors of a batch over the features already known.

    With `insert`, the compiled backend adds the new names of the whole batch at once; here they are
    added row by row, when the rows are learned.
    """

    def __init__(self, features: FeatureMap, X: Batch, insert: bool = False) -> None:
        super().__init__(map(features.find, () if insert else X))
        self.features = features
        self.batch = X
        self.inserts = insert

    @property
    def rows_of_columns(self) -> NDArray[np.int64]:
        """The row of the feature in each column; -1 if it has none."""
        for x in self.batch if self.inserts else ():
            self.features.insert(x)
        rows = map(self.features.row, self.batch.names)
        return np.array([-1 if row is None else row for row in rows], dtype=np.int64)

    @property
    def norms2(self) -> Floats:
        """The squared norms of the vectors; as in `Vector`, unknown features count."""
        return np.array([x.norm2 for x in self])
