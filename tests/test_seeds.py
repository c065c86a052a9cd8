"""Randomness comes from seeds, and from nowhere else."""

import inspect
import json
import random
import subprocess
import sys
from itertools import islice
from typing import Any

import numpy as np
import pytest

from river_hier import batch, metrics
from river_hier.datasets import synth
from support.corpora import FORMATS, corpus, read
from support.fingerprints import answers_of, fingerprint, fingerprints, stream_of
from support.paths import TESTS
from support.processes import environment
from support.public_api import STREAMS, TREE, estimators, public


def takes(cls: Any, name: str) -> bool:
    return name in inspect.signature(cls).parameters


SEEDED = [name for name in STREAMS if takes(getattr(synth, name), "seed")]


def test_nothing_with_a_seed_is_forgotten_here() -> None:
    assert set(STREAMS) == set(synth.__all__), "everything.STREAMS says how each stream is made"
    with_seed = {name for name, thing in public() if callable(thing) and takes(thing, "seed")}
    known = {f"datasets.synth.{name}" for name in SEEDED} | set(estimators(seed=1))
    # tests/stream, tests/induction
    elsewhere = {"stream.replay", "induction.balanced_tree"}
    assert with_seed == known | elsewhere


def test_the_same_seed_gives_the_same_in_another_process_with_other_hashes() -> None:
    here = fingerprints(7)
    script = str(TESTS / "support" / "fingerprints.py")
    there = subprocess.run(
        [sys.executable, script, "7"],
        env=environment() | {"PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(there.stdout) == here


def test_another_seed_gives_something_else() -> None:
    seven, eight = fingerprints(7), fingerprints(8)
    assert [name for name in seven if seven[name] == eight[name]] == []


@pytest.mark.parametrize("name", SEEDED)
def test_without_a_seed_each_object_is_a_stream_of_its_own(name: str) -> None:
    assert stream_of(name, None) != stream_of(name, None)
    stream = STREAMS[name](None)
    first, again = (fingerprint(list(islice(stream, 300))) for _ in range(2))
    assert first == again, "which can be iterated again"
    assert stream_of(name, 7) == stream_of(name, 7)


def states() -> tuple[str, str]:
    """Of the random numbers that everybody shares."""
    return fingerprint(random.getstate()), fingerprint(np.random.get_state()[1].tolist())


@pytest.mark.parametrize("name", sorted(estimators()))
def test_a_learner_leaves_the_global_random_numbers_alone(name: str) -> None:
    before = states()
    answers_of(estimators()[name])
    assert states() == before


@pytest.mark.parametrize("name", sorted(STREAMS))
@pytest.mark.parametrize("seed", [None, 7])
def test_so_does_a_stream(name: str, seed: int | None) -> None:
    before = states()
    stream_of(name, seed)
    assert states() == before


@pytest.mark.parametrize("name", metrics.__all__)
def test_so_does_a_metric(name: str) -> None:
    before = states()
    cls: Any = getattr(metrics, name)
    metric = cls(TREE, beta=2.0) if takes(cls, "beta") else cls(TREE)
    scores = {label: i / len(TREE) for i, label in enumerate(TREE.nodes[1:])}
    one_label = {label: 1.0 / len(TREE) for label in TREE.nodes}
    answers = {"LogLoss": scores, "TopLabelCalibrationError": one_label}
    for label in TREE.leaves * 5:
        answer = scores if takes(cls, "candidates") else "sky"
        metric.update(label, answers.get(name, answer))
    metric.get()
    assert states() == before


@pytest.mark.parametrize("name", batch.__all__)
def test_so_does_a_comparator(name: str) -> None:
    cls: Any = getattr(batch, name)
    if inspect.isabstract(cls):
        pytest.skip("it is what the others are made of")
    before = states()
    model = cls(**next(iter(cls._unit_test_params())) | {"taxonomy": TREE})
    model.fit([({label: 1.0, "any": 0.5}, {label}) for label in TREE.leaves * 3])
    model.predict_one({"sky": 1.0})
    assert states() == before


@pytest.mark.parametrize("name", FORMATS)
def test_so_does_a_reader(name: str) -> None:
    before = states()
    with corpus(name) as path:
        assert read(name, path, "raise") > 0
    assert states() == before
