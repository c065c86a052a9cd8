"""Stories of Reuters-21578 that have one topic, as counts of words."""

from __future__ import annotations

import re
from collections import Counter

from river_hier import datasets

Example = tuple[dict[str, int], str]


def stories(folder: str) -> list[Example]:
    """The words of each story and its topic, in the order of time; without short notes."""
    stream = datasets.Reuters21578(folder, parts=("train", "test", "unused"))
    found = []
    for x, y in stream:
        topics = [topic for topic in stream.taxonomy.leaves if y[topic]]
        if len(topics) == 1 and x["title"] and x["body"]:
            words = re.findall("[a-z]+", f"{x['title']} {x['body']}".lower())
            found.append((dict(Counter(words)), str(topics[0])))
    return found
