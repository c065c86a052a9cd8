"""The first examples of a stream, with all that the stream knows."""

from __future__ import annotations

import copy
import pickle

import pytest

from river_hier import datasets
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
