"""The claims of Cai and Hofmann (2007): whether hierarchical is better than flat, and where."""

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
MOST = 0.5001  # of the comparisons


def separated(found: Found, table: str) -> list[Row]:
    """The rows that count: a perceptron's only where minover has reached all margins."""
    rows = found[table].values()
    return [row for row in rows if row.finished or not table.startswith("perceptron")]


def better(table: str, measures: Sequence[str] = MEASURES, needed: float = 1.0) -> Test:
    """Hierarchical better than flat, line by line and measure by measure."""
    at = [MEASURES.index(measure) for measure in measures]

    def objection(found: Found) -> str:
        rows = separated(found, table)
        differences = np.array([gains(row)[at] for row in rows])
        sure = np.array([levels(row)[at] < LEVEL for row in rows])
        wins, losses = (differences > 0).sum(), (sure & (differences < 0)).sum()
        why = f"better in {wins} of {differences.size} comparisons, significantly worse in {losses}"
        return claims.unless(len(rows) > 0 and wins >= needed * differences.size, why)

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
    """Whether accuracy and precision gain less, relative to the flat SVM, than the others."""
    rows = list(found["SVM, all"].values())
    theirs, ours = (100 * mean_gains(rows, m, relative=True).mean() for m in (OTHERS, RANKS))
    return claims.unless(theirs < ours, f"{theirs:.1f} % against {ours:.1f} %")


def more(few: Sequence[Row], many: Sequence[Row], measures: Sequence[str], relative: bool) -> str:
    """Whether the mean gains are larger on few documents in most of the measures."""
    fewer, all_ = (mean_gains(rows, measures, relative) for rows in (few, many))
    larger = [m for m, a, b in zip(measures, fewer, all_, strict=True) if a > b]
    why = f"in {', '.join(larger)} only" if larger else "in no measure"
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
    return claims.unless(wins == len(pairs), f"in {wins} of {len(pairs)} sections")


CLAIMS: claims.Claims = {
    "Table 1: SVM: maximal loss, ranking loss, parent accuracy": better("SVM, all", RANKS),
    "Table 1: SVM: accuracy, precision, often": better("SVM, all", OTHERS, MOST),
    "Table 1: SVM: the relative gains in accuracy and precision are more moderate": more_moderate,
    "section E (here all topics): the SVM's gains are significant in all measures": significant,
    "Figure 1: perceptron: accuracy, precision": better("perceptron, all", OTHERS),
    "Figure 1: perceptron: all measures": better("perceptron, all"),
    "Figure 1: the perceptron has less precision than the SVM": not_lower,
    "Table 2: SVM on few documents: all measures": better("SVM, few"),
    "Table 2: larger relative gains on few documents": lambda f: more(
        list(f["SVM, few"].values()), list(f["SVM, all"].values()), MEASURES, relative=True
    ),
    "Figure 2: SVM on few documents of all topics: all measures": better("SVM, sizes"),
    "Figure 2: the fewer documents, the larger the gains, but for accuracy": gains_by_size,
    "Figure 3: perceptron on few documents: precision, ranking loss, parent accuracy": better(
        "perceptron, few", ("prec %", "rloss %", "pacc %")
    ),
    "Figure 3: perceptron on few documents: accuracy, mostly": better(
        "perceptron, few", ("acc %",), MOST
    ),
}
