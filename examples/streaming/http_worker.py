"""The HTTP interface of http_service.py: a worker, which answers from a snapshot of the state.

    POST /predict  {"x": {"price": 3.5}}            the labels that are on
    POST /top      {"x": {"price": 3.5}, "k": 3}    the k best labels
    POST /explain  {"x": {"price": 3.5}}            the scores, and what they consist of
    POST /learn    {"key": "order 7", "x": {"price": 3.5}, "y": ["garden", "tools"]}
    GET  /health
    GET  /metrics                                   for Prometheus

x may also be a text, which stands for its word counts. A refused request gets {"error": ...} and a
status of 400 to 499, or 503 if the journal cannot be used; it changes nothing.
"""

from __future__ import annotations

import asyncio
import errno
import socket
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import delayed
import uvicorn
from http_counters import Counters, single
from http_messages import KEY, LABELS, answer, checked, read, read_x, refused
from journal import Entry, Journal
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from river_hier import inspection

TERMS = 20  # maximum number of contributions per node
CONNECTIONS = 1000  # maximum number of a worker's connections
GRACE = 5.0  # seconds for a worker to stop, and for connections without requests
BEHIND = 60.0  # seconds without a new snapshot, while labels wait, until the service is not healthy
PATHS = ["/predict", "/top", "/explain", "/learn", "/health", "/metrics"]


class Snapshot(NamedTuple):
    """What a worker answers from. Nothing in it changes."""

    state: delayed.State
    time: float


