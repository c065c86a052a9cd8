"""Trees of binary classifiers and all-pairs

Figure 2 of El-Yaniv and Etzion-Rosenberg, "Hierarchical multiclass decompositions with application
to authorship determination" (2002): accuracy by the number of classes, and the bounds by which the
trees are chosen. Figure 1 is an excerpt from a text; there are no tables. Run it with

    python examples/papers/el_yaniv_2002.py --data FOLDER

where FOLDER holds `reuters21578`, with `reuters21578.tar.gz` in it. The paper distinguishes 3 to
100 authors of scientific articles, in a collection that is not available. Here there are four
tasks: the 21 authors of Reuters-21578 with the most text under their bylines, once with chunks of a
story in several folds and once with whole stories held out; 24 topics of single-topic stories; and
documents sampled from random multinomials with up to 100 classes, whose Bayes error is known.
Classes are added in several random orders, in 40 where stories are unseen, whose accuracy varies
most; standard errors are over the orders. The claims are
tested on both tasks with authors, because the paper does not say which of the two it has.
Features are the 5,000 most frequent tokens, including punctuation, and the pairs of tokens that are
neighbours after all others are removed. The classifiers are support vector machines. A second
table, which is not in the paper, has River's online logistic regression in `BinaryDecomposition`,
`SoftBinaryDecomposition` and `OneVsOneClassifier`.

**The exponent.** A pair of classes is merged with a probability proportional to a negative power of
2. The exponent, which is missing from the available text of the paper, contains the divergence JS
of the pair. "n JS" multiplies it by the number of tokens of the pair, as a footnote suggests
(`sharpness=1`); "JS" is the divergence alone (`sharpness=0`); "m JS" is the limit of a large
factor that is the same for all pairs. Of ten draws, "R" keeps the tree with the largest R, as in
the paper, "errors" the one with the fewest errors on training documents that are left out, and
"least R" the one with the smallest R. The claims are tested with "n JS, R".

**Skewed trees.** With m JS all trees are completely skewed, because JS cannot be large if the
priors of a pair are very different: the largest tree is always merged with a single class. The last
table has exponents in between: JS times a power of the share of the pair in all documents.

The bounds refer to predicting the class from a single token, because the distributions are over
tokens. They are not bounds for whole documents.
"""

# %%
from __future__ import annotations

import argparse
import random
import statistics
from pathlib import Path

import claims
import drawing
from decomposition_claims import (
    CLAIMS,
    EARLIER,
    LAWS,
    PROTOCOL,
    Found,
    advantages,
    difference,
    few,
    means,
)
from decomposition_fold import FEW, PAPER, SHARES, Document, folds
from reuters_stories import Classes, by_author, by_topic, classes
from sampled_multinomials import sampled
from tqdm import tqdm

AUTHORS = ("authors", "authors, unseen stories")
ORDERS = (12, 40)  # of the classes; unseen stories vary more
SIZES = {
    **dict.fromkeys(AUTHORS, (3, 6, 10, 16)),
    "topics": (3, 10, 24),
    "multinomials": (3, 10, 30, 100),
}
FOLDS = 3
LENGTHS = {"authors": 150, "topics": 1_000}  # tokens a chunk
TREES = (PAPER, "JS, R", "JS, errors", "JS, least R", "m JS")


# %% The tasks
def documents(found: Classes, size: int, order: int, whole: bool) -> list[Document]:
    """The chunks of some classes; larger sizes contain the classes of smaller ones."""
    rng = random.Random(order)
    names = rng.sample(list(found), len(found))[:size]
    made = [
        Document(chunk.tokens, chunk.vector, y, chunk.story if whole else (y, i))
        for y, name in enumerate(names)
        for i, chunk in enumerate(found[name])
    ]
    rng.shuffle(made)
    return made


def results(data: Path, orders: int, most: int) -> Found:
    read = {
        "authors": classes(by_author(data / "reuters21578"), LENGTHS["authors"]),
        "topics": classes(by_topic(data / "reuters21578"), LENGTHS["topics"]),
    }
    for name, some in read.items():
        chunks = [chunk for parts in some.values() for chunk in parts]
        n_stories = len({chunk.story for chunk in chunks})
        print(f"{len(some)} {name}, {len(chunks):,} chunks of {n_stories:,} stories")
    found: Found = {task: {k: [] for k in sizes if k <= most} for task, sizes in SIZES.items()}
    cases = [
        (task, k, order)
        for task, some in found.items()
        for k in some
        for order in range(min(orders, dict(zip(AUTHORS, ORDERS, strict=True)).get(task, 3)))
    ]
    for task, k, order in tqdm(cases, desc="folds"):
        if task == "multinomials":
            made, bayes = sampled(k, order)
            runs = [run | {"Bayes": 100.0 - bayes} for run in folds(made, FOLDS)]
        else:
            whole = "unseen" in task
            runs = folds(documents(read[task.partition(",")[0]], k, order, whole), FOLDS)
        found[task][k] += [run | {"order": order, "m JS": run["share^0"]} for run in runs]
    return found


