r"""The propositions on label ranking

Propositions 1 and 2 of Cai and Hofmann, "Exploiting known taxonomies in learning overlapping
concepts" (IJCAI 2007). Run it with

    python examples/papers/cai_hofmann_2007_propositions.py

The available text has lost both formulas; these are restorations. With
$\Delta(Y, \hat Y) = \lvert anc(Y) \triangle anc(\hat Y) \rvert$, **Proposition 1** relates the loss
of sets to that of pairs: if neither of $Y$ and $\hat Y$ contains the other, $\Delta(Y, \hat Y)$ is
at most the sum of $\Delta(y, \hat y)$ over $y \in Y - \hat Y$ and $\hat y \in \hat Y - Y$.
**Proposition 2**: the mean of the slacks of the support vector machine is at least the mean maximal
loss on its training set, that of the worst misordered pair. Cases are drawn at random: sets of
labels in small taxonomies, half of which are not trees, with random volumes and costs; and machines
trained on few examples with random labels. The slacks are the least with which their scores are
feasible.
"""

# %%
from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterable
from typing import Any

import claims

from river_hier import Taxonomy, batch, losses

N_SETS, N_MACHINES = 3000, 100
Number = Callable[[float], float]


# %% The left side of each proposition as a share of the right one, which may be changed
Given = dict[str, Any]


def costs(rng: random.Random, taxonomy: Taxonomy) -> Given:
    volumes = {v: rng.uniform(0.1, 3) for v in taxonomy.nodes}
    return {"volumes": volumes, "missed": rng.random(), "spurious": rng.random()}


def delta(t: Taxonomy, Y: Iterable[Any], Y_hat: Iterable[Any], given: Given) -> float:
    return losses.symmetric_difference_loss(t, t.closure(Y), t.closure(Y_hat), **given)


def proposition_1(seed: int, change: Number = float) -> float:
    """0 if one set contains the other, for which it says nothing."""
    rng = random.Random(seed)
    edges = {(rng.randrange(v), v) for v in range(1, rng.randrange(3, 10))}
    if seed % 2:
        edges |= {(rng.randrange(v), v) for _, v in edges}
    t = Taxonomy(sorted(edges))
    Y, Y_hat = (set(rng.sample(t.nodes, rng.randrange(1, 4))) for _ in range(2))
    given = costs(rng, t)
    pairs = sum(delta(t, {y}, {y_hat}, given) for y in Y - Y_hat for y_hat in Y_hat - Y)
    return delta(t, Y, Y_hat, given) / change(pairs) if pairs else 0.0


def proposition_2(seed: int, change: Number = float) -> float:
    rng = random.Random(seed)
    t = Taxonomy([(rng.randrange(v), v) for v in range(1, 6)])
    given, labels = costs(rng, t), t.leaves
    examples = []
    for _ in range(8):
        relevant = set(rng.sample(labels, rng.randint(1, len(labels))))
        examples.append(({i: rng.gauss(0, 1) for i in range(2)}, relevant))
    model = batch.HierarchicalMultilabelSVM(t, 10 ** rng.uniform(-4, 1), candidates=labels, **given)
    model.fit(examples)
    maximal = slacks = 0.0
    for x, relevant in examples:
        F = model.score_one(x)
        maximal += losses.maximal_loss(t, relevant, F, candidates=labels, **given)
        pairs = [(y, other) for y in relevant for other in set(labels) - relevant]
        slack = [0.0, *(delta(t, {y}, {z}, given) * (1 - F[y] + F[z]) for y, z in pairs)]
        slacks += max(slack)
    return maximal / (change(slacks) or 1e-9)


PROPOSITIONS = {"Proposition 1": proposition_1, "Proposition 2": proposition_2}


# %%
def at_most(k: int) -> Callable[[Any], str]:
    return lambda found: claims.unless(found[k] <= 1 + 1e-9, f"up to {found[k]:.3f} of it")


LAWS: claims.Laws = {
    "Proposition 1: the loss of two sets is at most the sum of those of their pairs": at_most(0),
    "Proposition 2: the mean maximal loss is at most the mean slack": at_most(1),
}
PROTOCOL: dict[str, claims.Aspect] = {
    "data size": ("any", f"{N_SETS:,} pairs of sets, {N_MACHINES} machines", "a sample"),
    "splits": "none",
    "order": "any",
    "shuffling": "none",
    "epochs": "until the duality gap is 1 %",
    "normalisation": "none",
    "averaging": "none",
    "caps": "none",
    "hyper-parameters": "any C, volumes and costs",
}


def main() -> None:
    cases = zip(PROPOSITIONS.values(), (N_SETS, N_MACHINES), strict=True)
    found = [max(map(share, range(n))) for share, n in cases]
    print("largest share of the bound in random cases\n")
    for name, share in zip(PROPOSITIONS, found, strict=True):
        print(f"{name}{share:8.3f}")
    print()
    claims.check(LAWS, found)
    claims.differs(PROTOCOL)


if __name__ == "__main__":
    argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args()
    main()
