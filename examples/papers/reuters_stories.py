"""Stories of Reuters-21578 that have one topic, as counts of words."""

from __future__ import annotations

import html
import re
import tarfile
from collections import Counter
from pathlib import Path

Example = tuple[dict[str, int], str]

STORY = re.compile(r"<REUTERS.*?</REUTERS>", re.DOTALL)
TOPICS = re.compile(r"<TOPICS>(.*?)</TOPICS>", re.DOTALL)
TEXT = re.compile(r"<TITLE>(.*?)</TITLE>.*?<BODY>(.*?)</BODY>", re.DOTALL)


def stories(folder: str) -> list[Example]:
    """The words of each story and its topic, in the order of the files, which is that of time."""
    found = []
    with tarfile.open(Path(folder) / "reuters21578.tar.gz") as archive:
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
