"""SH-RLS and a hierarchical SVM on medical abstracts

The OHSUMED half of Tables 1 and 2 of Cesa-Bianchi, Gentile and Zaniboni, "Incremental algorithms
for hierarchical classification" (JMLR 7, 2006); the RCV1 half is `cesa_bianchi_2006.py`. Run it
with

    python examples/papers/cesa_bianchi_2006_ohsumed.py --data FOLDER

where FOLDER holds `ohsumed`: records in OHSUMED's format and an `mtrees*.bin` of NLM; and `rcv1`.

The paper uses the 55,503 records of OHSUMED below Quality of Health Care (N05.715). It splits them
at random five times into 40,000 training records and 15,503 test records, and weights words by
log(1 + tf) log(idf) over the whole corpus. Here the records are split in the same proportion and
words are weighted in the same way.

The sample has only 76 records below N05.715: 55 for training and 21 for testing. Two larger
categories are therefore added, anatomy (A) and techniques (E), each with the headings that occur;
below diseases and drugs all records have nearly the same labels. Their taxonomies are not the
paper's, and their records have more labels, so only the order of the learners can be compared.
"Majority" predicts the headings of more than half of the training records. Differences are means
over the three categories. As the splits overlap, their standard errors are those of this sample.

The last table is not in the paper. It is one pass over a whole taxonomy in the order of the file:
words are weighted online, and each record is predicted before it is learned.
"""

# %%
from __future__ import annotations

import argparse
import collections
import random
from pathlib import Path
from typing import Any

import claims
import ohsumed_claims
from cesa_bianchi_2006 import COSTS
from corpus_weights import weighted
from multilabel_rows import Examples, evaluations, learners
from ohsumed_claims import (
    BEST_COST,
    CLAIMS,
    FASTER,
    HARDER,
    LOSSES,
    PAPER_H_SVM,
    PAPER_SHARE,
    PAPER_TABLE_1,
    PAPER_TABLE_2,
    TABLE_2,
    Found,
    best_cost,
    distributed,
    faster,
    harder,
)
from river import evaluate
from tqdm import tqdm

from river_hier import Taxonomy, batch, datasets, feature_extraction, linear_model, metrics

ROOTS = ("N05.715", "A", "E")
TEXT = ("title", "body")


# %% Words weighted as in the paper, over all records, and the headings that occur
def prepared(stream: datasets.OHSUMED) -> tuple[Taxonomy, Examples]:
    records = list(stream)
    t = stream.taxonomy.subset({h: True for _, y in records for h, on in y.items() if on})
    texts = (" ".join(x[part] for part in TEXT) for x, _ in records)
    vectors = weighted(texts, feature_extraction.STOP_WORDS, min_count=3)
    labels = ({h: y[h] for h in t.nodes[1:]} for _, y in records)
    return t, list(zip(vectors, labels, strict=True))


# %% A prediction that does not depend on x
class Majority:
    def fit(self, examples: Examples) -> None:
        counts = collections.Counter(h for _, y in examples for h, on in y.items() if on)
        self.answer = {h: counts[h] > len(examples) / 2 for h in examples[0][1]}

    def predict_one(self, x: Any) -> dict[Any, bool]:
        return self.answer


# %% Each learner on each split
def split(examples: Examples, seed: int) -> tuple[Examples, Examples]:
    order = random.Random(seed).sample(examples, len(examples))
    n_train = round(PAPER_SHARE * len(examples))
    return order[:n_train], order[n_train:]


def by_cost(t: Taxonomy, splits: list[tuple[Examples, Examples]]) -> dict[float, list[float]]:
    """The H-loss of H-SVM on the test sets."""
    found: dict[float, list[float]] = {C: [] for C in COSTS}
    for C in tqdm(COSTS, desc=f"C below {t.root}", leave=False):
        for train, test in splits:
            loss, model = metrics.HLoss(t), batch.HSVM(t, C)
            model.fit(train)
            for x, y in test:
                loss.update(y, model.predict_one(x))
            found[C].append(loss.get())
    return found


def compare(
    t: Taxonomy,
    splits: list[tuple[Examples, Examples]],
    C: float,
    only: list[str] | None = None,
) -> tuple[Found, dict[str, list[Any]]]:
    found: Found = collections.defaultdict(lambda: {loss: [] for loss in LOSSES})
    by_depth: dict[str, list[Any]] = {name: [] for name in PAPER_TABLE_2}
    for train, test in tqdm(splits, desc=f"splits below {t.root}", leave=False):
        rows = {"majority": (Majority.fit, Majority()), **learners(t, C)}
        for name in only or rows:
            learn, model = rows[name]
            learn(model, train)
            losses = {loss: metric(t) for loss, metric in LOSSES.items()}
            more = [metrics.HLossByDepth(t)] if name in by_depth else []
            by_depth.get(name, []).extend(more)
            for x, y in test:
                answer = model.predict_one(x)
                for metric in (*losses.values(), *more):
                    metric.update(y, answer)
            for loss, metric in losses.items():
                found[name][loss].append(metric.get())
    return found, by_depth


