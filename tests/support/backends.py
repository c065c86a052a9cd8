"""Both backends in one process: as namespaces of kernels, and under the public learners."""

from __future__ import annotations

import contextlib
import importlib
import os
import pkgutil
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import river_hier.decision  # so that `_chosen` finds
import river_hier.distributed  # all learners
import river_hier.inspection
import river_hier.linear_model  # and wrappers
from river_hier import _core, base
from support.paths import TESTS


def _reference() -> Any:
    found = {}
    for info in pkgutil.iter_modules(_core.reference.__path__, "river_hier._core.reference."):
        module = importlib.import_module(info.name)
        for name in _core.NATIVE:
            if getattr(vars(module).get(name), "__module__", None) == info.name:
                found[name] = vars(module)[name]
    return SimpleNamespace(**found, policies={})


def _native() -> Any:
    try:
        module = importlib.import_module("river_hier._native")
    except ImportError:
        return None
    names = {name: getattr(module, name, None) for name in _core.NATIVE}
    if _core.name != "native":  # which `_core` has done otherwise
        for kind in _core._PICKLED:
            for method in "__reduce__", "restore":
                setattr(names[kind], method, vars(getattr(_core, kind))[method])
    return SimpleNamespace(**names, policies=module.policies)


BACKENDS = {"numpy": _reference(), "native": _native()}
REQUIRED = os.environ.get("RIVER_HIER_REQUIRE_NATIVE", "0") not in ("", "0")
_absent = pytest.mark.skipif(
    BACKENDS["native"] is None and not REQUIRED, reason="there is no compiled backend here"
)
native_only = _absent
both = pytest.mark.parametrize("backend", [pytest.param("native", marks=_absent), "numpy"])
native_too = pytest.param("native", marks=_absent)


def namespace(backend: str) -> Any:
    """The names of `_core.NATIVE`, of one backend."""
    found = BACKENDS[backend]
    assert found is not None, "RIVER_HIER_REQUIRE_NATIVE is set, and there is no compiled backend"
    return found


def _chosen() -> list[tuple[Any, str]]:
    """Where the learners have taken a kernel: module and name."""
    places = []
    for title, module in list(sys.modules.items()):
        if title.startswith("river_hier") and not title.startswith("river_hier._"):
            # A module may also take a name from the reference backend on purpose.
            names = vars(module)
            places += [(module, n) for n in _core.NATIVE if names.get(n) is vars(_core)[n]]
    return [*places, *((_core, name) for name in _core.NATIVE)]


_CHOSEN = _chosen()


@contextlib.contextmanager
def running_on(backend: str) -> Iterator[Any]:
    """Inside, the public learners and `pickle.loads` use this backend, whichever was chosen."""
    found = namespace(backend)
    before = [getattr(module, name) for module, name in _CHOSEN]
    policies = dict(_core.policies)
    for module, name in _CHOSEN:
        setattr(module, name, getattr(found, name))
    _replace(_core.policies, found.policies)
    try:
        yield found
    finally:
        for (module, name), kernel in zip(_CHOSEN, before, strict=True):
            setattr(module, name, kernel)
        _replace(_core.policies, policies)


def _replace(old: dict[str, Any], new: dict[str, Any]) -> None:
    old.clear()
    old.update(new)


def learn(
    backend: Any,
    learner: Any,
    w: Any,
    features: Any,
    labels: Any,
    x: Any,
    y: Any,
    lag: Any = None,
    clocks: Any = None,
    weight: float = 1.0,
) -> None:
    """One step of a linear learner on weights of a backend: compiled, or by its rule in Python."""
    state = w, lag, clocks, features, labels, x, y, weight
    policy = backend.policies.get(type(learner).__name__)
    if policy is not None:
        policy.learn_one(*state, learner._parameters)
    elif isinstance(learner, base.TopDownLearner):
        _core.learn_top_down(learner, *state)
    else:
        _core.learn_on_paths(learner, *state)


def environment(backend: str) -> dict[str, str]:
    """For a process of its own, which finds the tests' modules too."""
    pure = "1" if backend == "numpy" else "0"
    paths = [str(TESTS), os.path.dirname(os.path.dirname(river_hier.__file__))]
    where = {"PYTHONPATH": os.pathsep.join(paths), "PYTHONSAFEPATH": "1"}  # not what lies around
    return {**os.environ, **where, "RIVER_HIER_PURE": pure}


def kinds(rls: Any) -> list[str]:
    """How each system of a `LeastSquares` is solved: dual or primal."""
    return [system[0] for system in rls.__reduce__()[1][-1]]


def n_instances(rls: Any) -> int:
    """How many instances a `LeastSquares` holds."""
    return len(rls.__reduce__()[1][-2][0]) - 1
