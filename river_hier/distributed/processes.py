"""Shards in processes of their own, on this machine or on others; what dies is replaced."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from .. import checkpoint
from .._backend import Batch, core
from .shard import Model, Shard, Stage
from .shards import Shards

# Batches that may wait for a shard while the next one is read.
_AHEAD = 1
# Who dies so often in a row will not live.
_LIVES = 3
# Until somebody is told that there is no room for a shard.
_SECONDS = 60.0


def ray_module() -> Any:
    """The module `ray`."""
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise ImportError(
            "shards in processes of their own need Ray: pip install 'river-hier[ray]'"
        ) from None


class Actor:
    """What runs in a shard's process."""

    def __init__(self, data: bytes) -> None:
        self._shard: Shard = checkpoint.loads(data)

    def learn(self, number: int, stages: Sequence[Stage]) -> None:
        self._shard.learn(number, stages)

    def ask(self, what: str, X: Batch) -> Any:
        return getattr(self._shard, what)(X)

    def saved(self) -> bytes:
        return checkpoint.dumps(self._shard)

    def core(self) -> str:
        return core


class Process:
    """A shard's process as it is seen from here, and from what another one is made."""

    def __init__(self, data: bytes) -> None:
        self.ray = ray_module()
        self.keep(data, 0)
        self.start()

    def keep(self, data: bytes, n_batches: int) -> None:
        """A checkpoint that knows so many batches. It lies on this machine, and outlives others."""
        self.data, self.n_kept = self.ray.put(data), n_batches

    def start(self) -> None:
        """Begin, or begin again, from the checkpoint."""
        actor = self.ray.remote(Actor).options(num_cpus=1, scheduling_strategy="SPREAD")
        self.actor = actor.remote(self.data)
        self.n_sent = self.n_kept
        self.waiting: list[Any] = []  # for batches that have been sent

    def catch_up(self, log: Sequence[tuple[int, Any]]) -> None:
        """Send the batches that have not been sent yet."""
        for number, stages in log:
            if number > self.n_sent:
                self.waiting.append(self.actor.learn.remote(number, stages))
                self.n_sent = number

    def wait(self, most: int) -> None:
        """Until no more batches than these are waiting."""
        while len(self.waiting) > most:
            self.ray.get(self.waiting[0])
            del self.waiting[0]

    def stop(self) -> None:
        self.ray.kill(self.actor)


class Processes(Shards):
    """Shards as Ray actors.

    `log` holds the batches since the last checkpoint, each with its number. A process that is new
    gets those that its checkpoint does not know in the way in which all get the last one.
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
        self._every = checkpoint_every
        self._log: list[tuple[int, Any]] = []
        self._processes = [Process(checkpoint.dumps(shard)) for shard in shards]
        self._check_cores()

    def learn(self, number: int, stages: Sequence[Stage]) -> None:
        self._check_ray()
        self._log.append((number, self._ray.put(stages)))
        for process in self._processes:
            process.catch_up(self._log)
        for process in self._processes:
            self._kept_alive(process, lambda process: process.wait(_AHEAD))
        if number % self._every == 0:
            for process, data in zip(self._processes, self._saved(), strict=True):
                process.keep(data, number)
            self._log.clear()

    def ask(self, what: str, X: Batch) -> list[Any]:
        self._check_ray()
        batch = self._ray.put(X)
        return self._all(lambda process: process.actor.ask.remote(what, batch))

    def models(self) -> list[Model]:
        self._check_ray()
        return [checkpoint.loads(data).model for data in self._saved()]

    def stop(self) -> None:
        for process in self._processes:
            process.stop()

    def _saved(self) -> list[bytes]:
        return self._all(lambda process: process.actor.saved.remote())

    def _all(self, call: Callable[[Process], Any]) -> list[Any]:
        """What a call brings from every process, all of them at work at the same time."""
        for process in self._processes:
            process.catch_up(self._log)
        called = {process: call(process) for process in self._processes}

        def get(process: Process) -> Any:
            result = called.pop(process) if process in called else call(process)
            process.wait(0)
            return self._ray.get(result)

        return [self._kept_alive(process, get) for process in self._processes]

    def _kept_alive(self, process: Process, get: Callable[[Process], Any]) -> Any:
        """What `get` brings; from a new process wherever one dies."""
        exceptions = self._ray.exceptions
        for _ in range(_LIVES):
            process.catch_up(self._log)
            try:
                return get(process)
            except exceptions.RayActorError as error:
                died = error
                process.stop()  # it may be out of reach only
                process.start()
            except exceptions.RayTaskError as error:
                raise error.cause from None
        place = self._processes.index(process)
        raise RuntimeError(
            f"shard {place} has died {_LIVES} times in a row and is given up; is there enough "
            "memory for it, and is river_hier installed where it runs?"
        ) from died

    def _ray_session(self) -> str | None:
        """What this process is to Ray, as long as it is anything."""
        if not self._ray.is_initialized():
            return None
        session: str = self._ray.get_runtime_context().get_job_id()
        return session

    def _check_ray(self) -> None:
        if self._ray_session() != self._session:
            raise RuntimeError(
                "Ray was shut down while these shards were running, and what they had learned went "
                "with it; close() the model before ray.shutdown(), or save what gathered() gives"
            )

    def _check_cores(self) -> None:
        """All must compute alike, to the last bit."""
        try:
            cores = [process.actor.core.remote() for process in self._processes]
            others = self._ray.get(cores, timeout=_SECONDS)
        except self._ray.exceptions.GetTimeoutError:
            self.stop()
            raise RuntimeError(
                f"{len(self._processes)} shards need a free processor each, and have not found "
                f"them in {_SECONDS:g} s; Ray has {self._ray.cluster_resources()['CPU']:g} in "
                "all; take fewer shards, close other models, or add machines"
            ) from None
        for place, other in enumerate(others):
            if other != core:
                self.stop()
                raise RuntimeError(
                    f"shard {place} runs the {other} core and this process the {core} core, which "
                    "differ in the last bits; see RIVER_HIER_PURE, and start in a folder without "
                    "the sources of river_hier, where Ray would find them first"
                )
