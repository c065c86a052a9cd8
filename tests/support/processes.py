"""Processes of their own, which find the package and what tests share."""

from __future__ import annotations

import os

import river_hier
from support.paths import TESTS


def environment() -> dict[str, str]:
    paths = [str(TESTS), os.path.dirname(os.path.dirname(river_hier.__file__))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONSAFEPATH": "1"}
