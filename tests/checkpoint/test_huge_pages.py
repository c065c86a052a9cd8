"""Memory that a child process has divided into small pages is joined again."""

from __future__ import annotations

import mmap
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from river_hier import checkpoint
from river_hier.checkpoint import huge_pages

ENABLED = Path("/sys/kernel/mm/transparent_hugepage/enabled")

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these pages"),
    pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning"),
]
SIZE = 1 << 26


def memory() -> mmap.mmap:
    """Memory in small pages."""
    found = mmap.mmap(-1, SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    found.madvise(mmap.MADV_NOHUGEPAGE)
    found.write(bytes(SIZE))
    found.madvise(mmap.MADV_HUGEPAGE)
    return found


def joined() -> int:
    """The bytes of this program in huge pages."""
    text = Path("/proc/self/smaps_rollup").read_text()
    return 1024 * int(text.partition("AnonHugePages:")[2].split()[0])


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60.0
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_pages_are_joined_after_a_checkpoint(tmp_path: Path) -> None:
    system = tuple(map(int, os.uname().release.split(".")[:2]))
    if system < (6, 1) or "[never]" in ENABLED.read_text():
        pytest.skip("this system cannot join pages")
    kept = memory()
    before = joined()
    checkpoint.save_in_background("state", tmp_path / "state").wait()
    until(lambda: joined() >= before + SIZE // 2)
    kept.close()


def listed() -> int:
    return sum(end - start for start, end in huge_pages._mappings())


def test_memory_that_is_mostly_unused_is_left_alone() -> None:
    """Stacks of threads are such memory: in huge pages, they would take some megabytes each."""
    before = listed()
    with mmap.mmap(-1, SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as kept:
        kept.write(b".")
        assert listed() <= before + SIZE // 2
        kept.write(bytes(SIZE - 1))
        assert listed() >= before + SIZE // 2


def test_memory_that_other_processes_share_is_left_alone() -> None:
    kept = memory()
    alone = listed()
    reading, writing = os.pipe()
    if not (child := os.fork()):
        os.read(reading, 1)
        os._exit(0)
    try:
        assert listed() <= alone - SIZE
    finally:
        os.write(writing, b".")
        os.waitpid(child, 0)
        os.close(reading)
        os.close(writing)
    assert listed() >= alone - SIZE // 2
    kept.close()