# %% The figure, and as tables
def show(found: Found) -> None:
    print("\nFigure 2: accuracy % of support vector machines, and the advantage of the first tree")
    print("over all-pairs in points (standard error)")
    for task, by_size in found.items():
        names = ["all-pairs", *TREES] + ["Bayes"] * (task == "multinomials")
        print(f"\n{task}\n{'classes':8}" + "".join(f"{n:>14}" for n in [*names, "advantage"]))
        for k, runs in by_size.items():
            row = "".join(f"{mean:14.1f}" for mean in means(runs, names))
            print(f"{k:<8}{row}{difference(runs, PAPER):>14}")
    print(f"\nnot in the paper: accuracy % of online logistic regression up to {FEW} classes")
    print("and the advantages of trees over all-pairs in points (standard error)\n")
    names = ["online, all-pairs", "online, hard", "online, soft"]
    print(f"{'':24}" + "".join(f"{n:>19}" for n in [*names, "hard", "soft"]))
    for task, by_size in found.items():
        row = "".join(f"{mean:19.1f}" for mean in means(few(by_size), names))
        for ours in names[1:]:
            row += f"{difference(few(by_size), ours, names[0]):>19}"
        print(f"{task:24}{row}")
    print("\nBayes error % of a single token, its bounds, and heights of trees\n")
    names = ["lower", "one word", "upper", "1 - R"]
    trees = [PAPER, "JS, R", "m JS"]
    titles = ["lower bound", "Bayes error", "upper bound", "1 - R(root)", *trees, "at most"]
    print(f"{'':27}" + "".join(f"{title:>12}" for title in titles))
    for task, by_size in found.items():
        for k in sorted({min(by_size), max(by_size)}):
            row = "".join(f"{100 * error:12.1f}" for error in means(by_size[k], names))
            heights = means(by_size[k], [f"height, {t.replace('m JS', 'share^0')}" for t in trees])
            row += "".join(f"{height:12.1f}" for height in heights)
            print(f"{task:24}{k:3}{row}{k - 1:12}")
    show_between(found)


def show_between(found: Found) -> None:
    """Accuracy and height of trees between n JS and m JS; three classes have only one height."""
    print(
        "\nexponents between n JS and m JS: always merging the pair with the smallest JS times its"
    )
    print(
        "share to this power; advantage over all-pairs, and height in % of the largest possible\n"
    )
    print(f"{'power':24}" + "".join(f"{a:>16g}" for a in SHARES))
    for task, by_size in found.items():
        runs = [run | {"k": k} for k, some in by_size.items() if k > 3 for run in some]
        row = ""
        for name in (f"share^{a:g}" for a in SHARES) if runs else ():
            gain = statistics.mean(advantages(runs, name))
            height = means([{"%": 100 * r[f"height, {name}"] / (r["k"] - 1)} for r in runs], ["%"])
            row += f"{f'{gain:+.1f}, {height[0]:.0f} %':>16}"
        print(f"{task:24}{row}")


def draw(found: Found, folder: Path) -> None:
    """Figure 2, and the differences that the paper discusses."""
    looks = {
        "all-pairs": ("k", "s", "all-pairs"),
        PAPER: (drawing.BLUE, "o", "n JS, largest R"),
        "JS, errors": (drawing.GREEN, "^", "JS, fewest errors"),
        "JS, R": (drawing.ORANGE, "v", "JS, largest R"),
        "m JS": (drawing.GRAY, "d", "m JS"),
    }
    with drawing.panels(folder, "figure_2", 2, len(found), 4.4, sharex="col", sharey="row") as (
        figure,
        axes,
    ):
        for column, (task, by_size) in enumerate(found.items()):
            top, bottom = axes[0][column], axes[1][column]
            for name, (color, marker, label) in looks.items():
                look = {"color": color, "marker": marker, "markersize": 4, "label": label}
                accuracies = [means(runs, [name])[0] for runs in by_size.values()]
                top.plot(list(by_size), accuracies, **look)
                if name != "all-pairs":
                    found_ = [advantages(runs, name) for runs in by_size.values()]
                    middle, error = zip(*map(claims.measured, found_), strict=True)
                    bottom.errorbar(list(by_size), middle, error, capsize=2, **look)
            if task == "multinomials":
                bayes = [means(runs, ["Bayes"])[0] for runs in by_size.values()]
                top.plot(list(by_size), bayes, ":", color=drawing.GRAY, label="Bayes classifier")
            top.set(title=task.replace(", ", ",\n"))
            bottom.axhline(0, color="k", linewidth=0.8)
            shown = list(by_size)
            bottom.set(xlabel="classes", xscale="log", xticks=shown, xticklabels=shown)
            bottom.minorticks_off()
        axes[0][0].set(ylabel="accuracy (%)")
        axes[1][0].set(ylabel="over all-pairs (points)")
        drawing.legend(figure, axes[0][-1], 3)


def main(data: Path | None, orders: int, most: int, figures: Path | None) -> None:
    if lacking := claims.missing(data, "reuters21578"):
        claims.untestable([*CLAIMS, EARLIER], lacking)
        return
    found = results(data, orders, most)
    show(found)
    if most >= max(map(max, SIZES.values())):
        for task in AUTHORS:
            print(f"\n{task}")
            n_orders = len({run["order"] for run in found[task][3]})
            claims.judge(CLAIMS, found[task], f"{n_orders} orders of the classes")
        print()
        claims.untestable([EARLIER], "that work is on other authors, in other collections")
        claims.check(LAWS, found)
        claims.differs(PROTOCOL)
    if figures:
        draw(found, figures)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, help="folder with reuters21578")
    parser.add_argument("--orders", type=int, default=40, help="orders of the classes, at most")
    parser.add_argument("--most", type=int, default=100, help="the largest number of classes")
    parser.add_argument("--figures", type=Path, help="folder to draw the figure into")
    arguments = parser.parse_args()
    main(arguments.data, arguments.orders, arguments.most, arguments.figures)
