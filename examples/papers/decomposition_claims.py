"""The claims of El-Yaniv and Etzion-Rosenberg (2002), and what is done otherwise here."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable

import claims
from decomposition_fold import FEW, PAPER, Run

Found = dict[str, dict[int, list[Run]]]  # by task and number of classes


def difference(runs: list[Run], ours: str, theirs: str = "all-pairs") -> tuple[float, float]:
    """The mean advantage in the same fold, and its standard error."""
    advantages = [run[ours] - run[theirs] for run in runs]
    return statistics.mean(advantages), statistics.stdev(advantages) / math.sqrt(len(advantages))


def means(runs: list[Run], names: list[str]) -> list[float]:
    return [statistics.mean(run[name] for run in runs) for name in names]


def points(mean: float, error: float) -> str:
    return f"{mean:+.1f} ({error:.1f})"


def few(by_size: dict[int, list[Run]]) -> dict[int, list[Run]]:
    return {k: runs for k, runs in by_size.items() if k <= FEW}


# %% Better or worse is what two standard errors cannot explain
def runs_of(by_size: dict[int, list[Run]]) -> list[Run]:
    return [run for runs in by_size.values() for run in runs]


def better(task: str, ours: str = PAPER, theirs: str = "all-pairs") -> Callable[[Found], str]:
    """Up to the number of classes up to which the paper finds an advantage."""

    def objection(found: Found) -> str:
        mean, error = difference(runs_of(few(found[task])), ours, theirs)
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


def not_skewed(found: Found) -> str:
    by_size = found["authors"]
    shares = [100 * means(runs, [f"height, {PAPER}"])[0] / (k - 1) for k, runs in by_size.items()]
    why = f"with {max(by_size)} authors they have {shares[-1]:.0f} % of the height of such a tree"
    return claims.unless(min(shares) == 100, why)


def outside(found: Found) -> str:
    runs = [run for by_size in found.values() for run in runs_of(by_size)]
    wrong = sum(not run["lower"] <= run["one word"] <= run["upper"] for run in runs)
    return claims.unless(not wrong, f"not in {wrong} of {len(runs)} folds")


TASKS = ("authors", "authors, unseen stories", "topics", "multinomials")
CLAIMS: claims.Claims = {
    **{f"Figure 2, {t}: hard better than all-pairs up to {FEW} classes": better(t) for t in TASKS},
    **{f"Figure 2, {t}: hard no different from all-pairs beyond": no_different(t) for t in TASKS},
    **{
        f"Figure 2, {t}, online: {how} better than all-pairs up to {FEW} classes": better(
            t, f"online, {how}", "online, all-pairs"
        )
        for t in TASKS[:3]
        for how in ("hard", "soft")
    },
    "the tree with the largest R is a better choice than that with the smallest": larger_is_worse,
    "the best trees are wholly skewed": not_skewed,
    "Lin's bounds enclose the Bayes error of a single token": outside,
}
NUMBERS = ["Figure 2: the paper's numbers, 91 % for 50 authors and 88 % for 100 among them"]
LACKING = "the collection of authors is not to be had, and the figure is lost in the text at hand"

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
        "three folds; whether chunks of an article share a fold is not said",
        "three folds of chunks, and for authors also of whole stories",
        "chunks of the same story share its subject",
    ),
    "order": "classes are added in random order",
    "shuffling": "documents are shuffled before they are divided into folds",
    "epochs": (
        "none: a support vector machine is solved",
        "the online classifiers make two passes",
        "they are the library's case, beside the paper's",
    ),
    "normalisation": (
        "not stated",
        "logarithms of the counts, of norm 1",
        "an RBF kernel needs a scale",
    ),
    "averaging": "the mean of three folds, one random order of the classes",
    "caps": ("none known", "45 chunks a class", "equal priors, as far as possible"),
    "hyper-parameters": (
        "chosen by cross-validation",
        "C and gamma of the greedy tree and of all-pairs, each chosen from four pairs by "
        "cross-validation in the first training set",
        "a choice in each fold takes three times as long",
    ),
    "exponent of JS": (
        "lost with the formulas of the text",
        "n and 1",
        "n is what the footnote suggests",
    ),
}
