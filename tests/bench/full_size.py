"""One pass over collections of their real size: how fast, in what memory, and how good?

    python tests/bench/full_size.py FOLDER --data SAMPLES

SAMPLES holds `rcv1` and `ohsumed`. Files in the publishers' formats are written to FOLDER once:
RCV1 with 804,414 documents in five files, OHSUMED with 348,566 records, and LSHTC with 450,000
documents and 30,000 leaves. Documents of RCV1 and OHSUMED are drawn from the samples and keep each
word with a probability of one half; those of LSHTC have words of their categories and others.
Real documents are more diverse, so losses can be compared with each other only.

Each document is predicted and then learned, in a process of its own for each learner. A row is
written at each power of two: the H-loss so far, documents a second (processor time of predicting
and learning), microseconds to read a document, and resident memory, less that before the first
document. Runs are saved to FOLDER every 65,536 documents; a run that is stopped continues there.
`--documents` limits the size. Memory is read from /proc, so this needs Linux.
"""

from __future__ import annotations

import argparse
import gzip
import math
import os
import random
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from tqdm import tqdm

from river_hier import checkpoint, datasets, feature_extraction, linear_model, losses

SAVED = 65_536
SIZES = {"RCV1": 804_414, "OHSUMED": 348_566, "LSHTC": 450_000}
LEARNERS: dict[str, Any] = {"H-PERC": linear_model.HPerceptron, "H-AROW": linear_model.HAROW}
BRANCHES = (12, 25, 10, 10)  # of LSHTC's tree: 30,000 leaves
OWN, COMMON = 20, 200_000  # words of a category, and of all


