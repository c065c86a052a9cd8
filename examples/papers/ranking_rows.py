"""Rows of the tables on rankings: five measures of a flat and of a hierarchical learner."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

MEASURES = ("acc %", "prec %", "max. loss", "rloss %", "pacc %")


class Row(NamedTuple):
    """Arrays (draws of training documents, documents, measures), nan for training documents."""

    flat: Any
    hier: Any
    finished: bool  # both learners converged


Table = dict[str, Row]


def means(row: Row) -> tuple[Any, Any]:
    return np.nanmean(row.flat, axis=(0, 1)), np.nanmean(row.hier, axis=(0, 1))


def gains(row: Row) -> Any:
    """The difference in favour of hierarchical, in the unit of each measure."""
    flat, hier = means(row)
    signs = [-1.0 if "loss" in measure else 1.0 for measure in MEASURES]
    return signs * (hier - flat)


def relative_gains(row: Row) -> Any:
    """The gains as fractions of the measures of the flat learner."""
    return gains(row) / np.maximum(means(row)[0], 1e-12)


def levels(row: Row) -> Any:
    """The level of significance of each difference: a paired permutation test over documents.

    It is the fraction of random assignments of signs to the differences of the documents, the true
    one included, whose sum is at least as far from 0.
    """
    tested = ~np.isnan(row.flat[:, :, 0]).all(axis=0)  # rare labels may be in all training sets
    differences = np.nanmean((row.hier - row.flat)[:, tested], axis=0)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(2000, len(differences)))
    as_far = abs(signs @ differences) >= abs(differences.sum(axis=0)) - 1e-9
    return (1 + as_far.sum(axis=0)) / (1 + len(signs))


def show(title: str, rows: Table) -> None:
    print(f"\n{title}\n{'':12}" + "".join(f"{measure:>14}" for measure in MEASURES))
    print(f"{'':12}" + f"{'flat':>7}{'hier':>7}" * len(MEASURES))
    for name, row in rows.items():
        digits = [2 if measure == "max. loss" else 1 for measure in MEASURES]
        pairs = zip(*means(row), digits, strict=True)
        star = "" if row.finished else " *"
        print(f"{name + star:12}" + "".join(f"{a:>7.{d}f}{b:>7.{d}f}" for a, b, d in pairs))


def show_levels(title: str, rows: Table) -> None:
    """The gains, each with its level of significance in parentheses."""
    width = max(map(len, rows)) + 2
    print(f"\n{title}\n{'':{width}}" + "".join(f"{measure:>15}" for measure in MEASURES))
    for name, row in rows.items():
        cells = [
            f"{gain:+.{2 if measure == 'max. loss' else 1}f} ({level:.3f})"
            for measure, gain, level in zip(MEASURES, gains(row), levels(row), strict=True)
        ]
        print(f"{name:{width}}" + "".join(f"{cell:>15}" for cell in cells))
