"""What hashing the names of features costs in mistakes, on RCV1.

    python tests/bench/hashing.py --data FOLDER

Learners learn from the first 12,000 documents and are judged on the other 3,926. Some 40,000
terms are hashed into fewer and fewer rows; the last column is the memory of the weights.
"""

from __future__ import annotations

import argparse

from tqdm import tqdm

from river_hier import datasets, linear_model, metrics

TRAIN = 12_000


def main(data: str | None) -> None:
    stream = datasets.RCV1(data)
    documents = list(stream)
    print(f"{'':12}{'rows':>10}{'zero-one':>10}{'H-loss':>10}{'MB':>8}")
    for name in ("HPerceptron", "HAROW"):
        for bits in (None, 18, 16, 14, 12):
            rows = None if bits is None else 2**bits
            model = getattr(linear_model, name)(stream.taxonomy, n_features=rows)
            for x, y in tqdm(documents[:TRAIN], unit="doc", leave=False):
                model.learn_one(x, y)
            zero_one = metrics.ZeroOneLoss(stream.taxonomy)
            h_loss = metrics.HLoss(stream.taxonomy)
            for x, y in documents[TRAIN:]:
                answer = model.predict_one(x)
                zero_one.update(y, answer)
                h_loss.update(y, answer)
            size = model._w.n_bytes / 1e6
            label = "all names" if bits is None else f"2**{bits}"
            print(f"{name:12}{label:>10}{zero_one.get():>10.3f}{h_loss.get():>10.3f}{size:>8.0f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", help="folder with the LYRL2004 files; downloaded by default")
    main(parser.parse_args().data)
