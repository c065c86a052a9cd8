"""What new labels cost: paths that arrive one by one in an open taxonomy, and `adopt` of one node.

    python tests/bench/growth.py
    python tests/bench/growth.py HAROW Hieron

Each path is the label of one example. The first table has the processor time of all examples in
an open taxonomy as a multiple of that in the closed one with all paths, and in brackets the
milliseconds per example. The second has the milliseconds, medians, in which a taxonomy of so many
nodes is extended by a node and adopted. The first line has the processor time and the memory that
it takes to build a taxonomy of a million edges.
"""

from __future__ import annotations

import resource
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from tqdm import tqdm

from river_hier import OpenTaxonomy, Taxonomy, decision, linear_model, metrics, probabilistic

Learner = Callable[[Any], Any]
LEARNERS: dict[str, Learner] = {
    "HPerceptron": linear_model.HPerceptron,
    "HAROW": linear_model.HAROW,
    "Calibrated(HAROW)": lambda t: decision.Calibrated(linear_model.HAROW(t)),
    "averaged HPerceptron": lambda t: linear_model.Averaged(
        linear_model.HPerceptron(t)
    ),
    "HRLS": linear_model.HRLS,
    "SHRLS": linear_model.SHRLS,
    "HMinOver": linear_model.HMinOver,
    "Hieron": linear_model.Hieron,
    "AveragedHieron": linear_model.AveragedHieron,
    "PathSoftmax": linear_model.PathSoftmax,
    "LinearDiscriminant": probabilistic.LinearDiscriminant,
    "metrics.HLoss": metrics.HLoss,
}
SIZES = 1_000, 10_000, 100_000
# Least squares solve systems of as many equations as examples.
MOST = dict.fromkeys(LEARNERS, 100_000) | dict.fromkeys(("HRLS", "SHRLS"), 1_000)
WORDS = 10


def document(i: int) -> dict[str, float]:
    return {f"word {(7 * i + 13 * j * j) % 5_000}": 1.0 for j in range(WORDS)}


def learning(model: Any, paths: list[str]) -> float:
    """Seconds."""
    taken = 0.0
    for i, path in enumerate(paths):
        example = ({path}, {paths[i // 2]}) if hasattr(model, "update") else (document(i), path)
        begun = time.process_time()
        (model.update if hasattr(model, "update") else model.learn_one)(*example)
        taken += time.process_time() - begun
    return taken


def growing(learner: Learner, n: int) -> str:
    paths = [f"{i % 10}/{i % 100}/{i}" for i in range(n)]
    grown = learner(OpenTaxonomy("/"))
    open_time = learning(grown, paths)
    closed_time = learning(learner(grown.taxonomy_), paths)
    return f"{open_time / closed_time:8.1f} ({1_000 * open_time / n:6.3f})"


def adopting(learner: Learner, n: int) -> str:
    taxonomy = Taxonomy([(f"node {i // 8}", f"node {i}") for i in range(1, n)])
    model, taken = learner(taxonomy), []
    for i in range(20):
        model.learn_one(document(i), f"node {n - 1 - i}")
        begun = time.process_time()
        taxonomy = taxonomy.extend([(f"node {7 * i}", f"new {i}")])
        model.adopt(taxonomy)
        taken.append(time.process_time() - begun)
    return f"{1_000 * statistics.median(taken):17.3f}"


def build(n: int) -> None:
    edges = [(f"node {i // 8}", f"node {i}") for i in range(1, n + 1)]
    before, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    Taxonomy(edges)
    taken = time.process_time() - begun
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"a taxonomy of {n:,} edges: {taken:.1f} s, {more:.0f} MB")


def main() -> None:
    names = sys.argv[1:] or LEARNERS
    build(1_000_000)
    for title, measured in ("paths", growing), ("adopt", adopting):
        print(f"\n{title:21}" + "".join(f"{n:17,}" for n in SIZES))
        for name in tqdm(names):
            if measured is adopting and name.startswith("metrics"):
                continue
            learner = LEARNERS[name]
            sizes = [n for n in SIZES if n <= MOST[name]]
            print(f"{name:21}" + "".join(measured(learner, n) for n in sizes), flush=True)


if __name__ == "__main__":
    main()
