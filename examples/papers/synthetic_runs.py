"""Hieron on synthetic data, with as many examples of each label as in its paper."""

from __future__ import annotations

import math
import random
from typing import Any, NamedTuple

import hieron_tables as tables
from hieron_tables import Examples, Result

from river_hier import linear_model
from river_hier.datasets import synth

N_TRAIN, N_TEST = 100, 50  # of each label


def online_hieron(t: Any) -> linear_model.Hieron:
    return linear_model.Hieron(t, C=math.inf)


LEARNERS: dict[str, tables.Learner] = {
    "2004": lambda t: linear_model.AveragedHieron(t, math.inf, from_first_round=True),
    "2005": lambda t: linear_model.Averaged(online_hieron(t), from_first_round=True),
}


class Run(NamedTuple):
    """The results for one seed."""

    by_rule: dict[str, list[Result]]  # after each epoch
    online: dict[str, tables.Answers]  # of the tree and the flat learner, in the first epoch


# %% The same number of examples of each label
def balanced(stream: synth.PrototypeTree, seed: int) -> tuple[Examples, Examples]:
    """The first examples of each label; the training examples are shuffled."""
    by_label: dict[Any, Examples] = {label: [] for label in stream.taxonomy.nodes}
    missing = len(by_label)
    for x, y in stream:
        if len(by_label[y]) < N_TRAIN + N_TEST:
            by_label[y].append((x, y))
            missing -= len(by_label[y]) == N_TRAIN + N_TEST
            if not missing:
                break
    train, test = (
        [e for es in by_label.values() for e in es[part]]
        for part in (slice(N_TRAIN), slice(N_TRAIN, None))
    )
    random.Random(seed).shuffle(train)
    return train, test


def run(noise: float, seed: int, epochs: int) -> Run:
    stream = synth.PrototypeTree(branching=3, depth=4, noise=noise, seed=seed)
    t = stream.taxonomy
    train, test = balanced(stream, seed)
    trees = {"tree": t, "flat": tables.flat(t.nodes)}
    answers = {
        name: tables.online(taxonomy, online_hieron, train) for name, taxonomy in trees.items()
    }
    online = {(name, "online"): tables.errors(t, some) for name, some in answers.items()}
    by_rule = {
        rule: [online | result for result in tables.batch(t, t.nodes, make, train, test, epochs)]
        for rule, make in LEARNERS.items()
    }
    return Run(by_rule, answers)
