"""Serve a model over HTTP while it learns; http_worker.py describes the requests.

    python examples/streaming/http_service.py --taxonomy taxonomy.json --folder shop --port 8080

There are two kinds of processes. Workers answer requests, all on the same port. They write accepted
labels to a journal in the folder (see journal.py). The first process learns these labels in the
order of the journal, and starts the workers as forks of itself. So each worker has a snapshot of
the model, in memory that all share, and never waits for the learner. Every `--publish` seconds, if
labels were learned, workers with a newer snapshot take over; the old ones close their connections
and stop. Every `--save` seconds another fork writes a checkpoint, with the position in the journal,
which drops the labels up to that position when the checkpoint is written.

**If any of the processes is killed, or all of them,**

* no acknowledged label is lost: it is in the journal, on the disk;
* each label is learned exactly once: the learner continues from its checkpoint. A label that is
  sent again with the same key is acknowledged, and not learned again, unless 100,000 others came
  between. The model is that of one program that learns all labels in their order, bit for bit.

A killed worker is replaced. If the first process is killed, the workers stop; start the service
again with the same folder. SIGTERM and Ctrl-C stop it after a last checkpoint. It needs `fork`.

Anyone who can write to the folder can run programs here, as the checkpoint is a pickle; nothing in
a request is unpickled. There is no encryption and no password: put a proxy in front of it.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import signal
import sqlite3
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

import delayed
from http_counters import Counters
from http_worker import GRACE, PATHS, Snapshot, Worker, bind, serve
from journal import Journal

from river_hier import checkpoint

parser = argparse.ArgumentParser(
    description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
)
parser.add_argument("--taxonomy", type=Path, required=True, help="JSON: {label: what is below}")
parser.add_argument("--folder", type=Path, required=True, help="of the journal and the checkpoint")
parser.add_argument("--host", default="127.0.0.1")
parser.add_argument("--port", type=delayed.positive, default=8080)
parser.add_argument("--workers", type=delayed.positive, default=2)
parser.add_argument("--publish", type=float, default=5, help="seconds between two snapshots")
parser.add_argument("--save", type=float, default=60, help="seconds between two checkpoints")

MOST_WORKERS = 64  # including those that are about to stop
BATCH, PAUSE = 1000, 0.05  # labels read from the journal at once, and seconds between two looks


class Child(NamedTuple):
    pid: int
    row: int  # in the counters
    pipe: int  # the worker stops when this is closed, also by the death of the first process


class Service:
    """The first process: it learns, and starts workers."""

    def __init__(self, asked: Any) -> None:
        self.asked = asked
        asked.folder.mkdir(mode=0o700, exist_ok=True)
        self.journal = asked.folder / "labels.sqlite"
        self.checkpoint = asked.folder / "checkpoint"
        taxonomy = delayed.read_taxonomy(asked.taxonomy)
        self.state = delayed.opened(self.checkpoint, taxonomy, position=0, refused=0)
        with closing(Journal(self.journal)) as journal:
            start, end, position = journal.start(), journal.end(), self.state["position"]
        if not start <= position + 1 <= end + 1:
            kept = f"it has the labels after {start - 1} up to {end}"
            sys.exit(f"another journal: {kept}, and the checkpoint is at {position}")
        self.socket = bind(asked.host, asked.port)
        self.counters = Counters(PATHS, MOST_WORKERS)
        self.workers: list[Child] = []  # with the newest snapshot
        self.retired: list[Child] = []  # whose pipes are closed
        self.saved = self.state["position"]
        self.saver: tuple[int, int] | None = None  # the process that saves, and its position
        self.stopping = False

    def run(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.stop)
        published = saved = time.monotonic()
        self.learn(published + self.asked.publish)
        last = self.publish()
        while not self.stopping:
            more = self.learn(published + self.asked.publish)
            now = time.monotonic()
            if now >= published + self.asked.publish:
                if self.state["position"] > last:
                    last = self.publish()
                published = now
            if now >= saved + self.asked.save:
                self.save()
                saved = time.monotonic()
            self.look_after_children()
            if not more:
                time.sleep(PAUSE)
        self.retire()
        deadline = time.monotonic() + 2 * GRACE
        while self.retired and time.monotonic() < deadline:
            self.look_after_children()
            time.sleep(PAUSE)
        for child in self.retired:
            os.kill(child.pid, signal.SIGKILL)
        while self.learn(float("inf")):
            pass
        if self.saver:
            os.kill(self.saver[0], signal.SIGKILL)
            os.waitpid(self.saver[0], 0)
        checkpoint.save(self.state, self.checkpoint)

    def stop(self, number: int, frame: Any) -> None:
        self.stopping = True

    def learn(self, until: float) -> bool:
        """Learn the next labels of the journal; return whether there are more."""
        state = self.state
        with closing(Journal(self.journal)) as journal:  # it must not be open at a fork
            with suppress(sqlite3.Error):  # no space, for instance: later
                journal.drop(self.saved, BATCH)
            labels = journal.after(state["position"], BATCH)
        for position, message in labels:
            x, y = delayed.features(message["x"]), message["y"]
            try:
                answer = delayed.predict(state["model"], x)
                state["model"].learn_one(x, y)
                state["metric"].update(y, answer)
            except delayed.REFUSED as error:
                print(f"label {position} is not learned: {error}", file=sys.stderr)
                state["refused"] += 1
            state["position"] = position
            if time.monotonic() > until:
                return True
        return len(labels) == BATCH

    def save(self) -> None:
        """Start a process that writes a checkpoint, if labels were learned since the last one."""

        def write() -> None:
            self.socket.close()
            os.nice(10)  # answers come first
            with suppress(AttributeError):  # where there is something lower
                os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
            checkpoint.save(self.state, self.checkpoint)

        position = self.state["position"]
        if position > self.saved and self.saver is None:
            self.saver = self.fork(write, self.workers), position

    def publish(self) -> int:
        """Replace all workers by new ones; return the position of their snapshot."""
        if len(self.workers) + len(self.retired) + self.asked.workers > MOST_WORKERS:
            return 0  # later
        new: list[Child] = []
        gc.freeze()  # or else garbage collection in the workers would write to shared memory
        while len(new) < self.asked.workers:
            new.append(self.start_worker(new))
        gc.unfreeze()
        self.retire()
        self.workers = new
        return self.state["position"]

    def retire(self) -> None:
        """Let all workers stop."""
        for child in self.workers:
            os.close(child.pipe)
        self.retired += self.workers
        self.workers = []

    def look_after_children(self) -> None:
        """Notice processes that have stopped, and replace workers that were killed."""
        while self.workers or self.retired or self.saver:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            if self.saver and self.saver[0] == pid:
                self.saved, self.saver = self.saved if status else self.saver[1], None
            self.retired = [child for child in self.retired if child.pid != pid]
            for child in [child for child in self.workers if child.pid == pid]:
                self.workers.remove(child)
                os.close(child.pipe)
                if os.WIFEXITED(status) and os.WEXITSTATUS(status):
                    sys.exit("a worker has failed")
                if not self.stopping:
                    self.workers.append(self.start_worker([]))

    def start_worker(self, new: list[Child]) -> Child:
        """Start a worker, besides the current ones and other new ones."""
        others = [*self.workers, *new]
        row = min(set(range(MOST_WORKERS)) - {child.row for child in [*others, *self.retired]})
        snapshot = Snapshot(self.state, time.time())
        parent, pipe = os.pipe()

        def work() -> None:
            os.close(pipe)
            worker = Worker(snapshot, self.journal, self.counters, row)
            asyncio.run(serve(worker, self.socket, parent))

        child = Child(self.fork(work, others), row, pipe)
        os.close(parent)
        return child

    def fork(self, work: Callable[[], None], workers: list[Child]) -> int:
        """Start a process, which closes its copies of the pipes of the workers."""
        sys.stderr.flush()
        if pid := os.fork():
            return pid
        status = 1
        try:
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, signal.SIG_DFL)
            for child in workers:
                os.close(child.pipe)
            work()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)  # without the exit handlers of the first process


if __name__ == "__main__":
    Service(parser.parse_args()).run()
