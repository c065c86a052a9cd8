"""Is a binary tree over the classes as good as all pairs of them?

Figure 2 of El-Yaniv and Etzion-Rosenberg, "Hierarchical multiclass decompositions with application
to authorship determination" (2002): accuracy by number of classes, and the bounds by which the
trees are chosen. Figure 1 is an excerpt from a text; there are no tables. Run it with

    python examples/papers/el_yaniv_2002.py --data FOLDER

where FOLDER holds `reuters21578`, with `reuters21578.tar.gz` in it. The paper distinguishes 3 to
100 authors of scientific articles in a collection that is not available. Here the classes are
topics of Reuters-21578 with more than 30 single-topic stories, as in the paper; at most 45 stories
of each are used. Features are the 5,000 most frequent words, without the paper's word pairs.
Classes are added one by one in random order; the results are means over three folds and `--orders`
such orders. Every decomposition uses the same online logistic regression. For up to ten classes,
the paper's classifier is used as well: support vector machines with an RBF kernel, with C = 10
where the paper chooses C by cross-validation.

An author has one style throughout, whereas a set of topics need not be separable from the others:
claims that are not reproduced here may still hold for authors. The bounds refer to predicting the
class from a single word, because the distributions are over words; they say nothing about whole
stories. R favours hard decisions near the root, where a mistake costs most; the page on
[decompositions](../models/induction.md) explains why.
"""

# %%
from __future__ import annotations

import argparse
import math
import random
import statistics
from collections.abc import Callable
from pathlib import Path

import claims
import drawing
from decomposition_fold import FEW, fold
from reuters_stories import ByTopic, frequent, stories, vector
from tqdm import tqdm

SIZES = (3, 4, 6, 8, 10, 16, 24)
FOLDS = 3


# %% All folds
def folds(by_topic: ByTopic, size: int, order: int) -> list[dict[str, float]]:
    rng = random.Random(order)
    topics = rng.sample(list(by_topic), len(by_topic))[:size]  # larger sizes hold the smaller ones
    # Numbers for labels: the ties of all-pairs go by the order of a set, which strings change.
    examples = [(x, vector(x), y) for y, topic in enumerate(topics) for x in by_topic[topic]]
    rng.shuffle(examples)
    parts = [examples[i::FOLDS] for i in range(FOLDS)]
    return [
        fold([e for other in parts if other is not part for e in other], part) for part in parts
    ]


# %% The figure, and as tables
Run = dict[str, float]
Found = dict[int, list[Run]]  # by the number of classes


def difference(runs: list[Run], ours: str, theirs: str = "all-pairs") -> tuple[float, float]:
    """The mean advantage in the same fold, and its standard error."""
    advantages = [run[ours] - run[theirs] for run in runs]
    return statistics.mean(advantages), statistics.stdev(advantages) / math.sqrt(len(advantages))


def means(runs: list[Run], names: list[str]) -> list[float]:
    return [statistics.mean(run[name] for run in runs) for name in names]


def show(found: Found) -> None:
    names = ["hard", "soft", "least R", "all-pairs", "one-vs-rest"]
    print("\nFigure 2: accuracy %, and advantage over all-pairs in points (standard error)")
    print("hard, soft: in the tree with the largest R of ten; least R: hard, with the smallest\n")
    print(f"{'classes':8}" + "".join(f"{n:>13}" for n in [*names, "hard", "soft"]))
    for k, runs in found.items():
        row = "".join(f"{mean:13.1f}" for mean in means(runs, names))
        for ours in ("hard", "soft"):
            row += f"{points(*difference(runs, ours)):>13}"
        print(f"{k:<8}{row}")
    print("\nthe same with support vector machines\n")
    print(f"{'classes':8}{'hard':>13}{'all-pairs':>13}{'hard':>13}")
    for k, runs in few(found).items():
        row = "".join(f"{mean:13.1f}" for mean in means(runs, ["SVM, hard", "SVM, all-pairs"]))
        print(f"{k:<8}{row}{points(*difference(runs, 'SVM, hard', 'SVM, all-pairs')):>13}")
    print("\nerror % of telling the class from one word, its bounds, and the trees\n")
    names = ["lower", "one word", "upper", "1 - R", "height"]
    titles = ["lower bound", "Bayes error", "upper bound", "1 - R(root)", "height", "at most"]
    print(f"{'classes':8}" + "".join(f"{title:>13}" for title in titles))
    for k, runs in found.items():
        *errors, height = means(runs, names)
        row = "".join(f"{100 * error:13.1f}" for error in errors)
        print(f"{k:<8}{row}{height:13.1f}{k - 1:13}")


def points(mean: float, error: float) -> str:
    return f"{mean:+.1f} ({error:.1f})"


def few(found: Found) -> Found:
    return {k: runs for k, runs in found.items() if k <= FEW}


