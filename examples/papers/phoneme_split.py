"""Frames of speech with their phonemes, split by speaker into training and test frames."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import hieron_tables as tables
from hieron_tables import Result
from river import preprocessing

from river_hier import Taxonomy, datasets, kernel, linear_model

SIGMA = 0.5
Examples = list[tuple[dict[str, float], str]]
Frames = dict[str, dict[str, Examples]]  # by speaker and phoneme


def frames(data: Path, speaker: str, sentences: Sequence[str]) -> dict[str, Examples]:
    """All frames of a speaker by phoneme."""
    stream = datasets.TIMIT(data / "timit", speakers=[speaker], sentences=sentences)
    by_phoneme: dict[str, Examples] = {}
    for x, y in stream:
        by_phoneme.setdefault(y, []).append((x, y))
    return by_phoneme


def split(
    by_speaker: Frames, tested: Sequence[str], most: int, draw: int
) -> tuple[Examples, Examples]:
    """Training and test frames, at most `most` of each speaker and phoneme, or all if it is 0.

    They are drawn and put in order at random, and standardised by the means and variances of the
    training frames.
    """
    parts: tuple[Examples, Examples] = ([], [])
    for speaker, by_phoneme in by_speaker.items():
        rng = random.Random(f"{speaker} {draw}")
        for es in by_phoneme.values():
            parts[speaker in tested].extend(rng.sample(es, min(most or len(es), len(es))))
    train, test = parts
    random.Random(draw).shuffle(train)
    scaler = preprocessing.StandardScaler()
    for x, _ in train:
        scaler.learn_one(x)
    first, second = ([(scaler.transform_one(x), y) for x, y in part] for part in (train, test))
    return first, second


def run(
    t: Taxonomy, train: Examples, test: Examples, rules: Sequence[str], sigma: float = SIGMA
) -> dict[str, Result]:
    """The rows of both tables, by batch rule."""
    rbf = kernel.RBF(sigma * math.sqrt(len(train[0][0])))
    hieron = partial(kernel.Hieron, kernel=rbf, C=math.inf)
    learners = {
        "2004": partial(kernel.AveragedHieron, kernel=rbf, C=math.inf, from_first_round=True),
        "2005": lambda taxonomy: linear_model.Averaged(hieron(taxonomy), from_first_round=True),
    }
    before: Result = {}
    for name, taxonomy in (("tree", t), ("flat", tables.flat(t.leaves))):
        before[name, "online"] = tables.errors(t, tables.online(taxonomy, hieron, train))
    found = {}
    for rule in rules:
        (after,) = tables.batch(t, t.leaves, learners[rule], train, test)
        found[rule] = before | after
    return found
