"""What does an average cost? Learners alone and averaged on RCV1, in one interleaved run.

    python tests/bench/averages.py --data FOLDER

Every learner gets the same documents in blocks, one learner after the other. Learners of one label
are told the deepest topic. Printed are medians over the blocks, and their ratios to those of the
learner alone. `AveragedHieron` has its own step, and averages by itself.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
from typing import Any

from learners import microseconds
from tqdm import tqdm

from river_hier import datasets, linear_model

BLOCK = 200


def main(data: str | None, documents: int) -> None:
    stream = datasets.RCV1(data)
    t = stream.taxonomy
    many = linear_model.Averaged
    one = linear_model.Averaged
    models: dict[str, list[Any]] = {  # alone and averaged
        "H-PERC": [linear_model.HPerceptron(t), many(linear_model.HPerceptron(t))],
        "H-AROW": [linear_model.HAROW(t), many(linear_model.HAROW(t))],
        "Hieron": [linear_model.Hieron(t), one(linear_model.Hieron(t))],
        "AveragedHieron": [linear_model.AveragedHieron(t)],
    }
    times: dict[str, list[list[list[float]]]] = {
        name: [[[], []] for _ in versions] for name, versions in models.items()
    }
    examples = iter(stream.take(documents))
    with tqdm(total=documents, unit="doc") as progress:
        while block := list(itertools.islice(examples, BLOCK)):
            deepest = [(x, max(y, key=t.index)) for x, y in block]
            for name, versions in models.items():
                told: list[Any] = deepest if name.endswith("Hieron") else block
                for model, (learn, predict) in zip(versions, times[name], strict=True):
                    learn.append(microseconds(model.learn_one, told))
                    predict.append(microseconds(model.predict_one, [(x,) for x, _ in block]))
            progress.update(len(block))
    print(f"{'microseconds a document':24}{'learn_one':>16}{'predict_one':>16}")
    for name, versions_times in times.items():
        rows = [[statistics.median(spent) for spent in both] for both in versions_times]
        for title, row in zip([name, "  averaged"], rows, strict=False):
            cells = (f"{m:.1f} ({m / a:.1f}x)" for m, a in zip(row, rows[0], strict=True))
            print(f"{title:24}" + "".join(f"{cell:>16}" for cell in cells))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="folder with the LYRL2004 files; downloaded by default")
    parser.add_argument("--documents", type=int, default=4_000)
    options = parser.parse_args()
    main(options.data, options.documents)
