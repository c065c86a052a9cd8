r"""Sequences near the bound on Hieron's errors

Theorem 1 of Dekel, Keshet and Singer, "Large margin hierarchical classification" (ICML 2004), on
sequences that leave little room below it. Synthetic data do not: there even learners with half or
double the step stay below the bound. Run it with

    python examples/papers/dekel_2004_tight.py

The learner moves away from the label of the largest loss (section 4). In the first sequence all x
are orthogonal, so nothing that is learned helps with the next one. In the second, two short x,
nearly opposite each other, alternate; their label is at the end of a chain of five nodes. The
weights $\omega$ of least norm are known. Each wrong rule differs from Eq. 8 in one factor, and
must exceed the bound on one of the sequences, or the law could not fail.
"""

# %%
from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import Any

import claims

from river_hier import Taxonomy, evaluate, linear_model

Examples = list[tuple[dict[Any, float], Any]]


# %% Eq. 8, and rules that differ in one factor
def loss(margin: float, gamma: float) -> float:
    return math.sqrt(gamma) - margin


RULES: dict[str, Callable[[float, float, float], float]] = {
    "right": lambda margin, gamma, norm2: loss(margin, gamma) / (gamma * norm2),
    "half the step": lambda margin, gamma, norm2: loss(margin, gamma) / (gamma * norm2) / 2,
    "double step": lambda margin, gamma, norm2: loss(margin, gamma) / (gamma * norm2) * 2,
    "no root of gamma": lambda margin, gamma, norm2: (gamma - margin) / (gamma * norm2),
    "no division by gamma": lambda margin, gamma, norm2: loss(margin, gamma) / norm2,
    "norm, not squared": lambda margin, gamma, norm2: loss(margin, gamma) / (gamma * norm2**0.5),
    "perceptron": lambda margin, gamma, norm2: float(loss(margin, gamma) > 0),
}


class LargestLoss(linear_model.Hieron):
    """The variant of section 4."""

    rival = linear_model.AveragedHieron.rival


def learner(rule: str, t: Taxonomy) -> linear_model.Hieron:
    """Hieron with the library's own rule if it is the right one."""
    if rule == "right":
        return LargestLoss(t, C=math.inf)
    changed = {"rule": lambda self, *args: RULES[rule](*args)}
    return type("Mutant", (LargestLoss,), changed)(t, C=math.inf)


# %% The sequences, and what separates them
def orthogonal(m: int = 200) -> tuple[Taxonomy, Examples, Any]:
    omega = {"a": dict.fromkeys(range(m), 1.0), "b": dict.fromkeys(range(m), 1 - math.sqrt(2))}
    return Taxonomy.flat("ab"), [({i: 1.0}, "a") for i in range(m)], omega


def opposite(size: float = 0.5, angle: float = 1.2, m: int = 200) -> tuple[Taxonomy, Examples, Any]:
    x, y = size * math.cos(angle), size * math.sin(angle)
    omega = {v: {0: (math.sqrt(5 - v) - math.sqrt(4 - v)) / x} for v in range(1, 5)}
    chain = Taxonomy([(v, v + 1) for v in range(4)])
    return chain, [({0: x, 1: y * (-1) ** i}, 4) for i in range(m)], omega


def share(model: Any, examples: Examples, omega: Any) -> float:
    """The cumulative squared loss of a learner as a share of the bound."""
    t, total = model.taxonomy, 0.0
    for x, y in examples:
        scores = model.score_one(x)
        over = max(scores[r] - scores[y] + math.sqrt(t.distance(y, r)) for r in t.nodes)
        total += max(over, 0.0) ** 2
        model.learn_one(x, y)
    return total / evaluate.hieron_bound(t, omega, examples)


# %%
def above(found: dict[str, list[float]]) -> str:
    return claims.unless(max(found["right"]) <= 1, f"{max(found['right']):.3f} of it")


LAWS: claims.Laws = {"Theorem 1: the squared loss is at most the bound": above}
PROTOCOL: dict[str, claims.Aspect] = {
    "data size": ("any", "200 examples", "the theorem holds for any number"),
    "splits": "none",
    "order": "any",
    "shuffling": "none",
    "epochs": "one",
    "normalisation": "none",
    "averaging": "none",
    "caps": "none",
    "hyper-parameters": "none",
}


def main() -> None:
    sequences = {"orthogonal x": orthogonal(), "opposite x": opposite()}
    found = {
        rule: [
            share(learner(rule, t), examples, omega) for t, examples, omega in sequences.values()
        ]
        for rule in RULES
    }
    print("squared loss as a share of the bound of Theorem 1\n")
    print(f"{'rule':<22}" + "".join(f"{name:>14}" for name in sequences))
    for rule, shares in found.items():
        print(f"{rule:<22}" + "".join(f"{min(value, 999):14.3f}" for value in shares))
    wrong = [rule for rule, shares in found.items() if rule != "right" and max(shares) > 1]
    print(f"\n{len(wrong)} of {len(RULES) - 1} wrong rules exceed it\n")
    claims.check(LAWS, found)
    claims.differs(PROTOCOL)


if __name__ == "__main__":
    argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args()
    main()
