"""How soon does each learner recover from a change in one branch of the stream?

There are two streams, in trees of three branches. In the first, articles (a mixture of prototypes,
`synth.PrototypePaths`) have several topics, and from the middle of the stream the topics below
"culture" are exchanged (`synth.SubtreeDrift`). In the second, an article has one topic
(`synth.PrototypeTree`), and the same happens below one of its branches, "2".

The mark is the same learner on the same articles with the new labels from the start, so that there
is no drift. The losses (H-loss; for single topics, the tree-induced error) are means over the
seeds, in the branch, by blocks of 500 examples. "Elsewhere" is the loss in the other branches after
the change. A learner has recovered from the first block in which its loss is at most a quarter
above the mark, plus 0.01.

Each learner is used as it is; with `forgetting`; and in `drift.BranchReset`, which gives every
inner node a drift detector and resets the branch in which one gives an alarm. Alarms are counted
over all seeds: those in the branch after the change, and all others, which are false alarms.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from river_hier import Taxonomy, drift, linear_model, losses
from river_hier.datasets import synth

NEWS = Taxonomy.from_nested(
    {
        "sport": {"ball game": ["football", "tennis"], "water sport": ["rowing", "sailing"]},
        "culture": {"music": ["opera", "jazz"], "stage": ["theatre", "ballet"]},
        "politics": {"at home": ["elections", "courts"], "abroad": ["treaties", "wars"]},
    },
    root="news",
)
N, CHANGE, BLOCK = 6_000, 3_000, 500
LATER = range(CHANGE // BLOCK, N // BLOCK)  # the blocks after the change


Make = Callable[[Taxonomy], Any]
Stream = Callable[[int, int], Any]


class Run(NamedTuple):
    """Mean losses by block in the branch, and elsewhere; true and false alarms."""

    branch: np.ndarray
    elsewhere: np.ndarray
    alarms: np.ndarray


def paths(seed: int, change: int) -> Any:
    """Several topics an article; culture changes."""
    articles = synth.PrototypePaths(NEWS, noise=0.04, seed=seed)
    return synth.SubtreeDrift(articles, drift_in="culture", drift_at=change)


def labels(seed: int, change: int) -> Any:
    """One topic an article; the branch "2" changes."""
    articles = synth.PrototypeTree(branching=3, depth=3, noise=0.04, seed=seed)
    return synth.SubtreeDrift(articles, drift_in="2", drift_at=change)


def branch_losses(stream: Any) -> tuple[Any, Callable[[Any, Any], Iterator[tuple[Any, float]]]]:
    """The branch that changes, and the losses of a prediction by branch."""
    t = stream.taxonomy
    branches = {top: t.subset([top, *t.descendants(top)]) for top in t.children(t.root)}

    def by_branch(y: Any, answer: Any) -> Iterator[tuple[Any, float]]:
        if isinstance(y, dict):
            for top, branch in branches.items():
                pair = [{label: a[label] for label in branch.nodes[1:]} for a in (y, answer)]
                yield top, losses.h_loss(branch, *pair)
        elif y != t.root:
            yield t.path(y)[1], losses.tree_induced_error(t, y, answer)

    return stream.drift_in, by_branch


def run(model: Any, stream: Any) -> Run:
    branch, by_branch = branch_losses(stream)
    sums, counts = np.zeros((2, N // BLOCK)), np.zeros((2, N // BLOCK))
    for step, (x, y) in enumerate(stream.take(N)):
        for top, loss in by_branch(y, model.predict_one(x)):
            sums[int(top != branch), step // BLOCK] += loss
            counts[int(top != branch), step // BLOCK] += 1
        model.learn_one(x, y)
    below = {branch, *stream.taxonomy.descendants(branch)}
    found = getattr(model, "drifts_detected", [])
    right = sum(step >= CHANGE and label in below for step, label in found)
    return Run(*(sums / counts), np.array([right, len(found) - right]))


def mean(make: Make, stream: Stream, change: int, seeds: range) -> Run:
    runs = [run(make(stream(seed, change).taxonomy), stream(seed, change)) for seed in seeds]
    branch, elsewhere, alarms = (np.array(part) for part in zip(*runs, strict=True))
    return Run(branch.mean(axis=0), elsewhere.mean(axis=0), alarms.sum(axis=0))


def recovery(run: Run, mark: Run) -> int | None:
    """The end of the first block in which the loss is near the mark."""
    near = run.branch <= 1.25 * mark.branch + 0.01
    return next(((k + 1) * BLOCK for k, block in enumerate(LATER) if near[block]), None)


def resetting(learner: Make) -> Make:
    return lambda taxonomy: drift.BranchReset(learner(taxonomy))


def forgetting(learner: Any, rate: float) -> Make:
    return lambda taxonomy: learner(taxonomy, forgetting=rate)


# (learner, remedy) -> a function that makes it
ALONE, FORGETTING, RESETS = "", "forgetting=0.99", "resets"
MULTI: dict[tuple[str, str], Make] = {
    ("H-PERC", ALONE): linear_model.HPerceptron,
    ("H-PERC", RESETS): resetting(linear_model.HPerceptron),
    ("H-AROW", ALONE): linear_model.HAROW,
    ("H-AROW", FORGETTING): forgetting(linear_model.HAROW, 0.99),
    ("H-AROW", RESETS): resetting(linear_model.HAROW),
    ("H-RLS", ALONE): linear_model.HRLS,
    ("H-RLS", FORGETTING): forgetting(linear_model.HRLS, 0.99),
    ("H-RLS", RESETS): resetting(linear_model.HRLS),
    ("SH-RLS", ALONE): linear_model.SHRLS,
    ("SH-RLS", FORGETTING): forgetting(linear_model.SHRLS, 0.99),
    ("SH-RLS", RESETS): resetting(linear_model.SHRLS),
}
SINGLE: dict[tuple[str, str], Make] = {
    ("Hieron", ALONE): linear_model.Hieron,
    ("Hieron", RESETS): resetting(linear_model.Hieron),
    ("AveragedHieron", ALONE): linear_model.AveragedHieron,
    ("AveragedHieron", RESETS): resetting(linear_model.AveragedHieron),
}


class Row(NamedTuple):
    run: Run
    mark: Run

    @property
    def recovered(self) -> int | None:
        return recovery(self.run, self.mark)

    @property
    def spared(self) -> bool:
        """Whether the losses in the other branches increase by at most 0.01."""
        later = [run.elsewhere[LATER.start :].mean() for run in self]
        return bool(later[0] <= later[1] + 0.01)


Rows = dict[tuple[str, str], Row]


def table(learners: dict[tuple[str, str], Make], stream: Stream, seeds: range) -> Rows:
    """Run the streams and print the table."""
    heads = [f"to {(k + 1) * BLOCK:,}" for k in range(len(LATER))]
    print(f"{'':<20}{'before':>9}{''.join(f'{head:>9}' for head in heads)}{'mark':>9}", end="")
    print(f"{'recovered':>11}{'elsewhere':>11}{'mark':>7}{'alarms':>9}{'false':>7}")
    rows: Rows = {}
    for (name, remedy), make in learners.items():
        steady = mean(make, stream, 0, seeds) if remedy == ALONE else rows[name, ALONE].mark
        rows[name, remedy] = row = Row(mean(make, stream, CHANGE, seeds), steady)
        cells = [*row.run.branch[LATER.start - 1 :], steady.branch[-1]]
        after = f"{row.recovered:,}" if row.recovered else "no"
        away = [r.elsewhere[LATER.start :].mean() for r in row]
        alarms = row.run.alarms if remedy == RESETS else ("", "")
        head = f"  {remedy}" if remedy else name
        print(f"{head:<20}{''.join(f'{cell:>9.3f}' for cell in cells)}{after:>11}", end="")
        print(f"{away[0]:>11.3f}{away[1]:>7.3f}{alarms[0]:>9}{alarms[1]:>7}", flush=True)
    return rows


def within(rows: Rows, remedy: str, most: int) -> bool:
    """Whether the remedy works for all learners that do not recover by themselves."""
    names = ("H-AROW", "H-RLS", "SH-RLS")
    return all((rows[name, remedy].recovered or N + 1) <= most for name in names)


def verdict(true: bool, claim: str) -> None:
    print(f"reproduced      {claim}" if true else f"not reproduced  {claim}: see the rows above")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3, help="how many streams of each kind")
    seeds = range(parser.parse_args().seeds)
    print(f"Mean losses of {len(seeds)} streams, the change after {CHANGE:,} examples\n")
    print("Several topics an article: H-loss in the branch and elsewhere")
    rows = table(MULTI, paths, seeds)
    print("\nOne topic an article: tree-induced error in the branch and elsewhere")
    rows |= table(SINGLE, labels, seeds)
    print()
    slow = ["H-AROW", "H-RLS", "SH-RLS", "AveragedHieron"]
    verdict(
        all(rows[name, ALONE].recovered is None for name in slow),
        f"{', '.join(slow)} do not recover by themselves",
    )
    verdict(
        within(rows, RESETS, 4 * BLOCK),
        f"with resets H-AROW, H-RLS and SH-RLS recover within {4 * BLOCK:,} examples",
    )
    verdict(
        within(rows, FORGETTING, 4 * BLOCK),
        f"with forgetting=0.99 they recover within {4 * BLOCK:,} examples",
    )
    verdict(
        all(row.spared for row in rows.values()), "the other branches lose at most 0.01 more by it"
    )
    verdict(not sum(row.run.alarms[1] for row in rows.values()), "there is no false alarm")


if __name__ == "__main__":
    main()
