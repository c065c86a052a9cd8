"""What runs here: for bug reports and benchmarks."""

from __future__ import annotations

import platform
from importlib import metadata

REQUIRED = ("river", "numpy", "scipy", "pandas", "narwhals")
EXTRA = (
    "bytewax",
    "dask",
    "kaldi-native-fbank",
    "matplotlib",
    "pyspark",
    "ray",
    "redis",
    "scikit-learn",
    "starlette",
    "tqdm",
    "uvicorn",
)


def show_versions() -> None:
    """Print which versions of what are at work.

    What the extras bring is printed too, if it is installed.

    Examples
    --------

    >>> from river_hier import show_versions

    >>> show_versions()
    river-hier  ...
    river       0.26...

    """
    from . import __version__  # not before it is there

    rows = {"river-hier": __version__}
    rows |= {name: metadata.version(name) for name in REQUIRED}
    rows["Python"] = f"{platform.python_version()} ({platform.python_implementation()})"
    rows["platform"] = platform.platform()
    rows |= {name: version for name in EXTRA if (version := _version(name))}
    for name, value in rows.items():
        print(f"{name:<11} {value}")


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
