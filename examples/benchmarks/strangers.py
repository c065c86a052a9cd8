"""Is a promise kept if the stream has texts that belong to no label?

    python examples/benchmarks/strangers.py --data FOLDER [queries products icd]

FOLDER holds `clinc150`, `products` and `icd`. Some branches below the root, drawn at random until
they have an eighth of the texts, are foreign: 12 % of the stream are their texts, which never have
a label. `TextViews() | PathSoftmax(t, margin=1)` in `decision.Selective` predicts each text, and
learns those that are known. The figures are means over the second half of the stream and over the
seeds, with standard errors in brackets: the shares of known texts with an answer below the root,
with a wrong one, and with exactly their label, and that of texts that the gate refuses; the share
of foreign texts with an answer; that of wrong answers among all that are given; and how well three
measures of a trained model tell known texts from foreign ones, and from those of unknown leaves, a
third of the leaves of branches that are known (AUROC).
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import Any

import numpy as np
from labels import report
from selective import STREAMS, Pairs
from sklearn.metrics import roc_auc_score

from river_hier import Taxonomy, decision, inspection, linear_model
from river_hier.feature_extraction import TextViews

FOREIGN = 0.12  # of the stream
PARAMETERS: dict[str, dict[str, Any]] = {
    f"risk={risk}{name}": {"risk": risk, **others}
    for risk in (0.05, 0.02)
    for name, others in {
        "": {},
        ", foreign=0.05": {"foreign": 0.05},
        ", both, by branch": {"foreign": 0.05, "by_branch": True},
    }.items()
}


def stream(t: Taxonomy, pairs: Pairs, seed: int, most: int) -> list[tuple[str, Any, bool]]:
    """Texts, labels, and whether they are known."""
    rng = random.Random(seed)
    pairs = [(x, y) for x, y in rng.sample(pairs, len(pairs)) if y != t.root]
    branches = [t.path(y)[1] for _, y in pairs]
    foreign, n = set[Any](), 0
    for branch in rng.sample(sorted(set(branches)), len(set(branches))):
        if n < len(pairs) / 8 and (own := branches.count(branch)) < len(pairs) / 4:
            foreign.add(branch)
            n += own
    rows = [(*pair, branch not in foreign) for pair, branch in zip(pairs, branches, strict=True)]
    known, others = ([row for row in rows if row[2] is is_known] for is_known in (True, False))
    n = min(len(known), int(most * (1.0 - FOREIGN)))
    mixed = known[:n] + others[: int(n * FOREIGN / (1.0 - FOREIGN))]
    return rng.sample(mixed, len(mixed))


def without_leaves(t: Taxonomy, pairs: Pairs, seed: int, most: int) -> list[tuple[str, Any, bool]]:
    """The same if a third of the labels are unknown, of which each has a sibling that is known."""
    rng = random.Random(seed)
    pairs = [(x, y) for x, y in rng.sample(pairs, len(pairs))[:most] if y != t.root]
    labels, unknown = sorted({y for _, y in pairs}), set[Any]()
    for y in rng.sample(labels, len(labels)):
        siblings = {y, *t.children(t.parent(y))}.intersection(labels) - unknown
        if 3 * len(unknown) < len(labels) and len(siblings) > 1:
            unknown.add(y)
    return [(x, y, y not in unknown) for x, y in pairs]


def promised(t: Taxonomy, rows: list[tuple[Any, Any, bool]]) -> dict[str, list[float]]:
    """What is answered in the second half."""
    found = {}
    for name, parameters in PARAMETERS.items():
        model: Any = decision.Selective(linear_model.PathSoftmax(t, margin=1), **parameters)
        told = []
        for x, y, known in rows:
            v = model.predict_one(x)
            gate = model._gate
            refused = gate is not None and gate.refuses(inspection.familiarity_one(model, x))
            says = v is not None and v != t.root
            told.append([known, says, says and v not in t.path(y), v == y, refused])
            if known:
                model.learn_one(x, y)
        half = np.array(told[len(told) // 2 :], dtype=bool)
        inside, outside = half[half[:, 0]], half[~half[:, 0]]
        wrong = (inside[:, 2].sum() + outside[:, 1].sum()) / half[:, 1].sum()
        found[name] = [*inside[:, 1:].mean(axis=0).tolist(), outside[:, 1].mean(), wrong]
    return found


def told_apart(t: Taxonomy, rows: list[tuple[Any, Any, bool]]) -> list[float]:
    """AUROC of the familiarity, the largest probability and the entropy."""
    model, half = linear_model.PathSoftmax(t, margin=1), len(rows) // 2
    for x, y, known in rows[:half]:
        if known:
            model.learn_one(x, y)
    values = []
    for x, _, _ in rows[half:]:
        p = np.array([*model.predict_proba_one(x).values()])
        entropy = float(-(p[p > 0.0] * np.log(p[p > 0.0])).sum())
        values.append((inspection.familiarity_one(model, x), float(p[1:].max()), -entropy))
    known = [row[2] for row in rows[half:]]
    return [roc_auc_score(known, column) for column in zip(*values, strict=True)]


def featured(rows: list[tuple[str, Any, bool]]) -> list[tuple[Any, Any, bool]]:
    views, read = TextViews(), []
    for text, y, known in rows:
        read.append((views.transform_one(text), y, known))
        if known:
            views.learn_one(text)
    return read


def main(data: Path, seeds: int, most: int, names: list[str]) -> None:
    for name in names:
        t, pairs = STREAMS[name](data)
        streams = [featured(stream(t, pairs, seed, most)) for seed in range(seeds)]
        runs = [promised(t, rows) for rows in streams]
        report(name, ("answered", "wrong", "exactly", "refused", "foreign", "all wrong"), runs)
        apart = [
            {
                "foreign": told_apart(t, rows),
                "leaves": told_apart(t, featured(without_leaves(t, pairs, seed, most))),
            }
            for seed, rows in enumerate(streams)
        ]
        report(f"{name}, AUROC", ("familiarity", "largest P", "entropy"), apart)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--most", type=int, default=12_000, help="texts of a collection")
    parser.add_argument("names", nargs="*", default=[*STREAMS], metavar="NAME")
    options = parser.parse_args()
    main(options.data, options.seeds, options.most, options.names)