class Worker:
    """The handlers of the requests, and the middleware that counts them."""

    def __init__(self, snapshot: Snapshot, journal: Path, counters: Counters, row: int) -> None:
        self.snapshot, self.counters, self.row = snapshot, counters, row
        self.model = snapshot.state["model"]
        self.journal = Journal(journal)
        self.disk = ThreadPoolExecutor(1)  # the only thread that uses the journal
        self.waiting: list[tuple[str, dict[str, Any], asyncio.Future[Entry]]] = []
        self.writer: asyncio.Task[None] | None = None
        self.retiring = False  # connections are closed after the next answer
        routes = [
            Route("/predict", self.predict, methods=["POST"]),
            Route("/top", self.top, methods=["POST"]),
            Route("/explain", self.explain, methods=["POST"]),
            Route("/learn", self.learn, methods=["POST"]),
            Route("/health", self.health),
            Route("/metrics", self.metrics),
        ]
        self.app = Starlette(routes=routes, exception_handlers={HTTPException: refused})

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Count the request, and close its connection if this worker is to stop."""
        start = time.perf_counter()

        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                if self.retiring:
                    message["headers"] = [*message["headers"], (b"connection", b"close")]
                seconds = time.perf_counter() - start
                self.counters.add(self.row, scope["path"], message["status"], seconds)
            await send(message)

        await self.app(scope, receive, sent)

    async def predict(self, request: Request) -> Response:
        x = read_x(await read(request, "x"))
        return answer({"y": checked(lambda: delayed.predict(self.model, x))})

    async def top(self, request: Request) -> Response:
        message = await read(request, "x", k=5, leaves=False)
        x, k, leaves = read_x(message), message["k"], message["leaves"]
        if type(k) is not int or not 1 <= k <= LABELS:
            raise HTTPException(422, f'"k" must be an integer from 1 to {LABELS}, got {k!r:.50}')
        if type(leaves) is not bool:
            raise HTTPException(422, f'"leaves" must be true or false, got {leaves!r:.50}')
        found = checked(lambda: inspection.top_one(self.model, x, k, leaves=leaves))
        return answer({"top": [{"path": path, "probability": p} for path, p in found]})

    async def explain(self, request: Request) -> Response:
        x = read_x(await read(request, "x"))
        found = checked(lambda: inspection.explain_one(self.model, x))
        nodes = {label: why._asdict() for label, why in found.items()}
        for node in nodes.values():
            node["contributions"] = node["contributions"][:TERMS]
        return answer({"nodes": nodes})

    async def learn(self, request: Request) -> Response:
        message = await read(request, "key", "x", "y")
        key, y, x = message.pop("key"), message["y"], read_x(message)
        if not isinstance(key, str) or not 1 <= len(key) <= KEY or not key.isascii():
            what = f"must be a text of 1 to {KEY} ASCII characters"
            raise HTTPException(422, f'"key" {what}, got {key!r:.50}')
        labels = y if isinstance(y, list) else [y]
        if not all(isinstance(label, str) for label in labels) or len(labels) > LABELS:
            raise HTTPException(422, f'"y" must be a label or at most {LABELS}, got {y!r:.50}')
        metric = self.snapshot.state["metric"].clone()
        checked(lambda: metric.update(y, delayed.predict(self.model, x)))
        try:
            entry = await self.accept(key, message)
        except sqlite3.Error as error:
            raise HTTPException(503, f"the label could not be stored: {error}") from error
        if not entry.same:
            raise HTTPException(409, f"there is another example with the key {key!r}; it is kept")
        return answer({"position": entry.position, "new": entry.new})

    async def accept(self, key: str, message: dict[str, Any]) -> Entry:
        """Wait until the label is in the journal; those that come meanwhile share a transaction."""
        stored = asyncio.get_running_loop().create_future()
        self.waiting.append((key, message, stored))
        if self.writer is None or self.writer.done():
            self.writer = asyncio.create_task(self.write())
        return await stored

    async def write(self) -> None:
        loop = asyncio.get_running_loop()
        while self.waiting:
            batch, self.waiting = self.waiting, []
            labels = [(key, message) for key, message, _ in batch]
            try:
                entries = await loop.run_in_executor(self.disk, self.journal.add, labels)
            except Exception as error:
                for _, _, stored in batch:
                    if not stored.done():
                        stored.set_exception(error)
                continue
            for (_, _, stored), entry in zip(batch, entries, strict=True):
                if not stored.done():  # or else the client has gone
                    stored.set_result(entry)

    async def health(self, request: Request) -> Response:
        learned, age = self.snapshot.state["position"], time.time() - self.snapshot.time
        accepted = await self.accepted()
        fine = accepted == learned or age < BEHIND
        found = {"accepted": accepted, "learned": learned, "snapshot_age": round(age, 3)}
        return answer({"status": "ok" if fine else "behind", **found}, 200 if fine else 503)

    async def accepted(self) -> int:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self.disk, self.journal.end)
        except sqlite3.Error as error:
            raise HTTPException(503, f"the journal cannot be read: {error}") from error

    async def metrics(self, request: Request) -> Response:
        state, accepted = self.snapshot.state, await self.accepted()
        metric = state["metric"]
        lines = [
            *self.counters.lines(),
            *single("labels_accepted_total", "counter", "Labels in the journal.", accepted),
            *single("labels_learned_total", "counter", "Of these, learned.", state["position"]),
            *single("labels_refused_total", "counter", "Of these, refused.", state["refused"]),
            *single("loss", "gauge", f"{type(metric).__name__} before learning.", metric.get()),
            *single("snapshot_time_seconds", "gauge", "Time of the snapshot.", self.snapshot.time),
        ]
        return Response("\n".join([*lines, ""]), media_type="text/plain; version=0.0.4")


async def serve(worker: Worker, listening: socket.socket, parent: int) -> None:
    """Answer requests until the pipe to the parent is closed, and then finish."""
    loop = asyncio.get_running_loop()
    config = uvicorn.Config(
        worker, http=AutoHTTPProtocol, ws="none", lifespan="off", log_level="warning",
        access_log=False, limit_concurrency=CONNECTIONS, timeout_keep_alive=int(GRACE),
        timeout_graceful_shutdown=int(GRACE),
    )  # fmt: skip
    server = uvicorn.Server(config)
    closed = asyncio.Event()
    loop.add_reader(parent, closed.set)

    async def retire() -> None:
        await closed.wait()
        loop.remove_reader(parent)
        while not server.started:
            await asyncio.sleep(0.01)
        loop.remove_reader(listening)  # accept no more connections
        worker.retiring = True
        deadline = loop.time() + GRACE
        await asyncio.sleep(0.1)  # the last ones would be lost if the socket were closed at once
        for listener in server.servers:
            listener.close()
        while server.server_state.connections and loop.time() < deadline:
            await asyncio.sleep(0.05)
        server.should_exit = True

    retiring = asyncio.create_task(retire())
    await server.serve(sockets=[listening])
    retiring.cancel()


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; workers of a killed service may use the port for a few seconds."""
    deadline = time.monotonic() + 2 * GRACE
    while True:
        try:
            listening = socket.create_server((host, port), backlog=1024)
            # Answers are written in two parts; asyncio does not see that this is a TCP socket.
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return listening
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > deadline:
                raise
            time.sleep(0.05)