def draw(found: Found, folder: Path) -> None:
    """Figure 2, and what the paper compares in it as differences."""
    looks = {
        "all-pairs": ("k", "s", "-"),
        "hard": (drawing.BLUE, "o", "-"),
        "soft": (drawing.GREEN, "^", "-"),
        "SVM, all-pairs": ("k", "s", ":"),
        "SVM, hard": (drawing.BLUE, "o", ":"),
    }
    with drawing.panels(folder, "figure_2", 1, 2, 3.2, sharex=True) as (figure, axes):
        for name, (color, marker, line) in looks.items():
            shown = few(found) if "SVM" in name else found
            look = {"color": color, "marker": marker, "linestyle": line, "markersize": 4}
            look["markerfacecolor"] = "white" if "SVM" in name else color
            accuracies = [means(runs, [name])[0] for runs in shown.values()]
            axes[0][0].plot(list(shown), accuracies, label=name, **look)
            if "all-pairs" not in name:
                theirs = "SVM, all-pairs" if "SVM" in name else "all-pairs"
                pairs = [difference(runs, name, theirs) for runs in shown.values()]
                middle, error = zip(*pairs, strict=True)
                axes[0][1].errorbar(list(shown), middle, error, capsize=3, **look)
        axes[0][0].set(ylabel="accuracy (%)", title="accuracy")
        axes[0][1].set(ylabel="points", title="advantage over all-pairs")
        axes[0][1].axhline(0, color="k", linewidth=0.8)
        for ax in axes[0]:
            ax.set(xlabel="classes", xscale="log", xticks=list(found), xticklabels=found)
            ax.minorticks_off()
        drawing.legend(figure, axes[0][0], 3)


# %% The claims: better or worse is what two standard errors cannot explain
def all_runs(found: Found) -> list[Run]:
    return [run for runs in found.values() for run in runs]


def not_better(
    ours: str, theirs: str, at: Callable[[Found], Found] = few
) -> Callable[[Found], str]:
    def objection(found: Found) -> str:
        mean, error = difference(all_runs(at(found)), ours, theirs)
        return claims.unless(mean > 2 * error, f"{points(mean, error)} points")

    return objection


def different(ours: str) -> Callable[[Found], str]:
    def objection(found: Found) -> str:
        runs = [run for k, runs in found.items() if k > FEW for run in runs]
        mean, error = difference(runs, ours)
        return claims.unless(abs(mean) <= 2 * error, f"{points(mean, error)} points")

    return objection


def outside(found: Found) -> str:
    runs = all_runs(found)
    wrong = sum(not run["lower"] <= run["one word"] <= run["upper"] for run in runs)
    return claims.unless(not wrong, f"not in {wrong} of {len(runs)} folds")


def not_skewed(found: Found) -> str:
    shares = [100 * means(runs, ["height"])[0] / (k - 1) for k, runs in found.items()]
    why = f"with {max(found)} classes they have {shares[-1]:.0f} % of the height of such a tree"
    return claims.unless(min(shares) == 100, why)


CLAIMS: claims.Claims = {
    f"Figure 2: hard better than all-pairs up to {FEW} classes": not_better("hard", "all-pairs"),
    "Figure 2: hard no different from all-pairs beyond": different("hard"),
    f"Figure 2: soft better than all-pairs up to {FEW} classes": not_better("soft", "all-pairs"),
    "Figure 2: soft no different from all-pairs beyond": different("soft"),
    f"Figure 2: SVM, hard better than all-pairs up to {FEW} classes": not_better(
        "SVM, hard", "SVM, all-pairs"
    ),
    "the tree with the largest R is a better choice than that with the smallest": not_better(
        "hard", "least R", at=dict
    ),
    "the best trees are wholly skewed": not_skewed,
    "Lin's bounds enclose the Bayes error of a single word": outside,
}
NUMBERS = ["Figure 2: the paper's numbers, 91 % for 50 authors and 88 % for 100 among them"]
LACKING = "the collection of authors is not to be had, and the figure is lost in the text at hand"


def main(data: Path | None, orders: int, most: int, figures: Path | None) -> None:
    if lacking := claims.missing(data, "reuters21578"):
        claims.untestable([*CLAIMS, *NUMBERS], lacking)
        return
    by_topic = frequent(stories(data / "reuters21578"))
    print(f"{len(by_topic)} topics, {sum(map(len, by_topic.values())):,} stories")
    found: Found = {k: [] for k in SIZES if k <= most}
    for size in tqdm(found, desc="sizes"):
        for order in range(orders):
            found[size] += folds(by_topic, size, order)
    show(found)
    if most >= SIZES[-1]:
        print()
        claims.judge(CLAIMS, found)
        claims.untestable(NUMBERS, LACKING)
    if figures:
        draw(found, figures)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, help="folder with reuters21578")
    parser.add_argument("--orders", type=int, default=3, help="random orders of the classes")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="the largest number of classes")
    parser.add_argument("--figures", type=Path, help="folder to draw the figure into")
    arguments = parser.parse_args()
    main(arguments.data, arguments.orders, arguments.most, arguments.figures)
