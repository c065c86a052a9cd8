"""The learners of the paper on H-RLS, their losses, and their cost."""

from __future__ import annotations

import math
import resource
import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from river import linear_model as river_linear_model
from tqdm import tqdm

from river_hier import Taxonomy, batch, linear_model, local, metrics

LOSSES = ("zero-one", "H-loss", "Delta")
Examples = list[tuple[Any, Any]]
Losses = tuple[float, ...]
Counts = list[tuple[float, float]]  # false positives and negatives per 1,000 documents, by depth
Rows = dict[str, tuple[Callable[[Any, Examples], None], Any]]  # how to train, and the model


class Result(NamedTuple):
    """The results of one learner on one split."""

    losses: Losses
    truncated: Losses  # of predictions without nodes whose parents are off
    closed: Losses  # of predictions with all ancestors
    by_depth: Counts
    seconds: float  # processor time of training
    evaluations: list[int]  # of each node in training
    stored: list[int]  # instances at each node, if the model stores any


Found = dict[str, list[Result]]  # of each learner, one for each split


# %% Two ways to train: in one pass, or on all examples at once (LIBLINEAR)
def one_pass(model: Any, train: Examples) -> None:
    for x, y in tqdm(train, desc="  learning", leave=False):
        model.learn_one(x, y)


def at_once(model: Any, train: Examples) -> None:
    model.fit(train)


def learners(t: Taxonomy, C: float = 1.0) -> Rows:
    """The rows of Table 1; a flat online learner is the same class on the flattened taxonomy."""
    flat = t.flatten()
    return {
        "PERC": (one_pass, linear_model.HPerceptron(flat)),
        "H-PERC": (one_pass, linear_model.HPerceptron(t)),
        "S-RLS": (one_pass, linear_model.SHRLS(flat)),
        "SH-RLS": (one_pass, linear_model.SHRLS(t)),
        "SVM": (at_once, batch.HSVM(flat, C)),
        "H-SVM": (at_once, batch.HSVM(t, C)),
    }


def a_node(t: Taxonomy) -> Rows:
    """The perceptrons again, which evaluate one node after the other."""
    perceptron = river_linear_model.Perceptron()
    return {
        "PERC, a node": (one_pass, local.PerNode(perceptron, t.flatten())),
        "H-PERC, a node": (one_pass, local.PerNode(perceptron, t)),
    }


def measure(learn: Any, model: Any, t: Taxonomy, train: Examples, test: Examples) -> Result:
    start = time.process_time()
    learn(model, train)
    seconds = time.process_time() - start
    forms: tuple[Callable[[Any], Any], ...] = (
        lambda y: y,
        partial(truncated, t),
        partial(closed, t),
    )
    kinds = (metrics.ZeroOneLoss, metrics.HLoss, metrics.SymmetricDifferenceLoss)
    losses = [[kind(t) for kind in kinds] for _ in forms]
    by_depth = metrics.HLossByDepth(t)
    for x, y in test:
        predicted = model.predict_one(x)
        by_depth.update(y, predicted)
        for form, some in zip(forms, losses, strict=True):
            formed = form(predicted)
            for loss in some:
                loss.update(y, formed)
    counts = [per_thousand(pair, len(test)) for pair in by_depth.get().values()]
    values = (tuple(loss.get() for loss in some) for some in losses)
    stored = list(model.n_stored.values()) if hasattr(model, "n_stored") else []
    return Result(*values, counts, seconds, evaluations(model, t, train), stored)


def truncated(t: Taxonomy, answer: dict[Any, bool]) -> set[Any]:
    """The labels of a prediction whose ancestors are all in it (Lemma 1)."""
    on = {t.root, *(label for label, yes in answer.items() if yes)}
    return {label for label in on if on.issuperset(t.ancestors(label))}


def closed(t: Taxonomy, answer: dict[Any, bool]) -> Any:
    """A prediction with all ancestors."""
    return t.closure([label for label, on in answer.items() if on])


def evaluations(model: Any, t: Taxonomy, train: Examples) -> list[int]:
    """The number of training examples of each node; hierarchical: those with the parent on."""
    if model.taxonomy != t:
        return [len(train)] * (len(t) - 1)
    on = Counter(label for _, y in train for label in t.closure(y))
    return [on[t.parent(label)] for label in t.nodes[1:]]


def per_thousand(counts: tuple[float, float], n: int) -> tuple[float, float]:
    return 1000 * counts[0] / n, 1000 * counts[1] / n


# %% How time and memory grow
MOST, REPEATS = 3200, 5  # instances stored at a node; runs of H-PERC


def exponents(t: Taxonomy, train: Examples) -> tuple[float, float, float]:
    """The powers of N with which a step and the memory of least squares, and perceptrons, grow.

    The former are those of a node that stores all instances, as in H-RLS: its label is the most
    frequent one. H-PERC learns all examples, or the first quarter, in alternation.
    """
    label = Counter(v for _, y in train for v in t.closure(y) if v != t.root).most_common(1)[0][0]
    examples = [(x, [label] if label in t.closure(y) else []) for x, y in train[:MOST]]
    with ProcessPoolExecutor(1, get_context("spawn")) as fresh:  # where nothing has been freed
        step, memory = fresh.submit(stored, Taxonomy.flat([label]), examples).result()
    quarter, seconds = train[: len(train) // 4], [0.0, 0.0]
    for i in range(2 * REPEATS):
        perceptron, start = linear_model.HPerceptron(t), time.process_time()
        one_pass(perceptron, train if i % 2 else quarter)
        seconds[i % 2] += time.process_time() - start
    linear = math.log(seconds[1] / seconds[0]) / math.log(len(train) / len(quarter))
    return step, memory, linear


def stored(t: Taxonomy, examples: Examples) -> tuple[float, float]:
    """The powers of the time of a step, beyond the shortest one, and of memory."""
    model, steps, memory = linear_model.SHRLS(t, threshold=1e9), [], []
    before, n = resident(), len(examples)
    sizes = [n // 32, n // 16, n // 8, n // 4, n // 2, n]
    for i, (x, y) in enumerate(examples, start=1):
        start = time.process_time()
        model.learn_one(x, y)
        steps.append(time.process_time() - start)
        if i in sizes[3:]:
            memory.append((i, max(resident() - before, 1)))
    first = min(steps)
    medians = ((math.sqrt(a * b), statistics.median(steps[a:b])) for a, b in pairwise(sizes))
    above = [(size, max(median - first, 1e-9)) for size, median in medians]
    return slope(above), slope(memory)


def resident() -> int:
    """The bytes of this process in memory; compiled code allocates them, so Python cannot tell."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def slope(points: Sequence[tuple[float, float]]) -> float:
    logs = [(math.log(x), math.log(y)) for x, y in points]
    return statistics.linear_regression(*zip(*logs, strict=True)).slope


# %% Over the splits
def mean(results: Sequence[Result], form: str = "losses") -> Losses:
    """The mean of each loss."""
    return tuple(map(statistics.mean, zip(*(getattr(r, form) for r in results), strict=True)))


def depths(results: Sequence[Result]) -> Counts:
    """The mean of each count of mistakes, by depth."""
    return [
        (statistics.mean(fp for fp, _ in pairs), statistics.mean(fn for _, fn in pairs))
        for pairs in zip(*(r.by_depth for r in results), strict=True)
    ]


def spread(values: Sequence[float]) -> float:
    return statistics.stdev(values) if len(values) > 1 else 0.0
