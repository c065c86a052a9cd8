"""What a sharded model asks of its shards, wherever they are."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any

from .._backend import Batch
from .shard import Model, Stage


class Shards(abc.ABC):
    """All shards; answers come in their order."""

    @abc.abstractmethod
    def learn(self, number: int, stages: Sequence[Stage]) -> None:
        """Let every shard learn a batch; the first is number 1."""

    @abc.abstractmethod
    def ask(self, what: str, X: Batch) -> list[Any]:
        """What every shard's `decide` or `score` says of a batch."""

    @abc.abstractmethod
    def models(self) -> list[Model]:
        """The part of the model that every shard has."""

    @abc.abstractmethod
    def stop(self) -> None:
        """End them."""
