"""Shards in this process; all messages are pickled, as between processes."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from river_hier import distributed
from river_hier.distributed.shard import Model, Shard, Stage


def sent(message: Any) -> Any:
    return pickle.loads(pickle.dumps(message, protocol=5))


class LocalShards:
    """A substitute for `ActorPool`."""

    def __init__(self, shards: list[Shard]) -> None:
        self.shards: list[Shard] = list(map(sent, shards))  # nothing is shared
        self.n_stopped = 0

    def learn(self, number: int, stages: Sequence[Sequence[Stage]]) -> None:
        for shard, part in zip(self.shards, stages, strict=True):
            shard.learn(number, sent(part))

    def call(self, method: str, rows: Sequence[Any]) -> list[Any]:
        parts = zip(self.shards, rows, strict=True)
        return [sent(getattr(shard, method)(sent(part))) for shard, part in parts]

    def models(self) -> list[Model]:
        return [sent(shard).model for shard in self.shards]

    def stop(self) -> None:
        self.n_stopped += 1


@contextmanager
def local_shards() -> Iterator[None]:
    """Inside, no `Sharded` asks for a process."""
    usual = distributed.Sharded._start
    distributed.Sharded._start = lambda self, shards: LocalShards(shards)  # type: ignore[assignment]
    try:
        yield
    finally:
        distributed.Sharded._start = usual  # type: ignore[method-assign]
