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


def errors(row: Row) -> tuple[Any, Any]:
    """The same so that less is better, in the unit of each measure."""
    flat, hier = means(row)
    best = [0 if "loss" in measure else 100 for measure in MEASURES]
    return abs(best - flat), abs(best - hier)


def gains(row: Row) -> Any:
    """By how much of it hierarchical lowers each error of the flat learner."""
    flat, hier = errors(row)
    return (flat - hier) / np.maximum(flat, 1e-12)


def significant(row: Row) -> Any:
    """Of each measure whether a paired permutation test over the documents finds a difference."""
    differences = (row.hier - row.flat).mean(axis=0)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(2000, len(differences)))
    drawn = abs(signs @ differences)
    return (drawn >= abs(differences.sum(axis=0))).mean(axis=0) < 0.05
