"""The HTTP service of examples/streaming under load, beside a handler that does nothing.

    pip install ".[serving]"
    PYTHONPATH=tests python tests/bench/serving.py

prints

* answers per second and their times, as ratios to those of an empty handler of the same framework,
  with as many workers: medians of interleaved rounds;
* the times of predictions by a large model while checkpoints are written all the time, and while
  none is;
* the memory of the workers with that model: their own, and what they share.

The clients are processes on the same machine, each with one connection that is kept alive. Memory
is read from /proc, so that part needs Linux.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import signal
import socket
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from river_hier import Taxonomy, checkpoint, linear_model, metrics
from support.http_service import Client, Service

R = range(8)
TREE = {f"a{i}": {f"b{i}{j}": [f"c{i}{j}{k}" for k in R] for j in R} for i in R}
WORDS = [f"word {i}" for i in range(2000)]


def message(path: str, rng: random.Random, key: str) -> dict[str, Any]:
    """A request with 30 of the features."""
    found: dict[str, Any] = {"x": {name: round(rng.random(), 3) for name in rng.sample(WORDS, 30)}}
    if path == "/learn":
        i, j, k = (rng.randrange(8) for _ in range(3))
        found |= {"key": key, "y": [f"c{i}{j}{k}"]}
    return found


# The empty handler


async def empty(request: Request) -> Response:
    await request.body()
    return Response(b"{}", media_type="application/json")


@contextmanager
def empty_handler(workers: int) -> Iterator[int]:
    """The port of workers that read a request, and answer with an empty object."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=1024)
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    children = []
    for _ in range(workers):
        if not (pid := os.fork()):
            app = Starlette(routes=[Route("/empty", empty, methods=["POST"])])
            config = uvicorn.Config(app, lifespan="off", log_level="error", access_log=False)
            asyncio.run(uvicorn.Server(config).serve([listening]))
            os._exit(0)
        children.append(pid)
    try:
        yield listening.getsockname()[1]
    finally:
        for pid in children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


# Clients


def ask(port: int, path: str, n: int, seed: int) -> tuple[list[float], float, float]:
    """The times of n requests over one connection, and when they began and ended, in seconds."""
    rng, times = random.Random(seed), []
    bodies = [json.dumps(message(path, rng, f"{seed} {i}")).encode() for i in range(n)]
    start = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    requests = [b"%sContent-Length: %d\r\n\r\n%s" % (start.encode(), len(b), b) for b in bodies]
    connection, file = connect(port)
    first = time.perf_counter()
    for request in requests:
        begun = time.perf_counter()
        connection.sendall(request)
        status = file.readline()
        assert status.startswith(b"HTTP/1.1 200"), status
        length, closing = 0, False
        while (line := file.readline().lower()) != b"\r\n":
            length = int(line.split()[1]) if line.startswith(b"content-length") else length
            closing = closing or line == b"connection: close\r\n"
        file.read(length)
        times.append(time.perf_counter() - begun)
        if closing:
            connection, file = connect(port)
    return times, first, time.perf_counter()


def connect(port: int) -> tuple[socket.socket, Any]:
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection, connection.makefile("rb")


def load(pool: Any, port: int, path: str, n: int, clients: int, seeds: Any) -> list[float]:
    """Answers per second, and the median and the 99th percentile of their times in ms."""
    found = pool.starmap(ask, [(port, path, n, next(seeds)) for _ in range(clients)], chunksize=1)
    times = sorted(time for one, _, _ in found for time in one)
    seconds = max(end for _, _, end in found) - min(begun for _, begun, _ in found)
    return [len(times) / seconds, 1e3 * quantile(times, 0.5), 1e3 * quantile(times, 0.99)]


def quantile(times: list[float], q: float) -> float:
    """A quantile of sorted times."""
    return times[min(int(q * len(times)), len(times) - 1)]


def compare(pool: Any, workers: int, clients: int, n: int, rounds: int) -> None:
    paths, seeds = ["/empty", "/predict", "/top", "/explain", "/learn"], count()
    results: dict[str, list[list[float]]] = {path: [] for path in paths}
    with (
        tempfile.TemporaryDirectory() as folder,
        empty_handler(workers) as port,
        Service(Path(folder), workers=workers, taxonomy={"root": TREE}) as service,
    ):
        service.start()
        load(pool, service.port, "/learn", n, clients, seeds)  # so that there is a model
        for _ in range(rounds):
            for path in paths:
                at = port if path == "/empty" else service.port
                results[path].append(load(pool, at, path, n, clients, seeds))
    print(f"{clients} clients, {workers} workers, {n} requests of each in each of {rounds} rounds")
    print(f"{'':10}{'answers/s':>10}{'p50 ms':>8}{'p99 ms':>8}   ratios to the empty handler")
    for path in paths:
        middle = [statistics.median(row) for row in zip(*results[path], strict=True)]
        pairs = zip(results[path], results["/empty"], strict=True)
        ratios = [[a / b for a, b in zip(*pair, strict=True)] for pair in pairs]
        shown = [statistics.median(row) for row in zip(*ratios, strict=True)]
        values = f"{middle[0]:>10.0f}{middle[1]:>8.2f}{middle[2]:>8.2f}"
        print(f"{path:10}{values}   " + "".join(f"{ratio:>8.2f}" for ratio in shown))


