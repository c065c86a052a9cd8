"""The service: one process and one thread, which answers, learns, and writes to the disk."""

import asyncio
import fcntl
import hashlib
import json
import math
import os
import shutil
import signal
import sqlite3
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import prometheus_client as prometheus
from prometheus_client.core import CounterMetricFamily as Count
from prometheus_client.core import GaugeMetricFamily as Value
from prometheus_client.core import Metric
from starlette.exceptions import HTTPException
from starlette.responses import Response

from .. import active, checkpoint, inspection, losses, programs
from ..base.answer import answer_of, taxonomy_of
from ..base.classifiers import is_multilabel, last_step
from ..base.targets import judged
from ..base.wrapper import check_one
from ..programs import path, probability, with_risk
from ..stream import learn_names
from ..taxonomy import Below, Label, Not, Taxonomy
from ..taxonomy.open import with_labels
from .connections import guarded, server
from .journal import Entry, Journal, Log
from .messages import KEY, LABELS, answered, features, labels, site

TERMS = 20  # maximum number of contributions per node
BATCH = 100  # labels that share a transaction, at most
QUESTIONS = 100  # maximum number of questions that are kept
# Before the keys of what is no label: these are ASCII, so that no label has such a key.
FEEDBACK, NAME, EDIT = (f"{what} \N{MIDDLE DOT} " for what in ("feedback", "name", "edit"))
SHOWN = 10_000  # answers with a key that are remembered, the latest ones
SECONDS = 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0


