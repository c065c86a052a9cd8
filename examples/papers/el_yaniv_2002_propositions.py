r"""Two propositions that are false

Propositions 3 and 4 of El-Yaniv and Etzion-Rosenberg, "Hierarchical multiclass decompositions with
application to authorship determination" (2002): the error of a tree of binary decisions is at most
$1 - R(root)$, and at least the same with $J_v^2 / 4$ in place of $J_v / 2$. Run it with

    python examples/papers/el_yaniv_2002_propositions.py

The best decision is taken at each node. The proofs multiply probabilities of being right as if the
errors of different nodes were independent. For **Proposition 3**, priors and conditionals of three
classes are drawn at random, in a tree with one class on one side and two on the other. For
**Proposition 4**, one class has the prior 1/2 and 16 others share the rest, in a balanced tree; x
says nothing, so the first class is always predicted. Lin's upper bound, $J / 2$ of all classes,
holds for the trees as well.
"""

# %%
from __future__ import annotations

import argparse
from typing import Any

import claims
import numpy as np

from river_hier import Taxonomy
from river_hier.induction import bayes_error_bounds, tree_recursions

N_PROBLEMS = 4000
THREE = Taxonomy([("s", "a"), ("s", "v"), ("v", "b"), ("v", "c")])
MANY = Taxonomy([("s", "big"), ("s", 1)] + [(i // 2, i) for i in range(2, 32)])
Joint = dict[Any, dict[Any, float]]  # {class: {x: probability}}


def error(tree: Taxonomy, joint: Joint) -> float:
    """The error of the best decision at each node."""

    def mass(v: Any, x: Any) -> float:
        return sum(joint[c][x] for c in (v, *tree.descendants(v)) if c in joint)

    right = 0.0
    for x in next(iter(joint.values())):
        v = tree.root
        while tree.children(v):
            v = max(tree.children(v), key=lambda child: mass(child, x))
        right += joint[v][x]
    return 1.0 - right


def problem(rng: np.random.Generator) -> tuple[dict[str, float], Joint]:
    """Priors and conditionals of three classes with two to four values of x."""
    priors, rows = rng.dirichlet(np.ones(3)), rng.dirichlet(np.full(rng.integers(2, 5), 0.3), 3)
    rows = (rows + 1e-12) / (rows + 1e-12).sum(axis=1, keepdims=True)
    conditionals = {c: dict(enumerate(row)) for c, row in zip("abc", rows.tolist(), strict=True)}
    return dict(zip("abc", priors.tolist(), strict=True)), conditionals


def joint(priors: dict[Any, float], conditionals: Joint) -> Joint:
    return {c: {x: priors[c] * p for x, p in row.items()} for c, row in conditionals.items()}


def random_problems() -> tuple[list[float], list[float]]:
    """How far the error is above 1 - R(root), and above Lin's upper bound."""
    rng, above, above_lin = np.random.default_rng(0), [], []
    for _ in range(N_PROBLEMS):
        priors, conditionals = problem(rng)
        found = error(THREE, joint(priors, conditionals))
        above.append(found - tree_recursions(THREE, priors, conditionals)[1])
        above_lin.append(found - bayes_error_bounds(priors, conditionals)[1])
    return above, above_lin


def counterexample() -> tuple[float, float]:
    """The error, and the paper's lower bound."""
    priors = {"big": 0.5, **dict.fromkeys(range(16, 32), 0.5 / 16)}
    conditionals = {c: {0: 1.0} for c in priors}
    return error(MANY, joint(priors, conditionals)), tree_recursions(MANY, priors, conditionals)[0]


# %%
def count(above: list[float]) -> int:
    return sum(excess > 1e-9 for excess in above)


LAWS: claims.Laws = {
    "Proposition 3: the error of a tree is at most 1 - R(root)": lambda found: claims.unless(
        not count(found[0]), f"more in {count(found[0])} of {N_PROBLEMS:,} problems"
    ),
    "Proposition 4: the error of a tree is at least its lower bound": lambda found: claims.unless(
        found[2][0] >= found[2][1], f"{found[2][0]:.4f} of {found[2][1]:.4f}"
    ),
    "Theorem 2: Lin's upper bound holds for every tree": lambda found: claims.unless(
        not count(found[1]), f"not in {count(found[1])} problems"
    ),
}
PROTOCOL: dict[str, claims.Aspect] = {
    "data size": ("any", f"{N_PROBLEMS:,} random problems and one made by hand", "a sample"),
    "splits": "none",
    "order": "none",
    "shuffling": "none",
    "epochs": "none: the probabilities are known",
    "normalisation": "none",
    "averaging": "none",
    "caps": "none",
    "hyper-parameters": "none",
}


def main() -> None:
    above, above_lin = random_problems()
    found = above, above_lin, counterexample()
    print(f"three classes: error above 1 - R(root) in {count(above)} of {N_PROBLEMS:,} problems,")
    print(f"by {max(above):.3f} at most; above Lin's upper bound in {count(above_lin)}\n")
    print("17 classes: error {:.4f}, the lower bound of Proposition 4 {:.4f}\n".format(*found[2]))
    claims.check(LAWS, found)
    claims.differs(PROTOCOL)


if __name__ == "__main__":
    argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args()
    main()