# A large model


def large_state(n_features: int) -> dict[str, Any]:
    """A state with about 16 bytes for each feature and each of 585 nodes."""
    taxonomy = Taxonomy.from_nested({"root": TREE})
    model = linear_model.HAROW(taxonomy)
    names = [f"feature {i}" for i in range(n_features)]
    for i, leaf in enumerate(taxonomy.leaves):
        model.learn_one(dict.fromkeys(names, 0.01 + i / 1e5), [leaf])
    state = {"model": model, "metric": metrics.HLoss(taxonomy), "pending": {}, "forgotten": 0}
    return {**state, "position": 0, "refused": 0}


def large_model(workers: int, seconds: float, n_features: int) -> None:
    state = large_state(n_features)
    size = len(checkpoint.dumps(state)) / 2**20
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        checkpoint.save(state, Path(folder, "checkpoint"))
        took = time.perf_counter() - begun
        print(f"\na checkpoint of {size:.0f} MiB, which takes {took:.2f} s to write")
        print(f"{'':26}{'p50 ms':>8}{'p99 ms':>8}{'p99.9 ms':>10}{'max ms':>8}{'written':>9}")
        for name, every in (("no checkpoints", 1e9), ("checkpoints all the time", 0.01)):
            at = Path(folder, name)
            (at / "shop").mkdir(parents=True)
            checkpoint.save(state, at / "shop" / "checkpoint")
            arguments = "--save", every, "--publish", 1e9
            with Service(at, *arguments, workers=workers, taxonomy={"root": TREE}) as service:
                service.start()
                times, written = predict_while_learning(service, seconds)
                shown = [1e3 * quantile(times, q) for q in (0.5, 0.99, 0.999, 1)]
                row = f"{shown[0]:>8.2f}{shown[1]:>8.2f}{shown[2]:>10.2f}{shown[3]:>8.2f}"
                print(f"{name:26}{row}{written:>9}")
                last = [(pid, memory(pid)) for pid in service.workers()]
                assert service.process is not None
                first = memory(service.process.pid)
        print(f"{'MiB':16}{'resident':>10}{'shared':>10}{'its own':>10}")
        for title, (resident, own) in [("first process", first), *(("worker", m) for _, m in last)]:
            print(f"{title:16}{resident:>10.0f}{resident - own:>10.0f}{own:>10.0f}")


def predict_while_learning(service: Service, seconds: float) -> tuple[list[float], int]:
    """Sorted times of predictions, and how many checkpoints were written meanwhile."""
    path, stop = service.folder / "shop" / "checkpoint", threading.Event()
    seen = set()

    def learn() -> None:
        client, rng = Client(service.port), random.Random(3)
        for i in count():
            if stop.wait(0.05):
                return
            client.json("/learn", message("/learn", rng, f"large {i}"))
            seen.add(path.stat().st_ino)

    before = path.stat().st_ino
    learner = threading.Thread(target=learn)
    learner.start()
    with multiprocessing.get_context("spawn").Pool(1) as one:
        times: list[float] = []
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            times += one.apply(ask, (service.port, "/predict", 500, len(times)))[0]
    stop.set()
    learner.join()
    return sorted(times), len(seen - {before})


def memory(pid: int) -> tuple[float, float]:
    """Resident memory of a process, and its own part, in MiB."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    kib = {line.split(":")[0]: int(line.split()[1]) for line in lines}
    return kib["Rss"] / 1024, (kib["Private_Clean"] + kib["Private_Dirty"]) / 1024


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--requests", type=int, default=500, help="of each client in a round")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=20, help="for each case of a large model")
    parser.add_argument("--features", type=int, default=20_000, help="of the large model")
    asked = parser.parse_args()
    with multiprocessing.get_context("spawn").Pool(asked.clients) as pool:
        compare(pool, asked.workers, asked.clients, asked.requests, asked.rounds)
    large_model(asked.workers, asked.seconds, asked.features)
