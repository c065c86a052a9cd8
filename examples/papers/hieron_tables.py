"""Tables 1 and 2 of the papers on Hieron: tree, flat and greedy learners."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import claims
import drawing
from competitors import flat, greedy

from river_hier import Taxonomy

KINDS = ("online", "last", "averaged")
BATCH = KINDS[1:]
ERRORS = ("tree-induced", "multiclass")
RULES = {
    "2004": "batch rule of 2004: each update is for the label with the largest loss",
    "2005": "batch rule of 2005: updates only after mistakes, as in online learning",
}
Examples = list[tuple[Any, Any]]
Answers = list[tuple[Any, Any]]  # label, prediction
Learner = Callable[[Taxonomy], Any]  # returns an averaged model, with its `last` hypothesis


class Errors(NamedTuple):
    """The errors of one learner on one sample."""

    distance: float  # tree-induced
    wrong: float  # multiclass, in percent
    at: dict[int, float]  # percentage of predictions at each distance from the truth
    leaves: dict[int, float]  # percentage of errors by the depth at which they leave its path


Key = tuple[str, str]  # learner, kind
Result = dict[Key, Errors]


def mean(results: list[Result]) -> Result:
    """The mean errors of each learner, over draws of one sample."""

    def shares(found: list[dict[int, float]]) -> dict[int, float]:
        keys = sorted(set().union(*found))
        return {key: statistics.mean(one.get(key, 0.0) for one in found) for key in keys}

    rows = {key: list(zip(*(result[key] for result in results), strict=True)) for key in results[0]}
    return {
        key: Errors(*map(statistics.mean, row[:2]), *(shares(list(part)) for part in row[2:]))
        for key, row in rows.items()
    }


# %% One sample: train on its first part, test on its second
def distance(taxonomy: Taxonomy, y: Any, answer: Any) -> int:
    """The distance of a prediction from the label, in the tree."""
    # The extra root of flat learners is not a label of the tree; it counts as the tree's root.
    return taxonomy.distance(y, answer if answer in taxonomy else taxonomy.root)


def shared(taxonomy: Taxonomy, y: Any, answer: Any) -> int:
    """The number of nodes that the paths of the label and of a prediction share."""
    path = taxonomy.path(answer) if answer in taxonomy else [taxonomy.root]
    return sum(u == v for u, v in zip(taxonomy.path(y), path, strict=False))


def errors(taxonomy: Taxonomy, answers: Answers) -> Errors:
    counts = Counter(distance(taxonomy, *pair) for pair in answers)
    wrong = sum(y != answer for y, answer in answers)
    depths = Counter(shared(taxonomy, *pair) for pair in answers if pair[0] != pair[1])
    at, leaves = (
        {key: 100 * n / len(answers) for key, n in sorted(found.items())}
        for found in (counts, depths)
    )
    mean = sum(far * n for far, n in counts.items()) / len(answers)
    return Errors(mean, 100 * wrong / len(answers), at, leaves)


def online(taxonomy: Taxonomy, learner: Learner, train: Examples) -> Answers:
    """The predictions of an online learner, each made before its label is learned."""
    model, answers = learner(taxonomy), []
    for x, y in train:
        answers.append((y, model.predict_one(x)))
        model.learn_one(x, y)
    return answers


def batch(
    t: Taxonomy, labels: Any, learner: Learner, train: Examples, test: Examples, epochs: int = 1
) -> Iterator[Result]:
    """The rows of Table 2, after each epoch."""
    models = {"tree": learner(t), "flat": learner(flat(labels)), "greedy": greedy(t, learner)}
    for _ in range(epochs):
        result: Result = {}
        for name, model in models.items():
            for x, y in train:
                model.learn_one(x, y)
            for kind, final in zip(BATCH, (model.last, model), strict=True):
                result[name, kind] = errors(t, [(y, final.predict_one(x)) for x, y in test])
        yield result


# %% Tables and figures
def summary(results: list[Result], key: Key) -> str:
    """Both errors of a learner: means over the samples, and standard deviations."""
    cells = []
    for what, digits in ((0, 2), (1, 1)):
        values = [result[key][what] for result in results]
        spread = statistics.stdev(values) if len(values) > 1 else 0.0
        cells.append(f"{statistics.mean(values):.{digits}f} ({spread:.{digits}f})")
    return " / ".join(cells)


def differences(results: list[Result]) -> dict[int, float]:
    """Percentage of Hieron's predictions 1, 2, ... edges off, minus that of the flat learner.

    These are the bars of the papers' figure, here means over the samples.
    """
    pairs = [(r["tree", "averaged"].at, r["flat", "averaged"].at) for r in results]
    longest = max(far for pair in pairs for at in pair for far in at)
    return {
        far: statistics.mean(ours.get(far, 0.0) - theirs.get(far, 0.0) for ours, theirs in pairs)
        for far in range(1, longest + 1)
    }


def show_differences(title: str, by_name: dict[str, list[Result]]) -> None:
    print(f"\n{title}: percentage of predictions at each distance from the truth,")
    print("averaged tree learner minus averaged flat learner\n")
    bars = {name: differences(results) for name, results in by_name.items()}
    longest = max(map(len, bars.values()))
    print(f"{'edges':31}" + "".join(f"{far:8}" for far in range(1, longest + 1)))
    for name, values in bars.items():
        print(f"{name:31}" + "".join(f"{bar:+8.2f}" for bar in values.values()))


def draw(by_name: dict[str, list[Result]], folder: Path, name: str) -> None:
    rows = -(-len(by_name) // 2)
    with drawing.panels(folder, name, rows, 2, 2.4 * rows, sharex=True, sharey="row") as (_, axes):
        for ax, (title, results) in zip(axes.flat, by_name.items(), strict=True):
            bars = differences(results)
            ax.bar(list(bars), list(bars.values()), color=drawing.BLUE)
            ax.axhline(0, color=drawing.BLACK, linewidth=0.8)
            ax.set(title=title, xticks=list(bars))
        for ax in axes[-1]:
            ax.set_xlabel("distance from the truth (edges)")
        for ax in axes[:, 0]:
            ax.set_ylabel("tree minus flat (points)")


# %% The claims of both papers
def below(
    results: list[Result], better: str, worse: str, kinds: Sequence[str], what: int
) -> claims.Differences:
    """How far a learner is below another in one of the two errors, in each sample."""
    return {
        kind if len(kinds) > 1 else "points": [
            result[worse, kind][what] - result[better, kind][what] for result in results
        ]
        for kind in kinds
    }


def averaging(results: list[Result], names: Sequence[str]) -> claims.Differences:
    """How far the average of the hypotheses is below the last one in tree-induced error."""
    return {
        name: [result[name, "last"][0] - result[name, "averaged"][0] for result in results]
        for name in names
    }


def last_is_good(results: list[Result]) -> claims.Differences:
    """How far the last hypothesis is below the average of greedy, its nearest row in the paper."""
    return {"edges": [r["greedy", "averaged"][0] - r["tree", "last"][0] for r in results]}


def near(results: list[Result]) -> claims.Differences:
    """How much more often tree predicts a parent or sibling of the truth."""
    shares = [
        [sum(result[name, "averaged"].at.get(edges, 0.0) for edges in (1, 2)) for result in results]
        for name in ("tree", "flat")
    ]
    return {"points": [tree - flat for tree, flat in zip(*shares, strict=True)]}


def farthest(results: list[Result]) -> claims.Differences:
    """How much less often tree errs by the largest distance."""
    far = max(edges for result in results for edges in result["flat", "averaged"].at)
    shares = (
        (result["flat", "averaged"].at.get(far, 0.0), result["tree", "averaged"].at.get(far, 0.0))
        for result in results
    )
    return {"points": [flat - tree for flat, tree in shares]}


def nearer(results: list[Result]) -> claims.Differences:
    """How much less often tree is farther off than 2 edges, a sibling's distance."""
    far = [
        [
            sum(share for edges, share in result[name, "averaged"].at.items() if edges > 2)
            for result in results
        ]
        for name in ("flat", "tree")
    ]
    return {"points": [flat - tree for flat, tree in zip(*far, strict=True)]}


CLAIMS: claims.Claims = {
    "Tables 1 and 2: tree below flat in tree-induced error": partial(
        below, better="tree", worse="flat", kinds=KINDS, what=0
    ),
    **{
        f"Table 2: batch Hieron below greedy in {error} error": partial(
            below, better="tree", worse="greedy", kinds=BATCH, what=what
        )
        for what, error in enumerate(ERRORS)
    },
    "Section 4: the last hypothesis works reasonably well: it is below greedy, averaged": (
        last_is_good
    ),
}


def of_figure(name: str) -> claims.Claims:
    """The three claims of Figures 2 (2004) and 4 (2005)."""
    return {
        f"{name}: tree predicts a parent or sibling of the truth more often than flat": near,
        f"{name}: tree errs by the largest distance less often than flat": farthest,
        f"{name}: tree farther off than a parent or sibling less often than flat": nearer,
    }
