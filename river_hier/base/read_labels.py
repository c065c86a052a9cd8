"""Reading of the labels of single-label models, which an open taxonomy may lack."""

from __future__ import annotations

from typing import Any

from .._core import Batch
from ..taxonomy import Label, Taxonomy, UnknownLabelError
from ..taxonomy.open import with_labels
from .checks import check_single_label
from .dataframes import at_row
from .targets import nodes_of, stage_rows, stages


def read_label(model: Any, y: Label) -> tuple[Taxonomy, int]:
    """The taxonomy with the label y, and the node of y."""
    taxonomy = model._taxonomy
    try:
        if not isinstance(model.taxonomy, Taxonomy):
            taxonomy = with_labels(model.taxonomy, taxonomy, [y])
        return taxonomy, taxonomy.index(y)
    except (TypeError, UnknownLabelError):
        check_single_label(model, y)
        raise


def read_many(model: Any, X: Batch, labels: list[Any]) -> list[tuple[int, int, Taxonomy, Any]]:
    """The stages of a valid batch: first row, last row + 1, taxonomy and nodes."""
    model._check_many(X)
    found = [(0, model._taxonomy)]
    try:
        if not isinstance(model.taxonomy, Taxonomy):
            found = stages(model.taxonomy, model._taxonomy, X, [[label] for label in labels])
        rows = stage_rows(found, len(labels))
        return [(a, z, t, nodes_of(t, labels, X, a, z)) for a, z, t in rows]
    except (TypeError, UnknownLabelError):
        for i, label in enumerate(labels):
            with at_row(X.number(i)):
                check_single_label(model, label)
        raise
