from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import TypeVar

from ..base.checks import check_integer

Example = TypeVar("Example")


def replay(
    stream: Iterable[Example],
    times: int = 3,
    buffer_size: int = 10_000,
    seed: int | None = None,
) -> Iterator[Example]:
    """Yield each example several times, as in several passes over a stream.

    A new example is yielded as soon as it is read. It is then stored in a buffer, from which it is
    yielded again at random times, until it has been yielded `times` times. When the buffer is full,
    stored examples are yielded until one of them is removed; the rest is yielded after the end of
    the stream. If the buffer is larger than the stream, the first pass is in the order of the
    stream, and the other passes follow, shuffled together.

    The stream is read once, so it can be a generator. The iteration may be stopped at any time.

    Use several passes only for learning. For evaluation, use a single pass, with
    `river.evaluate.progressive_val_score(stream, model, metric)`: the model has already learned
    from the examples that are yielded again. `decision.Calibrated` and `Tempered` recognise these,
    and use only new ones for calibration.

    Parameters
    ----------
    stream
        Examples of any kind: a dataset, a generator, a list of pairs.
    times
        How often each example is yielded, at least 1.
    buffer_size
        The maximum number of examples in memory.
    seed
        Seed of the random order.

    Returns
    -------
    An iterator over `times` as many examples as in the stream.

    Notes
    -----
    An example takes O(times) time on average. A larger buffer gives a larger gain in accuracy;
    docs/accuracy.md has figures.

    Examples
    --------

    >>> from river_hier import linear_model
    >>> from river_hier.datasets import synth
    >>> from river_hier.stream import replay

    >>> data = synth.PrototypeTree(branching=3, depth=3, noise=0.16, seed=42)
    >>> train, test = data.take(500), list(data.take(2500))[500:]

    >>> for times in (1, 3):
    ...     model = linear_model.AveragedHieron(data.taxonomy)
    ...     for x, y in replay(train, times, seed=1):
    ...         model.learn_one(x, y)
    ...     print(sum(model.predict_one(x) == y for x, y in test) / len(test))
    0.443
    0.505

    """
    check_integer("times", times, 1)
    check_integer("buffer_size", buffer_size, 1)
    return _replayed(stream, times, buffer_size, random.Random(seed))


def _replayed(
    stream: Iterable[Example], times: int, buffer_size: int, rng: random.Random
) -> Iterator[Example]:
    buffer: list[tuple[Example, int]] = []  # examples, and how often each is still to be yielded

    def old() -> Example:
        i = rng.randrange(len(buffer))
        example, left = buffer[i]
        if left > 1:
            buffer[i] = example, left - 1
        else:
            buffer[i] = buffer[-1]
            buffer.pop()
        return example

    for example in stream:
        yield example
        if times > 1:
            buffer.append((example, times - 1))
        while len(buffer) == buffer_size:
            yield old()
    while buffer:
        yield old()
