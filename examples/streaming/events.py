"""Prints a stream for the other scripts: examples, and labels that arrive later.

    python examples/streaming/events.py --taxonomy taxonomy.json > events.jsonl

writes the taxonomy of a shop to the given file, and `--examples` examples to standard output.
Labels are in another order than their examples, up to `--delay` examples later, and one in fifty is
missing. With `--kafka localhost:9092 --topic events` they go to a topic of Kafka instead.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
parser.add_argument("--kafka", help="where the brokers are")
parser.add_argument("--topic", default="events")


def messages(examples: int, delay: int, seed: int) -> Iterator[dict[str, Any]]:
    """Examples, and labels that arrive later."""
    rng = random.Random(seed)
    articles = synth.PrototypePaths(
        Taxonomy.from_nested({"shop": SHOP}), noise=0.09, seed=seed
    ).take(examples)
    late = river_stream.simulate_qa(articles, moment=None, delay=lambda x, y: rng.uniform(0, delay))
    for i, x, y, *_ in late:
        if y is None:
            named = {str(name): round(value, 6) for name, value in x.items()}
            yield {"key": f"article {i}", "x": named}
        elif rng.random() > 0.02:
            yield {"key": f"article {i}", "y": [label for label in y if y[label]]}


if __name__ == "__main__":
    asked = parser.parse_args()
    asked.taxonomy.write_text(json.dumps({"shop": SHOP}, indent=1), encoding="utf-8")
    stream = messages(asked.examples, asked.delay, asked.seed)
    if asked.kafka:
        from confluent_kafka import Producer

        producer = Producer({"bootstrap.servers": asked.kafka})
        for message in stream:
            producer.produce(asked.topic, json.dumps(message), key=message["key"])
        producer.flush()
    else:
        for message in stream:
            print(json.dumps(message))
