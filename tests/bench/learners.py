"""What does a document cost? Learners side by side on RCV1, in one interleaved run.

    python tests/bench/learners.py --data FOLDER

Every learner gets the same documents in blocks, one learner after the other, so that a machine that
slows down slows all of them. Printed are medians over the blocks and their ratio to the first row.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import time
from collections.abc import Callable
from typing import Any

from river import linear_model as river_linear_model
from river import multioutput
from tqdm import tqdm

from river_hier import Taxonomy, datasets, decision, linear_model

BLOCK = 200


def learners(t: Taxonomy, with_river: bool) -> dict[str, Any]:
    flat = t.flatten()
    found: dict[str, Any] = {
        "H-PERC": linear_model.HPerceptron(t),
        "PERC (flat)": linear_model.HPerceptron(flat),
        "SH-RLS": linear_model.SHRLS(t),
        "S-RLS (flat)": linear_model.SHRLS(flat),
        "H-AROW": linear_model.HAROW(t),
        "H-AROW, for the H-loss": decision.HLossBayes(decision.Calibrated(linear_model.HAROW(t))),
    }
    if with_river:
        perceptron = river_linear_model.Perceptron()
        found["River, one Perceptron a topic"] = multioutput.PerOutputClassifier(perceptron)
    return found


def microseconds(call: Callable[..., Any], examples: list[tuple[Any, ...]]) -> float:
    start = time.process_time()
    for example in examples:
        call(*example)
    return 1e6 * (time.process_time() - start) / len(examples)


def main(data: str | None, documents: int, with_river: bool) -> None:
    stream = datasets.RCV1(data)
    models = learners(stream.taxonomy, with_river)
    learn: dict[str, list[float]] = {name: [] for name in models}
    predict: dict[str, list[float]] = {name: [] for name in models}
    examples = iter(stream.take(documents))
    with tqdm(total=documents, unit="doc") as progress:
        while block := list(itertools.islice(examples, BLOCK)):
            for name, model in models.items():
                predict[name].append(microseconds(model.predict_one, [(x,) for x, _ in block]))
                learn[name].append(microseconds(model.learn_one, block))
            progress.update(len(block))
    print(f"microseconds a document, median over the blocks of {documents:,} documents (ratio)\n")
    print(f"{'':32}{'learn_one':>20}{'predict_one':>20}")
    base = [statistics.median(next(iter(times.values()))) for times in (learn, predict)]
    for name in models:
        medians = [statistics.median(times[name]) for times in (learn, predict)]
        cells = [f"{m:,.0f} ({m / b:.1f}x)" for m, b in zip(medians, base, strict=True)]
        print(f"{name:32}" + "".join(f"{cell:>20}" for cell in cells))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", help="folder with the LYRL2004 files; downloaded by default")
    parser.add_argument("--documents", type=int, default=4_000)
    parser.add_argument("--river", action="store_true", help="River's own multioutput, too (slow)")
    arguments = parser.parse_args()
    main(arguments.data, arguments.documents, arguments.river)
