"""A line of the tables about rankings: five measures of a flat and of a hierarchical learner."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

MEASURES = ("acc %", "prec %", "max. loss", "rloss %", "pacc %")


class Row(NamedTuple):
    """The measures by draw of the training examples and by test document: three axes."""

    flat: Any
    hier: Any
    finished: bool  # both came to their ends


Table = dict[str, Row]


def means(row: Row) -> tuple[Any, Any]:
    return row.flat.mean(axis=(0, 1)), row.hier.mean(axis=(0, 1))


def gains(row: Row) -> Any:
    """By how much hierarchical is better, in the unit of each measure."""
    flat, hier = means(row)
    signs = [-1.0 if "loss" in measure else 1.0 for measure in MEASURES]
    return signs * (hier - flat)


def relative_gains(row: Row) -> Any:
    """The gains as fractions of the measures of the flat learner."""
    return gains(row) / np.maximum(means(row)[0], 1e-12)


def levels(row: Row) -> Any:
    """The level of significance of each difference: a paired permutation test over documents.

    It is the fraction of random assignments of signs to the differences of the documents, the true
    one included, whose sum is as far from 0.
    """
    differences = (row.hier - row.flat).mean(axis=0)
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
    """The significance of each difference, with the sign of the gain."""
    print(f"\n{title}\n{'':12}" + "".join(f"{measure:>14}" for measure in MEASURES))
    for name, row in rows.items():
        cells = [
            f"{'+' if gain > 0 else '-' if gain < 0 else '='} {level:.3f}"
            for gain, level in zip(gains(row), levels(row), strict=True)
        ]
        print(f"{name:12}" + "".join(f"{cell:>14}" for cell in cells))
