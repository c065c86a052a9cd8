"""What the paper on H-RLS prints about OHSUMED, and what it claims."""

from __future__ import annotations

import statistics
from typing import Any

import claims

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


def show_table_2(by_depth: dict[str, Any], n_tests: int) -> None:
    print("Table 2: H-loss mistakes per 1,000 test documents, false positives / negatives")
    print(f"{'depth':6}" + "".join(f"{name:>14}{'paper':>14}" for name in PAPER_TABLE_2))
    for depth in range(1, 6):
        row = f"{depth:<6}"
        for name, paper in PAPER_TABLE_2.items():
            ours = [1000 * count / n_tests for count in by_depth[name].get()[depth]]
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


CLAIMS: claims.Claims = {
    "H-PERC below its flat variant PERC": lambda e: below(e, "H-PERC", "PERC"),
    "SH-RLS below its flat variant S-RLS": lambda e: below(e, "SH-RLS", "S-RLS"),
    "SH-RLS below both perceptrons": lambda e: below(e, "SH-RLS", "PERC", "H-PERC"),
    "SH-RLS below the flat SVM": lambda e: below(e, "SH-RLS", "SVM"),
    "SH-RLS nearer to H-SVM than to S-RLS": nearer,
    "H-SVM best of all": lambda e: below(e, "H-SVM", "PERC", "H-PERC", "S-RLS", "SH-RLS", "SVM"),
}
