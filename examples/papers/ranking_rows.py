"""Rows of the tables on rankings: five measures of a flat and of a hierarchical learner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import claims
import numpy as np

MEASURES = ("acc %", "prec %", "max. loss", "rloss %", "pacc %")
SIGNS = np.array([1.0, 1.0, -1.0, -1.0, 1.0])  # of a gain


class Row(NamedTuple):
    """Arrays (draws of training documents, documents, measures), nan for training documents."""

    flat: Any
    hier: Any
    finished: bool  # both learners converged


Table = dict[str, Row]


def means(row: Row) -> tuple[Any, Any]:
    return np.nanmean(row.flat, axis=(0, 1)), np.nanmean(row.hier, axis=(0, 1))


def units(row: Row, side: Any) -> Any:
    """The measures of each draw, or of each document if there is one draw: (units, measures)."""
    return np.nanmean(side, axis=1) if len(row.flat) > 1 else side[0]


def gains(row: Row) -> Any:
    """The difference in favour of hierarchical for each draw or document."""
    return SIGNS * (units(row, row.hier) - units(row, row.flat))


def relative_gains(row: Row) -> Any:
    """The gains as percentages of the mean of the flat learner."""
    return 100 * gains(row) / means(row)[0]


def columns(values: Any, measures: Sequence[str] = MEASURES) -> claims.Differences:
    """Some columns of an array (units, measures), by their names."""
    return {m.removesuffix(" %"): values[:, MEASURES.index(m)].tolist() for m in measures}


def show(title: str, rows: Table) -> None:
    """The measures of hierarchical, and its gains with standard errors."""
    print(f"\n{title}\n{'':14}" + "".join(f"{measure:>20}" for measure in MEASURES))
    for name, row in rows.items():
        cells = []
        hier, better = means(row)[1], gains(row)
        errors = better.std(axis=0, ddof=1) / len(better) ** 0.5
        for measure, *values in zip(MEASURES, hier, better.mean(axis=0), errors, strict=True):
            d = 2 if measure == "max. loss" else 1
            mean, gain, error = values
            cells.append(f"{mean:.{d}f} {gain:+.{d}f} ({error:.{d}f})")
        star = "" if row.finished else " *"
        print(f"{name + star:14}" + "".join(f"{cell:>20}" for cell in cells))
