"""Checks of what is to be evaluated."""

from __future__ import annotations

from typing import Any

from river.datasets.base import SyntheticDataset

from ..datasets.synth.transformed import Transformed


def check_ends(dataset: Any) -> None:
    """A stream that is to be read whole must have an end."""
    while isinstance(dataset, Transformed):
        dataset = dataset.stream
    if isinstance(dataset, SyntheticDataset) and dataset.n_samples is None:
        raise ValueError(
            f"{type(dataset).__name__} is endless; give a prefix of it, such as .take(1000)"
        )
