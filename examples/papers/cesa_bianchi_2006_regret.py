r"""The regret of H-RLS and its bounds

Theorem 2 and Remarks 4 and 6 of Cesa-Bianchi, Gentile and Zaniboni, "Incremental algorithms for
hierarchical classification" (JMLR 7, 2006), for which the paper has no experiment. Labels are drawn
as in section 5 of the paper. The expected H-loss of every prediction is therefore known, as is that
of the reference classifier, which uses the true weights. Run it with

    python examples/papers/cesa_bianchi_2006_regret.py

The theorem holds for every sequence of instances. Its expectation is over the labels, which
determine what H-RLS learns and the number of instances Q(i, T) at node i. The labels of each
sequence are therefore drawn several times, and the regret and the bound are means over the draws.
Each claim must hold for every sequence, except that on growth, which is tested on the mean.

The bound grows with log T if no instance is close to the decision boundary of a node. Only
instances with a margin at each node are therefore used. A bound says something if it is below the
largest possible loss, which is that of a learner that errs on every example. Theorem 2 and Remark 6
are therefore tested with one or two nodes and wide margins. In the tree of 14 nodes with a margin
of 0.1, in which the other claims are tested, the bound of Theorem 2 is in the millions.

**Remark 4**
bounds the logarithms in the theorem by $d \log(1 + Q(i, T) / d)$ (Eq. 6), and by the same with the
expectation of Q(i, T), which is known (Eq. 7). **Remark 6** says that the proof allows an average
of squared margins instead of the smallest one. Without the last step of the proof, and with
$r_{i,t} = x_t^\top (I + S S^\top + x_t x_t^\top)^{-1} x_t$, the bound is
$16 (1 + 1/e) \sum_i C_i \sum_t r_{i,t} / \Delta_{i,t}^2$ over the rounds in which the parent is on.
"""

# %%
from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import claims
import drawing
from regret_draws import STEPS, TREE, WIDE, Sequence, sequence
from tqdm import tqdm


# %% Tables and figure
def mean(found: list[Sequence], of: Callable[[Sequence], list[float]]) -> list[float]:
    return [statistics.mean(values) for values in zip(*map(of, found), strict=True)]


COLUMNS: dict[str, Callable[[Sequence], list[float]]] = {
    "reference": lambda s: s.reference,
    "H-RLS": lambda s: s.mean("learner"),
    "regret": lambda s: s.regret(),
    "of H-PERC": lambda s: s.regret("perceptron"),
    "Remark 6": lambda s: s.mean("remark_6"),
    "Theorem 2": lambda s: s.mean("theorem_2"),
}


def show(title: str, found: list[Sequence], columns: list[str]) -> None:
    sizes = f"{len(found)} sequences, {len(found[0].draws)} draws of the labels"
    print(f"\nexpected H-loss, {title}: {sizes}\n")
    print(f"{'examples':>8}" + "".join(f"{name:>12}" for name in columns))
    for i, step in enumerate(STEPS[: len(found[0].reference)]):
        values = [mean(found, COLUMNS[name])[i] for name in columns]
        print(f"{step:>8,}" + "".join(f"{value:12,.1f}" for value in values))


def by_depth(found: list[Sequence], of: Callable[[Sequence], dict[Any, float]]) -> list[float]:
    """Means over the nodes of each depth."""
    return [
        statistics.mean(of(s)[v] for s in found for v in TREE.nodes if TREE.tree.depth(v) == depth)
        for depth in range(1, TREE.tree.height + 1)
    ]


def show_logs(found: list[Sequence]) -> None:
    print("\nRemark 4: sum of log(1 + lambda) of a node at the end, and its bounds\n")
    print(f"{'depth':8}{'here':>10}{'Eq. 6':>10}{'Eq. 7':>10}")
    columns = (lambda s: s.mean_at("logs"), lambda s: s.mean_at("eq_6"), lambda s: s.eq_7)
    for depth, *values in zip(range(1, 4), *(by_depth(found, of) for of in columns), strict=True):
        print(f"{depth:<8}" + "".join(f"{value:10.1f}" for value in values))


def draw_figure(wide: dict[str, list[Sequence]], found: list[Sequence], folder: Path) -> None:
    with drawing.panels(folder, "theorem_2", 1, 3, 3.2) as (figure, axes):
        looks = {
            "Theorem 2": ("k", ":"),
            "Remark 6": (drawing.GREEN, "-."),
            "regret": (drawing.BLUE, "-"),
            "of H-PERC": (drawing.ORANGE, "--"),
        }
        for ax, (title, some) in zip(axes[0], wide.items(), strict=False):
            for name, (color, line) in looks.items():
                values = mean(some, COLUMNS[name])
                steps = STEPS[: len(values)]
                ax.loglog(steps, values, line, color=color, label=name)
            ax.loglog(steps, steps, color=drawing.GRAY, label="largest possible loss")
            ax.set(title=title, xlabel="examples")
        right = axes[0][-1]
        steps = STEPS[: len(found[0].reference)]
        for one in found:
            right.semilogx(steps, one.regret(), color=drawing.GRAY, linewidth=0.6)
        right.semilogx(steps, mean(found, COLUMNS["regret"]), color=drawing.BLUE)
        right.set(title="14 nodes: regret", xlabel="examples", ylim=0)
        axes[0][0].set_ylabel("expected H-loss so far")
        drawing.legend(figure, axes[0][0], 3)


