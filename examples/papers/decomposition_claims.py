"""The claims of El-Yaniv and Etzion-Rosenberg (2002), and the differences of protocol."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Callable
from functools import partial

import claims
from decomposition_fold import FEW, PAPER, Run

Found = dict[str, dict[int, list[Run]]]  # by task and number of classes


def difference(runs: list[Run], ours: str, theirs: str = "all-pairs") -> tuple[float, float]:
    """The mean advantage, and its standard error over the orders of the classes.

    Folds and sizes of one order share documents, so their advantages are not independent.
    """
    by_order: dict[float, list[float]] = defaultdict(list)
    for run in runs:
        by_order[run["order"]].append(run[ours] - run[theirs])
    means = [statistics.mean(some) for some in by_order.values()]
    error = statistics.stdev(means) / math.sqrt(len(means)) if len(means) > 1 else math.nan
    return statistics.mean(means), error


def means(runs: list[Run], names: list[str]) -> list[float]:
    return [statistics.mean(run[name] for run in runs) for name in names]


def points(mean: float, error: float) -> str:
    return f"{mean:+.1f} ({error:.1f})"


def few(by_size: dict[int, list[Run]]) -> dict[int, list[Run]]:
    return {k: runs for k, runs in by_size.items() if k <= FEW}


# %% Better or worse: by more than two standard errors
def runs_of(by_size: dict[int, list[Run]]) -> list[Run]:
    return [run for runs in by_size.values() for run in runs]


def better(task: str) -> Callable[[Found], str]:
    """Up to the number of classes up to which the paper reports an advantage."""

    def objection(found: Found) -> str:
        mean, error = difference(runs_of(few(found[task])), PAPER)
        return claims.unless(mean > 2 * error, f"{points(mean, error)} points")

    return objection


def no_different(task: str) -> Callable[[Found], str]:
    def objection(found: Found) -> str:
        runs = runs_of({k: runs for k, runs in found[task].items() if k > FEW})
        mean, error = difference(runs, PAPER)
        return claims.unless(abs(mean) <= 2 * error, f"{points(mean, error)} points")

    return objection


def larger_is_worse(found: Found) -> str:
    runs = [run for by_size in found.values() for run in runs_of(by_size)]
    mean, error = difference(runs, "JS, R", "JS, least R")
    return claims.unless(mean > 2 * error, f"{points(mean, error)} points, in draws by JS")


def not_skewed(found: Found, tree: str) -> str:
    by_size = found["authors"]
    shares = [100 * means(runs, [f"height, {tree}"])[0] / (k - 1) for k, runs in by_size.items()]
    why = f"their height is {min(shares):.0f} % of the largest possible one or more"
    return claims.unless(min(shares) > 99, why)


def outside(found: Found) -> str:
    runs = [run for by_size in found.values() for run in runs_of(by_size)]
    wrong = sum(not run["lower"] <= run["one word"] <= run["upper"] for run in runs)
    return claims.unless(not wrong, f"not in {wrong} of {len(runs)} folds")


TASKS = ("authors", "authors, unseen stories", "topics", "multinomials")
CLAIMS: claims.Claims = {
    **{f"Figure 2, {t}: hard better than all-pairs up to {FEW} classes": better(t) for t in TASKS},
    **{f"Figure 2, {t}: hard no different from all-pairs beyond": no_different(t) for t in TASKS},
    "the tree with the largest R is more accurate than the one with the smallest": larger_is_worse,
    "Section 5: the best trees are completely skewed, with n JS": partial(not_skewed, tree=PAPER),
    "Section 5: the best trees are completely skewed, with m JS": partial(
        not_skewed, tree="share^0"
    ),
    "Theorem 2: Lin's bounds enclose the Bayes error of a single token": outside,
}
NUMBERS = ["Figure 2: the paper's numbers, 91 % for 50 authors and 88 % for 100 among them"]
LACKING = "the collection of authors and the figure are not available"

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
