"""State is bounded, or grows as it is said to: the sizes of pickles along a stream.

Every public learner and wrapper learns a stream of numbers and one of words; those that hash texts,
a stream that brings a new name at each step; those that store examples also with a budget.
"""

import itertools
import pickle
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from support.public_api import dense, estimators, step, text

# Exact learners of the papers store examples for ever. Their memory grows at most with this power
# of the steps, as their docstrings say; a budget or, without a kernel, few features end it.
POWERS = {"AveragedHieron": 1, "Hieron": 1, "HRLS": 2, "SHRLS": 2}
GROWS = {f"kernel.{name}, {x}": n for name, n in POWERS.items() for x in ("dense", "many names")}
GROWS |= dict.fromkeys(["linear_model.HRLS, many names", "linear_model.SHRLS, many names"], 2)


class Case(NamedTuple):
    model: Any
    example: Any  # a function as `everything.dense`
    endless: bool = False  # whether each example has a name that nobody has seen before


def cases() -> dict[str, Case]:
    """Each learner on numbers and on words; what bounds its names, on names without end."""
    found = {}
    for name, model in {name: soon_full(model) for name, model in estimators().items()}.items():
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


def soon_full(model: Any) -> Any:
    """A model that stores at most 200 examples, or whose members do."""
    if type(model).__name__.endswith(("Neighbors", "Trees", "DensePool")):
        return model.clone({"budget": 200})
    if hasattr(model, "models"):
        model.models = [soon_full(member) for member in model.models]
    return model


def many_names(model: Any, rng: random.Random) -> tuple[Any, Any]:
    return text(model, rng, 1000)


def steps(case: Case) -> Iterator[int]:
    """Predict and learn, one example after the other; how many there have been."""
    rng = random.Random(1)
    examples = [case.example(case.model, rng) for _ in range(2000)]
    for i, (x, y) in enumerate(itertools.cycle(examples), start=1):
        step(case.model, {**x, f"new {i}": 1} if case.endless else x, y)
        yield i


CASES = cases()


def sizes(case: Case, n: int) -> tuple[int, int]:
    """Bytes of the model after n steps, and after twice as many: the most, where budgets and tables
    fill up and are emptied again.
    """
    going = steps(case)
    found = []
    for _ in range(2):
        next(itertools.islice(going, n - 101, None))
        last = [len(pickle.dumps(case.model)) for i in itertools.islice(going, 100) if i % 10 == 0]
        found.append(max(last))
    return found[0], found[1]


@pytest.mark.slow(but=4)
@pytest.mark.parametrize("title", [title for title in CASES if title not in GROWS])
def test_state_is_bounded(title: str) -> None:
    late = title.endswith(("budget", "hashed"))  # what they hold fills up, or has room to spare
    remembers = "Tempered" in title or "Calibrated" in title  # 4,096 examples
    stores = title.startswith("decision.Selective")
    n = 5000 if remembers else 10_000 if stores else 600 if late else 300
    before, after = sizes(CASES[title], n)
    assert after <= 1.5 * before  # a leak would double it


@pytest.mark.slow(but=2)
@pytest.mark.parametrize("title", GROWS)
def test_what_grows_grows_as_it_is_said_to(title: str) -> None:
    before, after = sizes(CASES[title], 150)
    assert before < after <= 1.1 * 2 ** GROWS[title] * before
