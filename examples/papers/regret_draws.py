"""The regret of H-RLS on fixed instances with labels drawn several times."""

from __future__ import annotations

import math
import random
import statistics
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from river_hier import Taxonomy, decision, evaluate, linear_model, losses
from river_hier.datasets import synth

STEPS = [2**k for k in range(4, 16)]
FACTOR = 16 * (1 + 1 / math.e)


class Setting(NamedTuple):
    """Where instances come from: those of `d` features with a margin at each node."""

    tree: Taxonomy
    d: int
    margin: float
    n_examples: int = 2**13
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)

    @property
    def nodes(self) -> tuple[Any, ...]:
        return self.tree.nodes[1:]


TREE = Setting(
    Taxonomy.from_nested(
        {side: {f"{side}{i}": [f"{side}{i}{j}" for j in "ab"] for i in "ab"} for side in "ab"}
    ),
    5,
    0.1,
)
WIDE = {  # where the bounds are below the largest possible loss, of 1 an example
    "one node": Setting(Taxonomy.flat("a"), 2, 0.9, 2**15),  # H-PERC exceeds the bound at the end
    "a node below another": Setting(
        Taxonomy([("root", "a"), ("a", "b")]), 2, 0.8, seeds=(0, 1, 4, 5, 6)
    ),  # with the other seeds no instances have these margins
}


class Draw(NamedTuple):
    """One draw of the labels of a sequence."""

    learner: list[float]  # cumulative expected H-loss at each of the steps
    perceptron: list[float]  # the same of H-PERC
    theorem_2: list[float]
    remark_6: list[float]
    logs: dict[Any, float]  # sum_j log(1 + lambda_ij) of each node at the end
    eq_6: dict[Any, float]


class Sequence(NamedTuple):
    """The results on one sequence of instances."""

    reference: list[float]
    bayes: list[float]  # of the multilabel with the least expected H-loss
    draws: list[Draw]
    eq_7: dict[Any, float]

    def mean(self, name: str) -> list[float]:
        """The mean over the draws at each of the steps."""
        return [
            statistics.mean(v) for v in zip(*(getattr(d, name) for d in self.draws), strict=True)
        ]

    def mean_at(self, name: str) -> dict[Any, float]:
        """The mean over the draws at each node."""
        return {v: statistics.mean(getattr(d, name)[v] for d in self.draws) for v in self.eq_7}

    def regret(self, learner: str = "learner") -> list[float]:
        return [a - b for a, b in zip(self.mean(learner), self.reference, strict=True)]


# %% One sequence
def sequence(setting: Setting, seed: int, n_draws: int) -> Sequence:
    tree, d, margin, n, _ = setting
    stream = synth.LinearLabels(tree, n_features=d, seed=seed)
    clear = (x for x, _ in stream if min(map(abs, stream.scores(x).values())) >= margin)
    xs = list(islice(clear, n))
    p = [stream.probabilities(x) for x in xs]
    reference = at_steps(
        losses.expected_h_loss(tree, chances, stream.reference.predict_one(x))
        for x, chances in zip(xs, p, strict=True)
    )
    best = decision.HLossBayes(stream.reference)
    bayes = at_steps(
        losses.expected_h_loss(tree, chances, best.predict_one(x))
        for x, chances in zip(xs, p, strict=True)
    )
    margins = [stream.scores(x) for x in xs]
    expected = {
        v: sum(math.prod((1 + m[u]) / 2 for u in tree.path(v)[1:-1]) for m in margins)
        for v in setting.nodes
    }
    draws = [draw(stream, xs, p, margins, random.Random(f"{seed} {i}")) for i in range(n_draws)]
    return Sequence(
        reference, bayes, draws, {v: d * math.log1p(Q / d) for v, Q in expected.items()}
    )


def at_steps(values: Any) -> list[float]:
    totals = np.cumsum(list(values))
    return [float(totals[step - 1]) for step in STEPS if step <= len(totals)]


def draw(
    stream: synth.LinearLabels, xs: list[Any], p: list[Any], margins: list[Any], rng: random.Random
) -> Draw:
    tree, d = stream.taxonomy, stream.n_features
    models, examples = (linear_model.HRLS(tree), linear_model.HPerceptron(tree)), []
    found: tuple[list[float], list[float]] = ([], [])
    for x, chances, margin in zip(xs, p, margins, strict=True):
        for loss, model in zip(found, models, strict=True):
            loss.append(losses.expected_h_loss(tree, chances, model.predict_one(x)))
        y = {tree.root: True}
        for v in tree.nodes[1:]:  # parents come first
            y[v] = y[tree.parent(v)] and rng.random() < (1 + margin[v]) / 2
        del y[tree.root]
        for model in models:
            model.learn_one(x, y)
        examples.append((x, y))
    steps = (step for step in STEPS if step <= len(examples))
    bounds = [evaluate.hrls_bound(tree, stream.weights, examples[:step]) for step in steps]
    rounds, logs, Q = spectra(tree, d, examples, margins)
    eq_6 = {v: d * math.log1p(n / d) for v, n in Q.items()}
    return Draw(*map(at_steps, found), bounds, at_steps(rounds), logs, eq_6)


def spectra(
    tree: Taxonomy, d: int, examples: list[Any], margins: list[Any]
) -> tuple[list[float], dict[Any, float], dict[Any, int]]:
    """The terms of Remark 6 by round; the logarithms and Q of each node at the end."""
    inner = [v for v in tree if tree.children(v)]
    inverse = {v: np.eye(d) for v in inner}  # of I + S S^T, which siblings share
    logs, Q, rounds = dict.fromkeys(inner, 0.0), dict.fromkeys(inner, 0), []
    for (x, y), margin in zip(examples, margins, strict=True):
        z, total = np.array([x[i] for i in range(d)]), 0.0
        for parent in inner:
            if parent == tree.root or y[parent]:
                a = inverse[parent] @ z
                over = 1.0 + float(a @ z)
                inverse[parent] -= np.outer(a, a) / over
                logs[parent] += math.log(over)
                Q[parent] += 1
                for v in tree.children(parent):
                    total += (1 + len(tree.descendants(v))) * (1.0 - 1.0 / over) / margin[v] ** 2
        rounds.append(FACTOR * total)
    parents = {v: tree.parent(v) for v in tree.nodes[1:]}
    return rounds, {v: logs[u] for v, u in parents.items()}, {v: Q[u] for v, u in parents.items()}
