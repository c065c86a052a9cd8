r"""The bounds on Hieron's errors

Theorems 1 and 2 and Corollary 1 of Dekel, Keshet and Singer, "Large margin hierarchical
classification" (ICML 2004): if weights separate the examples with margins that grow with the
distance in the tree, the squared loss and the tree-induced error of online Hieron are bounded. So
is the expected error of batch Hieron, with high probability. Run it with

    python examples/papers/dekel_2004_bound.py

These are the paper's synthetic data with almost no noise; with more noise no such weights exist.
With its orthonormal vectors $w^v$, let $\omega^v = s (2 w^v - w^0)$ be the difference between the
prototypes of v and its parent. Without noise, the score of label r on an example of label y is then
$s (|P(y)| - \gamma(y, r))$, which achieves all margins with s = 1; with noise, s = 2 does.
For m independent examples, the bound of Theorem 2 is
$(L + \lambda) / (m + 1) + \lambda \sqrt{2 \ln(1 / \delta) / m}$. L is the cumulative squared loss
of the batch variant, which Theorem 1 bounds as well; $\lambda$ is the product of the number of
labels and the largest distance and squared norms of $\omega^v$ and x. On these data $\lambda$ is
tens of thousands, and an error is at most 8. Theorem 2 is therefore tested with two leaves, whose
examples are the unit vectors within 45 degrees of $\pm e_1$; $\omega = \pm \sqrt{2} e_1$ separates
them, so $\lambda = 12$, and an error is at most 2.
"""

# %%
from __future__ import annotations

import argparse
import math
import random
import statistics
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import claims
import drawing
from competitors import flat
from tqdm import tqdm

from river_hier import Taxonomy, evaluate, linear_model, losses
from river_hier.datasets import synth

STEPS = [2**k * 121 for k in range(7)]
N_NEW = 2000  # examples that estimate an expected error
DELTA = 0.05
PAIR = Taxonomy.flat("ab")
PAIR_STEPS = [100, 1_000, 10_000, 100_000]
PAIR_OMEGA = {"a": {0: math.sqrt(2)}, "b": {0: -math.sqrt(2)}}
Examples = list[tuple[Any, Any]]
SCALES = {0.0: 1.0, 0.001: 2.0}  # variance of the noise: s


class LargestLoss(linear_model.Hieron):
    """The online learner whose hypotheses `AveragedHieron` averages."""

    rival = linear_model.AveragedHieron.rival


class Stream(NamedTuple):
    """Errors and bounds at each of the steps; all but the expected error are cumulative."""

    loss: list[float]  # squared, of the tree learner
    tree: list[float]
    flat: list[float]
    bound: float
    expected: list[float]  # error of batch Hieron on new examples


class Pair(NamedTuple):
    """Batch Hieron on two leaves, at each of the steps."""

    loss: list[float]  # cumulative, squared
    expected: list[float]  # error on new examples
    theorem_2: list[float]
    bound: float  # of Theorem 1


# %%
def comparator(stream: synth.PrototypeTree, scale: float) -> dict[Any, dict[int, float]]:
    W, t = stream.prototypes, stream.taxonomy
    origin = W[t.root]
    return {
        v: {i: scale * (2 * (W[v][i] - W[t.parent(v)][i]) - origin[i]) for i in origin}
        for v in t.nodes[1:]
    }


def run(noise: float, seed: int) -> Stream:
    stream = synth.PrototypeTree(noise=noise, seed=seed)
    t = stream.taxonomy
    examples = list(stream.take(STEPS[-1]))
    bound = evaluate.hieron_bound(t, comparator(stream, SCALES[noise]), examples)
    tree, loss = curve(t, linear_model.Hieron(t, C=math.inf), examples)
    blind, _ = curve(t, linear_model.Hieron(flat(t.nodes), C=math.inf), examples)
    new = list(islice(stream, STEPS[-1], STEPS[-1] + N_NEW))
    _, expected = batch(t, examples, new, STEPS)
    return Stream(loss, tree, blind, bound, expected)


