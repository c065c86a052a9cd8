"""Base class of the stream transformers, and the labels that they replace."""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...taxonomy import Taxonomy
from ..base import TaxonomyDataset, View, shown_stream


class Transformed(TaxonomyDataset):
    """Base class of the streams that modify another stream.

    Only the taxonomy is passed on. Other properties of the original, such as its probabilities or
    prototypes, may not hold any more; they are available from the attribute `stream`.

    Parameters
    ----------
    stream
        A stream of `datasets`, or a prefix of one.

    """

    def __init__(self, stream: TaxonomyDataset | View) -> None:
        if not isinstance(stream, TaxonomyDataset | View):
            raise TypeError(
                "`stream` must be a stream with a taxonomy, such as datasets.RCV1(), or a prefix "
                f"of one, got {type(stream).__name__}; for your own data subclass "
                "datasets.base.TaxonomyDataset"
            )
        known: Any = stream  # a prefix has the attributes of its stream
        super().__init__(
            known.task,
            known.n_features,
            n_samples=known.n_samples,
            n_classes=known.n_classes,
            n_outputs=known.n_outputs,
            sparse=known.sparse,
        )
        self.stream = stream

    @property
    def taxonomy(self) -> Taxonomy:
        """The taxonomy of the stream."""
        taxonomy: Taxonomy = self.stream.taxonomy
        return taxonomy

    @property
    def _repr_content(self) -> dict[str, str]:
        content: dict[str, str] = super()._repr_content
        for name in inspect.signature(type(self)).parameters:
            content[name] = reprlib.repr(getattr(self, name))
        content["stream"] = shown_stream(self.stream)
        return content


def path_ends(taxonomy: Taxonomy, y: Any) -> list[int]:
    """The ends of the paths of y: the nodes that are on and have no child that is on.

    The end of a single label is the label itself; if no label is on, the end is the root.
    """
    if not isinstance(y, Mapping):
        return [taxonomy.index(y)]
    on = np.flatnonzero(taxonomy._closure_mask(y)).tolist()
    passed = {p for v in on for p in taxonomy._parent_indices[v]}
    return [v for v in on if v not in passed]


def renamed(taxonomy: Taxonomy, y: Any, new: Mapping[int, int]) -> Any:
    """A copy of y in which some ends of paths are replaced by siblings.

    Siblings have the same ancestors, so the copy respects the taxonomy like y.
    """
    nodes = taxonomy.nodes
    if not isinstance(y, Mapping):
        v = taxonomy.index(y)
        return nodes[new.get(v, v)]
    return {**y, **{nodes[v]: False for v in new}, **{nodes[v]: True for v in new.values()}}


def families(taxonomy: Taxonomy) -> dict[int, tuple[list[int], int]]:
    """For every node with siblings: its siblings, including itself, and its position among them.

    Siblings are the nodes with exactly the same parents; in a tree, the children of one node.
    """
    groups = [group.tolist() for group in taxonomy._arrays.groups if len(group) > 1]
    return {v: (group, place) for group in groups for place, v in enumerate(group)}
