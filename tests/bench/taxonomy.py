"""A taxonomy of very many nodes: seconds of processor time and memory of what is done with it.

    python tests/bench/taxonomy.py [--nodes N]

A tree of three levels with labels of text, made in three ways, each in a process of its own. `MB`
is what the process has grown by since the labels were there, `most` the most that it had grown by
in between.
"""

import argparse
import pickle
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from zipf import resident as grown

from river_hier import Taxonomy, metrics


def main(way: str, n: int) -> None:
    b = round(n ** (1 / 3))
    paths = [f"a{i} > b{j} > c{k}" for i in range(b) for j in range(b) for k in range(b)]
    nodes = [f"n{v}" for v in range(1 + b + b * b + b**3)]
    edges = [(nodes[(v - 1) // b], nodes[v]) for v in range(1, len(nodes))]
    start = grown()

    def step(name: str, call: Callable[[], Any]) -> Any:
        begun = time.process_time()
        found = call()
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3 - start
        seconds = time.process_time() - begun
        print(f"{name:34}{seconds:6.2f} s{grown() - start:8.0f} MB{most:8.0f} most", flush=True)
        return found

    make: dict[str, Callable[[], Taxonomy]] = {
        "Taxonomy(edges)": lambda: Taxonomy(edges),
        "Taxonomy.flat(labels)": lambda: Taxonomy.flat(nodes),
        "Taxonomy.from_paths(paths)": lambda: Taxonomy.from_paths(paths, " > ", labels="path"),
    }
    t = step(f"{way}", make[way])
    if way == "Taxonomy(edges)":
        step("  repr", lambda: repr(t))
        step("  children, parents, index", lambda: (t.children(nodes[1]), t.parent(nodes[-1])))
        step("  pickle and back", lambda: pickle.loads(pickle.dumps(t)))
        step("  TreeInducedError", lambda: metrics.TreeInducedError(t).update(*nodes[-2:]))
        step("  HLoss", lambda: metrics.HLoss(t).update(nodes[-2:], nodes[-3:]))
        step("  show(max_depth=1)", lambda: t.show(max_depth=1))
        step("  show()", t.show)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--way")
    args = parser.parse_args()
    if args.way:
        main(args.way, args.nodes)
    else:
        for name in ("Taxonomy(edges)", "Taxonomy.flat(labels)", "Taxonomy.from_paths(paths)"):
            subprocess.run([sys.executable, __file__, "--nodes", f"{args.nodes}", "--way", name])
