"""Stories of Reuters-21578 that have one topic, as counts of words."""

from __future__ import annotations

import math
import re
from collections import Counter
from pathlib import Path

from river_hier import datasets

Example = tuple[dict[str, int], str]
ByTopic = dict[str, list[dict[str, int]]]


def stories(folder: Path) -> list[Example]:
    """The words of each story and its topic, in the order of time; without short notes."""
    stream = datasets.Reuters21578(folder, subsets=("train", "test", "unused"))
    found = []
    for x, y in stream:
        topics = [topic for topic in stream.taxonomy.leaves if y[topic]]
        if len(topics) == 1 and x["title"] and x["body"]:
            words = re.findall("[a-z]+", f"{x['title']} {x['body']}".lower())
            found.append((dict(Counter(words)), str(topics[0])))
    return found


def frequent(examples: list[Example], least: int = 31, most: int = 45) -> ByTopic:
    """Topics with enough stories, and their counts of frequent words."""
    by_topic: ByTopic = {}
    for x, y in examples:
        by_topic.setdefault(y, []).append(x)
    kept = {y: xs[:most] for y, xs in by_topic.items() if len(xs) >= least}
    total: Counter[str] = Counter()
    for xs in kept.values():
        for x in xs:
            total.update(x)
    words = {word for word, _ in total.most_common(5000)}
    return {y: [{w: n for w, n in x.items() if w in words} for x in xs] for y, xs in kept.items()}


def vector(x: dict[str, int]) -> dict[str, float]:
    """Logarithms of the counts, of unit norm: what the classifiers see."""
    logs = {word: 1.0 + math.log(n) for word, n in x.items()}
    norm = math.sqrt(sum(value * value for value in logs.values())) or 1.0
    return {word: value / norm for word, value in logs.items()}
