"""Rows of letters one by one: `DensePool` beside River's forest of ten adaptive trees.

    OPENBLAS_NUM_THREADS=1 python tests/bench/one_by_one.py --data FOLDER

FOLDER has `letter/letter.jsonl.gz`. Printed are medians of processor time, in milliseconds a row,
over interleaved parts of 500 rows, after 3,000 rows have been learned.
"""

import argparse
import gzip
import json
import statistics
import time
from pathlib import Path

from river import forest

from river_hier import Taxonomy, ensemble

BEFORE, PART = 3_000, 500


def main(folder, repeats):
    with gzip.open(folder / "letter" / "letter.jsonl.gz", "rt") as lines:
        (_, edges), *rows = map(json.loads, lines)
    examples = [(x, y) for _, x, y in rows]
    pool = ensemble.DensePool(Taxonomy(map(tuple, edges)))
    models = {"DensePool": pool, "adaptive trees": forest.ARFClassifier(n_models=10, seed=0)}
    times = {name: ([], []) for name in models}
    for part in range(repeats + 1):
        first = BEFORE + PART * (part - 1) if part else 0
        some = examples[first : BEFORE + PART * part]
        for name, model in models.items():
            start = time.process_time()
            for x, y in some:
                model.learn_one(x, y)
            learned = time.process_time()
            for x, _ in examples[-PART:]:
                model.predict_one(x)
            if part:
                times[name][0].append(1e3 * (learned - start) / PART)
                times[name][1].append(1e3 * (time.process_time() - learned) / PART)
    for name, (learn, predict) in times.items():
        spent = statistics.median(learn), statistics.median(predict)
        print(f"{name:15} learn {spent[0]:.2f}, predict {spent[1]:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args()
    main(asked.data, asked.repeats)
