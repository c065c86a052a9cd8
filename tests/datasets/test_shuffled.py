"""The examples of a stream in random order."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import pytest
from river import evaluate

from river_hier import linear_model, metrics
from river_hier.datasets import synth
from river_hier.datasets.base import Shuffled, TaxonomyDataset


class Listed(TaxonomyDataset):
    """A stream of known length."""

    source = synth.PrototypeTree(branching=2, depth=2, seed=1)
    taxonomy = source.taxonomy

    def __init__(self) -> None:
        super().__init__("Multi-class classification", 7, n_samples=400, n_classes=7)

    def __iter__(self) -> Iterator[tuple[dict[Any, Any], Any]]:
        return iter(self.source.take(400))


STREAM = Listed()
FIRST = STREAM.take(300)


def labels(stream: Any) -> list[Any]:
    return [(y, tuple(x.values())) for x, y in stream]


@pytest.mark.parametrize("size", [1, 10, 300, 1000])
def test_the_same_examples_in_the_same_random_order(size: int) -> None:
    shuffled = FIRST.shuffle(size, seed=3)
    assert sorted(labels(shuffled)) == sorted(labels(FIRST))
    assert labels(shuffled) == labels(shuffled) == labels(FIRST.shuffle(size, seed=3))
    assert (labels(shuffled) == labels(FIRST)) == (size == 1)
    if size > 1:
        assert labels(shuffled) != labels(FIRST.shuffle(size, seed=4))


def test_without_a_seed_iterations_agree() -> None:
    shuffled = FIRST.shuffle()
    assert labels(shuffled) == labels(shuffled)
    assert labels(shuffled) != labels(FIRST.shuffle())
    for same in (copy.deepcopy(shuffled), pickle.loads(pickle.dumps(shuffled))):
        assert labels(same) == labels(shuffled)


def test_no_example_moves_further_to_the_front_than_the_buffer() -> None:
    before = {example: i for i, example in enumerate(labels(FIRST))}
    moves = [before[example] - i for i, example in enumerate(labels(FIRST.shuffle(20, seed=1)))]
    assert max(moves) == 19
    assert min(moves) < -20


def test_it_knows_what_the_stream_knows() -> None:
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


def test_other_streams_take_it() -> None:
    noisy = synth.LabelNoise(FIRST.shuffle(seed=1), rate=0.5, seed=1)
    assert len(list(noisy)) == noisy.n_samples == 300
    assert "shuffled" in repr(noisy)


def test_rivers_tracks() -> None:
    track = evaluate.Track(
        "tree", [FIRST.shuffle(seed=1)], metrics.TreeInducedError(FIRST.taxonomy)
    )
    model = linear_model.Hieron(FIRST.taxonomy)
    steps = [step["Step"] for dataset in track for step in track.run(model, dataset, 3)]
    assert steps == [100, 200, 300]


def test_bad_parameters() -> None:
    with pytest.raises(ValueError, match="`buffer_size` must be at least 1, got 0"):
        STREAM.shuffle(0)
    with pytest.raises(TypeError, match=r"`buffer_size` must be an integer, got 1\.5"):
        FIRST.shuffle(1.5)  # type: ignore[arg-type]
