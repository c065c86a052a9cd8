"""What is soaked: every learner on streams that never end, and which of them grow by design."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from support.public_api import dense, estimators, step, text

# Exact learners of the papers store examples for ever. Their memory grows at most with this power
# of the steps, as their docstrings say; a budget or, without a kernel, few features end it.
GROWS = {
    "kernel.AveragedHieron, dense": 1,
    "kernel.AveragedHieron, many names": 1,
    "kernel.Hieron, dense": 1,
    "kernel.Hieron, many names": 1,
    "kernel.HRLS, dense": 2,
    "kernel.HRLS, many names": 2,
    "kernel.SHRLS, dense": 2,
    "kernel.SHRLS, many names": 2,
    "linear_model.HRLS, many names": 2,
    "linear_model.SHRLS, many names": 2,
}


class Case(NamedTuple):
    model: Any
    example: Any  # a function as `everything.dense`
    endless: bool = False  # whether each example has a name that nobody has seen before


def cases() -> dict[str, Case]:
    """Each learner on numbers and on words; what bounds its names, on names without end."""
    found = {}
    for name, model in estimators().items():
        found[f"{name}, dense"] = Case(model, dense)
        if f"{name}, dense" not in GROWS:
            found[f"{name}, text"] = Case(model.clone(), text)
        if f"{name}, many names" in GROWS:
            found[f"{name}, many names"] = Case(model.clone(), many_names)
    for name, model in estimators(n_features=2**5).items():
        found[f"{name}, hashed"] = Case(model, text, endless=True)
    for name, model in estimators(budget=20).items():
        # The names of dropped examples are dropped, too, but SHRLS has weights for them.
        found[f"{name}, budget"] = Case(model, text, endless=name.startswith("kernel."))
    for name, model in estimators(max_rare=100, min_count=3).items():
        found[f"{name}, max_rare"] = Case(model, text, endless=True)
    return found


def many_names(model: Any, rng: random.Random) -> tuple[Any, Any]:
    return text(model, rng, 1000)


def steps(case: Case) -> Iterator[int]:
    """Predict and learn, one example after the other; how many there have been."""
    rng = random.Random(1)
    examples = [case.example(case.model, rng) for _ in range(2000)]
    for i, (x, y) in enumerate(itertools.cycle(examples), start=1):
        step(case.model, {**x, f"new {i}": 1} if case.endless else x, y)
        yield i