# %% Not in the paper
def show_stream(stream: datasets.OHSUMED) -> None:
    t = stream.taxonomy
    print(f"\nOne pass in the order of the file, {len(t) - 1:,} headings below {t.root}: H-loss")
    for name, learner in (("H-PERC", linear_model.HPerceptron), ("SH-RLS", linear_model.SHRLS)):
        words = feature_extraction.LogTFIDF(TEXT, feature_extraction.STOP_WORDS, min_count=3)
        model = words | learner(t)
        metric = evaluate.progressive_val_score(stream, model, metrics.HLoss(t))
        print(f"LogTFIDF | {name}{metric.get():10.3f}")


def protocol(orders: int) -> dict[str, claims.Aspect]:
    sample = "the sample is small"
    return {
        "data size": (
            "55,503 records of 1987 to 1991",
            "76 below N05.715, 373 and 337 below others, of 1974 to 1976",
            sample,
        ),
        "taxonomy": (
            "94 headings below N05.715, without those that have several paths",
            "the headings that occur below N05.715 and two categories, in the MeSH of 2015",
            "the MeSH of that time is not available",
        ),
        "splits": ("five random ones", f"{orders}", "for standard errors"),
        "split sizes": ("40,000 and 15,503 records", "the same proportion", sample),
        "order": "random",
        "shuffling": "once for each split",
        "epochs": "one; the support vector machines to convergence",
        "normalisation": "log(1 + tf) log(idf) over all records, instances of length 1",
        "words": "without stop words and words that occur less than three times",
        "averaging": "of losses, over the splits; not of hypotheses",
        "caps": "none",
        "hyper-parameters": (
            "C best on the test sets, in [0.1, 10], which was 1",
            f"C best on the test sets below each root, of {', '.join(f'{C:g}' for C in COSTS)}",
            "the roots differ in their records",
        ),
    }


def main(data: Path | None, orders: int) -> None:
    if lacking := claims.missing(data, "ohsumed", "rcv1"):
        claims.untestable([*CLAIMS, BEST_COST, TABLE_2, FASTER, HARDER], lacking)
        return
    assert data
    path = data / "ohsumed"
    everywhere: dict[str, Found] = {}
    by_root: dict[str, Any] = {}
    for root in ROOTS:
        stream = datasets.OHSUMED(path, root=root)
        t, examples = prepared(stream)
        n_labels = sum(sum(y.values()) for _, y in examples) / len(examples)
        print(f"\n{root}: {len(examples):,} records, {n_labels:.1f} labels each;", end=" ")
        splits = [split(examples, seed) for seed in range(orders)]
        costs = by_cost(t, splits)
        C = min(COSTS, key=lambda C: sum(costs[C]))
        n_headings = f"{len(t) - 1} of {len(stream.taxonomy) - 1:,}"
        print(f"{n_headings} headings occur; {orders} splits, C = {C:g}")
        found, by_depth = compare(t, splits, C)
        paper = {**PAPER_TABLE_1, "H-SVM": (None, PAPER_H_SVM, None)}
        ohsumed_claims.show_table_1(found, paper if root == "N05.715" else {})
        n_tests = len(examples) - round(PAPER_SHARE * len(examples))
        if root == "N05.715":
            ohsumed_claims.show_table_2(by_depth, orders * n_tests)
        rows = learners(t)
        work = [
            tuple(sum(evaluations(rows[name][1], t, train)) for name in ("PERC", "H-PERC"))
            for train, _ in splits
        ]
        everywhere[root], by_root[root] = found, (costs, by_depth, len(examples), work)
    show_stream(datasets.OHSUMED(path, root="A"))
    print()
    claims.judge(CLAIMS, everywhere, f"{orders} splits")
    for root, (costs, by_depth, _, work) in by_root.items():
        print(f"\nbelow {root}")
        claims.judge({BEST_COST: best_cost}, costs, f"{orders} splits")
        claims.judge({TABLE_2: distributed}, by_depth, f"{orders} splits")
        claims.judge({FASTER: faster}, work, f"{orders} splits")
    print("\nA, and as many documents of RCV1")
    news = datasets.RCV1(data / "rcv1", topics=101)
    documents, n = list(news), by_root["A"][2]
    samples = [
        split(random.Random(f"{seed} RCV1").sample(documents, n), seed) for seed in range(orders)
    ]
    both = {"A": everywhere["A"], "RCV1": compare(news.taxonomy, samples, 1.0, ["SH-RLS"])[0]}
    claims.judge({HARDER: harder}, both, f"{orders} splits")
    claims.differs(protocol(orders))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, help="folder with ohsumed and rcv1")
    parser.add_argument("--orders", type=int, default=48, help="how many splits, at least 2")
    arguments = parser.parse_args()
    main(arguments.data, arguments.orders)
