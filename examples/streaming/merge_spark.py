"""Learns from the partitions of a Spark dataframe by `mapInPandas`, and merges the models.

    python examples/streaming/merge_spark.py --taxonomy taxonomy.json --model shop.model *.jsonl

Each line is an example such as {"x": {"height": 2.5}, "y": ["garden", "tools"]}. Spark needs Java.

A task reads one partition, changes nothing, and returns a model that depends on nothing but its
lines. So Spark may run it again when its worker is lost, and the result is the same, bit for bit.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from pyspark.sql import SparkSession

from river_hier import Taxonomy, checkpoint, distributed, linear_model

parser = argparse.ArgumentParser(
    description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
)
parser.add_argument("files", type=Path, nargs="+", help="the parts of the stream")
parser.add_argument("--taxonomy", type=Path, required=True, help="a nested taxonomy in JSON")
parser.add_argument("--model", type=Path, required=True, help="where the merged model is saved")
parser.add_argument("--master", default="local[2, 4]", help="2 workers, and 4 trials of a task")


def main() -> None:
    asked = parser.parse_args()
    taxonomy = Taxonomy.from_nested(json.loads(asked.taxonomy.read_text(encoding="utf-8")))

    def learned(tables: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        """A model of one partition, as bytes."""
        model = linear_model.HAROW(taxonomy)
        for table in tables:
            for line in table["value"]:
                example = json.loads(line)
                model.learn_one(example["x"], set(example["y"]))
        yield pd.DataFrame({"model": [pickle.dumps(model)]})

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # of the workers
    with SparkSession.builder.master(asked.master).getOrCreate() as spark:
        lines = spark.read.text([str(file.resolve()) for file in asked.files])
        rows = lines.mapInPandas(learned, "model binary").collect()
    models = [pickle.loads(row["model"]) for row in rows]
    checkpoint.save(distributed.merge(models), asked.model)


if __name__ == "__main__":
    main()
