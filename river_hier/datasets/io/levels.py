"""The limit on the depth of paths in files.

Labels that are whole paths take memory that grows with the square of the depth: without a limit, a
line of 30 kilobytes would fill a gigabyte.
"""

from __future__ import annotations

MOST_LEVELS = 100  # those of the public collections have at most 15


def check_levels(n: int) -> None:
    """Raise a ValueError if a path has more than `MOST_LEVELS` names.

    Examples
    --------

    >>> from river_hier.datasets.io.levels import check_levels

    >>> check_levels("a/b/c".count("/") + 1)
    >>> check_levels(2_000)
    Traceback (most recent call last):
        ...
    ValueError: expected a path of at most 100 levels, got 2,000

    """
    if n > MOST_LEVELS:
        raise ValueError(f"expected a path of at most {MOST_LEVELS} levels, got {n:,}")
