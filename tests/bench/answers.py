"""What predictions and metrics cost: on real documents, or from 103 to 100,000 nodes.

    python tests/bench/answers.py --data FOLDER
    python tests/bench/answers.py

With FOLDER, which has `products`, `clinc150` and `rcv1`, the learners learn titles, queries and
news. The output has the time of `predict_one` in microseconds of processor time, and that of the
other calls as multiples of it.
Without, they learn the documents of `zipf_stream.py`, with six topics in eight levels, and predict
60 others. The output has microseconds of processor time per call, medians of interleaved rounds.
For learners of one label, the label is the deepest topic.
"""

import argparse
import itertools
import statistics
import time
from pathlib import Path

import peers
import zipf_stream
from tqdm import tqdm

from river_hier import datasets, decision, feature_extraction, inspection, linear_model
from river_hier.base.model import SingleLabelModel

SIZES = 103, 1_000, 10_000, 100_000
PREDICTED = 60
NAMES = 100_000


LEARNERS = {  # with the number of documents
    "H-PERC": (linear_model.HPerceptron, 3_000),
    "H-AROW": (linear_model.HAROW, 3_000),
    "Calibrated(H-AROW)": (lambda t: decision.Calibrated(linear_model.HAROW(t)), 2_000),
    "Hieron": (linear_model.Hieron, 3_000),
    "PathSoftmax": (linear_model.PathSoftmax, 500),
}


def operations(model, xs):
    """Calls with the number of an x, by name."""
    yield "predict_one", lambda i: model.predict_one(xs[i])
    if isinstance(model, SingleLabelModel):
        yield "  threshold=0.5", lambda i: model.predict_one(xs[i], threshold=0.5)
    else:
        decoder = decision.HLossBayes(model)
        yield "predict_labels_one", lambda i: model.predict_labels_one(xs[i])
        yield "  threshold=0.5", lambda i: model.predict_labels_one(xs[i], threshold=0.5)
        yield "  HLossBayes", lambda i: decoder.predict_labels_one(xs[i])
    yield "top_one", lambda i: inspection.top_one(model, xs[i])
    yield "predict_proba_one", lambda i: model.predict_proba_one(xs[i])


def measured(learner, t, documents, rounds, predicted=PREDICTED):
    """Microseconds of each operation."""
    make, n = LEARNERS[learner]
    n = min(n, len(documents) - predicted)
    model = make(t)
    xs, ys = [x for x, _ in documents], [y for _, y in documents]
    if isinstance(model, SingleLabelModel):
        ys = [y if isinstance(y, str) else zipf_stream.label(t, y) for y in ys]
    begun = 0.0
    for i in range(n):
        if i == n * 4 // 5:
            begun = time.process_time()
        model.learn_one(xs[i], ys[i])
    found = {"learn_one": 5e6 * (time.process_time() - begun) / n}
    calls = dict(operations(model, xs[-predicted:]))
    taken = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            begun = time.process_time()
            for i in range(predicted):
                call(i)
            taken[name].append(1e6 * (time.process_time() - begun) / predicted)
    return found | {name: statistics.median(times) for name, times in taken.items()}


def collections(folder):
    """Titles, queries and news as features, with their labels."""
    for name, read in (("products", peers.products), ("queries", peers.queries)):
        t, texts, _ = read(folder)
        bag, documents = feature_extraction.LogTFIDF(), []
        for text, y in texts:
            bag.learn_one(text)
            documents.append((bag.transform_one(text), y))
        yield name, t, documents
    news = datasets.RCV1(folder / "rcv1")
    t, examples = news.taxonomy, itertools.islice(news, 6_000)
    yield "RCV1", t, [(x, {t.root, *(v for v, on in y.items() if on)}) for x, y in examples]


def on_real_documents(folder, learners, rounds):
    found = {}
    names = []
    for name, t, documents in collections(folder):
        words = sum(len(x) for x, _ in documents) / len(documents)
        names.append(f"{name}, {words:.0f} words")
        for learner in tqdm(learners, desc=name):
            found[learner, names[-1]] = measured(learner, t, documents, rounds, 600)
    print(f"{'':28}" + "".join(f"{name:>20}" for name in names))
    for learner in learners:
        print(f"\n{learner}")
        for operation in found[learner, names[0]]:
            cells = ""
            for name in names:
                spent, unit = found[learner, name][operation], found[learner, name]["predict_one"]
                own = operation == "predict_one"
                cells += f"{spent:>17.1f} us" if own else f"{spent / unit:>19.1f}x"
            print(f"  {operation:26}{cells}")


def main(sizes, learners, rounds):
    found = {}
    for n in sizes:
        t = zipf_stream.taxonomy(n)
        needed = PREDICTED + max(LEARNERS[name][1] for name in learners)
        documents = list(zipf_stream.documents(t, needed, NAMES))
        for name in tqdm(learners, desc=f"{n:,} nodes"):
            found[name, n] = measured(name, t, documents, rounds)
    print(f"{'nodes':28}" + "".join(f"{n:>12,}" for n in sizes))
    for name in learners:
        print(f"\n{name}")
        for operation in found[name, sizes[0]]:
            cells = "".join(f"{found[name, n][operation]:>12,.1f}" for n in sizes)
            print(f"  {operation:26}{cells}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, help="folder of the collections")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=list(LEARNERS))
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    if arguments.data:
        on_real_documents(arguments.data, arguments.learners, arguments.rounds)
    else:
        main(arguments.sizes, arguments.learners, arguments.rounds)
