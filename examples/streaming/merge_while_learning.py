"""Workers learn from files, and every few seconds what they have learned so far is published.

    python examples/streaming/merge_while_learning.py --taxonomy taxonomy.json \\
        --folder models --every 5 *.jsonl

Each line is an example such as {"x": {"height": 2.5}, "y": ["garden", "tools"]}. A worker learns a
file and saves its model from time to time; the merger publishes `models/merged`. As checkpoints are
replaced as a whole, servers may open the file at any moment. Workers go on with their own models.
"""

from __future__ import annotations

import argparse
import json
import time
from concurrent.futures import ProcessPoolExecutor, wait
from pathlib import Path

from river_hier import Taxonomy, checkpoint, distributed, linear_model

parser = argparse.ArgumentParser(
    description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
)
parser.add_argument("files", type=Path, nargs="+", help="the parts of the stream")
parser.add_argument("--taxonomy", type=Path, required=True, help="a nested taxonomy in JSON")
parser.add_argument("--folder", type=Path, required=True, help="where models are saved")
parser.add_argument("--every", type=float, default=10.0, help="seconds between two models")


def learn(file: Path, taxonomy: Taxonomy, path: Path, every: float) -> None:
    """Learn one file, and save the model again and again."""
    model, saved = linear_model.HAROW(taxonomy), time.monotonic()
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            example = json.loads(line)
            model.learn_one(example["x"], set(example["y"]))
            if time.monotonic() - saved > every:
                checkpoint.save(model, path)
                saved = time.monotonic()
    checkpoint.save(model, path)


def main() -> None:
    asked = parser.parse_args()
    asked.folder.mkdir(exist_ok=True)
    taxonomy = Taxonomy.from_nested(json.loads(asked.taxonomy.read_text(encoding="utf-8")))
    paths = [asked.folder / f"worker {i}" for i in range(len(asked.files))]
    with ProcessPoolExecutor() as pool:
        parts = zip(asked.files, paths, strict=True)
        waiting = {pool.submit(learn, file, taxonomy, path, asked.every) for file, path in parts}
        while waiting:
            done, waiting = wait(waiting, asked.every)
            for future in done:
                future.result()
            if models := [checkpoint.load(path) for path in paths if path.exists()]:
                checkpoint.save(distributed.merge(models), asked.folder / "merged")


if __name__ == "__main__":
    main()
