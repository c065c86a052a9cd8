"""The first examples of a stream, with all that the stream knows."""

from __future__ import annotations

import copy
import pickle

import pytest
from river.evaluate import Track

from river_hier import datasets, linear_model, metrics
from river_hier.datasets import synth
from support.rcv1_corpus import write_corpus


@pytest.fixture
def folder(tmp_path):
    return write_corpus(tmp_path)


def test_prefix(folder):
    stream = datasets.RCV1(folder)
    prefix = stream.take(2)
    assert list(prefix) == list(prefix) == list(stream)[:2]
    assert prefix.taxonomy is stream.taxonomy
    assert prefix.topics == 103
    assert prefix.n_samples is None
    assert repr(prefix) == "the first 2 examples of RCV1"
    assert len(list(stream.take(10))) == 3
    assert list(stream.take(0)) == []
    assert list(prefix.take(5)) == list(prefix)
    assert list(prefix.take(1)) == list(stream)[:1]
    assert list(pickle.loads(pickle.dumps(prefix))) == list(copy.deepcopy(prefix)) == list(prefix)
    with pytest.raises(AttributeError, match="'RCV1' object has no attribute 'probabilities'"):
        _ = prefix.probabilities
    with pytest.raises(AttributeError, match="'Prefix' object has no attribute '_secret'"):
        _ = prefix._secret
    with pytest.raises(ValueError, match="`k` must be at least 0, got -1"):
        stream.take(-1)
    with pytest.raises(TypeError):
        stream.take(1.5)


def test_the_number_of_examples_of_a_prefix():
    assert datasets.RCV1().take(1_000).n_samples == 1_000
    assert datasets.RCV1().take(100_000).n_samples == 23_149


def test_an_endless_stream_has_a_first_part_of_known_size():
    """River's `iter_progressive_val_score` and `Track` ask for it."""
    endless = synth.PrototypeTree(branching=2, depth=2, seed=1)
    noisy = synth.LabelNoise(endless, rate=0.1, seed=1)
    for stream in (endless, noisy, endless.shuffle(10, seed=1), noisy.shuffle(10, seed=1)):
        assert stream.n_samples is None
        prefix = stream.take(30)
        assert prefix.n_samples == 30 == sum(1 for _ in prefix)
        assert prefix.take(7).n_samples == 7
        assert prefix.shuffle(seed=1).n_samples == 30
        assert synth.LabelNoise(prefix, rate=0.1, seed=1).take(99).n_samples == 30


def test_a_track_of_an_endless_stream():
    stream = synth.PrototypeTree(branching=2, depth=2, seed=1)
    first = stream.take(40)
    track = Track("ours", [first], metrics.TreeInducedError(stream.taxonomy))
    steps = list(track.run(linear_model.Hieron(stream.taxonomy), first, n_checkpoints=4))
    assert [step["Step"] for step in steps] == [10, 20, 30, 40]