class Service:
    """The state of the model, and the handlers of the requests.

    A label is learned in the transaction that writes it to the journal, and acknowledged after it.
    So the model is that of the checkpoint and of the labels in the journal after its position,
    learned in their order: that is what a new process, or one whose disk is full, makes of them.
    """

    def __init__(
        self, model: Path, folder: Path, risk: float | None, budget: float | None = None,
        names: Iterable[str] = (), log: Path | None = None, foreign: float | None = None,
    ) -> None:  # fmt: skip
        self.asked: dict[str, dict[str, Any]] = {}  # what is worth a label, by x
        self.shown: dict[str, tuple[Any, list[Label]]] = {}  # x and the path of an answer, by key
        new = not folder.exists()
        try:
            data = model.read_bytes()
            folder.mkdir(mode=0o700, exist_ok=True)
            # Also held by a process that saves, which might replace a newer checkpoint.
            self.lock: int = os.open(folder, os.O_RDONLY)
            try:
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                print(
                    f"waiting for the process that serves {folder}; Ctrl-C ends",
                    file=sys.stderr, flush=True,
                )  # fmt: skip
                fcntl.flock(self.lock, fcntl.LOCK_EX)
            self.journal: Journal = Journal(folder / "labels.sqlite")
            self.log: Log | None = None if log is None else Log(log, self.journal)
            self.checkpoint: Path = folder / "checkpoint"
            source = hashlib.sha256(data).hexdigest(), risk, *filter(None, [budget])
            source = (*source, "foreign", foreign) if foreign is not None else source
            if not self.checkpoint.exists():
                opened = programs.opened(data)
                served = opened["model"] if risk is None else with_risk(opened, risk, foreign)
                state = {"model": served, "source": source, "position": 0, "loss": 0.0}
                if budget is not None:
                    state["sampler"] = active.MarginSampler(served, budget)
                checkpoint.save(state, self.checkpoint)
        except Exception as error:  # a pickle may raise any
            if new:
                shutil.rmtree(folder, ignore_errors=True)
            sys.exit(f"{model} cannot be served: {error}")
        self.recover()
        if self.state["source"] != source:
            sys.exit(f"{folder} continues another model, risk or budget; name another --folder")
        self.saver: tuple[int, int] | None = None  # the process that saves, and its position
        self.fault: str = ""  # the last one, as the refusal
        self.refusal: str = ""
        self.refused: int = 0
        self.waiting: list[tuple[str, Any, asyncio.Future[Entry]]] = []
        self.writer: asyncio.Task[None] | None = None
        learning = self.learn, self.feedback, self.name, self.edit
        post = self.predict, self.top, self.explain, *learning
        self._publish((self.health, self.metrics, self.questions), post, names)

    def _publish(self, get: Any, post: Any, names: Iterable[str]) -> None:
        """Make the application that calls these methods, and what it counts."""
        self.app: Any = guarded(site(get, post), ["localhost", *names])
        self.paths: set[str] = {f"/{f.__name__}" for f in (*get, *post)}
        self.registry: Any = prometheus.CollectorRegistry()
        self.times: Any = prometheus.Histogram(
            "river_hier_request_seconds", "Time to answer.", ["path", "status"],
            buckets=SECONDS, registry=self.registry,
        )  # fmt: skip
        self.registry.register(self)

    # Learning

    def recover(self, end: float = math.inf) -> None:
        """Make the state of the checkpoint and of the labels after it, before a position."""
        self.state: dict[str, Any] = {}  # not to be saved if the checkpoint cannot be read
        try:
            self.state = checkpoint.load(self.checkpoint)
            self.saved: int = self.state["position"]
            self.several: bool = is_multilabel(last_step(self.state["model"]))
            first, last = self.journal.start(), self.journal.end()
            if not first <= self.saved + 1 <= last + 1:
                kept = f"it has the labels after {first - 1} up to {last}"
                raise ValueError(f"another journal: {kept}, and the checkpoint is at {self.saved}")
            for position, message in self.journal.after(self.saved):
                if position < end:
                    self._learn(position, message)
        except Exception as error:  # a service that went on would miss a label
            learned = f"after {self.state.get('position', 0)} labels"
            sys.exit(f"{self.checkpoint.parent} cannot be continued {learned}: {error}")

    def _learn(self, position: int, message: Any) -> list[Any]:
        """Learn a label, and return the paths of categories that are new."""
        state, model = self.state, self.state["model"]
        n = len(taxonomy_of(model))
        if "named" in message or "changes" in message:
            try:
                (_learn_name if "named" in message else self._edit)(model, **message)
            except Exception:
                self.recover(position)
                raise
            state["position"] = position
            return []
        x = features(message["x"])  # of several labels, a dictionary of all would take longer
        answer = programs.labels(answer_of(model, x)) if self.several else model.predict_one(x)
        y = labels(message["y"], self.several) if "y" in message else _known(message)
        check_one(model, x, y, 1.0)  # before a transformer learns
        try:
            model.learn_one(x, y)
            loss = losses.h_loss if self.several else losses.tree_induced_error
            taxonomy = taxonomy_of(model)
            answer = taxonomy.root if answer is None else answer
            truth, answer = judged(taxonomy, y, answer) if "y" not in message else (y, answer)
            state["loss"] += loss(taxonomy, truth, answer)
        except Exception:
            self.recover(position)
            raise
        state["position"] = position
        self.asked.pop(json.dumps(message["x"], sort_keys=True), None)
        taxonomy = taxonomy_of(model)
        return [path(taxonomy, v) for v in taxonomy.nodes[n:]] if len(taxonomy) > n else []

    def _edit(self, model: Any, changes: Any, old_labels: bool) -> None:
        last_step(model).adopt(taxonomy_of(model).edit(changes, old_labels))
        self.shown.clear()  # the paths and questions are those of before
        self.asked.clear()

    def replay(self, path: Path) -> None:
        """Learn what is in a log, unless its key is in the journal."""
        with path.open("rb") as lines:
            entries = _entries(path, lines)
            while batch := [*islice(entries, BATCH)]:
                for entry in self.journal.add(batch, self._learn):
                    self.refused += entry.error is not None
        if self.log is not None:
            self.log.extend()

    async def _write(self) -> None:
        """Learn the labels that wait; those that come meanwhile share the next transaction."""
        while batch := self.waiting[:BATCH]:
            del self.waiting[:BATCH]
            position = self.state["position"]
            try:
                added: Any = self.journal.add([one[:2] for one in batch], self._learn)
                if self.log is not None:
                    self.log.extend()
            except Exception as error:
                added = [HTTPException(503, f"the label could not be stored: {error}")] * len(batch)
                if self.state["position"] > position:
                    self.recover()
            for (_, _, stored), entry in zip(batch, added, strict=True):
                if not stored.done():  # or else the client has gone
                    stored.set_result(entry)
            await asyncio.sleep(0)

    # Checkpoints

    async def keep_going(self, seconds: float) -> None:
        """Save again and again, and drop the labels that are saved."""
        while True:
            await asyncio.sleep(seconds)
            try:
                self.reap(os.WNOHANG)
                covered = self.saved if self.log is None else min(self.saved, self.log.position)
                with suppress(sqlite3.Error):  # no space, for instance: later
                    while self.journal.drop(covered, BATCH):
                        await asyncio.sleep(0)
                if self.saver is None and self.state["position"] > self.saved:
                    self.saver = self._fork(), self.state["position"]
            except OSError as error:  # no process could be started, or others were told of its end
                self.saver, self.fault = None, f"the last checkpoint could not be written: {error}"

    def _fork(self) -> int:
        """Start a process that writes a checkpoint of the state as it is now."""
        sys.stderr.flush()
        if pid := os.fork():
            return pid
        status = 1
        try:
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            os.closerange(3, self.lock)  # the port, and connections
            os.closerange(self.lock + 1, os.sysconf("SC_OPEN_MAX"))
            os.nice(10)  # answers come first
            checkpoint.save(self.state, self.checkpoint)
            status = 0
        except BaseException as error:
            print(f"the checkpoint is not written: {error}", file=sys.stderr, flush=True)
        finally:
            os._exit(status)

    def reap(self, flags: int) -> None:
        """Notice that a checkpoint is written, or could not be."""
        if self.saver is not None:
            pid, status = os.waitpid(self.saver[0], flags)
            if pid:
                self.fault = "the last checkpoint could not be written" if status else ""
                self.saved, self.saver = self.saved if status else self.saver[1], None

    def end(self) -> None:
        """Write the last checkpoint, after one that is being written."""
        self.reap(0)
        if self.state:
            checkpoint.save(self.state, self.checkpoint)

    # Requests

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Count the request."""
        start = time.perf_counter()

        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                path = scope["path"] if scope["path"] in self.paths else "other"
                times = self.times.labels(path, message["status"])
                times.observe(time.perf_counter() - start)
            await send(message)

        await self.app(scope, receive, sent)

    def predict(
        self, x: Any, threshold: float | None = None, key: str | None = None
    ) -> dict[str, Any]:
        """Answer with the labels of x, their paths and probabilities."""
        if key is not None:
            _check_key(key)
        sent, x, model = x, features(x), self.state["model"]
        given = {} if threshold is None else {"threshold": threshold}
        sampler = self.state.get("sampler")
        answer: dict[str, Any] = {}
        said = answer_of(model, x)
        if sampler is None and threshold is None:  # without a dictionary of all labels
            labels = programs.labels(said)
        else:
            y: Any = (sampler or model).predict_one(x, **given)
            if sampler is not None:
                y, answer["ask"] = y
            labels = [v for v, on in y.items() if on] if self.several else [y][: y is not None]
        shown = [(v, path(taxonomy_of(model), v), probability(said, v)) for v in labels]
        answer["y"] = labels if self.several else next(iter(labels), None)
        answer["labels"] = [{"label": v, "path": names, "probability": p} for v, names, p in shown]
        if key is not None and shown and not self.several:
            self.shown.pop(key, None)
            self.shown[key] = sent, shown[0][1]
            if len(self.shown) > SHOWN:
                del self.shown[next(iter(self.shown))]
        if answer.get("ask"):
            self.asked[json.dumps(sent, sort_keys=True)] = {"x": sent, **answer}
            if len(self.asked) > QUESTIONS:
                del self.asked[next(iter(self.asked))]
        return answer

    def top(self, x: Any, k: int = 5, leaves: bool = False) -> dict[str, Any]:
        """Answer with the likeliest paths."""
        if type(k) is not int or not 1 <= k <= LABELS:
            raise ValueError(f'"k" must be an integer from 1 to {LABELS}, got {k!r:.50}')
        if type(leaves) is not bool:
            raise ValueError(f'"leaves" must be true or false, got {leaves!r:.50}')
        model = self.state["model"]
        taxonomy, paths = taxonomy_of(model), inspection.top_one(model, features(x), k, leaves)
        return {"top": [{"path": path(taxonomy, v), "probability": p} for (*_, v), p in paths]}

    def explain(self, x: Any) -> dict[str, Any]:
        """Answer with the largest contributions at each node."""
        reasons = inspection.explain_one(self.state["model"], features(x))
        nodes = [{"label": label, **why._asdict()} for label, why in reasons.items()]
        return {"nodes": [{**n, "contributions": n["contributions"][:TERMS]} for n in nodes]}

    async def learn(self, key: str, x: Any, y: Any) -> dict[str, Any]:
        """Acknowledge a label when it is on the disk and learned."""
        _check_key(key)
        return await self._store(key, {"x": x, "y": y})

    async def feedback(self, key: str, right: Any = None, right_to: Any = None) -> dict[str, Any]:
        """Learn whether the answer that was given with this key is right, or down to where."""
        _check_key(key)
        if self.several:
            raise ValueError("what is known of several labels is not learned from feedback")
        if (type(right) is bool) == isinstance(right_to, list):
            raise ValueError('expected either "right", true or false, or the path "right_to"')
        stored = FEEDBACK + key
        if key not in self.shown:
            if position := self.journal.position(stored):
                return {"position": position, "new": False}
            raise HTTPException(
                404, f"no answer with the key {key!r} is remembered; those of the latest {SHOWN:,} "
                "requests to /predict with a key are, until the service ends",
            )  # fmt: skip
        x, path = self.shown[key]
        to = right_to if right is None else path if right else None
        if to is not None and to != path[: len(to)]:
            raise ValueError(f'"right_to" must be the beginning of {path}, got {to!r:.200}')
        return await self._store(stored, {"x": x, "path": path, "right_to": to})

    async def name(
        self, key: str, named: Any, on: Any = None, description: str = ""
    ) -> dict[str, Any]:
        """Learn a new category by its name, so that it is predicted before its first example."""
        _check_key(key)
        message = {"named": named, "on": on, "description": description}
        return await self._store(NAME + key, message)

    async def edit(self, key: str, changes: Any, old_labels: bool = True) -> dict[str, Any]:
        """Change the taxonomy, in the order of labels; a refused edit changes nothing."""
        _check_key(key)
        if not isinstance(changes, list) or type(old_labels) is not bool:
            raise ValueError(
                f'"changes" must be a list and "old_labels" true or false, got {changes!r:.200} '
                f"and {old_labels!r:.50}"
            )
        return await self._store(EDIT + key, {"changes": changes, "old_labels": old_labels})

    async def _store(self, key: str, message: Any) -> dict[str, Any]:
        stored: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.waiting.append((key, message, stored))
        if self.writer is None or self.writer.done():
            self.writer = asyncio.create_task(self._write())
        entry = await stored
        if isinstance(entry, HTTPException):
            raise entry
        if entry.error is not None:
            self.refused, self.refusal = self.refused + 1, str(entry.error)[:500]
            raise HTTPException(422, self.refusal)
        if not entry.same:
            raise HTTPException(
                409, f"there is another example with the key {key!r}; it is kept: correct it with "
                "another key, and a category that it has added by /edit",
            )  # fmt: skip
        grew = {"grew": entry.grew} if entry.grew else {}
        return {"position": entry.position, "new": entry.new, **grew}

    def health(self) -> Response:
        """How many labels are learned, saved and refused, and whether something is wrong."""
        status = {"status": self.fault or "ok", "learned": self.state["position"]}
        status |= {"saved": self.saved, "refused": self.refused, "last_refusal": self.refusal}
        return answered(status, 503 if self.fault else 200)

    def questions(self) -> dict[str, Any]:
        """The latest x that are worth a label and have none."""
        return {"questions": [*self.asked.values()][::-1]}

    def metrics(self) -> Response:
        """The numbers of requests and labels in Prometheus' text format."""
        text = prometheus.generate_latest(self.registry)
        return Response(text, media_type=prometheus.CONTENT_TYPE_LATEST)

    def collect(self) -> Iterator[Metric]:
        """The numbers of labels, and their mean loss, for the registry."""
        n = self.state["position"]
        mean, what = self.state["loss"] / max(n, 1), "Mean loss in the tree, before learning."
        yield Count("river_hier_labels_learned", "Labels that are acknowledged and learned.", n)
        yield Count("river_hier_labels_refused", "Labels that the model refuses.", self.refused)
        yield Value("river_hier_labels_saved", "Labels in the checkpoint.", self.saved)
        yield Value("river_hier_loss", what, mean)


