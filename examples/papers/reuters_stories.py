"""Stories of Reuters-21578 that have one topic, as counts of words."""

from __future__ import annotations

import html
import math
import re
import tarfile
from collections import Counter
from pathlib import Path

Example = tuple[dict[str, int], str]
ByTopic = dict[str, list[dict[str, int]]]

STORY = re.compile(r"<REUTERS.*?</REUTERS>", re.DOTALL)
TOPICS = re.compile(r"<TOPICS>(.*?)</TOPICS>", re.DOTALL)
TEXT = re.compile(r"<TITLE>(.*?)</TITLE>.*?<BODY>(.*?)</BODY>", re.DOTALL)


def stories(folder: Path) -> list[Example]:
    """The words of each story and its topic, in the order of the files, which is that of time."""
    found = []
    with tarfile.open(folder / "reuters21578.tar.gz") as archive:
        for member in sorted(archive.getnames()):
            if not member.endswith(".sgm"):
                continue
            file = archive.extractfile(member)
            assert file is not None
            for story in STORY.findall(file.read().decode("latin-1")):
                topics = re.findall("<D>(.*?)</D>", TOPICS.findall(story)[0])
                text = TEXT.search(story)
                if len(topics) == 1 and text is not None:
                    words = re.findall("[a-z]+", html.unescape(" ".join(text.groups())).lower())
                    found.append((dict(Counter(words)), topics[0]))
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
