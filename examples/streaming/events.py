"""Prints a stream for the other scripts: examples, and labels that arrive later.

    python examples/streaming/events.py --taxonomy taxonomy.json > events.jsonl

writes the taxonomy of a shop to the given file, and `--examples` examples to standard output.
Labels are in another order than their examples, up to `--delay` examples later, and one in fifty is
missing.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

from river import stream as river_stream

from river_hier import Taxonomy
from river_hier.datasets import synth

SHOP = {
    "clothes": {"shoes": ["boots", "sandals"], "coats": ["parkas", "capes"]},
    "kitchen": {"pots": ["pans", "woks"], "cups": []},
    "garden": {"tools": ["spades", "rakes"], "plants": ["roses", "ferns"]},
}

parser = argparse.ArgumentParser(
    description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
)
parser.add_argument("--taxonomy", type=Path, required=True, help="the file to write")
parser.add_argument("--examples", type=int, default=1000)
parser.add_argument("--delay", type=int, default=100)
parser.add_argument("--seed", type=int, default=1)


if __name__ == "__main__":
    asked = parser.parse_args()
    asked.taxonomy.write_text(json.dumps({"shop": SHOP}, indent=1), encoding="utf-8")
    rng = random.Random(asked.seed)
    articles = synth.PrototypePaths(
        Taxonomy.from_nested({"shop": SHOP}), noise=0.09, seed=asked.seed
    ).take(asked.examples)
    late = river_stream.simulate_qa(
        articles, moment=None, delay=lambda x, y: rng.uniform(0, asked.delay)
    )
    for i, x, y, *_ in late:
        if y is None:
            named = {str(name): round(value, 6) for name, value in x.items()}
            print(json.dumps({"key": f"article {i}", "x": named}))
        elif rng.random() > 0.02:
            print(json.dumps({"key": f"article {i}", "y": [label for label in y if y[label]]}))
