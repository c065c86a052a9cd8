"""The service: one process and one thread, which answers, learns, and writes to the disk."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import json
import math
import os
import pickle
import signal
import socket
import sqlite3
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from .. import active, checkpoint, decision, inspection, losses
from ..base.classifiers import is_multilabel, last_step
from ..base.protocol import inner, inner_and_input
from ..base.wrapper import check_model
from .journal import Entry, Journal
from .messages import KEY, LABELS, Counters, features, labels, read

REFUSED = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)
TERMS = 20  # maximum number of contributions per node
CONNECTIONS = 1000  # maximum number of connections
GRACE = 5  # seconds for connections without requests, and for the last ones at the end
BATCH = 100  # labels that share a transaction, at most
POST = "/predict", "/top", "/explain", "/learn"
GET = "/health", "/metrics", "/questions"
QUESTIONS = 100  # maximum number of questions that are kept


class Service:
    """The state of the model, and the handlers of the requests.

    A label is learned in the transaction that writes it to the journal, and acknowledged after it.
    So the model is that of the checkpoint and of the labels in the journal after its position,
    learned in their order: that is what a new process, or one whose disk is full, makes of them.
    """

    lock: int
    journal: Journal
    checkpoint: Path
    counters: Counters
    app: Starlette
    several: bool
    saved: int
    refused: int
    refusal: str
    fault: str

    def __init__(
        self, model: Path, folder: Path, risk: float | None, budget: float | None = None
    ) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        # Also held by a process that saves, which might replace a newer checkpoint.
        self.lock = os.open(folder, os.O_RDONLY)
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.journal, self.checkpoint = Journal(folder / "labels.sqlite"), folder / "checkpoint"
        data = model.read_bytes()
        source = hashlib.sha256(data).hexdigest(), risk, *filter(None, [budget])
        self.asked: dict[str, dict[str, Any]] = {}  # what is worth a label, by x
        if not self.checkpoint.exists():
            ours = data.startswith(b"river_hier checkpoint")
            found = checkpoint.loads(data) if ours else pickle.loads(data)
            check_model(found, "learn_one", "predict_one")
            found = found if risk is None else decision.Selective(found, risk=risk)
            state = {"model": found, "source": source, "position": 0, "loss": 0.0}
            if budget is not None:
                state["sampler"] = active.MarginSampler(found, budget)
                if is_multilabel(last_step(found)):
                    raise TypeError("a budget is for models of one label")
            checkpoint.save(state, self.checkpoint)
        self.recover()
        if self.state["source"] != source:
            sys.exit(f"{folder} continues another model, risk or budget; name another --folder")
        self.saved = self.state["position"]
        self.saver: tuple[int, int] | None = None  # the process that saves, and its position
        self.fault = self.refusal = ""  # the last ones
        self.refused = 0
        self.waiting: list[tuple[str, Any, asyncio.Future[Entry]]] = []
        self.writer: asyncio.Task[None] | None = None
        self.counters = Counters([*POST, *GET])
        routes = [Route(p, getattr(self, p[1:]), methods=["POST"]) for p in POST]
        routes += [Route(p, getattr(self, p[1:])) for p in GET]
        self.app = Starlette(routes=routes, exception_handlers={HTTPException: _refused})

    # Learning

    def recover(self, end: float = math.inf) -> None:
        """Make the state of the checkpoint and of the labels after it, before a position."""
        self.state: dict[str, Any] = checkpoint.load(self.checkpoint)
        self.several = is_multilabel(last_step(self.state["model"]))
        first, last, position = self.journal.start(), self.journal.end(), self.state["position"]
        if not first <= position + 1 <= last + 1:
            kept = f"it has the labels after {first - 1} up to {last}"
            sys.exit(f"another journal: {kept}, and the checkpoint is at {position}")
        for later, message in self.journal.after(position):
            if later < end:
                try:
                    self._learn(later, message)
                except Exception as error:  # a service that went on would miss the label
                    sys.exit(f"label {later} of the journal is not learned any more: {error}")

    def _learn(self, position: int, message: Any) -> None:
        state, model = self.state, self.state["model"]
        x, y = features(message["x"]), labels(message["y"], self.several)
        answer = model.predict_one(x)
        last, seen = inner_and_input(model, x)
        last._check_one(seen, y, 1.0)  # before a transformer learns
        try:
            model.learn_one(x, y)
            loss = losses.h_loss if self.several else losses.tree_induced_error
            taxonomy = inner(model)._taxonomy
            state["loss"] += loss(taxonomy, y, taxonomy.root if answer is None else answer)
        except Exception:
            self.recover(position)
            raise
        state["position"] = position
        self.asked.pop(json.dumps(message["x"], sort_keys=True), None)

    async def _write(self) -> None:
        """Learn the labels that wait; those that come meanwhile share the next transaction."""
        while batch := self.waiting[:BATCH]:
            del self.waiting[:BATCH]
            try:
                found: Any = self.journal.add([one[:2] for one in batch], self._learn)
            except sqlite3.Error as error:
                found = [HTTPException(503, f"the label could not be stored: {error}")] * len(batch)
                if self.state["position"] > self.journal.end():
                    self.recover()
            for (_, _, stored), entry in zip(batch, found, strict=True):
                if not stored.done():  # or else the client has gone
                    stored.set_result(entry)
            await asyncio.sleep(0)

    # Checkpoints

    async def keep_saving(self, seconds: float) -> None:
        """Save again and again, and drop the labels that are saved."""
        while True:
            await asyncio.sleep(seconds)
            self.reap(os.WNOHANG)
            with suppress(sqlite3.Error):  # no space, for instance: later
                while self.journal.drop(self.saved, BATCH):
                    await asyncio.sleep(0)
            if self.saver is None and self.state["position"] > self.saved:
                self.saver = self._fork(), self.state["position"]

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

    # Requests

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Count the request."""
        start = time.perf_counter()

        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                seconds = time.perf_counter() - start
                self.counters.add(scope["path"], message["status"], seconds)
            await send(message)

        await self.app(scope, receive, sent)

    async def predict(self, request: Request) -> Response:
        message = await read(request, "x", threshold=None)
        given = {name: message[name] for name in ["threshold"] if message[name] is not None}
        return _answer(lambda: self._predict(message["x"], given))

    def _predict(self, sent: Any, given: dict[str, Any]) -> dict[str, Any]:
        model, sampler, x = self.state["model"], self.state.get("sampler"), features(sent)
        y, ask = (
            sampler.predict_one(x, **given) if sampler else (model.predict_one(x, **given), None)
        )
        taxonomy = inner(model)._taxonomy
        y = [label for label, on in y.items() if on] if self.several else y
        try:
            p = model.predict_proba_one(x)
        except NotImplementedError:
            p = None

        def probability(label: Any) -> float | None:
            if p is None or self.several:
                return None if p is None else float(p[label][True])
            return float(sum(p.get(v, 0.0) for v in (label, *taxonomy.descendants(label))))

        found = y if self.several else [] if y is None else [y]
        answer = {
            "y": y,
            "labels": [
                {"label": v, "path": taxonomy.path(v), "probability": probability(v)} for v in found
            ],
        }
        if ask:
            self.asked[json.dumps(sent, sort_keys=True)] = {"x": sent, **answer}
            if len(self.asked) > QUESTIONS:
                del self.asked[next(iter(self.asked))]
        return answer if ask is None else {**answer, "ask": ask}

    async def top(self, request: Request) -> Response:
        message = await read(request, "x", k=5, leaves=False)
        k, leaves = message["k"], message["leaves"]
        if type(k) is not int or not 1 <= k <= LABELS:
            raise HTTPException(422, f'"k" must be an integer from 1 to {LABELS}, got {k!r:.50}')
        if type(leaves) is not bool:
            raise HTTPException(422, f'"leaves" must be true or false, got {leaves!r:.50}')

        def find() -> dict[str, Any]:
            found = inspection.top_one(self.state["model"], features(message["x"]), k, leaves)
            return {"top": [{"path": path, "probability": p} for path, p in found]}

        return _answer(find)

    async def explain(self, request: Request) -> Response:
        message = await read(request, "x")

        def find() -> dict[str, Any]:
            found = inspection.explain_one(self.state["model"], features(message["x"]))
            nodes = [{"label": label, **why._asdict()} for label, why in found.items()]
            for node in nodes:
                node["contributions"] = node["contributions"][:TERMS]
            return {"nodes": nodes}

        return _answer(find)

    async def learn(self, request: Request) -> Response:
        message = await read(request, "key", "x", "y")
        key = message.pop("key")
        if not isinstance(key, str) or not 1 <= len(key) <= KEY or not key.isascii():
            what = f"must be a text of 1 to {KEY} ASCII characters"
            raise HTTPException(422, f'"key" {what}, got {key!r:.50}')
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
            raise HTTPException(409, f"there is another example with the key {key!r}; it is kept")
        return _answer(lambda: {"position": entry.position, "new": entry.new})

    async def health(self, request: Request) -> Response:
        found = {"status": self.fault or "ok", "learned": self.state["position"]}
        found |= {"saved": self.saved, "refused": self.refused, "last_refusal": self.refusal}
        return _answer(lambda: found, 503 if self.fault else 200)

    async def questions(self, request: Request) -> Response:
        return _answer(lambda: {"questions": [*self.asked.values()][::-1]})

    async def metrics(self, request: Request) -> Response:
        n = self.state["position"]
        loss, what = self.state["loss"] / max(n, 1), "Mean loss in the tree, before learning."
        lines = self.counters.lines(
            labels_learned_total=("counter", "Labels that are acknowledged and learned.", n),
            labels_refused_total=("counter", "Labels that the model refuses.", self.refused),
            labels_saved=("gauge", "Labels in the checkpoint.", self.saved),
            loss=("gauge", what, loss),
        )
        return Response("\n".join([*lines, ""]), media_type="text/plain; version=0.0.4")


