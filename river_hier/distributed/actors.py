"""Shards as Ray actors, in processes on this machine or on others; dead actors are replaced."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from typing import Any

from .. import _core
from .shard import Model, Shard, Stage

# Batches that may wait for a shard while the next one is read.
_MAX_PENDING_BATCHES = 1
# Maximum number of consecutive restarts.
_MAX_RESTARTS = 3
# Placement timeout, in seconds.
_PLACEMENT_TIMEOUT = 60.0


def ray_module() -> Any:
    """The module `ray`."""
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise ImportError(
            "shards in processes of their own need Ray: pip install 'river-hier[ray]'"
        ) from None


class ShardActor:
    """The Ray actor of a shard."""

    def __init__(self, data: bytes) -> None:
        self._shard: Shard = ray_module().cloudpickle.loads(data)

    def learn(self, number: int, stages: Sequence[Stage]) -> None:
        self._shard.learn(number, stages)

    def call(self, method: str, rows: Any) -> Any:
        return getattr(self._shard, method)(rows)

    def dump(self) -> bytes:
        data: bytes = ray_module().cloudpickle.dumps(self._shard)
        return data

    def backend(self) -> str:
        return _core.name


class ActorHandle:
    """A shard's actor as seen from the driver, and the checkpoint to restart it from."""

    def __init__(self, index: int, data: bytes) -> None:
        self.index = index
        self.ray: Any = ray_module()
        self.set_checkpoint(data, 0)
        self.start()

    def set_checkpoint(self, data: bytes, n_batches: int) -> None:
        """Store a checkpoint after this many batches, on the driver's machine."""
        self.data: Any = self.ray.put(data)
        self.n_in_checkpoint: int = n_batches

    def start(self) -> None:
        """Start an actor from the checkpoint."""
        actor = self.ray.remote(ShardActor).options(num_cpus=1, scheduling_strategy="SPREAD")
        self.actor: Any = actor.remote(self.data)
        self.n_sent: int = self.n_in_checkpoint
        self.pending: list[Any] = []  # calls of `learn`, the oldest first

    def send(self, log: Sequence[tuple[int, list[Any]]]) -> None:
        """Send the batches of the log that have not been sent yet."""
        for number, stages in log:
            if number > self.n_sent:
                self.pending.append(self.actor.learn.remote(number, stages[self.index]))
                self.n_sent = number

    def wait(self, max_pending: int) -> None:
        """Wait until at most this many batches are pending."""
        while len(self.pending) > max_pending:
            self.ray.get(self.pending[0])
            del self.pending[0]

    def stop(self) -> None:
        self.ray.kill(self.actor)


