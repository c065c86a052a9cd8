"""How long does a step take, as labels become very many?

    python tests/bench/labels.py [--nodes N ...]

Trees have three levels of about as many children each. An example is 23 features: 20 words of
50,000, by a power law, and one for each level of its label, which are drawn by a power law, too.
Microseconds of processor time, after the examples that are named `learned`; `top` is
`inspection.top_one(model, x)`, the five likeliest labels. `right` is the share of right answers
and depends on how many were learned, `MB` the size of the weights.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from river_hier import Taxonomy, inspection, linear_model

Example = tuple[dict[str, float], int]
LEARNERS = ("HierarchicalSoftmax", "PathSoftmax", "Hieron", "AveragedHieron")
SIZES = [1_000, 3_000, 20_000, 200_000, 1_000_000]
SECONDS = 30.0  # about the most that a learner takes for each size


def tree(n: int) -> tuple[Taxonomy, int]:
    """A tree of about n nodes, and the number of children of a node."""
    b = round(n ** (1 / 3))
    n_inner = 1 + b + b * b
    return Taxonomy([((v - 1) // b, v) for v in range(1, n_inner + b**3)], root=0), b


def stream(b: int, seed: int = 0) -> Iterator[Example]:
    """Examples whose labels are leaves."""
    rng = random.Random(seed)
    while True:
        i, j, k = (min(int(rng.paretovariate(1.0)), b) for _ in range(3))
        path = i, i * b + j, (i * b + j) * b + k
        words = {f"w{int(rng.paretovariate(0.8)) % 50_000}": 0.2 for _ in range(20)}
        yield {**{f"level {v}": 0.2 for v in path}, **words}, path[-1]


def microseconds(call: Callable[..., Any], examples: Iterable[Any]) -> float:
    begun = time.process_time()
    n = 0
    for n, example in enumerate(examples, 1):  # noqa: B007 - their number
        call(*example)
    return 1e6 * (time.process_time() - begun) / n


def main(sizes: list[int]) -> None:
    head = ("nodes", 10), ("learned", 9), ("learn", 8), ("predict", 9), ("top", 7), ("right", 7)
    print(f"{'':19}" + "".join(f"{name:>{width}}" for name, width in head) + f"{'MB':>5}")
    for name in LEARNERS:
        for size in sizes:
            t, b = tree(size)
            model = getattr(linear_model, name)(t)
            examples = stream(b)
            few = [next(examples) for _ in range(20)]
            once = microseconds(model.learn_one, few)
            some = [next(examples) for _ in range(int(min(4_000, SECONDS * 1e6 / 5 / once)))]
            microseconds(model.learn_one, some)
            some = [next(examples) for _ in some]
            right = sum(model.predict_one(x) == y for x, y in some) / len(some)
            xs = [(x,) for x, _ in some]
            predict = microseconds(model.predict_one, xs)
            top = microseconds(lambda x, m=model: inspection.top_one(m, x), xs)
            learn = microseconds(model.learn_one, some)
            size_mb = model._state.n_bytes / 1e6
            print(
                f"{name:19}{len(t):>10,}{len(some):>9,}{learn:>8,.0f}{predict:>9,.0f}{top:>7,.0f}"
                f"{right:>7.3f}{size_mb:>5,.0f}",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--nodes", type=int, nargs="+", default=SIZES)
    main(parser.parse_args().nodes)
