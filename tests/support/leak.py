"""Does memory stay the same over ten million steps?

    PYTHONPATH=tests python tests/support/leak.py [--steps 10000000]

Every kind of step there is, over names that are all known after the first thousand: learning and
predicting with every learner, x of every kind, refused examples, pickles, models that come and go.
Resident memory is printed along the way; more than a few megabytes between the end of the warm-up
and the end of the run is a leak, and the exit status says so.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import copy
import gc
import pickle
import random
import sys
from typing import Any

import numpy as np
from tqdm import tqdm

from river_hier import Taxonomy, linear_model
from support.memory import ALLOWED, resident

TREE = Taxonomy([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])
FAN = range(90)
LARGE = Taxonomy([("r", f"n{v}") for v in FAN] + [(f"n{v}", f"m{v}") for v in FAN])


def learners() -> list[Any]:
    found: list[Any] = []
    for name in ("Hieron", "AveragedHieron", "HPerceptron", "HAROW"):
        cls = getattr(linear_model, name)
        found += [cls(TREE), cls(LARGE), cls(TREE, n_features=2**10), cls(TREE, dtype="float32")]
    found.append(linear_model.HRLS(TREE))
    found += [linear_model.SHRLS(TREE, budget=b) for b in (10, 200)]
    return found


NAMES: list[Any] = [f"n{i}" for i in range(60)]
NAMES += [f"a name of more than sixteen {i}" for i in range(20)]
NAMES += [*range(20), *((i, "t") for i in range(10)), b"b", None, "\u00e9", np.str_("s")]


def example(rng: random.Random) -> Any:
    x = {name: rng.gauss(0.0, 1.0) for name in rng.sample(NAMES[:80], 8)}
    kind = rng.random()
    if kind < 0.05:
        x |= {name: rng.gauss(0.0, 1.0) for name in rng.sample(NAMES, 4)}
    elif kind < 0.07:
        return collections.OrderedDict((name, np.float64(value)) for name, value in x.items())
    elif kind < 0.09:
        return {**x, "n1": rng.choice([None, "text", float("nan"), 10**400, [1.0]])}
    return x


def work(models: list[Any], steps: range, rng: random.Random) -> None:
    for step in steps:
        i = step % len(models)
        model, x = models[i], example(rng)
        labels = model.taxonomy.nodes
        y: Any = labels[rng.randrange(1, len(labels))]
        if not model._multiclass if hasattr(model, "_multiclass") else True:
            y = rng.choice([y, [y], {y}, {y: True}, {y: np.bool_(True)}, "unicorn", iter([y])])
        with contextlib.suppress(ValueError, TypeError):
            model.learn_one(x, y)
        with contextlib.suppress(ValueError, TypeError):
            model.predict_one(x)
            if step % 10 == 0:
                model.score_one(x)
        if step % 47 == 0:
            models[i] = pickle.loads(pickle.dumps(model))
        elif step % 503 == 0:
            models[i] = copy.deepcopy(model)
        elif step % 2003 == 0:
            models[i] = model.clone()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=10_000_000)
    parser.add_argument("--silent", action="store_true", help="no progress bar")
    arguments = parser.parse_args()
    rng, models = random.Random(1), learners()
    block = max(1, arguments.steps // 40)
    seen = []
    for start in tqdm(range(0, arguments.steps, block), disable=arguments.silent):
        work(models, range(start, start + block), rng)
        gc.collect()
        seen.append(resident())
    warm = max(seen[: len(seen) // 4])
    print("megabytes:", " ".join(f"{megabytes:.1f}" for megabytes in seen))
    grown = max(seen[-len(seen) // 4 :]) - warm
    print(f"{grown:+.1f} MB since the first quarter")
    sys.exit(grown > ALLOWED)


if __name__ == "__main__":
    main()
