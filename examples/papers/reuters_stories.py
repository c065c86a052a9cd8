"""Chunks of stories of Reuters-21578, by their topic or their author, as counts of tokens."""

from __future__ import annotations

import html
import math
import re
import tarfile
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from river_hier import datasets

# The paper's: words, and these punctuation marks.
TOKEN = re.compile(r"[a-z0-9]+|[.;,:?!()'\"/-]")
FREQUENT = 5_000  # tokens that are kept
LEAST, MOST = 31, 45  # chunks a class; classes with fewer are left out


class Chunk(NamedTuple):
    """A part of a story, projected on the frequent tokens."""

    story: int
    tokens: dict[str, int]
    pairs: dict[tuple[str, str], int]  # neighbours after the projection

    @property
    def vector(self) -> dict[object, float]:
        """The features of the classifiers: logarithms of the counts, with norm 1."""
        logs = {f: 1.0 + math.log(n) for f, n in (self.tokens | self.pairs).items()}
        norm = math.sqrt(sum(value * value for value in logs.values())) or 1.0
        return {feature: value / norm for feature, value in logs.items()}


Classes = dict[str, list[Chunk]]
Text = tuple[str, str]  # class, text


def by_topic(folder: Path) -> Iterator[Text]:
    """Stories with one topic, in chronological order; those without a body are left out."""
    stream = datasets.Reuters21578(folder, subsets=("train", "test", "unused"))
    for x, y in stream:
        topics = [topic for topic in stream.taxonomy.leaves if y[topic]]
        if len(topics) == 1 and x["title"] and x["body"]:
            yield str(topics[0]), f"{x['title']} {x['body']}"


def by_author(folder: Path) -> Iterator[Text]:
    """Stories with a byline, such as "By Rich Miller, Reuters"; the dataset has no bylines."""
    with tarfile.open(folder / "reuters21578.tar.gz") as archive:
        for member in sorted(archive.getmembers(), key=lambda member: member.name):
            file = archive.extractfile(member) if member.name.endswith(".sgm") else None
            content = file.read().decode("latin-1") if file else ""
            for story in content.split("</REUTERS>"):
                author = re.search(r"<AUTHOR>\s*By (.*?), Reuters", story)
                body = re.search(r"<BODY>(.*?)</BODY>", story, re.DOTALL)
                if author and body:
                    yield author[1], html.unescape(body[1])


def chunked(tokens: list[str], length: int) -> Iterator[list[str]]:
    """Parts of this length; a shorter rest belongs to the part before it."""
    n = max(len(tokens) // length, 1)
    for i in range(n):
        yield tokens[i * length : (i + 1) * length if i < n - 1 else None]


def classes(texts: Iterator[Text], length: int) -> Classes:
    """The chunks of each class with enough of them, reduced to the frequent tokens."""
    found: dict[str, list[tuple[int, list[str]]]] = {}
    for story, (name, text) in enumerate(texts):
        for part in chunked(TOKEN.findall(text.lower()), length):
            found.setdefault(name, []).append((story, part))
    kept = {name: parts[:MOST] for name, parts in found.items() if len(parts) >= LEAST}
    total = Counter(token for parts in kept.values() for _, part in parts for token in part)
    frequent = {token for token, _ in total.most_common(FREQUENT)}
    return {
        name: [projected(story, [t for t in part if t in frequent]) for story, part in parts]
        for name, parts in kept.items()
    }


def projected(story: int, tokens: list[str]) -> Chunk:
    return Chunk(story, dict(Counter(tokens)), dict(Counter(pairwise(tokens))))
