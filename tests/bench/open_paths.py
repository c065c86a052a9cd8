"""How much memory do 100,000 open paths take?

    python tests/bench/open_paths.py [--paths N]

Each example is seven words of 50,000, by a power law, and a label that is new: three levels, with
30 nodes in the first and 3,000 in the second. In brackets is the worst case: the weights of all
words and nodes that occurred. The learners store the pairs that they have learned.
"""

import argparse
import random

from tqdm import trange

from river_hier import OpenTaxonomy, linear_model

WORDS = 50_000


def main(n):
    for name in ("PathSoftmax", "HAROW"):
        rng = random.Random(0)
        model = getattr(linear_model, name)(OpenTaxonomy(), dtype="float32")
        words = set()
        nodes = set()
        for i in trange(n, desc=name):
            x = {f"w{int(rng.paretovariate(0.8)) % WORDS}": 0.4 for _ in range(7)}
            path = f"a{i % 30}", f"b{i % 3_000}", f"c{i}"
            model.learn_one(x, path)
            words.update(x)
            nodes.update(path)
        vectors = len(nodes) * (2 if name == "PathSoftmax" else 1)
        most = 8 * len(words) * vectors  # a weight and a variance
        print(f"{name}: {model._raw_memory_usage / 1e6:,.0f} MB ({most / 1e6:,.0f} MB)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--paths", type=int, default=100_000)
    main(parser.parse_args().paths)