def write_rcv1(sample: Path, folder: Path, n: int) -> None:
    rng, topics = random.Random(0), dict[str, list[str]]()
    shutil.copy(sample / "rcv1.topics.hier.orig", folder)
    with gzip.open(sample / "rcv1-v2.topics.qrels.gz", "rt") as file:
        for topic, document, _ in map(str.split, file):
            topics.setdefault(document, []).append(topic)
    with gzip.open(sample / "lyrl2004_vectors_train.dat.gz", "rt") as file:
        documents = [line.split() for line in file]
    names = ["train", *(f"test_pt{i}" for i in range(4))]
    first = min(23_149, n // 5)
    ends = [first + (n - first) * i // 4 for i in range(5)]
    with gzip.open(folder / "rcv1-v2.topics.qrels.gz", "wt", 1) as qrels:
        for name, start, end in zip(names, [0, *ends], ends, strict=False):
            with gzip.open(folder / f"lyrl2004_vectors_{name}.dat.gz", "wt", 1) as vectors:
                for number in progress(f"RCV1, {name}", range(start, end)):
                    document, *pairs = rng.choice(documents)
                    kept = [pair.split(":") for pair in pairs if rng.random() < 0.5]
                    norm = math.hypot(*(float(value) for _, value in kept)) or 1.0
                    words = " ".join(f"{word}:{float(value) / norm:.6f}" for word, value in kept)
                    vectors.write(f"{number}  {words}\n")
                    qrels.writelines(f"{topic} {number} 1\n" for topic in topics[document])


def write_ohsumed(sample: Path, folder: Path, n: int) -> None:
    rng = random.Random(0)
    shutil.copy(sample / "mtrees2015.bin", folder)
    records = (sample / "ohsumed.87").read_text().split(".I ")[1:]
    with open(folder / "ohsumed.88-91", "w") as file:
        for number in progress("OHSUMED", range(n)):
            _, *lines = rng.choice(records).splitlines()
            file.write(f".I {number}\n")
            for tag, text in zip([""] + lines, lines, strict=False):
                if tag in (".T", ".W"):
                    text = " ".join(word for word in text.split() if rng.random() < 0.5) or "none"
                file.write(f"{text}\n")


def write_lshtc(_: Path, folder: Path, n: int) -> None:
    rng, parents, level = random.Random(0), dict[int, int](), [0]
    for branches in BRANCHES:
        level = [len(parents) + i + 1 for i in range(len(level) * branches)]
        above = len(parents) - len(level) // branches + 1
        parents |= {node: above + i // branches for i, node in enumerate(level)}
    edges = (f"{parent} {node}\n" for node, parent in parents.items())
    (folder / "hierarchy.txt").write_text("".join(edges))
    with open(folder / "train.txt", "w") as file:
        for _ in progress("LSHTC", range(n)):
            leaf = node = rng.choice(level)
            words = {int(COMMON ** rng.random()) for _ in range(30)}
            while node:
                words |= {COMMON + OWN * node + rng.randrange(OWN) for _ in range(4)}
                node = parents[node]
            file.write(f"{leaf} {' '.join(f'{word}:1' for word in words)}\n")


WRITERS: dict[str, Callable[[Path, Path, int], None]] = {
    "RCV1": write_rcv1,
    "OHSUMED": write_ohsumed,
    "LSHTC": write_lshtc,
}


def progress(name: str, numbers: range) -> Iterator[int]:
    return iter(tqdm(numbers, desc=f"writing {name}", unit="doc"))


def resident() -> float:
    """What this process holds in memory, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def opened(name: str, folder: Path) -> Any:
    if name == "RCV1":
        return datasets.RCV1(folder, subsets=["train", "test"])
    return datasets.LSHTC(folder) if name == "LSHTC" else datasets.OHSUMED(folder, root="C")


def rows(name: str, learner: str, folder: Path, n: int) -> list[str]:
    stream = opened(name, folder)
    t, path = stream.taxonomy, folder / f"{learner}.checkpoint"
    model: Any = LEARNERS[learner](t)
    if name == "OHSUMED":
        words = feature_extraction.LogTFIDF(on=("title", "body"), min_count=3)
        model = words | model
    state: dict[str, Any] = {"model": model, "seen": 0, "loss": 0.0, "work": 0.0, "read": 0.0}
    state |= {"before": resident(), "rows": []}
    if path.exists():
        state = checkpoint.load(path)
    model, began = state["model"], time.process_time()
    for seen, (x, y) in enumerate(tqdm(stream, desc=f"{name}, {learner}", total=n), start=1):
        ready = time.process_time()
        if seen > state["seen"]:
            answer = model.predict_one(x)
            model.learn_one(x, y)
            state["read"] += ready - began
            state["work"] += time.process_time() - ready
            state["loss"] += losses.h_loss(t, y, answer)
            state["seen"] = seen
            if seen >= 1024 and (seen == n or not seen & (seen - 1)):
                figures = f"{state['loss'] / seen:>8.3f}{seen / state['work']:>10,.0f}"
                figures += (
                    f"{1e6 * state['read'] / seen:>10,.0f}{resident() - state['before']:>8,.0f}"
                )
                state["rows"].append(f"{seen:>10,}{figures}")
            if seen % SAVED == 0 or seen == n:
                checkpoint.save(state, path)
        began = time.process_time()
    found: list[str] = state["rows"]
    return found


def main(folder: Path, samples: Path, names: list[str], most: int) -> None:
    for name in names:
        n, place = min(SIZES[name], most), folder / name
        done = place / f"{n}.written"
        if not done.exists():
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
            WRITERS[name](samples / name.lower(), place, n)
            done.touch()
        for learner in LEARNERS:
            with ProcessPoolExecutor(1) as process:
                table = process.submit(rows, name, learner, place, n).result()
            print(f"\n{name}, {learner}\n{'documents':>10}  H-loss  a second  read, us      MB")
            print(*table, sep="\n", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="for the files and the saved runs")
    parser.add_argument("--data", type=Path, required=True, help="holds rcv1 and ohsumed")
    parser.add_argument("--only", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--documents", type=int, default=max(SIZES.values()), help="at most")
    options = parser.parse_args()
    main(options.folder, options.data, options.only, options.documents)
