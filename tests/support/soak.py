"""Does every learner's memory stay bounded over a million steps?

    PYTHONPATH=tests python tests/support/soak.py [--only HAROW] [--results soak.jsonl]

Every public learner and wrapper, found by walking the package, predicts and learns a stream of
numbers and one of words; those that hash texts, a stream that brings a new name at each
step; those that store examples also with a budget. Each has a process of its own. Printed is by how
much resident memory grew after the first fifth of the steps, the most that it was later: more than
some megabytes, and the exit status is 1. Learners that store examples for ever, by design, are
looked at for a short while: `tests/test_soak.py` says how fast they may grow, and how fast it is.

A million steps of all of them take hours. `--seconds` ends each after so long, and the printed
number of steps says how far it came. With `--results`, lines of that file that are there already
are not done again: interrupt it, and start it again. Memory is read from /proc: Linux only.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import random
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from support.memory import ALLOWED, resident
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


def soak(title: str, n: int, seconds: float) -> dict[str, Any]:
    """How many steps there were, and megabytes after a fifth of them and at most later."""
    started, seen = time.monotonic(), []
    every = max(1, n // 2000)
    with tqdm(total=n, desc=title, leave=False, unit="step", unit_scale=True) as bar:
        for i in steps(cases()[title]):
            if i % 100 == 0 and time.monotonic() - started > seconds:
                break
            if i % every == 0:
                bar.update(every)
                seen.append((i, resident()))
                if i >= n:
                    break
    last = seen[-1][0] if seen else 0
    first = max((megabytes for i, megabytes in seen if i <= last / 5), default=resident())
    most = max((megabytes for i, megabytes in seen if i > last / 5), default=resident())
    return {"title": title, "steps": last, "first": first, "most": most}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="for each learner")
    parser.add_argument("--only", default="", help="those whose title holds this")
    parser.add_argument("--results", type=Path, help="a file that is continued")
    arguments = parser.parse_args()
    done: dict[str, dict[str, Any]] = {}
    if arguments.results and arguments.results.exists():
        lines = arguments.results.read_text().splitlines()
        done = {row["title"]: row for row in map(json.loads, lines)}
    bounded = [title for title in cases() if title not in GROWS and arguments.only in title]
    print(f"{'':44}{'steps':>10}{'MB':>8}{'grown by':>10}")
    for title in bounded:
        if title not in done:
            with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
                done[title] = process.submit(
                    soak, title, arguments.steps, arguments.seconds
                ).result()
            if arguments.results:
                with arguments.results.open("a") as file:
                    file.write(json.dumps(done[title]) + "\n")
        row = done[title]
        grown = row["most"] - row["first"]
        print(f"{title:<44}{row['steps']:>10,}{row['most']:>8.1f}{grown:>+10.1f}", flush=True)
    leaks = [t for t in bounded if done[t]["most"] - done[t]["first"] > ALLOWED]
    print(
        f"\n{len(bounded)} of them, {len(leaks)} grew by more than {ALLOWED:g} MB", *leaks, sep="\n"
    )
    print(f"not soaked, since they store examples for ever: {', '.join(GROWS)}")
    sys.exit(bool(leaks))


if __name__ == "__main__":
    main()
