"""One pass over collections of their real size: how fast, in what memory, and how good?

    python tests/bench/full_size.py --data FOLDER

FOLDER holds samples, `rcv1` and `ohsumed`. Files in the publishers' formats are written: documents
are drawn from the samples and keep each word with a probability of `--keep`. Real documents are
more diverse, so losses can be compared with each other only.

Each learner predicts and learns document by document, in a process of its own. At each power of two
it gives the H-loss so far, documents a second (processor time of predicting and learning), the
same with reading, and resident memory beyond that at the start, from Linux's /proc.
It is saved every 65,536 documents: the same command resumes a run that was stopped.
"""

import argparse
import gzip
import math
import random
import shutil
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from tqdm import tqdm
from zipf import resident

from river_hier import checkpoint, datasets, feature_extraction, linear_model, losses

SAVED = 65_536
SIZES = {"RCV1": 804_414, "OHSUMED": 348_566}
LEARNERS = {
    "H-PERC": linear_model.HPerceptron,
    "H-AROW": linear_model.HAROW,
    "SH-RLS": partial(linear_model.SHRLS, budget=100),
}


def write_rcv1(sample, folder, n, keep):
    rng, topics = random.Random(0), dict[str, list[str]]()
    shutil.copy(sample / "rcv1.topics.hier.orig", folder)
    with gzip.open(sample / "rcv1-v2.topics.qrels.gz", "rt") as file:
        for topic, document, _ in map(str.split, file):
            topics.setdefault(document, []).append(topic)
    with gzip.open(sample / "lyrl2004_vectors_train.dat.gz", "rt") as file:
        documents = [line.split() for line in file]
    first = min(23_149, n // 5)  # of the training set; the test set has four parts
    parts = {f"test_pt{i}": first + (n - first) * (i + 1) // 4 for i in range(4)}
    numbers = iter(tqdm(range(n), desc="writing RCV1", unit="doc"))
    with gzip.open(folder / "rcv1-v2.topics.qrels.gz", "wt", 1) as qrels:
        for name, end in ({"train": first} | parts).items():
            with gzip.open(folder / f"lyrl2004_vectors_{name}.dat.gz", "wt", 1) as vectors:
                for number in numbers:
                    document, *pairs = rng.choice(documents)
                    kept = {
                        w: float(v)
                        for w, v in (pair.split(":") for pair in pairs)
                        if rng.random() < keep
                    }
                    norm = math.hypot(*kept.values()) or 1.0
                    words = " ".join(f"{word}:{value / norm:.6f}" for word, value in kept.items())
                    vectors.write(f"{number}  {words}\n")
                    qrels.writelines(f"{topic} {number} 1\n" for topic in topics[document])
                    if number + 1 == end:
                        break


def write_ohsumed(sample, folder, n, keep):
    rng = random.Random(0)
    shutil.copy(sample / "mtrees2015.bin", folder)
    records = (sample / "ohsumed.87").read_text().split(".I ")[1:]
    with open(folder / "ohsumed.88-91", "w") as file:
        for number in tqdm(range(n), desc="writing OHSUMED", unit="doc"):
            _, *lines = rng.choice(records).splitlines()
            file.write(f".I {number}\n")
            for tag, text in zip(["", *lines], lines, strict=False):
                if tag in (".T", ".W"):
                    text = " ".join(word for word in text.split() if rng.random() < keep) or "none"
                file.write(f"{text}\n")


def rows(name, learner, folder, n):
    options = {"RCV1": {"subsets": ["train", "test"]}, "OHSUMED": {"root": "C"}}
    stream = getattr(datasets, name)(folder, **options.get(name, {}))
    t, path = stream.taxonomy, folder / f"{learner}.checkpoint"
    model = LEARNERS[learner](t)
    if name == "OHSUMED":
        model = feature_extraction.LogTFIDF(on=("title", "body"), min_count=3) | model
    state = {"model": model, "seen": 0, "loss": 0.0, "work": 0.0, "read": 0.0}
    state |= {"before": resident(), "rows": {}}
    if path.exists():
        state = checkpoint.load(path)
    model, began = state["model"], time.process_time()
    for seen, (x, y) in enumerate(tqdm(stream, desc=f"{name}, {learner}", total=n), start=1):
        if seen > state["seen"]:
            ready = time.process_time()
            answer = model.predict_one(x)
            model.learn_one(x, y)
            state["read"] += ready - began
            state["work"] += time.process_time() - ready
            state["loss"] += losses.h_loss(t, y, answer)
            state["seen"] = seen
            if seen >= 1024 and not seen & (seen - 1):
                state["rows"][seen] = row(state)
            if seen % SAVED == 0:
                checkpoint.save(state, path)
        began = time.process_time()
    state["rows"].setdefault(state["seen"], row(state))
    checkpoint.save(state, path)
    return list(state["rows"].values())


def row(state):
    seen, memory = state["seen"], resident() - state["before"]
    loss, work = state["loss"] / seen, state["work"]
    speeds = "".join(f"{seen / seconds:>10,.0f}" for seconds in (work, work + state["read"]))
    return f"{seen:>10,}{loss:>8.3f}{speeds}{memory:>8,.0f}"


def main(folder, samples, names, learners, most, keep):
    writers = {"RCV1": write_rcv1, "OHSUMED": write_ohsumed}
    for name in names:
        n = min(SIZES[name], most)
        place = folder / f"{name}-{n}-{keep:g}"
        if not place.exists():
            part = folder / f"{name}.part"
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            writers[name](samples / name.lower(), part, n, keep)
            part.rename(place)
        for learner in learners:
            with ProcessPoolExecutor(1) as process:
                table = process.submit(rows, name, learner, place, n).result()
            print(f"\n{name}, {learner}\n{'documents':>10}  H-loss  a second   reading      MB")
            print(*table, sep="\n", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--files", type=Path, default="build/full_size", help="folder to write")
    parser.add_argument("--data", type=Path, required=True, help="holds rcv1 and ohsumed")
    parser.add_argument("--only", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=list(LEARNERS))
    parser.add_argument("--keep", type=float, default=0.5, help="the share of words")
    parser.add_argument("--documents", type=int, default=max(SIZES.values()), help="at most")
    o = parser.parse_args()
    main(o.files, o.data, o.only, o.learners, o.documents, o.keep)
