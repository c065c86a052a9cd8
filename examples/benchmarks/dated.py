"""Real drift: does it pay to keep learning, to forget, to reset, on records in the order of dates?

    python examples/benchmarks/dated.py --data FOLDER

FOLDER holds `reuters21578`, stories of February to October 1987: those with topics in the parts of
the ModApte split; and `ohsumed`, 1974 to 1976: abstracts on diseases by the dates of their issues,
of which most name a month; the others count as of July. Each is predicted, then learned, by
`HLossBayes(Calibrated(HAROW))`. The figures are the H-loss of the second half: of the records in
their order, and the mean over three random orders of the same records. The difference from the
first row, in the order of dates, has a standard error from 20 blocks in succession.
"""

from __future__ import annotations

import argparse
import calendar
import copy
import random
import re
from collections import deque
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from river_hier import Taxonomy, datasets, decision, drift, feature_extraction, linear_model, losses

Records = list[tuple[str, set[Any], Any]]  # text, labels, day
BLOCKS = 20


# %% Records
def reuters(data: Path) -> tuple[Taxonomy, Records]:
    stream = datasets.Reuters21578(data / "reuters21578", subsets=["train", "test"])
    return stream.taxonomy, [
        (f"{x['title']} {x['body']}", {v for v, on in y.items() if on}, x["date"].toordinal())
        for x, y in stream
    ]


def ohsumed(data: Path) -> tuple[Taxonomy, Records]:
    def day(source: str) -> int:  # such as "Lancet. 1974 Aug 31. 2(879). P 521."
        year, month, day = re.search(r"\b(19\d\d)(?: ([A-Z]\w\w))?(?: (\d+))?", source).groups()
        months = list(calendar.month_abbr)
        return date(
            int(year), months.index(month) if month in months else 7, int(day or 1)
        ).toordinal()

    stream = datasets.OHSUMED(data / "ohsumed", root="C")
    records = [
        (f"{x['title']} {x['body']}", {v for v, on in y.items() if on}, day(x["source"]))
        for x, y in stream
    ]
    return stream.taxonomy, sorted(records, key=lambda record: record[2])


COLLECTIONS = {"reuters": reuters, "ohsumed": ohsumed}


# %% Models
def decoded(t: Taxonomy, **parameters: Any) -> Any:
    return decision.HLossBayes(decision.Calibrated(linear_model.HAROW(t, **parameters)))


def entries(t: Taxonomy) -> dict[str, tuple[Any, float]]:
    """The model, and by how many days labels are late."""
    return {
        "keeps learning": (decoded(t), 0),
        "stops": (decoded(t), float("inf")),
        "forgetting=0.999": (decoded(t, forgetting=0.999), 0),
        "forgetting=0.99": (decoded(t, forgetting=0.99), 0),
        "resets": (drift.BranchReset(decoded(t)), 0),
        "a day late": (decoded(t), 1),
        "a week late": (decoded(t), 7),
        "a month late": (decoded(t), 30),
    }


def run(model: Any, t: Taxonomy, stream: list[Any], days: list[int], late: float) -> np.ndarray:
    """The H-loss of the second half, whose labels are late; those of the first half are not."""
    half, waiting, lost = len(stream) // 2, deque[int](), []
    for i, (x, y) in enumerate(stream):
        while waiting and (waiting[0] < half or days[waiting[0]] + late <= days[i]):
            model.learn_one(*stream[waiting.popleft()])
        if i >= half:
            lost.append(losses.h_loss(t, y, model.predict_one(x)))
        waiting.append(i)
        if not late:
            model.learn_one(*stream[waiting.popleft()])
    return np.array(lost)


def features(records: Records) -> list[tuple[dict[str, float], set[Any]]]:
    words, found = feature_extraction.LogTFIDF(), []
    for text, y, _ in records:
        found.append((words.transform_one(text), y))
        words.learn_one(text)
    return found


def main(data: Path, only: str) -> None:
    for collection, read in COLLECTIONS.items():
        if only not in collection:
            continue
        t, records = read(data)
        days = [day for *_, day in records]
        dated, orders = features(records), []
        for seed in range(3):
            shuffled = copy.copy(records)
            random.Random(seed).shuffle(shuffled)
            orders.append(features(shuffled))
        first = None
        print(f"{collection:<20}{'by date':>9}{'difference':>18}{'permuted':>10}")
        for name, (model, late) in entries(t).items():
            fresh = [model.clone() for _ in orders]
            lost = run(model, t, dated, days, late)
            first = lost if first is None else first
            blocks = np.array([b.mean() for b in np.array_split(lost - first, BLOCKS)])
            error = blocks.std(ddof=1) / BLOCKS**0.5
            other = [
                run(m, t, order, days, late).mean() for m, order in zip(fresh, orders, strict=True)
            ]
            cells = (
                f"{lost.mean():>9.3f}{blocks.mean():>+10.3f} ({error:.3f}){np.mean(other):>10.3f}"
            )
            print(f"  {name:<18}{cells}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", default="", help="a part of the name of the collections")
    options = parser.parse_args()
    main(options.data, options.only)
