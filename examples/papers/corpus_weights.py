"""Words weighted by log(1 + tf) log(n / df) over a whole corpus, known before it is learned from.

`feature_extraction.LogTFIDF` weighs them by the documents that came before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from math import log, sqrt


def weighted(
    texts: Iterable[str], stop_words: Collection[str] = (), min_count: int = 1
) -> list[dict[str, float]]:
    """A vector of length 1 for each text; words that occur less than `min_count` times are none."""
    bags = [
        Counter(word for word in re.findall(r"\w\w+", text.lower()) if word not in stop_words)
        for text in texts
    ]
    df = Counter(word for bag in bags for word in bag)
    n = Counter(word for bag in bags for word in bag.elements())
    kept = {word: log(len(bags) / df[word]) for word in df if n[word] >= min_count}
    return [
        unit({word: log(1 + tf) * kept[word] for word, tf in bag.items() if word in kept})
        for bag in bags
    ]


def unit(x: dict[str, float]) -> dict[str, float]:
    """x of length 1, without zeros."""
    norm = sqrt(sum(value * value for value in x.values())) or 1.0
    return {name: value / norm for name, value in x.items() if value}
