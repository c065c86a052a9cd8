"""How much does decoding for a measure gain? One pass over RCV1, every decision for every learner.

    python examples/benchmarks/rcv1.py --data FOLDER

FOLDER holds `rcv1`, the LYRL2004 files of RCV1-v2; without it they are downloaded. The first
`--train` documents are learned in one pass, and the rest are tested. Each learner has a row with
the paper's rule, which decides each node separately. The rows below it are the average of all
hypotheses with the same rule, the decisions based on its calibrated scores, and the calibration
error before and after. The baseline is the hierarchical support vector machine of the H-RLS paper,
trained on the same documents in batch mode.
"""

# %%
from __future__ import annotations

import argparse
import itertools
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from river_hier import batch, datasets, decision, evaluate, linear_model, metrics

Examples = list[tuple[Any, Any]]
DECISIONS = {
    "zero-one": decision.ZeroOneBayes,
    "H-loss": decision.HLossBayes,
    "Delta": decision.SymmetricDifferenceBayes,
    "HF1": partial(decision.SymmetricDifferenceBayes, missed=1.4),  # 2 / HF1 - 1
}


# %%
def losses(model: Any, test: Examples) -> str:
    """Zero-one loss, H-loss, symmetric difference and HF1, as the cells of a row."""
    t = model.taxonomy
    measures = (
        metrics.ZeroOneLoss,
        metrics.HLoss,
        metrics.SymmetricDifferenceLoss,
        metrics.HF1,
    )
    found = [measure(t) for measure in measures]
    for x, y in test:
        y_pred = model.predict_one(x)
        for metric in found:
            metric.update(y, y_pred)
    return "".join(f"{metric.get():10.3f}" for metric in found)


def error(model: Any, test: Examples) -> float:
    """The calibration error."""
    found, asked = metrics.CalibrationError(model.taxonomy), evaluate.Probabilities(model)
    for x, y in test:
        found.update(y, asked.predict_one(x))
    return found.get()


def main(folder: str | None, n_train: int) -> None:
    stream = datasets.RCV1(None if folder is None else Path(folder) / "rcv1")
    t = stream.taxonomy
    examples = iter(tqdm(stream, desc="reading"))
    train, test = list(itertools.islice(examples, n_train)), list(examples)
    print(f"{len(train):,} documents to learn from, {len(test):,} to test, {len(t) - 1} topics\n")
    print(f"{'':24}{'zero-one':>10}{'H-loss':>10}{'Delta':>10}{'HF1':>10}")
    learners: dict[str, Any] = {
        "H-PERC": linear_model.HPerceptron(t),
        "H-AROW": linear_model.HAROW(t),
    }
    for name, learner in learners.items():
        average = linear_model.Averaged(learner.clone())
        calibrated = decision.Calibrated(learner)
        models = {"each node on its own": calibrated}
        for loss, decide in DECISIONS.items():  # each learns which children occur together
            models[loss] = decide(decision.Calibrated(learner.clone()))
        for x, y in tqdm(train, desc=name, leave=False):
            average.learn_one(x, y)
            for model in models.values():
                model.learn_one(x, y)
        print(f"{name:24}{losses(learner, test)}")
        print(f"  {'averaged':22}{losses(average, test)}")
        for loss, model in models.items():
            print(f"  {loss:22}{losses(model, test)}")
        before, after = error(learner, test), error(calibrated, test)
        print(f"  calibration error: {before:.2%} uncalibrated, {after:.2%} calibrated")
    machine = batch.HSVM(t)
    machine.fit(train)
    print(f"{'H-SVM (batch)':24}{losses(machine, test)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", help="the folder that holds rcv1; by default it is downloaded")
    parser.add_argument("--train", type=int, default=12_000, help="documents to learn from")
    options = parser.parse_args()
    main(options.data, options.train)
