"""The labels of a taxonomy at the door: y -> nodes, nodes -> answer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..taxonomy import Arrays, Label, Taxonomy, check_taxonomy
from .pickles import saved

Mask = NDArray[np.bool_]


class Labels:
    """A taxonomy as the steps of the algorithms see it."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        self.taxonomy = taxonomy

    @property
    def arrays(self) -> Arrays:
        return self.taxonomy.arrays

    def closed(self, y: Any) -> Mask:
        """The mask of the nodes of y and all their ancestors: O(labels of y + their ancestors)."""
        return self.taxonomy.multilabel(y)

    def answer(self, on: Mask) -> dict[Label, bool]:
        """`{label: whether it is on}` for all nodes but the root: O(nodes)."""
        return dict(zip(self.taxonomy.nodes[1:], on[1:].tolist(), strict=True))

    def __reduce__(self) -> tuple[Any, ...]:
        return saved("Labels", self.taxonomy)

    @classmethod
    def restore(cls, taxonomy: Taxonomy) -> Labels:
        """The labels of a pickle."""
        check_taxonomy(taxonomy)
        return cls(taxonomy)
