"""How many examples a class needs until its recall is 85 %, by the step at which it appears.

    PYTHONPATH=tests python tests/bench/young_classes.py [STEP ...]

Prints the median of three streams for each learner; "-" if 640 examples are not enough.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import islice
from statistics import median
from typing import Any

from river_hier import linear_model, probabilistic
from river_hier.datasets import synth

LEARNERS: dict[str, Callable[[Any], Any]] = {
    "Hieron": linear_model.Hieron,
    "AveragedHieron": linear_model.AveragedHieron,
    "AveragedClassifier(Hieron)": lambda t: linear_model.AveragedClassifier(linear_model.Hieron(t)),
    "LinearDiscriminant": probabilistic.LinearDiscriminant,
}
CHECKS = (1, 2, 3, 5, 7, 10, 14, 20, 28, 40, 56, 80, 112, 160, 224, 320, 448, 640)


def examples_needed(make: Callable[[Any], Any], at: int, seed: int, noise: float = 0.04) -> int:
    """The number of examples of a leaf that appears at a step, until 85 of 100 others are found."""
    whole = synth.PrototypeTree(branching=3, depth=3, noise=noise, seed=seed)
    leaf = whole.taxonomy.leaves[0]
    held_out = list(islice((x for x, y in whole if y == leaf), 100))
    stream = iter(synth.Appearing(whole, {leaf: at}))
    model, n = make(whole.taxonomy), 0
    for x, y in stream:
        model.learn_one(x, y)
        if y == leaf:
            n += 1
            found = n in CHECKS and sum(model.predict_one(z) == leaf for z in held_out)
            if found >= 85:
                return n
            if n == CHECKS[-1]:
                break
    return sys.maxsize


if __name__ == "__main__":
    steps = [int(step) for step in sys.argv[1:]] or [0, 1_000, 10_000]
    print(f"{'':28}" + "".join(f"{step:>10,}" for step in steps))
    for name, make in LEARNERS.items():
        needed = [median(examples_needed(make, at, seed) for seed in (1, 2, 3)) for at in steps]
        shown = ["-" if n == sys.maxsize else f"{n:g}" for n in needed]
        print(f"{name:28}" + "".join(f"{n:>10}" for n in shown), flush=True)