class ActorPool:
    """The actors of all shards; results are in the order of the shards.

    `_log` holds the numbered batches since the last checkpoint. A restarted actor is sent those
    that its checkpoint does not contain, in the same way as every actor is sent the latest one.
    """

    def __init__(self, shards: list[Shard], checkpoint_every: int) -> None:
        self._ray = ray_module()
        if not self._ray.is_initialized():
            self._ray.init(
                num_cpus=len(shards),
                include_dashboard=False,
                log_to_driver=False,
                logging_level="error",
            )
        self._session = self._ray_session()
        self._pid = os.getpid()
        self._checkpoint_every = checkpoint_every
        self._log: list[tuple[int, list[Any]]] = []
        self._actors = [
            ActorHandle(index, self._ray.cloudpickle.dumps(shard))
            for index, shard in enumerate(shards)
        ]
        self._check_backends()

    def learn(self, number: int, stages: Sequence[Sequence[Stage]]) -> None:
        """Let every shard learn its part of a batch; the first batch has number 1."""
        self._check_ray()
        self._log.append((number, self._put(stages)))
        for handle in self._actors:
            handle.send(self._log)
        for handle in self._actors:
            self._retry(handle, lambda handle: handle.wait(_MAX_PENDING_BATCHES))
        if number % self._checkpoint_every == 0:
            for handle, data in zip(self._actors, self._dumps(), strict=True):
                handle.set_checkpoint(data, number)
            self._log.clear()

    def call(self, method: str, rows: Sequence[Any]) -> list[Any]:
        """Call `decide`, `descend` or `score` of every shard."""
        self._check_ray()
        sent = self._put(rows)
        return self._call_all(lambda handle: handle.actor.call.remote(method, sent[handle.index]))

    def _put(self, messages: Sequence[Any]) -> list[Any]:
        """Put the messages to all shards into the object store, equal ones once."""
        if all(message is messages[0] for message in messages):
            return [self._ray.put(messages[0])] * len(messages)
        return list(map(self._ray.put, messages))

    def models(self) -> list[Model]:
        """The model of every shard."""
        self._check_ray()
        return [self._ray.cloudpickle.loads(data).model for data in self._dumps()]

    def stop(self) -> None:
        """End all actors, unless they belong to a parent process or to an earlier Ray."""
        if os.getpid() == self._pid and self._ray_session() == self._session:
            for handle in self._actors:
                handle.stop()

    def _dumps(self) -> list[bytes]:
        return self._call_all(lambda handle: handle.actor.dump.remote())

    def _call_all(self, call: Callable[[ActorHandle], Any]) -> list[Any]:
        """The results of a call of every actor; the actors work at the same time."""
        for handle in self._actors:
            handle.send(self._log)
        called = {handle: call(handle) for handle in self._actors}

        def get(handle: ActorHandle) -> Any:
            result = called.pop(handle) if handle in called else call(handle)
            handle.wait(0)
            return self._ray.get(result)

        return [self._retry(handle, get) for handle in self._actors]

    def _retry(self, handle: ActorHandle, get: Callable[[ActorHandle], Any]) -> Any:
        """The result of `get`; if the actor dies, it is restarted and `get` is called again."""
        exceptions = self._ray.exceptions
        for _ in range(_MAX_RESTARTS):
            handle.send(self._log)
            try:
                return get(handle)
            except exceptions.RayActorError as error:
                died = error
                handle.stop()  # it may be alive but unreachable
                handle.start()
            except exceptions.RayTaskError as error:
                raise error.cause from None
        raise RuntimeError(
            f"shard {handle.index} has died {_MAX_RESTARTS} times in a row and is "
            "given up; is there enough memory for it, and is river_hier installed where it runs?"
        ) from died

    def _ray_session(self) -> str | None:
        """The Ray job of this process; `None` if Ray has been shut down."""
        if not self._ray.is_initialized():
            return None
        session: str = self._ray.get_runtime_context().get_job_id()
        return session

    def _check_ray(self) -> None:
        if os.getpid() != self._pid:
            raise RuntimeError(
                "a forked process cannot use the shards of its parent; fork, or save in the "
                "background, what gathered() returns"
            )
        if self._ray_session() != self._session:
            raise RuntimeError(
                "Ray was shut down while these shards were running, and what they had learned was "
                "lost; close() the model before ray.shutdown(), or save what gathered() returns"
            )

    def _check_backends(self) -> None:
        """All shards must compute with the same backend, for results that are equal to the bit."""
        try:
            calls = [handle.actor.backend.remote() for handle in self._actors]
            backends = self._ray.get(calls, timeout=_PLACEMENT_TIMEOUT)
        except self._ray.exceptions.GetTimeoutError:
            self.stop()
            raise RuntimeError(
                f"{len(self._actors)} shards need a free processor each, and have not found them "
                f"in {_PLACEMENT_TIMEOUT:g} s; Ray has "
                f"{self._ray.cluster_resources()['CPU']:g} in all; take fewer shards, close other "
                "models, or add machines"
            ) from None
        for index, backend in enumerate(backends):
            if backend != _core.name:
                self.stop()
                raise RuntimeError(
                    f"shard {index} runs the {backend} backend and this process the "
                    f"{_core.name} one, which differ in the last bits; see RIVER_HIER_PURE, and "
                    "start in a folder without the sources of river_hier: Ray would find "
                    "them first"
                )
