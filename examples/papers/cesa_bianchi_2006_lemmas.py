r"""The lemmas behind the regret of H-RLS

Lemmas 7 to 9 of Cesa-Bianchi, Gentile and Zaniboni, "Incremental algorithms for hierarchical
classification" (JMLR 7, 2006), and the order of the three losses of its section 3. Run it with

    python examples/papers/cesa_bianchi_2006_lemmas.py

Cases are drawn at random: unit vectors u and x of up to five features, and up to eleven stored unit
vectors, the columns of S. With $A = I + S S^\top + x x^\top$ and $r = x^\top A^{-1} x$, **Lemma 7**
says that the bias $u^\top (I + x x^\top) A^{-1} x$ is at most $\sqrt r + |u^\top x| r$, **Lemma 8**
that $\lVert S^\top A^{-1} x \rVert^2 \le r$, and **Lemma 9** that
$\sum_t e^{-\alpha / a_t} \le \sum_t a_t / (e \alpha)$. Theorem 2 itself is tested once more on a
sequence that H-PERC, which follows labels drawn against the odds, cannot stand: one node, two
features and margins of at least 0.9.
"""

# %%
from __future__ import annotations

import argparse
import math
import random
from collections.abc import Callable
from itertools import islice
from typing import Any

import claims
import numpy as np

from river_hier import Taxonomy, evaluate, linear_model, losses
from river_hier.datasets import synth

N_CASES, N_EXAMPLES = 3000, 32_768
Number = Callable[[float], float]


# %% The left side of each lemma as a share of the right one, in which r may be changed
def instances(seed: int) -> tuple[Any, Any, Any, Any]:
    rng = np.random.default_rng(seed)
    d, Q = int(rng.integers(1, 6)), int(rng.integers(0, 12))
    u, x, *stored = (v / np.linalg.norm(v) for v in rng.standard_normal((2 + Q, d)))
    S = np.array(stored).reshape(Q, d).T
    return u, x, S, np.linalg.inv(np.eye(d) + S @ S.T + np.outer(x, x))


def lemma_7(seed: int, change: Number = float) -> float:
    u, x, _, inverse = instances(seed)
    r = change(x @ inverse @ x)
    bias = u @ (np.eye(len(x)) + np.outer(x, x)) @ inverse @ x
    return abs(float(bias)) / (math.sqrt(r) + abs(float(u @ x)) * r)


def lemma_8(seed: int, change: Number = float) -> float:
    _, x, S, inverse = instances(seed)
    Z = S.T @ inverse @ x
    return float(Z @ Z) / change(x @ inverse @ x)


def lemma_9(seed: int, change: Number = float) -> float:
    rng = np.random.default_rng(seed)
    alpha, a = rng.random() + 0.05, rng.random(8)
    return float(np.exp(-alpha / a).sum()) * math.e * alpha / change(a.sum())


LEMMAS = {"Lemma 7": lemma_7, "Lemma 8": lemma_8, "Lemma 9": lemma_9}


def in_order(seed: int) -> bool:
    """Whether zero-one loss <= H-loss <= symmetric difference for two random multilabels."""
    rng = random.Random(seed)
    t = Taxonomy([(rng.randrange(v), v) for v in range(1, rng.randrange(2, 9))])
    y, y_pred = (t.closure(rng.sample(t.nodes, rng.randrange(len(t)))) for _ in range(2))
    given = (losses.zero_one_loss, losses.h_loss, losses.symmetric_difference_loss)
    values = [loss(t, y, y_pred) for loss in given]
    return values == sorted(values)


# %% Theorem 2, on a sequence that tells learners apart
def regrets() -> tuple[dict[str, float], float]:
    """The expected regret of two learners, and the bound of H-RLS."""
    t = Taxonomy.flat("a")
    stream = synth.LinearLabels(t, n_features=2, seed=0)
    clear = (xy for xy in stream if abs(stream.scores(xy[0])["a"]) >= 0.9)
    examples = list(islice(clear, N_EXAMPLES))
    learners = {"H-RLS": linear_model.HRLS(t), "H-PERC": linear_model.HPerceptron(t)}
    found = dict.fromkeys(learners, 0.0)
    for x, y in examples:
        p = stream.probabilities(x)
        least = losses.expected_h_loss(t, p, stream.reference.predict_one(x))
        for name, model in learners.items():
            found[name] += losses.expected_h_loss(t, p, model.predict_one(x)) - least
            model.learn_one(x, y)
    return found, evaluate.hrls_bound(t, stream.weights, examples)


# %%
def violated(name: str) -> Callable[[Any], str]:
    def objection(found: Any) -> str:
        return claims.unless(found[name] <= 1 + 1e-9, f"up to {found[name]:.3f} of it")

    return objection


LAWS: claims.Laws = {
    "Lemma 7: the bias of a score is at most its bound": violated("Lemma 7"),
    "Lemma 8: the squared norm of the weights of labels is at most r": violated("Lemma 8"),
    "Lemma 9: the sum of exponentials is at most its bound": violated("Lemma 9"),
    "Section 3: zero-one loss <= H-loss <= symmetric difference": lambda found: claims.unless(
        not found["disorder"], f"not in {found['disorder']} of {N_CASES} cases"
    ),
    "Theorem 2: the expected regret is at most the bound": lambda found: claims.unless(
        found["H-RLS"] <= found["bound"], f"{found['H-RLS']:.0f} of {found['bound']:.0f}"
    ),
}
PROTOCOL: dict[str, claims.Aspect] = {
    "data size": ("any", f"{N_CASES:,} random cases, {N_EXAMPLES:,} examples", "a sample"),
    "splits": "none",
    "order": "any",
    "shuffling": "none",
    "epochs": "one",
    "normalisation": "instances and weights of length 1",
    "averaging": ("expectations over the labels", "one draw of them", "as it is a single bound"),
    "caps": ("none", "margins of at least 0.9", "otherwise the bound is very large"),
    "hyper-parameters": "none",
}


def main() -> None:
    found: dict[str, Any] = {
        name: max(map(lemma, range(N_CASES))) for name, lemma in LEMMAS.items()
    }
    print(f"largest share of the bound in {N_CASES:,} random cases\n")
    for name in LEMMAS:
        print(f"{name:<10}{found[name]:8.3f}")
    found["disorder"] = sum(not in_order(seed) for seed in range(N_CASES))
    regret, found["bound"] = regrets()
    found |= regret
    print(f"\nregret after {N_EXAMPLES:,} examples; the bound of H-RLS is {found['bound']:.0f}\n")
    for name, value in regret.items():
        print(f"{name:<10}{value:8.1f}")
    print()
    claims.check(LAWS, found)
    claims.differs(PROTOCOL)


if __name__ == "__main__":
    argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args()
    main()
