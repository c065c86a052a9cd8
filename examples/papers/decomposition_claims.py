"""The claims of El-Yaniv and Etzion-Rosenberg (2002), and the differences of protocol."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict

import claims
from decomposition_fold import FEW, PAPER, Run

BySize = dict[int, list[Run]]  # by number of classes
Found = dict[str, BySize]  # by task


def advantages(runs: list[Run], ours: str, theirs: str = "all-pairs") -> list[float]:
    """The mean advantage for each order of the classes.

    Folds and sizes of one order share documents, so their advantages are not independent.
    """
    by_order: dict[float, list[float]] = defaultdict(list)
    for run in runs:
        by_order[run["order"]].append(run[ours] - run[theirs])
    return [statistics.mean(some) for some in by_order.values()]


def difference(runs: list[Run], ours: str, theirs: str = "all-pairs") -> str:
    """The mean advantage in points, and its standard error over the orders."""
    found = advantages(runs, ours, theirs)
    error = statistics.stdev(found) / math.sqrt(len(found)) if len(found) > 1 else math.nan
    return f"{statistics.mean(found):+.1f} ({error:.1f})"


def means(runs: list[Run], names: list[str]) -> list[float]:
    return [statistics.mean(run[name] for run in runs) for name in names]


def few(by_size: BySize) -> list[Run]:
    return [run for k, runs in by_size.items() if k <= FEW for run in runs]


def many(by_size: BySize) -> list[Run]:
    return [run for k, runs in by_size.items() if k > FEW for run in runs]


# %% The claims, in points for each order of the classes
def better(by_size: BySize) -> claims.Differences:
    """Up to the number of classes up to which the paper reports an advantage."""
    return {"points": advantages(few(by_size), PAPER)}


def no_difference(by_size: BySize) -> claims.Differences:
    """How far the difference is above -1 point and below 1 point: no more than that."""
    found = advantages(many(by_size), PAPER)
    return {
        "above -1 point": [points + 1 for points in found],
        "below 1 point": [1 - points for points in found],
    }


def unscalable(by_size: BySize) -> claims.Differences:
    """How much larger the power of the classes is with which the time of all-pairs grows."""
    first, *_, last = sorted(k for k in by_size if k <= FEW)
    ratios = [
        {
            "order": small["order"],
            **{
                name: math.log(large[key] / small[key]) / math.log(last / first)
                for name in ("all-pairs", "hard")
                for key in [f"seconds, {name}"]
            },
        }
        for small, large in zip(by_size[first], by_size[last], strict=True)
    ]
    return {"power": advantages(ratios, "all-pairs", "hard")}


def larger_is_better(by_size: BySize) -> claims.Differences:
    runs = [run for some in by_size.values() for run in some]
    return {"points": advantages(runs, "JS, R", "JS, least R")}


def skewed(by_size: BySize) -> claims.Differences:
    """How much nearer the height is to the largest possible one than to the smallest."""
    runs = [
        {"order": run["order"], "height": run[f"height, {PAPER}"], "middle": middle}
        for k, some in by_size.items()
        if k > 3  # three classes have only one height
        for middle in [(k - 1 + math.ceil(math.log2(k))) / 2]
        for run in some
    ]
    return {"edges": advantages(runs, "height", "middle")}


def outside(found: Found) -> str:
    runs = [run for by_size in found.values() for some in by_size.values() for run in some]
    wrong = sum(not run["lower"] <= run["one word"] <= run["upper"] for run in runs)
    return claims.unless(not wrong, f"not in {wrong} of {len(runs)} folds")


CLAIMS: claims.Claims = {
    f"Figure 2: hard better than all-pairs up to {FEW} classes": better,
    f"Figure 2: beyond {FEW} classes there is no difference, of more than a point": no_difference,
    "the tree with the largest R is more accurate than the one with the smallest": (
        larger_is_better
    ),
    "Section 5: the best trees are skewed rather than balanced": skewed,
    "Section 6: all-pairs does not scale: its time grows faster with the classes": unscalable,
}
EARLIER = "Section 5: the accuracy is far above that of earlier work"
LAWS: claims.Laws = {
    "Theorem 2: Lin's bounds enclose the Bayes error of a single token": outside,
}

PROTOCOL: dict[str, claims.Aspect] = {
    "data": (
        "articles on machine learning by 100 authors",
        "news by 21 authors, on 24 topics; sampled documents of up to 100 classes",
        "the paper's collection is not available",
    ),
    "data size": (
        "authors with more than 30 chunks of 1,000 tokens",
        "classes with more than 30 chunks of 150 tokens (authors) or 1,000 tokens (topics: most "
        "stories are shorter and are one chunk)",
        "stories with a byline have 600 tokens on average",
    ),
    "splits": (
        "three folds; it is not stated whether chunks of an article share a fold",
        "three folds of chunks, and for authors also of whole stories",
        "chunks of the same story share its subject",
    ),
    "order": "classes are added in random order",
    "shuffling": "documents are shuffled before they are divided into folds",
    "epochs": (
        "support vector machines to convergence",
        "the same; online classifiers in two passes",
        "online learning is what the library adds",
    ),
    "normalisation": (
        "not stated",
        "logarithms of the counts, of norm 1",
        "an RBF kernel depends on the scale",
    ),
    "averaging": (
        "the mean of three folds, with one order of the classes",
        "the mean of three folds and of several orders",
        "for standard errors",
    ),
    "caps": ("not stated", "45 chunks a class", "nearly equal priors"),
    "hyper-parameters": (
        "chosen by cross-validation",
        "C and gamma of one tree and of all-pairs, each chosen from four pairs by "
        "cross-validation in the first training set of each order",
        "a choice in each fold takes three times as long",
    ),
    "exponent of JS": (
        "lost with the formulas of the text",
        "n JS, m JS, JS, and powers in between",
        "the footnote suggests n JS",
    ),
}
