"""H-AROW's losses on RCV1 with other parameters, averages, and full covariances.

    python tests/bench/harow.py --data FOLDER

FOLDER holds the LYRL2004 files. The models learn the first 12,000 documents in one pass, and are
tested on the rest. Documents have norm 1. SH-RLS shows the effect of full covariance matrices.
"""

from __future__ import annotations

import argparse
import itertools
from typing import Any

from tqdm import tqdm

from river_hier import datasets, linear_model, metrics

N_TRAIN = 12_000


def main(data: str | None) -> None:
    stream = datasets.RCV1(data)
    t = stream.taxonomy
    examples = iter(tqdm(stream, desc="reading"))
    train, test = list(itertools.islice(examples, N_TRAIN)), list(examples)
    models: dict[str, Any] = {}
    for r in (0.1, 0.3, 1.0, 3.0, 10.0):
        models[f"r = {r:g}"] = linear_model.HAROW(t, r=r)
    for value in (0.0, 0.03, 0.1, 0.3, 3.0):
        models[f"r = 1, intercept = {value:g}"] = linear_model.HAROW(t, intercept=value)
    models["r = 1, averaged"] = linear_model.Averaged(linear_model.HAROW(t))
    models["SH-RLS"] = linear_model.SHRLS(t)
    print(f"{'':24}{'zero-one':>10}{'H-loss':>10}{'Delta':>10}")
    for name, model in models.items():
        for x, y in tqdm(train, desc=name, leave=False):
            model.learn_one(x, y)
        losses = (metrics.ZeroOneLoss(t), metrics.HLoss(t), metrics.SymmetricDifferenceLoss(t))
        for x, y in test:
            y_pred = model.predict_one(x)
            for loss in losses:
                loss.update(y, y_pred)
        print(f"{name:24}" + "".join(f"{loss.get():10.3f}" for loss in losses))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="folder with the LYRL2004 files; downloaded by default")
    main(parser.parse_args().data)
