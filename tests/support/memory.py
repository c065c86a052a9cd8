"""How much memory this process has, from /proc: Linux only."""

from pathlib import Path


def resident():
    """Megabytes of resident memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20
