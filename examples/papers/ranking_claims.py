"""The claims of Cai and Hofmann (2007), about hierarchical and flat learners."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import claims
import numpy as np
from ranking_rows import MEASURES, Row, columns, gains, relative_gains
from ranking_runs import Solution

RANKS = ("max. loss", "rloss %", "pacc %")
OTHERS = ("acc %", "prec %")
IN_TABLE_2 = ("acc %", "prec %", "max. loss", "pacc %")
Rows = dict[str, Row]


def better(rows: Rows, which: str, measures: Sequence[str] = MEASURES) -> claims.Differences:
    """The gains of hierarchical."""
    return columns(gains(rows[which]), measures)


def more_moderate(rows: Rows) -> claims.Differences:
    """How much smaller the relative gains in accuracy and precision are."""
    theirs, ours = (
        np.mean(list(columns(relative_gains(rows["SVM, all"]), measures).values()), axis=0)
        for measures in (OTHERS, RANKS)
    )
    return {"points": (ours - theirs).tolist()}


def svm_better(rows: Rows) -> claims.Differences:
    """The difference between the hierarchical SVM and the hierarchical perceptron."""
    return columns(rows["SVM, all"].hier[0] - rows["perceptron, all"].hier[0], OTHERS)


def larger(rows: Rows) -> claims.Differences:
    """How much larger relative gains are on few documents."""
    few, every = (relative_gains(rows[f"SVM, {which}"]) for which in ("few", "all"))
    return columns(few - every.mean(axis=0), IN_TABLE_2)


def each_size(sizes: Rows) -> claims.Differences:
    return {
        f"{measure} of {size}": values
        for size, row in sizes.items()
        for measure, values in columns(gains(row)).items()
    }


def fewer_is_more(sizes: Rows) -> claims.Differences:
    first, *_, last = map(gains, sizes.values())
    return columns(first - last, MEASURES[1:])


def quicker(times: dict[str, list[float]]) -> claims.Differences:
    """By how much the ratio of times is above 1."""
    return {"ratio - 1": [a / b - 1 for a, b in zip(*times.values(), strict=True)]}


def fewer(orders: dict[str, list[Solution]], what: str) -> claims.Differences:
    """How many fewer updates or pairs minover takes than updates of each example in turn."""
    both = zip(orders["in turn"], orders["worst"], strict=True)
    return {what: [float(getattr(a, what) - getattr(b, what)) for a, b in both]}


ON_DOCUMENTS: claims.Claims = {
    "Table 1: SVM better in maximal loss, ranking loss, parent accuracy": partial(
        better, which="SVM, all", measures=RANKS
    ),
    "Table 1: SVM better in accuracy, precision": partial(
        better, which="SVM, all", measures=OTHERS
    ),
    "Table 1: SVM with smaller relative gains in accuracy, precision": more_moderate,
    "Figure 1: perceptron better in all measures": partial(better, which="perceptron, all"),
    "Figure 1, text: perceptron with less accuracy and precision than the SVM": svm_better,
}
FASTER: claims.Claims = {"Figure 1, text: perceptron faster to train than the SVM": quicker}
ON_DRAWS: claims.Claims = {
    "Table 2: SVM better in all its measures on few documents": partial(
        better, which="SVM, few", measures=IN_TABLE_2
    ),
    "Table 2: SVM with larger relative gains than on all documents": larger,
    "Figure 3: perceptron better in all its measures on few documents": partial(
        better, which="perceptron, few", measures=("acc %", "prec %", "rloss %", "pacc %")
    ),
}
ON_SIZES: claims.Claims = {
    "Figure 2: SVM better in all measures for each number of documents": each_size,
    "Figure 2: SVM with larger gains on fewer documents, except in accuracy": fewer_is_more,
}
ON_ORDERS: claims.Claims = {
    "Section 4: minover converges in fewer updates than with each example in turn": partial(
        fewer, what="updates"
    ),
    "Section 4: its solution is sparser": partial(fewer, what="pairs"),
}
CLAIMS = {**ON_DOCUMENTS, **FASTER, **ON_DRAWS, **ON_SIZES, **ON_ORDERS}
