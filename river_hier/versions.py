"""What runs here: for bug reports and benchmarks."""

from __future__ import annotations

import platform
from importlib import metadata

from . import _kernels

__all__ = ["show_versions"]


def show_versions() -> None:
    """Print which versions of what are at work, and which core: compiled or numpy.

    Examples
    --------

    >>> from river_hier import show_versions

    >>> show_versions()
    river-hier  ...
    core        ...
    river       0.26...

    """
    from . import __version__  # not before it is there

    rows = {"river-hier": __version__, "core": f"{_kernels.core} ({_kernels.why})"}
    rows |= {name: metadata.version(name) for name in ("river", "numpy", "scipy", "pandas")}
    rows["Python"] = f"{platform.python_version()} ({platform.python_implementation()})"
    rows["platform"] = platform.platform()
    for name, value in rows.items():
        print(f"{name:<11} {value}")