def pair(seed: int) -> Pair:
    rng = random.Random(seed)
    drawn = []
    for _ in range(PAIR_STEPS[-1] + N_NEW):
        y, angle = rng.choice("ab"), rng.uniform(-math.pi / 4, math.pi / 4)
        drawn.append(({0: (1 if y == "a" else -1) * math.cos(angle), 1: math.sin(angle)}, y))
    examples, new = drawn[: PAIR_STEPS[-1]], drawn[PAIR_STEPS[-1] :]
    losses_, expected = batch(PAIR, examples, new, PAIR_STEPS)
    bounds = [
        evaluate.hieron_risk_bound(PAIR, PAIR_OMEGA, examples[:m], loss, DELTA)
        for m, loss in zip(PAIR_STEPS, losses_, strict=True)
    ]
    return Pair(losses_, expected, bounds, evaluate.hieron_bound(PAIR, PAIR_OMEGA, examples))


def squared_loss(t: Taxonomy, scores: dict[Any, float], y: Any) -> float:
    """The largest squared loss (Eq. 5) of y against another label."""
    over = (scores[r] - scores[y] + math.sqrt(t.distance(y, r)) for r in t.nodes if r != y)
    return max(0.0, *over) ** 2


def curve(t: Taxonomy, model: Any, examples: Examples) -> tuple[list[float], list[float]]:
    """The cumulative tree-induced error of an online learner, and its squared loss."""
    error, loss, points = 0.0, 0.0, []
    for step, (x, y) in enumerate(examples, start=1):
        answer = model.predict_one(x)
        error += losses.tree_induced_error(t, y, answer if answer in t else t.root)
        if answer in t and answer != y:
            loss += losses.hieron_loss(t, y, model.score_one(x)) ** 2  # Eq. 5
        model.learn_one(x, y)
        if step in STEPS:
            points.append((error, loss))
    errors, squares = zip(*points, strict=True)
    return list(errors), list(squares)


def batch(
    t: Taxonomy, examples: Examples, new: Examples, steps: list[int]
) -> tuple[list[float], list[float]]:
    """The cumulative squared loss of batch Hieron, and its expected tree-induced error."""
    last = LargestLoss(t, C=math.inf)
    average = linear_model.Averaged(LargestLoss(t, C=math.inf), from_first_round=True)  # Eq. (13)
    loss, squares, expected = 0.0, [], []
    for m, (x, y) in enumerate(examples, start=1):
        loss += squared_loss(t, last.score_one(x), y)
        last.learn_one(x, y)
        average.learn_one(x, y)
        if m in steps:
            far = (losses.tree_induced_error(t, y, average.predict_one(x)) for x, y in new)
            expected.append(statistics.mean(far))
            squares.append(loss)
    return squares, expected


# %% The table and the figure
def mean(streams: list[Any], name: str) -> list[float]:
    return [statistics.mean(v) for v in zip(*(getattr(s, name) for s in streams), strict=True)]


def show(by_noise: dict[float, list[Stream]], pairs: list[Pair]) -> None:
    print(
        "cumulative errors of online Hieron, expected error of batch Hieron; means over the seeds"
    )
    for noise, streams in by_noise.items():
        bound = statistics.mean(s.bound for s in streams)
        print(f"\nvariance {noise}: tree-induced error and squared loss at most {bound:,.0f}\n")
        heads = ("tree", "squared loss", "flat", "batch, expected")
        print(f"{'examples':>8}" + "".join(f"{head:>17}" for head in heads))
        names = ("tree", "loss", "flat", "expected")
        for step, *values in zip(STEPS, *(mean(streams, name) for name in names), strict=True):
            cells = zip(values, (1, 1, 1, 3), strict=True)
            print(f"{step:>8,}" + "".join(f"{value:17,.{digits}f}" for value, digits in cells))
    print(f"\ntwo leaves: squared loss at most {pairs[0].bound:.0f}\n")
    print(f"{'examples':>8}" + "".join(f"{h:>17}" for h in ("squared loss", *heads[3:], "at most")))
    names = ("loss", "expected", "theorem_2")
    for step, *values in zip(PAIR_STEPS, *(mean(pairs, name) for name in names), strict=True):
        print(f"{step:>8,}" + "".join(f"{value:17.3f}" for value in values))


