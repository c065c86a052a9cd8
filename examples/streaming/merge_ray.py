"""Learns from files of JSON lines, each in a task of Ray, and merges the models.

    python examples/streaming/merge_ray.py --taxonomy taxonomy.json --model shop.model *.jsonl

Each line is an example such as {"x": {"height": 2.5}, "y": ["garden", "tools"]}.

A task reads one file, changes nothing, and returns a model that depends on nothing but the file. So
Ray may run it again when its worker is lost, and the result is the same, bit for bit.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import ray

from river_hier import Taxonomy, checkpoint, distributed, linear_model

parser = argparse.ArgumentParser(
    description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
)
parser.add_argument("files", type=Path, nargs="+", help="the parts of the stream")
parser.add_argument("--taxonomy", type=Path, required=True, help="a nested taxonomy in JSON")
parser.add_argument("--model", type=Path, required=True, help="where the merged model is saved")


def learned(file: Path, taxonomy: Taxonomy) -> linear_model.HAROW:
    """A model of one file."""
    model = linear_model.HAROW(taxonomy)
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            example = json.loads(line)
            model.learn_one(example["x"], set(example["y"]))
    return model


def main() -> None:
    asked = parser.parse_args()
    taxonomy = Taxonomy.from_nested(json.loads(asked.taxonomy.read_text(encoding="utf-8")))
    ray.init(include_dashboard=False)
    task = ray.remote(learned)
    models = ray.get([task.remote(file.resolve(), taxonomy) for file in asked.files])
    checkpoint.save(distributed.merge(models), asked.model)


if __name__ == "__main__":
    main()
