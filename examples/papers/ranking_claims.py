"""The claims of Cai and Hofmann (2007), about hierarchical and flat learners."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import claims
import numpy as np
from ranking_rows import MEASURES, Row, Table, gains, levels, means, relative_gains

LEVEL = 0.05  # of significance
Found = dict[str, Table]
Test = Callable[[Found], str]
RANKS = ("max. loss", "rloss %", "pacc %")
OTHERS = ("acc %", "prec %")
IN_TABLE_2 = ("acc %", "prec %", "max. loss", "pacc %")
MOST = 0.5001  # of the comparisons


def separated(found: Found, table: str) -> Table:
    """The rows on which claims are tested: those of a perceptron only if minover converged."""
    rows = found[table]
    return {k: row for k, row in rows.items() if row.finished or not table.startswith("perceptron")}


def better(table: str, measures: Sequence[str] = MEASURES, needed: float = 1.0) -> Test:
    """Whether hierarchical is better than flat in each row and measure, or in most."""
    at = [MEASURES.index(measure) for measure in measures]

    def objection(found: Found) -> str:
        rows = separated(found, table)
        n, wins, worse = len(rows) * len(at), 0, []
        for name, row in rows.items():
            differences, sure = gains(row)[at], levels(row)[at] < LEVEL
            wins += int((differences > 0).sum())
            lost = np.flatnonzero(sure & (differences < 0))
            worse += [f"{measures[i].removesuffix(' %')} of {name}" for i in lost]
        where = f"in {', '.join(worse)}" if worse else "nowhere"
        why = f"better in {wins} of {n} comparisons, significantly worse {where}"
        return claims.unless(n > 0 and wins >= needed * n, why)

    return objection


def significant(found: Found) -> str:
    row = found["SVM, all"]["Root"]
    sure = (gains(row) > 0) & (levels(row) < LEVEL)
    missing = ", ".join(m for m, is_sure in zip(MEASURES, sure, strict=True) if not is_sure)
    return claims.unless(sure.all(), f"not in {missing}")


def mean_gains(rows: Sequence[Row], measures: Sequence[str], relative: bool) -> Any:
    at = [MEASURES.index(measure) for measure in measures]
    return np.mean([(relative_gains if relative else gains)(row)[at] for row in rows], axis=0)


def more_moderate(found: Found) -> str:
    """Whether the relative gains in accuracy and precision are smaller than the others."""
    rows = list(found["SVM, all"].values())
    theirs, ours = (100 * mean_gains(rows, m, relative=True).mean() for m in (OTHERS, RANKS))
    return claims.unless(theirs < ours, f"{theirs:.1f} % against {ours:.1f} %")


def more(few: Sequence[Row], many: Sequence[Row], measures: Sequence[str], relative: bool) -> str:
    """Whether the mean gains are larger on few documents in most of the measures."""
    fewer, all_ = (mean_gains(rows, measures, relative) for rows in (few, many))
    larger = [m for m, a, b in zip(measures, fewer, all_, strict=True) if a > b]
    why = f"only in {', '.join(larger)}" if larger else "in no measure"
    return claims.unless(len(larger) >= MOST * len(measures), why)


def gains_by_size(found: Found) -> str:
    rows = list(found["SVM, sizes"].values())
    return more(rows[:1], rows[-1:], MEASURES[1:], relative=False)


def not_lower(found: Found) -> str:
    """Whether the SVM has more precision than the perceptron in every section."""
    tables = (found[f"{kind}, all"] for kind in ("SVM", "perceptron"))
    pairs = [
        (means(s)[1][1], means(p)[1][1]) for s, p in zip(*map(dict.values, tables), strict=True)
    ]
    wins = sum(svm > perceptron for svm, perceptron in pairs)
    return claims.unless(wins == len(pairs), f"only in {wins} of {len(pairs)} sections")


CLAIMS: claims.Claims = {
    "Table 1: SVM better in maximal loss, ranking loss, parent accuracy": better("SVM, all", RANKS),
    "Table 1: SVM mostly better in accuracy, precision": better("SVM, all", OTHERS, MOST),
    "Table 1: SVM with smaller relative gains in accuracy, precision": more_moderate,
    "Section E (here all topics): SVM significantly better in all measures": significant,
    "Figure 1: perceptron better in accuracy, precision": better("perceptron, all", OTHERS),
    "Figure 1, text: perceptron better in all measures": better("perceptron, all"),
    "Figure 1, text: perceptron with less precision than the SVM": not_lower,
    "Table 2: SVM better in all its measures on few documents": better("SVM, few", IN_TABLE_2),
    "Table 2: SVM with larger relative gains than on all documents": lambda f: more(
        list(f["SVM, few"].values()), list(f["SVM, all"].values()), IN_TABLE_2, relative=True
    ),
    "Figure 2: SVM better in all measures for each number of documents": better("SVM, sizes"),
    "Figure 2: SVM with larger gains on fewer documents, except in accuracy": gains_by_size,
    "Figure 3: perceptron better in precision, ranking loss, parent accuracy on few documents": (
        better("perceptron, few", ("prec %", "rloss %", "pacc %"))
    ),
    "Figure 3: perceptron mostly better in accuracy on few documents": better(
        "perceptron, few", ("acc %",), MOST
    ),
}