def serve(
    model: Path,
    folder: Path | None = None,
    host: str = "127.0.0.1",
    port: int = 8080,
    save: float = 60.0,
    risk: float | None = None,
    budget: float | None = None,
) -> None:
    """Serve the model in a file until SIGTERM or Ctrl-C, as `python -m river_hier.serve` does.

    Parameters
    ----------
    model
        A file with a model in a taxonomy or a pipeline, by `pickle.dump` or `checkpoint.save`.
    folder
        The folder of the journal and the checkpoint, from which it continues.
    host, port
        Where to listen.
    save
        Seconds between two checkpoints.
    risk
        The `risk` of a `decision.Selective` that is put around the model.
    budget
        The `budget` of an `active.MarginSampler` that says which labels are worth asking for.

    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit())
    service = Service(model, folder or model.with_suffix(".served"), risk, budget)
    listening = socket.create_server((host, port), backlog=1024)
    # Answers are written in two parts; asyncio does not see that this is a TCP socket.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    config = uvicorn.Config(
        service, ws="none", lifespan="off", log_level="warning", access_log=False,
        limit_concurrency=CONNECTIONS, timeout_keep_alive=GRACE, timeout_graceful_shutdown=GRACE,
    )  # fmt: skip

    async def run() -> None:
        saving = asyncio.create_task(service.keep_saving(save))
        await uvicorn.Server(config).serve([listening])
        saving.cancel()

    try:
        asyncio.run(run())
    finally:
        service.reap(0)
        checkpoint.save(service.state, service.checkpoint)


def _answer(find: Any, status: int = 200) -> Response:
    """What the model finds; it refuses invalid examples with an error."""
    try:
        text = json.dumps(find(), default=str)
    except REFUSED as error:
        raise HTTPException(422, str(error)[:500]) from error
    return Response(text, status, media_type="application/json")


def _refused(request: Request, error: Any) -> Response:
    found = json.dumps({"error": error.detail})
    return Response(found, error.status_code, error.headers, media_type="application/json")