class Follower(Service):
    """A process that answers by the latest checkpoint of another one, and learns nothing."""

    def __init__(self, folder: Path, names: Iterable[str] = ()) -> None:
        self.asked: dict[str, dict[str, Any]] = {}
        self.shown: dict[str, tuple[Any, list[Label]]] = {}
        self.fault: str = ""
        self.refused: int = 0
        self.checkpoint: Path = folder / "checkpoint"
        try:
            self._open()
        except (OSError, ValueError) as error:
            sys.exit(f"{folder} cannot be followed: {error}")
        self.journal: Journal = Journal(folder / "labels.sqlite")
        self._publish((self.health, self.metrics), (self.predict, self.top, self.explain), names)

    def _open(self) -> None:
        self.version: int = self.checkpoint.stat().st_mtime_ns  # before it is read
        state = checkpoint.load(self.checkpoint)
        state.pop("sampler", None)
        self.saved: int = state["position"]
        self.several: bool = is_multilabel(last_step(state["model"]))
        self.state = state

    async def keep_going(self, seconds: float) -> None:
        """Read the checkpoint whenever it is another one."""
        while True:
            await asyncio.sleep(min(seconds, 1.0))
            try:
                if self.checkpoint.stat().st_mtime_ns != self.version:
                    await asyncio.to_thread(self._open)
                self.fault = ""
            except (OSError, ValueError) as error:
                self.fault = f"the latest checkpoint could not be read: {error}"

    def end(self) -> None:
        """There is nothing to save."""

    def predict(self, x: Any, threshold: float | None = None) -> dict[str, Any]:
        """Answer with the labels of x, their paths and probabilities."""
        return super().predict(x, threshold)

    def health(self) -> Response:
        """How many labels this process knows, and how many it is behind the one that learns."""
        n = self.state["position"]
        status = {"status": self.fault or "ok", "learned": n, "behind": self.journal.end() - n}
        return answered(status, 503 if self.fault else 200)


