"""Tables 1 and 2 of the papers on Hieron: tree, flat and greedy learners."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import drawing
from competitors import flat, greedy, last

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


Key = tuple[str, str]  # learner, kind
Result = dict[Key, Errors]


# %% One sample: train on its first part, test on its second
def distance(taxonomy: Taxonomy, y: Any, answer: Any) -> int:
    """The distance of a prediction from the label, in the tree."""
    # The extra root of flat learners is not a label of the tree; it counts as the tree's root.
    return taxonomy.distance(y, answer if answer in taxonomy else taxonomy.root)


def errors(taxonomy: Taxonomy, answers: Answers) -> Errors:
    counts = Counter(distance(taxonomy, *pair) for pair in answers)
    wrong = sum(y != answer for y, answer in answers)
    at = {far: 100 * n / len(answers) for far, n in sorted(counts.items())}
    mean = sum(far * n for far, n in counts.items()) / len(answers)
    return Errors(mean, 100 * wrong / len(answers), at)


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
            for kind, final in zip(BATCH, (last(model), model), strict=True):
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


def pooled(results: list[Result]) -> Result:
    """The means of all errors over the samples."""
    found = {}
    for key in results[0]:
        every = [result[key] for result in results]
        distances = sorted({far for e in every for far in e.at})
        at = {far: statistics.mean(e.at.get(far, 0.0) for e in every) for far in distances}
        found[key] = Errors(
            statistics.mean(e.distance for e in every),
            statistics.mean(e.wrong for e in every),
            at,
        )
    return found


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


# %% Claims: functions that return an objection, or "" if the claim holds
def not_below(results: list[Result], better: Key, worse: Key, what: int) -> str:
    """The number of samples in which a learner's error is not lower, and the mean difference."""
    gaps = [result[better][what] - result[worse][what] for result in results]
    lost = sum(gap >= 0 for gap in gaps)
    unit = ("edges", "points")[what]
    where = f"not in {lost} of {len(gaps)}, " if len(gaps) > 1 else ""
    return f"{where}{statistics.mean(gaps):+.2f} {unit}" if lost else ""


def not_below_all(results: list[Result], pairs: Iterable[tuple[Key, Key]], what: int) -> str:
    """The same for several pairs of learners."""
    return ", ".join(
        f"{' '.join(better)} {why}"
        for better, worse in pairs
        if (why := not_below(results, better, worse, what))
    )


def far_more_often(results: list[Result]) -> str:
    """The distances above 2, a sibling's, at which Hieron errs more often than the flat learner."""
    bars = differences(results).items()
    wrong = [f"{bar:+.2f} points at {far} edges" for far, bar in bars if far > 2 and bar > 0]
    return ", ".join(wrong)


def show_count(
    claims: Mapping[str, Callable[[Any], str]], rule: str, results: list[Result]
) -> None:
    """Print how many of the claims would hold under the other rule."""
    held = sum(not objection(results) for objection in claims.values())
    print(f"\nunder the rule of {rule}, {held} of the first {len(claims)} claims would hold")
