"""Flat and hierarchical label rankers, trained on folds or on a few documents of each category."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from ranking_data import Examples, Section
from ranking_rows import MEASURES, Row
from sklearn.feature_extraction import DictVectorizer

from river_hier import Taxonomy, batch, losses

KINDS = ("SVM", "perceptron")
SEEDS = range(24)
FOLDS = 5
MAX_PASSES = 150  # of the SVM
MAX_STEPS = 10_000  # of minover, which needs fewer on separable examples
Split = tuple[list[int], list[int]]  # numbers of training and of test documents


# %% The learners, flat and hierarchical
def learner(kind: str, taxonomy: Taxonomy, flat: bool) -> Any:
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
    return batch.HierarchicalMultilabelSVM(
        **options, missed=0.5, spurious=0.5, tol=0.05, max_passes=MAX_PASSES
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
    kind: str, section: Section, n: int | None, flat: bool, seeds: Sequence[int]
) -> tuple[Any, bool]:
    """The measures of one learner, and whether it always converged.

    There is one draw with all folds, or one for each seed if there are n documents a category.
    """
    taxonomy, examples = section
    draws = [folds(examples)] if n is None else [[few(examples, n, seed)] for seed in seeds]
    found, done = np.full((len(draws), len(examples), len(MEASURES)), np.nan), True
    for measures, draw in zip(found, draws, strict=True):
        for train, test in draw:
            model = learner(kind, taxonomy, flat)
            model.fit([examples[i] for i in train])
            measures[test] = measured(model, [examples[i] for i in test], taxonomy)
            done &= finished(model)
    return found, done


def compared(
    kind: str, section: Section, n: int | None = None, seeds: Sequence[int] = SEEDS
) -> Row:
    flat, flat_done = side(kind, section, n, True, seeds)
    hier, done = side(kind, section, n, False, seeds)
    return Row(flat, hier, flat_done and done)


def times(section: Section, repeats: int) -> dict[str, list[float]]:
    """The processor time of each hierarchical learner on each fold, trained in alternation.

    It is the shortest of several, as other programs on the machine make each of them longer.
    """
    taxonomy, examples = section
    found: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for train, _ in folds(examples):
        some = [examples[i] for i in train]
        for kind in KINDS:
            found[kind].append(math.inf)
        for kind in KINDS * repeats:
            model = learner(kind, taxonomy, flat=False)
            start = time.process_time()
            model.fit(some)
            found[kind][-1] = min(found[kind][-1], time.process_time() - start)
    return found


# %% The order of the updates
class Solution(NamedTuple):
    """A hierarchical perceptron whose margins are all reached."""

    updates: int
    pairs: int  # of labels of an example, with a coefficient that is not 0


def perceptron(taxonomy: Taxonomy, examples: Examples, worst: bool) -> Solution:
    """Updates for the worst pair of all examples, as in minover, or of each example in turn."""
    K = gram(examples)
    leaves = taxonomy.leaves
    at = {label: i for i, label in enumerate(leaves)}
    above = np.array([[v in set(taxonomy.path(y)) for v in taxonomy.nodes] for y in leaves], float)
    attributes = above @ above.T / taxonomy.height  # <Lambda(y), Lambda(ybar)>
    relevant = np.zeros((len(examples), len(leaves)), bool)
    for row, (_, y) in zip(relevant, examples, strict=True):
        row[[at[label] for label in y]] = True
    scores, pairs, updates, i = np.zeros(relevant.shape), set(), 0, -1
    while True:
        low, high = np.where(relevant, scores, np.inf), np.where(relevant, -np.inf, scores)
        margins = low.min(axis=1) - high.max(axis=1)
        if margins.min() >= 1.0:
            return Solution(updates, len(pairs))
        i = int(margins.argmin()) if worst else following(margins < 1.0, i)
        y, other = int(low[i].argmin()), int(high[i].argmax())
        size = np.abs(above[y] - above[other]).sum()
        scores += size * np.outer(K[i], attributes[y] - attributes[other])
        pairs.add((i, y, other))
        updates += 1


def following(wrong: Any, i: int) -> int:
    """The first wrong example after i, cyclically."""
    return int((i + 1 + np.roll(wrong, -(i + 1)).argmax()) % len(wrong))


def gram(examples: Examples) -> Any:
    X = DictVectorizer(sort=False).fit_transform([x for x, _ in examples])
    return (X @ X.T).toarray()


def orders(section: Section, n: int, seeds: Sequence[int]) -> dict[str, list[Solution]]:
    """Both orders of updates on n training documents of each category, for each seed."""
    taxonomy, examples = section
    drawn = [[examples[i] for i in few(examples, n, seed)[0]] for seed in seeds]
    return {
        name: [perceptron(taxonomy, some, worst) for some in drawn]
        for name, worst in (("worst", True), ("in turn", False))
    }
