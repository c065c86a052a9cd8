"""A warning if sources without a native backend hide an installed package that has one."""

from __future__ import annotations

import sys
import warnings
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path


def warn_of_hidden_backend() -> None:
    """Warn that these sources hide an installed package that has a native backend."""
    here = Path(__file__).resolve().parents[1]
    for folder in sys.path:
        other = Path(folder, "river_hier").resolve()
        if other != here and any((other / f"_native{end}").exists() for end in EXTENSION_SUFFIXES):
            warnings.warn(
                f"river_hier was imported from {here}, which holds no native backend, and will be "
                f"about 20 times slower than the installed {other}, which has one. Start Python "
                "with -P or in another folder, or install these sources: pip install -e .",
                RuntimeWarning,
                stacklevel=2,
            )
            return
