"""`python -m river_hier.serve` under load, beside a handler that does nothing.

    pip install ".[serving]"
    PYTHONPATH=tests python tests/bench/serving.py

prints answers per second, and the times and processor time of an answer, as ratios to those of an
empty handler of the same framework: medians of interleaved rounds. The clients are processes on the
same machine, each with one connection that is kept alive. Processor time is read from /proc, which
needs Linux. The taxonomy has three levels of 8 nodes below each; `--branching 58` makes it one of
200,000 nodes.

    PYTHONPATH=tests python tests/bench/serving.py --followers 2

prints how many times as many answers to `/predict` these followers give as the process that learns,
and how many labels that learns in a second while they answer, beside those without them.
"""

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import os
import random
import signal
import socket
import statistics
import tempfile
import time
from itertools import count
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from river_hier import Taxonomy, linear_model
from support.http_service import Service
from support.processes import free_port, start_program, until

# Requests, and their times

WORDS = [f"word {i}" for i in range(2000)]


def taxonomy(branching):
    r = range(branching)
    tree = {f"a{i}": {f"b{i} {j}": [f"c{i} {j} {k}" for k in r] for j in r} for i in r}
    return Taxonomy.from_nested({"root": tree})


def message(path, rng, key):
    """A request with 30 of the features."""
    found = {"x": {name: round(rng.random(), 3) for name in rng.sample(WORDS, 30)}}
    if path == "/learn":
        i, j, k = (rng.randrange(8) for _ in range(3))
        found |= {"key": key, "y": [f"c{i} {j} {k}"]}
    return found


def ask(port, path, n, seed):
    """The times of n requests over one connection, and when they began and ended, in seconds."""
    rng, times = random.Random(seed), []
    bodies = [json.dumps(message(path, rng, f"{seed} {i}")).encode() for i in range(n)]
    start = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
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


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection, connection.makefile("rb")


def quantiles(times, *qs):
    """Quantiles of sorted times."""
    return [times[min(int(q * len(times)), len(times) - 1)] for q in qs]


# The empty handler


async def empty(request):
    await request.body()
    return Response(b"{}", media_type="application/json")


@contextlib.contextmanager
def empty_handler():
    """A process that reads a request, and answers with an empty object: its port and id."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=1024)
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if not (pid := os.fork()):
        app = Starlette(routes=[Route("/empty", empty, methods=["POST"])])
        config = uvicorn.Config(app, lifespan="off", log_level="error", access_log=False)
        asyncio.run(uvicorn.Server(config).serve([listening]))
        os._exit(0)
    try:
        yield listening.getsockname()[1], pid
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def load(pool, port, pid, path, n, seeds):
    """Answers per second; median and 99th percentile of times, and processor time, in ms."""
    clients, before = pool._processes, processor_time(pid)
    found = pool.starmap(ask, [(port, path, n, next(seeds)) for _ in range(clients)], chunksize=1)
    used = (processor_time(pid) - before) / (n * clients)
    times = sorted(time for one, _, _ in found for time in one)
    seconds = max(end for _, _, end in found) - min(begun for _, begun, _ in found)
    return [len(times) / seconds, *(1e3 * v for v in (*quantiles(times, 0.5, 0.99), used))]


def processor_time(pid):
    """The processor time of a process so far, in seconds."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def follow(pool, n, rounds, branching, followers):
    """The same of followers, which share a port, beside the process that learns."""
    seeds, port, results = count(), free_port(), []
    model = linear_model.HAROW(taxonomy(branching))
    with tempfile.TemporaryDirectory() as folder, Service(Path(folder), model, "--save", 2) as one:
        one.start()
        at = one.port, one.process.pid
        load(pool, *at, "/learn", n, seeds)
        log, arguments = Path(folder) / "log", ["--follow", one.served, "--port", port]
        others = [start_program("river_hier.serve", arguments, log) for _ in range(followers)]
        until(lambda: log.read_text().count(f":{port};") == followers)
        try:
            for _ in range(rounds):
                alone = load(pool, *at, "/learn", n, seeds)[0]
                answers = load(pool, *at, "/predict", n, seeds)[0]
                theirs = load(pool, port, others[0].pid, "/predict", n, seeds)[0]
                asking = pool.starmap_async(ask, [(port, "/predict", n, next(seeds))] * 2)
                beside = load(pool, *at, "/learn", n, seeds)[0]
                asking.get()
                results.append((theirs / answers, beside / alone))
        finally:
            for other in others:
                other.kill()
    answers, learned = map(statistics.median, zip(*results, strict=True))
    print(f"{followers} followers give {answers:.2f} times as many answers; ", end="")
    print(f"beside two clients of theirs, {learned:.2f} times as many labels are learned")


def compare(pool, n, rounds, branching):
    paths, seeds = ["/empty", "/predict", "/top", "/explain", "/learn"], count()
    results = {path: [] for path in paths}
    model = linear_model.HAROW(taxonomy(branching))
    with (
        tempfile.TemporaryDirectory() as folder,
        empty_handler() as nothing,
        Service(Path(folder), model) as service,
    ):
        service.start()
        at = service.port, service.process.pid
        load(pool, *at, "/learn", n, seeds)  # or else it would be a model that has learned nothing
        for _ in range(rounds):
            for path in paths:
                where = nothing if path == "/empty" else at
                results[path].append(load(pool, *where, path, n, seeds))
    print(f"{pool._processes} clients; ratios to the empty handler, and values")
    print(
        f"{'':8}" + "".join(f"{name:>18}" for name in ("answers/s", "p50 ms", "p99 ms", "cpu ms"))
    )
    for path in paths:
        pairs = zip(results[path], results["/empty"], strict=True)
        ratios = zip(*([a / b for a, b in zip(*pair, strict=True)] for pair in pairs), strict=True)
        values = zip(ratios, zip(*results[path], strict=True), strict=True)
        shown = (f"{statistics.median(a):>9.2f}{statistics.median(b):>9.5g}" for a, b in values)
        print(f"{path:8}" + "".join(shown))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--requests", type=int, default=500, help="of each client in a round")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--branching", type=int, default=8)
    parser.add_argument("--followers", type=int)
    asked = parser.parse_args()
    sizes = asked.requests, asked.rounds, asked.branching
    with multiprocessing.get_context("spawn").Pool(asked.clients) as pool:
        if asked.followers:
            follow(pool, *sizes, asked.followers)
        else:
            compare(pool, *sizes)