def draw(by_noise: dict[float, list[Stream]], folder: Path) -> None:
    with drawing.panels(folder, "theorem_1", 1, len(by_noise), 3.0, sharey=True) as (
        figure,
        axes,
    ):
        for ax, (noise, streams) in zip(axes[0], by_noise.items(), strict=True):
            bound = max(s.bound for s in streams)
            ax.loglog(STEPS, [bound] * len(STEPS), "k:", label="at most")
            loss = mean(streams, "loss")
            ax.loglog(STEPS, loss, "-.", color=drawing.GREEN, label="squared loss, tree")
            ax.loglog(STEPS, mean(streams, "flat"), "--", color=drawing.ORANGE, label="flat")
            ax.loglog(STEPS, mean(streams, "tree"), color=drawing.BLUE, label="tree")
            ax.set(title=f"variance {noise}", xlabel="examples")
        axes[0][0].set_ylabel("tree-induced error so far (edges)")
        drawing.legend(figure, axes[0][0], 4)


# %%
def above(streams: list[Stream], what: str) -> str:
    wrong = sum(getattr(s, what)[-1] > s.bound for s in streams)
    return claims.unless(not wrong, f"above it in {wrong} of {len(streams)} streams")


def loss_below_error(streams: list[Stream]) -> str:
    pairs = [pair for s in streams for pair in zip(s.loss, s.tree, strict=True)]
    wrong = sum(loss < error for loss, error in pairs)
    return claims.unless(not wrong, f"not in {wrong} of {len(pairs)} cases")


def expected_above(pairs: list[Pair]) -> str:
    cases = [case for p in pairs for case in zip(p.expected, p.theorem_2, strict=True)]
    wrong = sum(error > bound for error, bound in cases)
    return claims.unless(not wrong, f"above it in {wrong} of {len(cases)} cases")


def loss_above(pairs: list[Pair]) -> str:
    wrong = sum(p.loss[-1] > p.bound for p in pairs)
    return claims.unless(not wrong, f"above it in {wrong} of {len(pairs)} streams")


def goes_on(streams: list[Stream]) -> str:
    """Whether the error still grows at the same rate at the end; a bounded error cannot."""
    early, late = (
        (mean(streams, "tree")[b] - mean(streams, "tree")[a]) / (STEPS[b] - STEPS[a])
        for a, b in ((0, 1), (-2, -1))
    )
    return claims.unless(
        late < early / 10, f"{late:.3f} an example at the end, {early:.3f} at first"
    )


LAWS: claims.Laws = {
    "Theorem 1: the cumulative squared loss is at most the bound": partial(above, what="loss"),
    "Corollary 1: the squared loss is never below the tree-induced error": loss_below_error,
    "Corollary 1: the cumulative tree-induced error is at most the bound": partial(
        above, what="tree"
    ),
    "Corollary 1: the error stops growing (at most a tenth of the initial rate)": goes_on,
}
PAIR_LAWS: claims.Laws = {
    "Theorem 2: the expected error of batch Hieron is at most the bound": expected_above,
    "Theorem 2: the squared loss of batch Hieron is at most the bound of Theorem 1": loss_above,
}
PROTOCOL: dict[str, claims.Aspect] = {
    "data size": (
        "any",
        f"{STEPS[-1]:,} training and {N_NEW:,} test examples; two leaves: {PAIR_STEPS[-1]:,}",
        "the theorems hold for any number",
    ),
    "noise": (
        "variance 0.16 in the experiments",
        "0 and 0.001",
        "with more noise the examples are not separable",
    ),
    "splits": ("none", "several streams", "a bound must hold for each"),
    "order": "as drawn",
    "shuffling": "none",
    "epochs": "one",
    "normalisation": "none",
    "averaging": "by the rule of 2004, in Theorem 2",
    "caps": "none",
    "hyper-parameters": ("any delta", f"delta = {DELTA}", "Theorem 2 needs one"),
}


def main(n_seeds: int, figures: Path | None) -> None:
    by_noise = {
        noise: [run(noise, seed) for seed in tqdm(range(n_seeds), desc=f"variance {noise}")]
        for noise in SCALES
    }
    pairs = [pair(seed) for seed in tqdm(range(n_seeds), desc="two leaves")]
    show(by_noise, pairs)
    for noise, streams in by_noise.items():
        print(f"\nwith variance {noise}")
        claims.check(LAWS, streams)
    print("\nwith two leaves")
    claims.check(PAIR_LAWS, pairs)
    claims.differs(PROTOCOL)
    if figures:
        draw(by_noise, figures)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3, help="how many streams to average over")
    parser.add_argument("--figures", type=Path, help="folder to draw the figure into")
    arguments = parser.parse_args()
    main(arguments.seeds, arguments.figures)
