"""Transitional."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import pytest

import river_hier
from river_hier import _core
from support.paths import TESTS

both = pytest.mark.parametrize("backend", ["native"])
native_too = "native"


def native_only(f: Any) -> Any:
    return f


def namespace(backend: str) -> Any:
    return _core


@contextlib.contextmanager
def running_on(backend: str) -> Iterator[Any]:
    yield _core


def environment(backend: str = "native") -> dict[str, str]:
    """For a process of its own, which finds the tests' modules too."""
    paths = [str(TESTS), os.path.dirname(os.path.dirname(river_hier.__file__))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONSAFEPATH": "1"}


def kinds(rls: Any) -> list[str]:
    """How each system of a `LeastSquares` is solved: dual or primal."""
    return [system[0] for system in rls.saved()[-1]]


def n_instances(rls: Any) -> int:
    """How many instances a `LeastSquares` holds."""
    return len(rls.saved()[-2][0]) - 1
