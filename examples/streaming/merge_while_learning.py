"""Workers learn from files, and every few seconds what they have learned so far is published.

    python examples/streaming/merge_while_learning.py --model new.pkl --folder models \\
        --every 5 *.jsonl

parts.py says what the files hold. A worker learns a file and saves its model from time to time; the
merger publishes `models/merged`. As checkpoints are replaced as a whole, servers may open the file
at any moment. Workers go on with their own models.
"""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor, wait
from pathlib import Path
from typing import Any

import parts

from river_hier import checkpoint

parser = parts.options(__doc__)
parser.add_argument("--folder", type=Path, required=True, help="where models are saved")
parser.add_argument("--every", type=float, default=10.0, help="seconds between two models")


def learn(file: str, model: Any, x: str, y: str, path: Path, every: float) -> None:
    """Learn one file, and save the model again and again."""
    saved = time.monotonic()
    for example in parts.examples(file):
        model.learn_one(example[x], example[y])
        if time.monotonic() - saved > every:
            checkpoint.save(model, path)
            saved = time.monotonic()
    checkpoint.save(model, path)


def main() -> None:
    asked = parser.parse_args()
    asked.folder.mkdir(exist_ok=True)
    start, waiting, paths = parts.opened(asked.model), set(), []
    with ProcessPoolExecutor() as pool:
        for i, file in enumerate(asked.files):
            paths.append(asked.folder / f"worker {i}")
            waiting.add(pool.submit(learn, file, start, asked.x, asked.y, paths[-1], asked.every))
        while waiting:
            done, waiting = wait(waiting, asked.every)
            for future in done:
                future.result()
            if models := [checkpoint.load(path) for path in paths if path.exists()]:
                checkpoint.save(parts.merged(start, *models), asked.folder / "merged")


if __name__ == "__main__":
    main()
