"""Several passes, by a buffer of examples that are yielded again."""

import inspect
import itertools
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier.stream import replay


@given(st.integers(0, 40), st.integers(1, 5), st.integers(1, 50), st.integers(0, 3))
def test_each_example_comes_so_many_times(n: int, times: int, size: int, seed: int) -> None:
    found = list(replay(range(n), times, size, seed))
    assert Counter(found) == dict.fromkeys(range(n), times)
    assert list(dict.fromkeys(found)) == list(range(n))  # new ones in order
    assert found == list(replay(iter(range(n)), times, size, seed))


@given(st.integers(1, 40), st.integers(2, 5), st.integers(1, 50))
def test_the_buffer_is_bounded(n: int, times: int, size: int) -> None:
    """At any time, so many examples have been read but not yet yielded often enough."""
    read: list[int] = []

    def stream() -> Iterator[int]:
        for i in range(n):
            read.append(i)
            yield i

    count: Counter[int] = Counter()
    for i in replay(stream(), times, size, seed=1):
        count[i] += 1
        assert sum(count[k] < times for k in read) <= size


def test_a_buffer_for_all_is_one_pass_after_the_other() -> None:
    found = list(replay(range(100), 3, 1000, seed=1))
    assert found[:100] == list(range(100))
    assert found[100:200] != sorted(found[100:200])


def test_it_may_be_left_and_the_stream_may_be_endless() -> None:
    endless = replay(itertools.count(), 2, buffer_size=3, seed=1)
    assert 8 <= len(set(itertools.islice(endless, 20))) <= 12


def test_bad_parameters_raise_at_once() -> None:
    with pytest.raises(ValueError, match="`times` must be at least 1, got 0"):
        replay([], 0)
    with pytest.raises(ValueError, match="`buffer_size` must be at least 1, got 0"):
        replay([], 2, 0)
    with pytest.raises(TypeError, match=r"`times` must be an integer, got 1\.5"):
        replay([], 1.5)  # type: ignore[arg-type]
    assert inspect.isgenerator(replay([]))