# %%
def above(found: list[Sequence], lower: str, upper: str) -> str:
    pairs = [zip(COLUMNS[lower](s), COLUMNS[upper](s), strict=True) for s in found]
    wrong = sum(any(a > b for a, b in pair) for pair in pairs)
    return claims.unless(not wrong, f"above it in {wrong} of {len(found)} sequences")


def logs_above(found: list[Sequence]) -> str:
    """Eq. 6 must hold in each draw, Eq. 7 in expectation."""
    six = sum(d.logs[v] > d.eq_6[v] for s in found for d in s.draws for v in d.logs)
    seven = sum(s.mean_at("logs")[v] > s.eq_7[v] for s in found for v in s.eq_7)
    return claims.unless(not six + seven, f"Eq. 6 not {six} times, Eq. 7 not {seven} times")


def deeper_is_more(found: list[Sequence]) -> str:
    values = by_depth(found, lambda s: s.mean_at("logs"))
    return claims.unless(values == sorted(values, reverse=True), f"{values}")


def faster(found: list[Sequence]) -> str:
    """Whether the regret grows faster than log T, which grows by the same at each doubling."""
    gains = [b - a for a, b in pairwise(mean(found, COLUMNS["regret"]))]
    early, late = (statistics.mean(gains[half]) for half in (slice(4), slice(-4, None)))
    return claims.unless(late <= early, f"{late:.1f} a doubling at the end, {early:.1f} at first")


def not_trivial(found: list[Sequence]) -> str:
    largest, T = max(s.mean("theorem_2")[-1] for s in found), STEPS[len(found[0].reference) - 1]
    return claims.unless(largest < T, f"{largest:,.0f} of {T:,}")


BOUNDS: claims.Laws = {
    "Theorem 2: the expected regret is at most the bound": lambda f: above(
        f, "regret", "Theorem 2"
    ),
    "Theorem 2: the bound is below the largest possible loss": not_trivial,
    "Remark 6: the regret is at most the bound with the margin of each round": lambda f: above(
        f, "regret", "Remark 6"
    ),
    "Remark 6: this bound is below that of Theorem 2": lambda f: above(f, "Remark 6", "Theorem 2"),
}
LAWS: claims.Laws = {
    "Remark 4: Eq. 6 and Eq. 7 bound the logarithms of each node": logs_above,
    "Remark 4: deeper nodes contribute less": deeper_is_more,
    "Remark 4: the regret grows no faster than log T": faster,
}
CLAIMS: claims.Claims = {
    "Section 5: the reference classifier is not Bayes optimal": lambda found: {
        "H-loss": [s.reference[-1] - s.bayes[-1] for s in found]
    },
}
PROTOCOL: dict[str, claims.Aspect] = {
    "data size": (
        "any T",
        f"T = 8,192 or {STEPS[-1]:,}, 2 or 5 features, 1 to 14 nodes",
        "a sample",
    ),
    "splits": "none",
    "order": "any; as drawn",
    "shuffling": "none",
    "epochs": "one",
    "normalisation": "instances and weights of length 1",
    "averaging": (
        "expectations over the labels",
        "means over several draws of them",
        "the expectation has no closed form",
    ),
    "caps": ("none", "margins of at least 0.9, 0.8 or 0.1", "otherwise the bound is very large"),
    "hyper-parameters": "none",
}


def main(n_sequences: int, n_draws: int, figures: Path | None) -> None:
    *several, found = (
        [sequence(setting, seed, n_draws) for seed in tqdm(setting.seeds[:n_sequences], desc=name)]
        for name, setting in {**WIDE, "14 nodes": TREE}.items()
    )
    wide = dict(zip(WIDE, several, strict=True))
    for name, some in wide.items():
        show(f"{name}, margin {WIDE[name].margin}", some, list(COLUMNS))
    show(f"14 nodes, margin {TREE.margin}", found, list(COLUMNS)[:3])
    show_logs(found)
    for name, some in wide.items():
        print(f"\nwith {name}")
        claims.check(BOUNDS, some)
    print("\nwith 14 nodes")
    claims.check(LAWS, found)
    claims.judge(CLAIMS, found, f"{len(found)} sequences")
    claims.differs(PROTOCOL)
    if figures:
        draw_figure(wide, found, figures)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sequences", type=int, default=5, help="how many, at most 5")
    parser.add_argument("--draws", type=int, default=5, help="of the labels of each")
    parser.add_argument("--figures", type=Path, help="folder to draw the figure into")
    arguments = parser.parse_args()
    main(arguments.sequences, arguments.draws, arguments.figures)
