"""Answers with at most 5 % mistakes, on streams that grow and move.

    python examples/benchmarks/moving.py --data FOLDER [--change CHANGE] [--picture FILE]

FOLDER holds `clinc150`, `products` and `icd`. Of each, 12,000 examples are a stream in random order
in which a third of the branches arrives after a quarter of the stream, in an open taxonomy, and
in the middle a third of the branches change:

* exchanged: their labels are exchanged at random within them (what is done unless CHANGE is given),
* wrong: from now on a fifth of their labels are wrong, at random; mistakes are judged by these,
* edited: half of their labels are moved below another branch of them, which the model adopts.

The figures are means over the second half, and over the seeds, with standard errors in brackets:

* wrong: the share of wrong answers, the root included; worst: of 500 in succession,
* below: the share of wrong answers among those below the root; moved: in the branches that moved,
* coverage: 1 - log(leaves below the answer) / log(leaves); complete: right and exactly the label.

All learn by `PathSoftmax`. "frozen" has the split conformal threshold of the 1,000 examples before
a quarter of the stream. "flat" answers with a label or not at all. "sets" are adaptive conformal
prediction sets of labels, cut to their lowest common ancestor. "steps" is one level by
dynamically tuned steps (DtACI, Gibbs and Candes, 2024). "late" has labels that arrive 200 examples
later. The picture is of the first stream of queries.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import selective

from river_hier import OpenTaxonomy, Taxonomy, decision, feature_extraction, linear_model
from river_hier.taxonomy.multilabel import implied_nodes

RISK, SIZE, LATE = 0.05, 12_000, 200
CHANGES = "exchanged", "wrong", "edited"
DRAWN = {"frozen": "#767676", "whole": "#C04F00", "by branch": "#0072B2"}
Stream = list[tuple[Any, str]]


# %% Streams
def moving(
    t: Taxonomy, pairs: selective.Pairs, rng: random.Random, change: str
) -> tuple[Stream, list[str], dict[str, str]]:
    """The stream, whose labels are paths of numbers of nodes, the branches that change, and, where
    they are edited, the new parents of their children."""
    numbers = {y: "/".join(str(t.index(v)) for v in t.path(y)[1:]) for _, y in pairs if y != t.root}
    pairs = [(text, numbers[y]) for text, y in rng.sample(pairs, min(SIZE, len(pairs)))]
    labels = sorted({y for _, y in pairs})
    branches = rng.sample(sorted({y.split("/")[0] for y in labels}), len(t.children(t.root)))
    third = len(branches) // 3
    moved, late = branches[:third], branches[third : 2 * third]
    new, parents = dict[str, str](), dict[str, str]()
    for i, branch in enumerate(moved):
        inside = [y for y in labels if y.split("/")[0] == branch]
        if change == "edited":
            children = sorted({"/".join(y.split("/")[:2]) for y in inside} - {branch})
            for child in rng.sample(children, len(children) // 2):
                parents[child] = moved[i - 1]
            for y in inside:
                if "/".join(y.split("/")[:2]) in parents:
                    new[y] = "/".join([moved[i - 1], *y.split("/")[1:]])
        else:
            new.update(zip(inside, rng.sample(inside, len(inside)), strict=True))
    quarter = len(pairs) // 4
    first = [pair for pair in pairs[: 2 * quarter] if pair[1].split("/")[0] not in late][:quarter]
    rest = list(pairs)
    for pair in first:
        rest.remove(pair)
    words = feature_extraction.LogTFIDF()
    stream: Stream = []
    for i, (text, y) in enumerate(first + rest):
        x = words.transform_one(text)
        words.learn_one(text)
        changed = i >= len(pairs) // 2 and (change != "wrong" or rng.random() < 0.2)
        stream.append((x, new.get(y, y) if changed else y))
    return stream, moved, parents


# %% Methods
def softmax() -> linear_model.PathSoftmax:
    return linear_model.PathSoftmax(OpenTaxonomy("/"))


class Frozen(decision.Selective):
    """Keeps the threshold that it has after a quarter of the stream."""

    n, kept = 0, 1.0

    def learn_one(self, x: Any, y: Any, w: float = 1.0, **kwargs: Any) -> None:
        self.n += 1
        if self.n > SIZE // 4:
            return self.model.learn_one(x, y)
        super().learn_one(x, y)
        self.kept = next(iter(self.thresholds.values()))

    def predict_one(self, x: Any, **kwargs: Any) -> Any:
        return self.model.predict_one(x, threshold=min(np.nextafter(self.kept, 2.0), 1.0))


class Sets:
    """The labels whose probability is above a threshold that follows the mistakes."""

    def __init__(self) -> None:
        self.model, self.level, self.latest = softmax(), RISK, deque[float](maxlen=1000)

    def threshold(self) -> float:
        k = math.floor(self.level * (len(self.latest) + 1))
        return sorted(self.latest)[k - 1] if 0 < k <= len(self.latest) else float(k > 0)

    def predict_one(self, x: Any) -> str:
        if not (p := self.model.predict_proba_one(x)):
            return ""
        least = min(self.threshold(), max(p.values()))
        paths = [y.split("/") for y, q in p.items() if q >= least]
        same = (len(set(parts)) == 1 for parts in zip(*paths, strict=False))
        return "/".join(itertools.compress(paths[0], itertools.takewhile(bool, same)))

    def learn_one(self, x: Any, y: str) -> None:
        p = self.model.predict_proba_one(x).get(y, 0.0)
        self.level += 0.005 * (RISK - (p < self.threshold()))
        self.latest.append(p)
        self.model.learn_one(x, y)


class Steps(decision.Selective):
    """Levels by eight steps, and their mean by weights that follow their losses."""

    interval = 500

    def __init__(self, model: Any, risk: float) -> None:
        super().__init__(model, risk)
        self.steps = 0.001 * 2.0 ** np.arange(8)
        self.levels, self.weights = np.full(8, risk), np.ones(8) / 8
        spread = (1.0 - risk) ** 2 * risk**3 + risk**2 * (1.0 - risk) ** 3
        rate = (math.log(8 * self.interval) + 2.0) / spread
        self.rate = math.sqrt(3.0 / self.interval * rate)
        self.latest = deque[float](maxlen=1000)

    def _threshold(self, group: Any) -> float:
        n = len(self.latest)
        k = math.ceil((1.0 - float(self.levels @ self.weights)) * (n + 1))
        return sorted(self.latest)[k - 1] if 0 < k <= n else float(k > n)

    def _adjust(self, seen: Any, y: Any, w: float) -> None:
        on = implied_nodes(self._taxonomy, [y])
        least = next((p for v, p in seen[2] if v not in on), 0.0)
        level = sum(other >= least for other in self.latest) / (len(self.latest) + 1)
        losses = np.where(self.levels > level, 1.0 - self.risk, -self.risk) * (self.levels - level)
        weights = self.weights * np.exp(-self.rate * losses)
        self.weights = (
            1.0 - 0.5 / self.interval
        ) * weights / weights.sum() + 0.5 / self.interval / 8
        self.levels = self.levels + self.steps * (self.risk - (self.levels > level))
        self.latest.append(least)


def methods() -> Iterator[tuple[str, Any, int]]:
    """The name, the model, and by how much labels are late."""
    yield "frozen", Frozen(softmax(), RISK), 0
    yield "flat", decision.Selective(linear_model.PathSoftmax(), RISK), 0
    yield "sets", Sets(), 0
    yield "steps", Steps(softmax(), RISK), 0
    yield "whole", decision.Selective(softmax(), RISK), 0
    yield "sets, late", Sets(), LATE
    yield "whole, root=0.1", decision.Selective(softmax(), RISK, root=0.1), 0
    yield "whole, late", decision.Selective(softmax(), RISK), LATE
    yield "by branch", decision.Selective(softmax(), RISK, by_branch=True), 0
    yield "by branch, root=0.1", decision.Selective(softmax(), RISK, root=0.1, by_branch=True), 0
    yield "by branch, late", decision.Selective(softmax(), RISK, by_branch=True), LATE


# %% Figures
def answers(model: Any, stream: Stream, late: int, parents: dict[str, str]) -> list[str]:
    found, waiting = [], deque[tuple[Any, str]]()
    for i, (x, y) in enumerate(stream):
        if parents and i == len(stream) // 2:
            known = [child for child in parents if child in model.taxonomy_]
            model.adopt(model.taxonomy_.edit({"move": v, "to": parents[v]} for v in known))
        answer = model.predict_one(x)
        found.append("" if answer in (None, "root") else answer)
        waiting.append((x, y))
        if len(waiting) > late:
            model.learn_one(*waiting.popleft())
    return found


def mistakes(stream: Stream, found: list[str]) -> np.ndarray:
    return np.array(
        [
            v not in ("", y) and not y.startswith(v + "/")
            for v, (_, y) in zip(found, stream, strict=True)
        ]
    )


def figures(stream: Stream, moved: list[str], found: list[str], coverage: Any) -> list[float]:
    wrong, said = mistakes(stream, found), np.array([v != "" for v in found])
    inside = np.array([v.split("/")[0] in moved for v in found])
    right = np.array([v == y for v, (_, y) in zip(found, stream, strict=True)])
    half = slice(len(stream) // 2, None)
    wrong, said, inside, right = (a[half] for a in (wrong, said, inside, right))
    worst = np.convolve(wrong, np.ones(500) / 500, "valid").max()
    parts = wrong.mean(), worst, wrong[said].mean(), wrong[inside].mean()
    return [
        *map(float, parts),
        float(np.mean([coverage[v] for v in found[half]])),
        float(right.mean()),
    ]


def edited(y: str, parents: dict[str, str]) -> str:
    child, _, below = y.partition("/")[2].partition("/")
    parent = parents.get("/".join(y.split("/")[:2]), y.split("/")[0])
    return "/".join(name for name in (parent, child, below) if name)


def covered(labels: list[str]) -> dict[str, float]:
    """The coverage of each answer, where these labels are the leaves."""
    leaves = set(labels)
    nodes = {"/".join(y.split("/")[:k]) for y in leaves for k in range(len(y.split("/")) + 1)}
    n = {v: sum(f"{y}/".startswith(f"{v}/") for y in leaves) if v else len(leaves) for v in nodes}
    return {v: 1.0 - math.log(n[v]) / math.log(len(leaves)) for v in nodes}


def draw(path: Path, streams: Stream, moved: list[str], found: dict[str, list[str]]) -> None:
    """The share of wrong ones among 300 answers, of all and in the branches that move."""
    plt.rcParams |= {"svg.hashsalt": "", "svg.fonttype": "none", "font.size": 9}
    _, axes = plt.subplots(1, 2, figsize=(8, 2.8), sharey=True, layout="constrained")
    for name, color in DRAWN.items():
        wrong = mistakes(streams, found[name])
        below = np.array([v.split("/")[0] in moved for v in found[name]])
        for axis, some in zip(axes, (np.ones(len(wrong), bool), below), strict=True):
            at = np.flatnonzero(some)
            share = np.convolve(wrong[at], np.ones(300) / 300, "valid")
            axis.plot(at[299::20], share[::20], color=color, label=name, lw=1.3)
    for axis, title in zip(axes, ("All answers", "Answers in the branches that move"), strict=True):
        axis.set(title=title, xlabel="example", ylim=(0, None))
        axis.axhline(RISK, color="#222222", lw=0.8, ls="--")
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("wrong, of the latest 300")
    axes[0].legend(frameon=False)
    plt.savefig(path, metadata={"Date": None})


def main(data: Path, seeds: int, change: str, picture: Path | None) -> None:
    titles = ("wrong", "worst", "below", "moved", "coverage", "complete")
    for collection, read in selective.STREAMS.items():
        t, pairs = read(data)
        rows: dict[str, list[list[float]]] = {}
        paths = {
            v: "/".join(str(t.index(u)) for u in t.path(v)[1:]) for v in t.nodes if v != t.root
        }
        coverage = {paths.get(v, ""): c for v, c in selective.coverages(t).items()}
        for seed in range(seeds):
            stream, moved, parents = moving(t, pairs, random.Random(seed), change)
            found = {
                name: answers(model, stream, late, parents)
                for name, model, late in methods()
                if not (parents and name.startswith(("flat", "sets")))
            }
            if parents:
                coverage = covered([edited(y, parents) for _, y in stream])
            for name, answered in found.items():
                rows.setdefault(name, []).append(figures(stream, moved, answered, coverage))
            if picture and seed == 0 and collection == "queries":
                draw(picture, stream, moved, found)
        print(f"{collection:<22}{''.join(f'{title:>14}' for title in titles)}")
        for name, runs in rows.items():
            errors = np.std(runs, axis=0, ddof=1) / math.sqrt(seeds)
            cells = [
                f"{m:.3f} ({e:.3f})" for m, e in zip(np.mean(runs, axis=0), errors, strict=True)
            ]
            print(f"  {name:<20}{''.join(f'{cell:>14}' for cell in cells)}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--change", choices=CHANGES, default=CHANGES[0])
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    main(options.data, options.seeds, options.change, options.picture)
