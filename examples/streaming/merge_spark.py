"""Learns from files of JSON lines, each in a task of Spark, and merges the models in tasks, too.

    python examples/streaming/merge_spark.py --model new.pkl --merged shop.model *.jsonl

parts.py says what the files hold. With `--address spark://head:7077`, the tasks run on that
cluster. Spark needs Java.

A task reads one file, changes nothing, and returns a model that depends on nothing but the file. So
Spark may run it again when its worker is lost, and the result is the same, bit for bit. Models are
merged four at a time on the workers, and the last ones of these, until one is left.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import parts
from pyspark.sql import SparkSession

from river_hier import checkpoint

parser = parts.options(__doc__)
parser.add_argument("--merged", type=Path, required=True, help="where the merged model is saved")
parser.add_argument("--address", default="local[2, 4]", help="2 workers here, 4 trials of a task")


def main() -> None:
    asked = parser.parse_args()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # of the workers
    with SparkSession.builder.master(asked.address).getOrCreate() as spark:
        spark.sparkContext.addPyFile(parts.__file__)
        start = spark.sparkContext.broadcast(parts.opened(asked.model))
        x, y, size = asked.x, asked.y, parts.AT_ONCE
        files = spark.sparkContext.parallelize(list(enumerate(asked.files)), len(asked.files))
        models = files.mapValues(lambda file: parts.learned(file, start.value, x, y))
        while (left := models.getNumPartitions()) > 1:
            left = -(-left // size)
            groups = models.map(lambda row: (row[0] // size, row)).groupByKey(left, lambda i: i)
            models = groups.mapValues(
                lambda group: parts.merged(start.value, *(model for _, model in sorted(group)))
            )
        checkpoint.save(models.collect()[0][1], asked.merged)


if __name__ == "__main__":
    main()
