"""Reuters-21578, read as naively as can be: whole files, and a pattern for each field."""

import re
from datetime import datetime

STORY = re.compile("<REUTERS(.*?)>(.*?)</REUTERS>", re.DOTALL)


def first(pattern, text):
    match = re.search(pattern, text, re.DOTALL)
    return match[1] if match else ""


def plain(text):
    without_controls = re.sub(r"&#\d+;", "", text)
    return without_controls.replace("&lt;", "<").replace("&amp;", "&").strip()


def stories(folder):
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


def part(split, marks):
    """As section VIII of the collection's README defines it."""
    if split == "ModHayes":
        return "train" if marks["CGISPLIT"] == "TRAINING-SET" else "test"
    if marks["LEWISSPLIT"] == "NOT-USED" or marks["TOPICS"] == "BYPASS":
        return "unused"
    if split == "ModApte" and marks["TOPICS"] == "NO":
        return "unused"
    return marks["LEWISSPLIT"].lower()
