"""Reuters-21578, read as naively as can be: whole files, and a pattern for each field."""

import re
from datetime import datetime
from pathlib import Path
from typing import Any

STORY = re.compile("<REUTERS(.*?)>(.*?)</REUTERS>", re.DOTALL)


def first(pattern: str, text: str) -> str:
    match = re.search(pattern, text, re.DOTALL)
    return match[1] if match else ""


def plain(text: str) -> str:
    without_controls = re.sub(r"&#\d+;", "", text)
    return without_controls.replace("&lt;", "<").replace("&amp;", "&").strip()


def stories(folder: Path) -> list[tuple[dict[str, str], dict[str, Any], set[str]]]:
    """Attributes, x and topics of each story."""
    found = []
    for path in sorted(folder.glob("reut2-*.sgm")):
        for attributes, content in STORY.findall(path.read_bytes().decode("latin-1")):
            day = first(r"<DATE>\s*(\S*)", content)
            unprocessed = first('<TEXT TYPE="UNPROC">(.*)</TEXT>', content)
            x = {
                "date": datetime.strptime(day, "%d-%b-%Y").date(),
                "title": plain(first("<TITLE>(.*?)</TITLE>", content)),
                "body": plain(first("<BODY>(.*?)</BODY>", content) or unprocessed),
            }
            topics = re.findall("<D>(.*?)</D>", first("<TOPICS>(.*?)</TOPICS>", content))
            found.append((dict(re.findall('(\\w+)="(.*?)"', attributes)), x, set(topics)))
    return found


def part(split: str, marks: dict[str, str]) -> str:
    """As section VIII of the collection's README defines it."""
    if split == "ModHayes":
        return "train" if marks["CGISPLIT"] == "TRAINING-SET" else "test"
    if marks["LEWISSPLIT"] == "NOT-USED" or marks["TOPICS"] == "BYPASS":
        return "unused"
    if split == "ModApte" and marks["TOPICS"] == "NO":
        return "unused"
    return marks["LEWISSPLIT"].lower()
