"""Does the regret of H-RLS stay below its bound, and flatten out?

Theorem 2 of Cesa-Bianchi, Gentile and Zaniboni, "Incremental algorithms for hierarchical
classification" (JMLR 7, 2006), for which the paper has no figure. Labels are drawn as in section 5
of the paper, so the expected H-loss of every prediction is known, as is that of the reference
classifier, which uses the true weights. Run it with

    python examples/papers/cesa_bianchi_2006_regret.py

The theorem holds for every sequence of instances. Its bound grows with log T if no instance is
close to the decision boundary of a node, so the script only draws instances whose margin is at
least 0.1 at each of the 14 nodes. A quantity that grows with log T is a straight line in the right
half of the figure. Each claim must hold for every seed, except for the growth, which is judged on
the mean.
"""

# %%
from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import claims
import drawing
from tqdm import tqdm

from river_hier import Taxonomy, evaluate, linear_model, losses
from river_hier.datasets import synth

STEPS = [2**k for k in range(4, 13)]
MARGIN = 0.1
TREE = Taxonomy.from_nested(
    {side: {f"{side}{i}": [f"{side}{i}{j}" for j in "ab"] for i in "ab"} for side in "ab"}
)


class Point(NamedTuple):
    """Expected losses up to a step, and how much the theorem allows."""

    reference: float
    learner: float
    bound: float

    @property
    def regret(self) -> float:
        return self.learner - self.reference


Curve = list[Point]  # one for each of the steps


# %%
def clear(stream: synth.LinearLabels) -> Iterator[tuple[Any, Any]]:
    """The examples that keep away from the border of every node."""
    for x, y in stream:
        if min(map(abs, stream.scores(x).values())) >= MARGIN:
            yield x, y


def curve(seed: int) -> Curve:
    stream = synth.LinearLabels(TREE, n_features=5, seed=seed)
    model, reference = linear_model.HRLS(TREE), stream.reference
    examples, totals, points = [], [0.0, 0.0], []
    for x, y in islice(clear(stream), STEPS[-1]):
        p = stream.probabilities(x)
        for i, classifier in enumerate((reference, model)):
            totals[i] += losses.expected_h_loss(TREE, p, classifier.predict_one(x))
        model.learn_one(x, y)
        examples.append((x, y))
        if len(examples) in STEPS:
            points.append(Point(*totals, evaluate.hrls_bound(TREE, stream.weights, examples)))
    return points


# %%
def mean(curves: list[Curve], name: str) -> list[float]:
    return [statistics.mean(getattr(c[i], name) for c in curves) for i in range(len(STEPS))]


def show(curves: list[Curve]) -> None:
    names = ("reference", "learner", "regret", "bound")
    print(f"expected H-loss in {len(TREE) - 1} nodes, mean of {len(curves)} streams\n")
    print(f"{'examples':>8}{'reference':>12}{'H-RLS':>12}{'regret':>12}{'at most':>12}")
    for step, *values in zip(STEPS, *(mean(curves, name) for name in names), strict=True):
        print(f"{step:>8,}" + "".join(f"{value:12,.1f}" for value in values))


def draw(curves: list[Curve], folder: Path) -> None:
    with drawing.panels(folder, "theorem_2", 1, 2, 3.0) as (figure, axes):
        left, right = axes[0]
        left.loglog(STEPS, mean(curves, "bound"), "k:", label="Theorem 2")
        left.loglog(STEPS, mean(curves, "reference"), "--", color=drawing.ORANGE, label="reference")
        left.loglog(STEPS, mean(curves, "regret"), color=drawing.BLUE, label="regret of H-RLS")
        left.set(xlabel="examples", ylabel="expected H-loss so far")
        for one in curves:
            right.semilogx(
                STEPS, [point.regret for point in one], color=drawing.GRAY, linewidth=0.6
            )
        right.semilogx(STEPS, mean(curves, "regret"), color=drawing.BLUE)
        right.set(xlabel="examples", ylabel="regret of H-RLS", ylim=0)
        right.set_title("single streams in gray")
        drawing.legend(figure, left, 3)


# %%
def above(curves: list[Curve]) -> str:
    wrong = sum(any(point.regret > point.bound for point in one) for one in curves)
    return claims.unless(not wrong, f"above it in {wrong} of {len(curves)} streams")


def faster(curves: list[Curve]) -> str:
    """What grows with log T gains the same at every doubling."""
    gains = [b - a for a, b in pairwise(mean(curves, "regret"))]
    early, late = (statistics.mean(gains[half]) for half in (slice(4), slice(-4, None)))
    return claims.unless(late <= early, f"{late:.1f} a doubling in the end, {early:.1f} at first")


def far(curves: list[Curve]) -> str:
    shares = [100 * one[-1].regret / one[-1].reference for one in curves]
    return claims.unless(max(shares) < 10, f"by {math.ceil(max(shares))} % in one stream")


CLAIMS: claims.Claims = {
    "Theorem 2: the regret is at most the bound": above,
    "Theorem 2, Remark 4: the regret grows no faster than log T": faster,
    "the H-loss is never much above that of the reference (a tenth at the end)": far,
}


def main(n_seeds: int, figures: Path | None) -> None:
    curves = [curve(seed) for seed in tqdm(range(n_seeds), desc="streams")]
    show(curves)
    print()
    claims.judge(CLAIMS, curves)
    if figures:
        draw(curves, figures)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=10, help="how many streams")
    parser.add_argument("--figures", type=Path, help="folder to draw the figure into")
    arguments = parser.parse_args()
    main(arguments.seeds, arguments.figures)
