r"""Does Hieron make no more mistakes than its bound allows?

Theorem 1 and Corollary 1 of Dekel, Keshet and Singer, "Large margin hierarchical classification"
(ICML 2004), for which the paper has no figure: if some weights separate the examples with margins
that grow with the distance in the tree, the cumulative tree-induced error of online Hieron is
bounded, however long the stream is. Run it with

    python examples/papers/dekel_2004_bound.py

The streams are those of the paper's synthetic data with almost no noise, because no such weights
exist with more noise. With the paper's orthonormal vectors $w^v$, take
$\omega^v = s (2 w^v - w^0)$ as the difference between each prototype and its parent's. Without
noise, an example of label y then gives the label r the score $s (|P(y)| - \gamma(y, r))$, so s = 1
achieves every margin. With noise, s = 2 does.
"""

# %%
from __future__ import annotations

import argparse
import statistics
from pathlib import Path
from typing import Any, NamedTuple

import claims
import drawing
from competitors import flat
from tqdm import tqdm

from river_hier import evaluate, linear_model, losses
from river_hier.datasets import synth

STEPS = [2**k * 121 for k in range(7)]
SCALES = {0.0: 1.0, 0.001: 2.0}  # variance of the noise: s


class Stream(NamedTuple):
    """Cumulative tree-induced errors at each of the steps, and what the theorem allows."""

    tree: list[float]
    flat: list[float]
    bound: float


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
    curves = []
    for taxonomy in (t, flat(t.nodes)):
        model, total, curve = linear_model.Hieron(taxonomy), 0.0, []
        for step, (x, y) in enumerate(examples, start=1):
            answer = model.predict_one(x)
            total += losses.tree_induced_error(t, y, answer if answer in t else t.root)
            model.learn_one(x, y)
            if step in STEPS:
                curve.append(total)
        curves.append(curve)
    return Stream(*curves, bound)


# %%
def mean(streams: list[Stream], name: str) -> list[float]:
    return [statistics.mean(getattr(s, name)[i] for s in streams) for i in range(len(STEPS))]


def show(by_noise: dict[float, list[Stream]]) -> None:
    print("cumulative tree-induced error of online Hieron, mean over the seeds")
    for noise, streams in by_noise.items():
        bound = statistics.mean(s.bound for s in streams)
        print(f"\nvariance {noise}: at most {bound:,.0f}\n")
        print(f"{'examples':>8}{'tree':>10}{'flat':>10}")
        for step, *values in zip(STEPS, mean(streams, "tree"), mean(streams, "flat"), strict=True):
            print(f"{step:>8,}" + "".join(f"{value:10,.1f}" for value in values))


def draw(by_noise: dict[float, list[Stream]], folder: Path) -> None:
    with drawing.panels(folder, "corollary_1", 1, len(by_noise), 3.0, sharey=True) as (
        figure,
        axes,
    ):
        for ax, (noise, streams) in zip(axes[0], by_noise.items(), strict=True):
            bound = max(s.bound for s in streams)
            ax.loglog(STEPS, [bound] * len(STEPS), "k:", label="Corollary 1")
            ax.loglog(STEPS, mean(streams, "flat"), "--", color=drawing.ORANGE, label="flat")
            ax.loglog(STEPS, mean(streams, "tree"), color=drawing.BLUE, label="tree")
            ax.set(title=f"variance {noise}", xlabel="examples")
        axes[0][0].set_ylabel("tree-induced error so far (edges)")
        drawing.legend(figure, axes[0][0], 3)


# %%
def above(streams: list[Stream]) -> str:
    wrong = sum(s.tree[-1] > s.bound for s in streams)
    return claims.unless(not wrong, f"above it in {wrong} of {len(streams)} streams")


def goes_on(streams: list[Stream]) -> str:
    """What is bounded cannot grow at the same pace for ever."""
    early, late = (
        (mean(streams, "tree")[b] - mean(streams, "tree")[a]) / (STEPS[b] - STEPS[a])
        for a, b in ((0, 1), (-2, -1))
    )
    return claims.unless(
        late < early / 10, f"{late:.3f} an example at the end, {early:.3f} at first"
    )


def not_below(streams: list[Stream]) -> str:
    wrong = sum(s.tree[-1] >= s.flat[-1] for s in streams)
    return claims.unless(not wrong, f"not in {wrong} of {len(streams)} streams")


CLAIMS: claims.Claims = {
    "Corollary 1: the cumulative tree-induced error is at most the bound": above,
    "Corollary 1: the error stops growing (a tenth of the pace at the end)": goes_on,
    "tree below flat": not_below,
}


def main(n_seeds: int, figures: Path | None) -> None:
    by_noise = {
        noise: [run(noise, seed) for seed in tqdm(range(n_seeds), desc=f"variance {noise}")]
        for noise in SCALES
    }
    show(by_noise)
    for noise, streams in by_noise.items():
        print(f"\nwith variance {noise}")
        claims.judge(CLAIMS, streams)
    if figures:
        draw(by_noise, figures)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3, help="how many streams to average over")
    parser.add_argument("--figures", type=Path, help="folder to draw the figure into")
    arguments = parser.parse_args()
    main(arguments.seeds, arguments.figures)
