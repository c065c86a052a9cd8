"""What new labels cost: paths that arrive one by one in an open taxonomy, and in the closed one.

    python tests/bench/growth.py

Each path is the label of one example. The output has the processor time in milliseconds per example
of the last fifth of the stream, in which taxonomies are largest. The first line has the processor
time and the memory that it takes to build a taxonomy of a million edges.
"""

from __future__ import annotations

import resource
import time
from typing import Any

from tqdm import tqdm

from river_hier import OpenTaxonomy, Taxonomy, linear_model, probabilistic

LEARNERS: dict[str, Any] = {
    "Hieron": linear_model.Hieron,
    "AveragedHieron": linear_model.AveragedHieron,
    "PathSoftmax": linear_model.PathSoftmax,
    "HPerceptron": linear_model.HPerceptron,
    "HAROW": linear_model.HAROW,
    "LinearDiscriminant": probabilistic.LinearDiscriminant,
}
SIZES = 500, 1_000, 2_000, 4_000


def last_fifth(model: Any, paths: list[str]) -> float:
    """Milliseconds per example."""
    begun = 0.0
    for i, path in enumerate(paths):
        if i == len(paths) * 4 // 5:
            begun = time.process_time()
        model.learn_one({"any": 1.0, f"word {i % 50}": 1.0}, path)
    return 5_000 * (time.process_time() - begun) / len(paths)


def build(n: int) -> None:
    edges = [(f"node {i // 8}", f"node {i}") for i in range(1, n + 1)]
    before, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    Taxonomy(edges)
    taken = time.process_time() - begun
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"a taxonomy of {n:,} edges: {taken:.1f} s, {more:.0f} MB\n")


def main() -> None:
    build(1_000_000)
    rows = []
    for name, learner in tqdm(LEARNERS.items()):
        cells = []
        for n in SIZES if name != "LinearDiscriminant" else SIZES[:2]:
            paths = [f"{i % 10}/{i % 100}/{i}" for i in range(n)]
            grown = learner(OpenTaxonomy("/"))
            open_time = last_fifth(grown, paths)
            closed_time = last_fifth(learner(grown.taxonomy_), paths)
            cells.append(f"{open_time:8.3f} {open_time / closed_time:5.0f}x")
        rows.append(f"{name:20}" + "".join(cells))
    print(f"{'paths':20}" + "".join(f"{n:15,}" for n in SIZES))
    print("\n".join(rows))


if __name__ == "__main__":
    main()