def _known(message: dict[str, Any]) -> Any:
    """What is known of the label of an answer, which is right down to a node, or not at all."""
    path, to = tuple(message["path"]), message["right_to"]
    if to is None:
        return Not(path)
    known = tuple(to)
    if not known:
        return Not(path[:1])
    return Below(known) if known == path else Below(known) & Not(path[: len(known) + 1])


def _check_key(key: Any) -> None:
    if not isinstance(key, str) or not 1 <= len(key) <= KEY or not key.isascii():
        raise ValueError(f'"key" must be a text of 1 to {KEY} ASCII characters, got {key!r:.50}')


def _entries(path: Path, lines: Iterable[bytes]) -> Iterator[tuple[str, Any]]:
    """The entries of a log with their keys; the last one may be cut off."""
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            position, key = entry.pop("position"), entry.pop("key")
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            if not line.endswith(b"\n"):
                return
            sys.exit(f"{path} cannot be replayed: line {number} is no entry of a log: {error!r}")
        if position:
            yield key, entry


def _learn_name(model: Any, named: Any, on: Any, description: Any) -> None:
    """Add a category to a model, and teach its name."""
    start, before = last_step(model).taxonomy, taxonomy_of(model)
    if isinstance(start, Taxonomy):
        raise ValueError("the taxonomy of the model is closed; a model in an `OpenTaxonomy` grows")
    after = with_labels(start, before, [labels(named, several=False)])
    if after is before:
        raise ValueError(f"there is a category {named!r:.200} already")
    described = {after.nodes[-1]: description}
    if after.nodes[-1] in after.names(on, described).left_out:
        raise ValueError(f'{named!r:.200} has no name that can be learned; add a "description"')
    learn_names(model, after, on, described)


def serve(
    model: Path | None, folder: Path | None, host: list[str], port: int, save: float,
    follow: Path | None, **options: Any,
) -> None:  # fmt: skip
    """Serve the model in a file until SIGTERM or Ctrl-C; the arguments are those of the command."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit())
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # or else `reap` would learn of no process
    replay = options.pop("replay")
    if model is None:
        assert follow is not None
        service: Service = Follower(follow, host)
    else:
        folder = folder or model.with_suffix(".served")
        service = Service(model, folder, names=host, **options)
    if replay is not None:
        service.replay(replay)
    running, listening = server(service, host[0], port, shared=model is None)
    served = service.state["model"]
    address = f"http://{host[0]}:{listening.getsockname()[1]}"
    name, n = type(last_step(served)).__name__, len(taxonomy_of(served))
    print(f"{name} with {n:,} nodes at {address}; its files are in {follow or folder}", flush=True)

    async def run() -> None:
        going = asyncio.create_task(service.keep_going(save))
        await running.serve([listening])
        going.cancel()

    try:
        asyncio.run(run())
    finally:
        service.end()
