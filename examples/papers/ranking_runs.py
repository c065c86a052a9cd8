"""Flat and hierarchical label rankers, trained on folds or on a few documents of each category."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from ranking_data import Examples, Section
from ranking_rows import MEASURES, Row

from river_hier import Taxonomy, batch, losses

CONSTANT = "SVM, t = 1 / sqrt(depth)"  # the paper's attributes, also where depths differ
SEEDS = range(3)
FOLDS = 3
MAX_PASSES = 150  # of the SVM
MAX_STEPS = 10_000  # of minover, which needs fewer on separable examples
Split = tuple[list[int], list[int]]  # numbers of training and of test documents
Changes = dict[str, Any]  # of the SVM's objective


# %% The learners, flat and hierarchical
def learner(kind: str, taxonomy: Taxonomy, flat: bool, changes: Changes) -> Any:
    """As in the paper: half of the symmetric difference, C = 1, and attributes of norm 1.

    The flat learner has a flat taxonomy, in which that loss is 0 or 1.
    """
    options: dict[str, Any] = {"taxonomy": taxonomy}
    if flat:
        options = {"taxonomy": taxonomy.flatten(), "candidates": taxonomy.leaves}
    elif kind == "SVM":
        options["unit_norm"] = True
    else:
        options["t"] = taxonomy.height**-0.5  # without the root
    if kind == "perceptron":
        return batch.BatchHMinOver(**options, max_steps=MAX_STEPS)
    if changes.get("zero_one") and not flat:
        options["volumes"] = dict.fromkeys(taxonomy.inner, 1e-9)  # they must be positive
    return batch.HierarchicalMultilabelSVM(
        **options,
        C=changes.get("C", 1.0),
        missed=0.5,
        spurious=0.5,
        tol=0.05,
        max_passes=MAX_PASSES,
    )


def measured(model: Any, test: Examples, taxonomy: Taxonomy) -> list[list[float]]:
    """The five measures of each test document, in percent except for the maximal loss."""
    found = []
    for x, y in test:
        ranking = (taxonomy, y, model.score_one(x))
        found.append(
            [
                100 * losses.one_accuracy(*ranking),
                100 * losses.average_precision(*ranking),
                losses.maximal_loss(*ranking, missed=0.5, spurious=0.5),
                100 * losses.ranking_loss(*ranking),
                100 * losses.parent_one_accuracy(*ranking),
            ]
        )
    return found


def finished(model: Any) -> bool:
    """Whether it converged."""
    if isinstance(model, batch.BatchHMinOver):
        return model.smallest_margin >= model.margin
    return model.gap <= model.tol * model.primal


# %% Training and test documents
def few(examples: Examples, n: int, seed: int) -> Split:
    """At most n training documents of each category; all others are test documents."""
    left: dict[str, int] = {}
    train = set()
    for i in random.Random(seed).sample(range(len(examples)), len(examples)):
        for label in examples[i][1]:
            left[label] = left.get(label, n) - 1
            if left[label] >= 0:
                train.add(i)
    return sorted(train), [i for i in range(len(examples)) if i not in train]


def folds(examples: Examples) -> list[Split]:
    order = random.Random(0).sample(range(len(examples)), len(examples))
    tests = [order[i::FOLDS] for i in range(FOLDS)]
    return [(sorted(set(order) - set(test)), test) for test in tests]


def side(
    kind: str, section: Section, n: int | None, flat: bool, changes: Changes
) -> tuple[Any, bool]:
    """The measures of one learner, and whether it always converged.

    There is one draw with all folds, or one for each seed if there are n documents a category.
    """
    taxonomy, examples = section
    draws = [folds(examples)] if n is None else [[few(examples, n, seed)] for seed in SEEDS]
    found, done = np.full((len(draws), len(examples), len(MEASURES)), np.nan), True
    for measures, draw in zip(found, draws, strict=True):
        for train, test in draw:
            model = learner(kind, taxonomy, flat, changes).fit([examples[i] for i in train])
            measures[test] = measured(model, [examples[i] for i in test], taxonomy)
            done &= finished(model)
    return found, done


def compared(kind: str, section: Section, n: int | None = None, **changes: Any) -> Row:
    (flat, flat_done), (hier, done) = (
        side(kind, section, n, is_flat, changes) for is_flat in (True, False)
    )
    return Row(flat, hier, flat_done and done)


def constant(section: Section, n: int, unit: Row) -> Row:
    """The same with the paper's attributes; flat learners only have that of the label."""
    hier, done = side(CONSTANT, section, n, flat=False, changes={})
    return unit._replace(hier=hier, finished=unit.finished and done)
