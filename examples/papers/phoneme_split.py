"""Phonemes in speech: the frames of some speakers to learn from, those of others to test on."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from competitors import Greedy, flat
from river import preprocessing

from river_hier import Taxonomy, datasets, kernel, metrics

SIGMA = 0.5
Examples = list[tuple[dict[str, float], str]]


class Errors(NamedTuple):
    """Of one learner in one split."""

    distance: float  # tree-induced
    wrong: float  # multiclass, in percent
    at: dict[int, float]  # percent of the answers that are so far from the truth


Result = dict[tuple[str, str], Errors]


def frames(data: Path, speaker: str, sentences: Sequence[str], most: int) -> Examples:
    """At most so many frames of each phoneme of a speaker, in random order."""
    stream = datasets.TIMIT(data / "timit", speakers=[speaker], sentences=sentences)
    by_phoneme: dict[str, Examples] = {}
    for x, y in stream:
        by_phoneme.setdefault(y, []).append((x, y))
    rng = random.Random(speaker)
    return [e for es in by_phoneme.values() for e in rng.sample(es, min(most, len(es)))]


def split(by_speaker: dict[str, Examples], tested: Sequence[str]) -> tuple[Examples, Examples]:
    """To train on and to test, standardised as the first are."""
    train = [e for speaker, es in by_speaker.items() if speaker not in tested for e in es]
    test = [e for speaker in tested for e in by_speaker[speaker]]
    random.Random(0).shuffle(train)
    scaler = preprocessing.StandardScaler()
    for x, _ in train:
        scaler.learn_one(x)
    first, second = ([(scaler.transform_one(x), y) for x, y in part] for part in (train, test))
    return first, second


def errors(taxonomy: Taxonomy, answers: list[tuple[Any, Any]]) -> Errors:
    distance = metrics.TreeInducedError(taxonomy)
    histogram = metrics.DistanceHistogram(taxonomy)
    for y, answer in answers:
        # The flat learners' extra root is no label of the tree; the tree's own root is nearest.
        placed = answer if answer in taxonomy else taxonomy.root
        distance.update(y, placed)
        histogram.update(y, placed)
    percent = 100 / len(answers)
    wrong = percent * sum(y != answer for y, answer in answers)
    at = {far: percent * weight for far, weight in histogram.get().items()}
    return Errors(distance.get(), wrong, at)


def run(t: Taxonomy, train: Examples, test: Examples) -> Result:
    rbf = kernel.RBF(SIGMA * math.sqrt(len(train[0][0])))
    trees = {"tree": t, "flat": flat(t.leaves)}
    result: Result = {}
    for name, taxonomy in trees.items():
        online = kernel.Hieron(taxonomy, rbf)
        answers = []
        for x, y in train:
            answers.append((y, online.predict_one(x)))
            online.learn_one(x, y)
        result[name, "online"] = errors(t, answers)
    averaged = {name: kernel.AveragedHieron(taxonomy, rbf) for name, taxonomy in trees.items()}
    greedy = Greedy(t, partial(kernel.AveragedHieron, kernel=rbf))
    for name, model in {**averaged, "greedy": greedy}.items():
        for x, y in train:
            model.learn_one(x, y)
        for kind, final in (("last", model.last), ("averaged", model)):
            result[name, kind] = errors(t, [(y, final.predict_one(x)) for x, y in test])
    return result
