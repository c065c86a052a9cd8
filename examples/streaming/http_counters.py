"""Counters that the workers of http_service.py share, in Prometheus' text format.

They are in memory that is shared with forked processes. Each worker adds to a row of its own, so no
lock is needed; any worker can report the sums.
"""

from __future__ import annotations

import mmap
from bisect import bisect_left
from collections.abc import Iterator

import numpy as np

STATUSES = 200, 400, 404, 405, 409, 413, 415, 422, 500, 503
SECONDS = 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0


class Counters:
    """Requests by path and status, and histograms of their times."""

    def __init__(self, paths: list[str], rows: int) -> None:
        self.paths = [*paths, "other"]
        shape = rows, len(self.paths), len(STATUSES) + len(SECONDS) + 2
        shared = mmap.mmap(-1, int(np.prod(shape)) * 8)
        self._all = np.frombuffer(shared).reshape(shape)

    def add(self, row: int, path: str, status: int, seconds: float) -> None:
        """Count a request, in the row of a worker."""
        known = path if path in self.paths else "other"
        counts = self._all[row, self.paths.index(known)]
        counts[STATUSES.index(status if status in STATUSES else 500)] += 1
        counts[len(STATUSES) + bisect_left(SECONDS, seconds)] += 1
        counts[-1] += seconds

    def lines(self) -> Iterator[str]:
        """The sums over all workers, as lines of Prometheus' text format."""
        sums = self._all.sum(axis=0)
        yield from header("requests_total", "counter", "Requests by path and status.")
        for path, counts in zip(self.paths, sums, strict=True):
            for status, n in zip(STATUSES, counts, strict=False):
                if n:
                    yield f'river_hier_requests_total{{path="{path}",status="{status}"}} {n:.0f}'
        name = "river_hier_request_seconds"
        yield from header("request_seconds", "histogram", "Time to answer, in the worker.")
        for path, counts in zip(self.paths, sums, strict=True):
            up_to = np.cumsum(counts[len(STATUSES) : -1])
            for bound, n in zip([*map(str, SECONDS), "+Inf"], up_to, strict=True):
                yield f'{name}_bucket{{path="{path}",le="{bound}"}} {n:.0f}'
            yield f'{name}_sum{{path="{path}"}} {counts[-1]:.9g}'
            yield f'{name}_count{{path="{path}"}} {up_to[-1]:.0f}'


def header(name: str, kind: str, meaning: str) -> Iterator[str]:
    """The two lines before the values of a metric."""
    yield f"# HELP river_hier_{name} {meaning}"
    yield f"# TYPE river_hier_{name} {kind}"


def single(name: str, kind: str, meaning: str, value: float) -> Iterator[str]:
    """A metric with one value."""
    yield from header(name, kind, meaning)
    yield f"river_hier_{name} {value:.17g}"
