"""What the paper on H-RLS prints about OHSUMED, and what it claims."""

from __future__ import annotations

import statistics
from typing import Any

import claims
from rcv1_claims import FASTER, about_four_times

from river_hier import metrics

LOSSES = {
    "zero-one": metrics.ZeroOneLoss,
    "H-loss": metrics.HLoss,
    "Delta": metrics.SymmetricDifferenceLoss,
}
PAPER_TABLE_1 = {  # without the rows of SVM and H-SVM, which are lost in the text at hand
    "PERC": (0.899, 1.938, 2.639),
    "H-PERC": (0.846, 1.560, 2.528),
    "S-RLS": (0.873, 1.814, 2.627),
    "SH-RLS": (0.769, 1.200, 1.957),
}
PAPER_TABLE_2 = {  # by depth: (false positives, false negatives), in 15,503 documents
    "H-PERC": [(7916, 12639), (1816, 1606), (88, 86), (10, 16), (3, 5)],
    "SH-RLS": [(3192, 12888), (828, 1594), (30, 54), (2, 13), (1, 1)],
    "H-SVM": [(3062, 12587), (839, 1542), (37, 55), (3, 14), (4, 2)],
}
PAPER_N_TEST, PAPER_SHARE = 15_503, 40_000 / 55_503
# Table 2 adds up to the H-losses of Table 1: so one more of them is known.
PAPER_H_SVM = sum(map(sum, PAPER_TABLE_2["H-SVM"])) / PAPER_N_TEST
__all__ = ["FASTER"]
Found = dict[str, dict[str, list[float]]]  # by learner and loss, one a split


# %% The tables
def show_table_1(found: Found, paper: dict[str, tuple[Any, ...]]) -> None:
    head = "".join(f"{loss:>18}" + f"{'paper':>8}" * bool(paper) for loss in LOSSES)
    print(f"{'Table 1':10}{head}")
    for name, losses in found.items():
        row = f"{name:10}"
        for values, theirs in zip(losses.values(), paper.get(name, [None] * 3), strict=True):
            row += f"{f'{statistics.mean(values):.3f} ± {statistics.stdev(values):.3f}':>18}"
            row += f"{'' if theirs is None else f'{theirs:.3f}':>8}" * bool(paper)
        print(row)


def show_table_2(by_depth: dict[str, list[Any]], n_tests: int) -> None:
    print("Table 2: H-loss mistakes per 1,000 test documents, false positives / negatives")
    print(f"{'depth':6}" + "".join(f"{name:>14}{'paper':>14}" for name in PAPER_TABLE_2))
    for depth in range(1, 6):
        row = f"{depth:<6}"
        for name, paper in PAPER_TABLE_2.items():
            both = zip(*(metric.get()[depth] for metric in by_depth[name]), strict=True)
            ours = [1000 * sum(counts) / n_tests for counts in both]
            theirs = [1000 * count / PAPER_N_TEST for count in paper[depth - 1]]
            row += "".join(f"{f'{fp:.0f} / {fn:.0f}':>14}" for fp, fn in (ours, theirs))
        print(row)


# %% The claims: differences for each split, means over the roots
def mean_loss(everywhere: dict[str, Found], name: str, loss: str) -> list[float]:
    splits = zip(*(found[name][loss] for found in everywhere.values()), strict=True)
    return list(map(statistics.mean, splits))


def below(everywhere: dict[str, Found], better: str, *others: str) -> claims.Differences:
    """How far a learner is below the best of the others."""
    found = {}
    for loss in LOSSES:
        ours, *theirs = (mean_loss(everywhere, name, loss) for name in (better, *others))
        best = min(theirs, key=statistics.mean)
        found[loss] = [b - a for a, b in zip(ours, best, strict=True)]
    return found


def nearer(everywhere: dict[str, Found]) -> claims.Differences:
    """How much nearer SH-RLS is to H-SVM than to its flat variant."""
    found = {}
    for loss in LOSSES:
        rows = (mean_loss(everywhere, name, loss) for name in ("S-RLS", "SH-RLS", "H-SVM"))
        found[loss] = [abs(flat - a) - abs(a - best) for flat, a, best in zip(*rows, strict=True)]
    return found


def distributed(by_depth: dict[str, list[Any]]) -> claims.Differences:
    """How many more mistakes of H-PERC than of SH-RLS are elsewhere than those of H-SVM."""
    rows = zip(*(by_depth[name] for name in PAPER_TABLE_2), strict=True)
    return {"points": [elsewhere(perc, svm) - elsewhere(rls, svm) for perc, rls, svm in rows]}


def elsewhere(one: Any, other: Any) -> float:
    """The percentage of the mistakes of one that are at other depths or of the other kind."""
    shares = []
    for metric in (one, other):
        counts = [count for pair in metric.get().values() for count in pair]
        shares.append([count / sum(counts) for count in counts])
    return 50 * sum(abs(a - b) for a, b in zip(*shares, strict=True))


def best_cost(by_cost: dict[float, list[float]]) -> claims.Differences:
    """How far C = 1 is below the best other C."""
    best = min((C for C in by_cost if C != 1.0), key=lambda C: statistics.mean(by_cost[C]))
    return {"H-loss": [b - a for a, b in zip(by_cost[1.0], by_cost[best], strict=True)]}


def harder(found: dict[str, Found]) -> claims.Differences:
    """How far the losses of SH-RLS on the two collections are apart, of as many documents."""
    return {
        loss: [a - b for a, b in zip(*(f["SH-RLS"][loss] for f in found.values()), strict=True)]
        for loss in LOSSES
    }


def faster(work: list[tuple[int, int]]) -> claims.Differences:
    """By the node evaluations of the flat and of the hierarchical learner on each split."""
    found = {"flat": [a for a, _ in work], "hierarchical": [b for _, b in work]}
    return about_four_times(found, float, {"flat": "hierarchical"})


HARDER = "Table 1: OHSUMED is harder than RCV1"
BEST_COST = "Section 8: C = 1 is best"
TABLE_2 = "Table 2: mistakes of SH-RLS distributed as those of H-SVM, of H-PERC otherwise"
CLAIMS: claims.Claims = {
    "Section 8: the flat SVM is surprisingly good: below the other flat learners": lambda e: below(
        e, "SVM", "PERC", "S-RLS"
    ),
    "H-PERC below its flat variant PERC": lambda e: below(e, "H-PERC", "PERC"),
    "SH-RLS below its flat variant S-RLS": lambda e: below(e, "SH-RLS", "S-RLS"),
    "SH-RLS below both perceptrons": lambda e: below(e, "SH-RLS", "PERC", "H-PERC"),
    "SH-RLS below the flat SVM": lambda e: below(e, "SH-RLS", "SVM"),
    "SH-RLS nearer to H-SVM than to S-RLS": nearer,
    "H-SVM best of all": lambda e: below(e, "H-SVM", "PERC", "H-PERC", "S-RLS", "SH-RLS", "SVM"),
}
