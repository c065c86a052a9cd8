"""The first examples of a stream, and its examples in random order."""

import copy
import pickle

import pytest

from river_hier import datasets
from river_hier.datasets import synth
from river_hier.datasets.base import Shuffled, TaxonomyDataset
from support.rcv1_corpus import write_corpus


@pytest.fixture
def folder(tmp_path):
    return write_corpus(tmp_path)


def test_prefix(folder):
    stream = datasets.RCV1(folder)
    prefix = stream.take(2)
    assert prefix.topics == 103
    assert prefix.n_samples is None
    assert repr(prefix) == "the first 2 examples of RCV1"
    assert len(list(stream.take(10))) == 3
    assert list(stream.take(0)) == []
    assert list(prefix.take(5)) == list(prefix)
    assert list(prefix.take(1)) == list(stream)[:1]
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
    drifting = synth.SubtreeDrift(endless, "root", 5)
    for stream in (endless, drifting, endless.shuffle(10, seed=1), drifting.shuffle(10, seed=1)):
        assert stream.n_samples is None
        prefix = stream.take(30)
        assert prefix.n_samples == 30 == sum(1 for _ in prefix)
        assert prefix.take(7).n_samples == 7
        assert prefix.shuffle(seed=1).n_samples == 30
        assert synth.SubtreeDrift(prefix, "root", 5).take(99).n_samples == 30


class Listed(TaxonomyDataset):
    """A stream of known length."""

    source = synth.PrototypeTree(branching=2, depth=2, seed=1)
    taxonomy = source.taxonomy

    def __init__(self):
        super().__init__("Multi-class classification", 7, n_samples=400, n_classes=7)

    def __iter__(self):
        return iter(self.source.take(400))


STREAM = Listed()
FIRST = STREAM.take(300)


def labels(stream):
    return [(y, tuple(x.values())) for x, y in stream]


@pytest.mark.parametrize("size", [1, 10, 300, 1000])
def test_the_same_examples_in_the_same_random_order(size):
    shuffled = FIRST.shuffle(size, seed=3)
    assert sorted(labels(shuffled)) == sorted(labels(FIRST))
    assert labels(shuffled) == labels(shuffled) == labels(FIRST.shuffle(size, seed=3))
    assert (labels(shuffled) == labels(FIRST)) == (size == 1)
    if size > 1:
        assert labels(shuffled) != labels(FIRST.shuffle(size, seed=4))


def test_without_a_seed_iterations_agree():
    shuffled = FIRST.shuffle()
    assert labels(shuffled) == labels(shuffled)
    assert labels(shuffled) != labels(FIRST.shuffle())
    for same in (copy.deepcopy(shuffled), pickle.loads(pickle.dumps(shuffled))):
        assert labels(same) == labels(shuffled)


def test_no_example_moves_further_to_the_front_than_the_buffer():
    before = {example: i for i, example in enumerate(labels(FIRST))}
    moves = [before[example] - i for i, example in enumerate(labels(FIRST.shuffle(20, seed=1)))]
    assert max(moves) == 19
    assert min(moves) < -20


def test_it_knows_what_the_stream_knows():
    shuffled = FIRST.shuffle(seed=1)
    assert isinstance(shuffled, Shuffled)
    assert shuffled.taxonomy is STREAM.taxonomy
    assert shuffled.n_samples == 300
    assert shuffled.n_classes == STREAM.n_classes
    assert repr(shuffled) == "the first 300 examples of Listed, shuffled"
    assert labels(shuffled.take(5)) == labels(shuffled)[:5]
    assert shuffled.take(5).n_samples == 5
    assert repr(shuffled.take(5)) == "the first 5 examples of " + repr(shuffled)
    again = shuffled.shuffle(seed=2)
    assert labels(again) != labels(shuffled)
    assert sorted(labels(again)) == sorted(labels(FIRST))
    assert repr(STREAM.shuffle()) == "Listed, shuffled"
    with pytest.raises(AttributeError, match="'Shuffled' object has no attribute '_secret'"):
        _ = shuffled._secret


def test_bad_parameters():
    with pytest.raises(ValueError, match="`buffer_size` must be at least 1, got 0"):
        STREAM.shuffle(0)
    with pytest.raises(TypeError, match=r"`buffer_size` must be an integer, got 1\.5"):
        FIRST.shuffle(1.5)
