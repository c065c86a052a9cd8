"""Base class of the stream transformers, and the labels that they replace."""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...taxonomy import Taxonomy
from ..base import Prefix, TaxonomyDataset


class Transformed(TaxonomyDataset):
    """Mother class of the streams that are made of another stream.

    They know the taxonomy and no more: the probabilities and prototypes of the other stream are
    not theirs. What that one knows is to be had from `stream`.

    Parameters
    ----------
    stream
        Any stream of `datasets`, or a prefix of one.

    """

    def __init__(self, stream: TaxonomyDataset | Prefix) -> None:
        if not isinstance(stream, TaxonomyDataset | Prefix):
            raise TypeError(
                "`stream` must be a stream that knows its taxonomy, such as datasets.RCV1(), or a "
                f"prefix of one, got {type(stream).__name__}; for data of your own there is "
                "datasets.base.TaxonomyDataset"
            )
        known: Any = stream  # a prefix answers for its stream
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
        inner = self.stream
        content["stream"] = repr(inner) if isinstance(inner, Prefix) else type(inner).__name__
        return content


def path_ends(taxonomy: Taxonomy, y: Any) -> list[int]:
    """The most specific nodes of y: those that are on without any child.

    A single label is its own end; where nothing is on the end is the root.
    """
    if not isinstance(y, Mapping):
        return [taxonomy.index(y)]
    on = np.flatnonzero(taxonomy.multilabel(y)).tolist()
    passed = {p for v in on for p in taxonomy.parent_indices[v]}
    return [v for v in on if v not in passed]


def renamed(taxonomy: Taxonomy, y: Any, new: Mapping[int, int]) -> Any:
    """A copy of y with some of its ends taken for others of their families.

    All of a family have the same ancestors, so the answer is closed upwards as y is.
    """
    nodes = taxonomy.nodes
    if not isinstance(y, Mapping):
        v = taxonomy.index(y)
        return nodes[new.get(v, v)]
    return {**y, **{nodes[v]: False for v in new}, **{nodes[v]: True for v in new.values()}}


def families(taxonomy: Taxonomy) -> dict[int, tuple[list[int], int]]:
    """Of every node that has siblings its family, itself included, and its place there.

    A family is all nodes with the very same parents; in a tree, the children of one node.
    """
    groups = [group.tolist() for group in taxonomy.arrays.groups if len(group) > 1]
    return {v: (group, place) for group in groups for place, v in enumerate(group)}
