"""How near does one pass of SH-RLS come to a hierarchical SVM?

The RCV1 half of Tables 1 and 2 of Cesa-Bianchi, Gentile and Zaniboni, "Incremental algorithms for
hierarchical classification" (JMLR 7, 2006): perceptrons and regularised least squares, flat and
hierarchical, in one epoch, beside support vector machines trained on the whole. Run it with

    python examples/papers/cesa_bianchi_2006.py --data FOLDER

where FOLDER holds the LYRL2004 files of RCV1-v2; without it they are downloaded. The first
`--train` documents train, in file order, and the rest test. The paper averages over five splits of
its own vectorisation, 20,000 documents to train on and as many to test: the order of the learners
can be compared, the figures themselves only roughly.
"""

# %%
from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from tqdm import tqdm

from river_hier import Taxonomy, batch, datasets, linear_model, metrics

PAPER_TABLE_1 = {
    "PERC": (0.702, 1.196, 1.695),
    "H-PERC": (0.655, 1.224, 1.861),
    "S-RLS": (0.559, 0.981, 1.413),
    "SH-RLS": (0.456, 0.743, 1.086),
    "SVM": (0.482, 0.790, 1.173),
    "H-SVM": (0.440, 0.712, 1.050),
}
PAPER_TABLE_2 = {  # by depth: (false positives, false negatives), in 20,000 documents
    "H-PERC": [(4144, 2690), (6769, 7961), (1161, 1513), (161, 88)],
    "SH-RLS": [(1449, 2436), (1361, 8135), (413, 937), (14, 115)],
    "H-SVM": [(1769, 2513), (1317, 7260), (380, 624), (20, 94)],
}
PAPER_N_TEST = 20_000
Examples = list[tuple[Any, Any]]


# %% Two ways to learn: one pass, or all examples at once (LIBLINEAR)
def one_pass(model: Any, train: Examples) -> None:
    for x, y in tqdm(train, desc="  learning", leave=False):
        model.learn_one(x, y)


def at_once(model: Any, train: Examples) -> None:
    model.fit(train)


def learners(t: Taxonomy) -> dict[str, tuple[Callable[[Any, Examples], None], Any]]:
    """The rows of Table 1; a flat online learner is the same class on the flattened taxonomy."""
    flat = t.flatten()
    return {
        "PERC": (one_pass, linear_model.HPerceptron(flat)),
        "H-PERC": (one_pass, linear_model.HPerceptron(t)),
        "S-RLS": (one_pass, linear_model.SHRLS(flat)),
        "SH-RLS": (one_pass, linear_model.SHRLS(t)),
        "SVM": (at_once, batch.SVM(t)),
        "H-SVM": (at_once, batch.HSVM(t)),
    }


# %% The tables
def show_table_1(found: dict[str, list[float]]) -> None:
    print(f"\nTable 1{'':8}{'zero-one':>18}{'H-loss':>18}{'Delta':>18}")
    print(f"{'':15}{'here':>10}{'paper':>8}{'here':>10}{'paper':>8}{'here':>10}{'paper':>8}")
    for name, losses in found.items():
        pairs = zip(losses, PAPER_TABLE_1[name], strict=True)
        print(f"{name:15}" + "".join(f"{ours:10.3f}{paper:8.3f}" for ours, paper in pairs))


def show_table_2(by_depth: dict[str, Any], n_test: int) -> None:
    print("\nTable 2: H-loss mistakes per 1,000 test documents, false positives / negatives")
    print(f"{'depth':15}" + "".join(f"{name:>14}{'paper':>14}" for name in PAPER_TABLE_2))
    for depth in range(1, 5):
        row = f"{depth:<15}"
        for name, paper in PAPER_TABLE_2.items():
            ours = [1000 * count / n_test for count in by_depth[name].get()[depth]]
            theirs = [1000 * count / PAPER_N_TEST for count in paper[depth - 1]]
            row += "".join(f"{f'{fp:.0f} / {fn:.0f}':>14}" for fp, fn in (ours, theirs))
        print(row)


def judge(found: dict[str, list[float]]) -> None:
    """The paper's claims about Table 1; each must hold for all three losses."""

    def below(better: str, worse: str, factor: float = 1.0) -> bool:
        return all(a < factor * b for a, b in zip(found[better], found[worse], strict=True))

    claims = {
        "SH-RLS below its flat variant S-RLS": below("SH-RLS", "S-RLS"),
        "SH-RLS far below both perceptrons (by a fifth)": below("SH-RLS", "PERC", 0.8)
        and below("SH-RLS", "H-PERC", 0.8),
        "SH-RLS below the flat SVM": below("SH-RLS", "SVM"),
        "SH-RLS near H-SVM (within a tenth)": below("SH-RLS", "H-SVM", 1.1),
        "H-SVM best of all": all(below("H-SVM", other) for other in found if other != "H-SVM"),
    }
    print()
    for claim, holds in claims.items():
        print(f"{'reproduced    ' if holds else 'not reproduced'}  {claim}")


def main(data: str | None, n_train: int) -> None:
    stream = datasets.RCV1(data)
    t = stream.taxonomy
    examples = list(tqdm(stream, desc="reading"))
    train, test = examples[:n_train], examples[n_train:]
    print(f"{len(train):,} documents to train on, {len(test):,} to test, {len(t) - 1} topics")
    found, by_depth = {}, {}
    for name, (learn, model) in tqdm(learners(t).items(), desc="learners"):
        learn(model, train)
        losses = [metrics.ZeroOneLoss(t), metrics.HLoss(t), metrics.SymmetricDifferenceLoss(t)]
        by_depth[name] = metrics.HLossByDepth(t)
        for x, y in test:
            answer = model.predict_one(x)
            for metric in (*losses, by_depth[name]):
                metric.update(y, answer)
        found[name] = [metric.get() for metric in losses]
    show_table_1(found)
    show_table_2(by_depth, len(test))
    judge(found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="folder with the LYRL2004 files; downloaded by default")
    parser.add_argument("--train", type=int, default=12_000, help="documents to train on")
    arguments = parser.parse_args()
    main(arguments.data, arguments.train)
