"""Requests that load the HTTP service, and their times."""

from __future__ import annotations

import json
import random
import socket
import time
from typing import Any

R = range(8)
TREE = {"root": {f"a{i}": {f"b{i}{j}": [f"c{i}{j}{k}" for k in R] for j in R} for i in R}}
WORDS = [f"word {i}" for i in range(2000)]


def message(path: str, rng: random.Random, key: str) -> dict[str, Any]:
    """A request with 30 of the features."""
    found: dict[str, Any] = {"x": {name: round(rng.random(), 3) for name in rng.sample(WORDS, 30)}}
    if path == "/learn":
        i, j, k = (rng.randrange(8) for _ in range(3))
        found |= {"key": key, "y": [f"c{i}{j}{k}"]}
    return found


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


def quantiles(times: list[float], *qs: float) -> list[float]:
    """Quantiles of sorted times."""
    return [times[min(int(q * len(times)), len(times) - 1)] for q in qs]
