"""What the transformers of streams share: the stream they are given, and what is known of it."""

from __future__ import annotations

import inspect
import reprlib
from typing import Any

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
