"""Reuters-21578, Distribution 1.0, and its files in Lewis's SGML."""

import contextlib
import datetime
import functools
import html
import os
import re
import reprlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from river.datasets.base import MO_BINARY_CLF

from ..taxonomy import Taxonomy
from .file_dataset import FileDataset, Source, checked_subset
from .files import ErrorHandler, Files, MultilabelReader, damage, error_at, lines, named

_ADDRESSES = (  # both of the UCI archive; the author's copy may differ
    "https://kdd.ics.uci.edu/databases/reuters21578",
    "https://archive.ics.uci.edu/ml/machine-learning-databases/reuters21578-mld",
)
_ARCHIVE = "reuters21578.tar.gz"
# scikit-learn's example of out-of-core classification verifies the same value.
_SHA256 = "3bae43c9b14e387f76a61b6d82bf98a4fb5d3ef99ef7e7075ff2ccbcf59f9d30"
_STORIES = "reut2-*.sgm"
_CATEGORIES = "cat-descriptions_120396.txt"

# The official splits: the attribute that decides, the values of `TOPICS` with which stories take
# part, and the sizes of the subsets.
_SPLITS = {
    "ModApte": ("LEWISSPLIT", ("YES",), (9_603, 3_299, 8_676)),
    "ModLewis": ("LEWISSPLIT", ("YES", "NO"), (13_625, 6_188, 1_765)),
    "ModHayes": ("CGISPLIT", ("YES", "NO", "BYPASS"), (20_856, 722, 0)),
}
_PARTS = ("train", "test", "unused")
_SUBSETS = {"TRAIN": "train", "TEST": "test", "NOT-USED": "unused"}
_SUBSETS |= {"TRAINING-SET": "train", "PUBLISHED-TESTSET": "test"}

_OPENING = re.compile(
    r'<REUTERS TOPICS="(?P<TOPICS>YES|NO|BYPASS)" LEWISSPLIT="(?P<LEWISSPLIT>TRAIN|TEST|NOT-USED)" '
    r'CGISPLIT="(?P<CGISPLIT>TRAINING-SET|PUBLISHED-TESTSET)"[^<>]*>\s*'
)
_DATE = re.compile(r"\s*(\d{1,2})-([A-Z]{3})-(\d{4})\s")  # garbage may follow the time
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
# Other ampersands are literal, even if HTML would read a name after them.
_REFERENCE = re.compile(r"&(?:lt|gt|amp|#\d+);")

_HEADING = re.compile(r"(\*\*|\*\*\*\*)(\w.*\S) \((\d+)\)\s*")
_CATEGORY = re.compile(r"(?:.*\(([A-Z-]+)\)|([A-Z-]+))\s*")


class Reuters21578(FileDataset):
    r"""Reuters-21578, Distribution 1.0: newswire stories of 1987 under economic topics.

    21,578 stories from February to October in the order of their ids, which is chronological except
    for two stories. `x` holds the `date` (a `datetime.date`), the `title` and the `body` as text,
    without markup and control characters. Briefs have no body, and unprocessed stories have no
    title. `y` maps every topic and every group to a boolean.

    The 135 topics are those of the list of categories that comes with the stories, in lower case.
    It sorts them into five groups (economic indicators, currencies, corporate, commodities,
    energy), which are the inner nodes of the taxonomy; `money-fx`, `ship` and `interest` are
    children of the root `"Subject Codes"`. Fifteen topics have no stories.

    Many stories have no topic: their `y` is False everywhere. In the train and test sets of
    ModApte, which were indexed, these are true negatives; otherwise topics may be missing. The
    collection is for research only, and asks to be cited [^1]. Memory holds one story. Without
    `path` the archive is downloaded into `Reuters21578` in River's data home (8 MB, 28 MB
    uncompressed) in the first iteration, and its SHA-256 is verified. After a `ConnectionError`,
    iterate again, or call `download`, to start over. A `FileNotFoundError` lists missing files.

    Parameters
    ----------
    path
        The archive `reuters21578.tar.gz`, a folder that holds it, or a folder or archive with
        `cat-descriptions_120396.txt` and any of `reut2-000.sgm` to `reut2-021.sgm`.
    split
        One of the official splits:

        | | train | test | unused |
        |---|---|---|---|
        | `"ModApte"` [^2] | 9,603 | 3,299 | 8,676: not indexed, or not used in Lewis's split |
        | `"ModLewis"` | 13,625 | 6,188 | 1,765: as above, but stories not indexed may be used |
        | `"ModHayes"` | 20,856 | 722 | none |

        The first two are chronological: the test set begins on April 8. Hayes' is not.
    subsets
        The subsets to read: some of `"train"`, `"test"` and `"unused"`. Stories are in
        chronological order, whatever the order given.
    on_error
        Whether to `"raise"` a `ValueError`, with file and line, for a broken story, or `"skip"` it.

    Examples
    --------
    >>> from river_hier import datasets

    >>> datasets.Reuters21578(subsets=["train", "test"]).n_samples
    12902

    References
    ----------
    [^1]: [Lewis, D.D., 1997. Reuters-21578 text categorization test collection, Distribution 1.0.](http://www.daviddlewis.com/resources/testcollections/reuters21578/)
    [^2]: [Apté, C., Damerau, F. and Weiss, S.M., 1994. Automated learning of decision rules for text categorization. ACM Transactions on Information Systems, 12(3), pp.233-251.](https://doi.org/10.1145/183422.183423)

    """  # noqa: E501

    HELP: ClassVar[str] = f"call `download()` or get {_ARCHIVE} from {_ADDRESSES[0]}"

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        split: str = "ModApte",
        subsets: Sequence[str] = ("train",),
        on_error: str = "raise",
    ) -> None:
        if split not in tuple(_SPLITS):  # works for unhashable values
            raise ValueError(f"`split` must be one of {tuple(_SPLITS)}, got {split!r}")
        sizes = dict(zip(_PARTS, _SPLITS[split][2], strict=True))
        self.subsets: tuple[str, ...] = checked_subset("subsets", subsets, sizes)
        self.split = split
        super().__init__(
            path,
            on_error,
            task=MO_BINARY_CLF,
            n_features=3,
            # Files of your own may hold any number of stories.
            n_samples=sum(sizes[subset] for subset in set(subsets)) if path is None else None,
            n_outputs=140,
        )

    @property
    def location(self) -> Path:
        """The archive if it exists, otherwise the folder of the files."""
        location = super().location
        archive = location / _ARCHIVE
        return archive if archive.exists() else location

    @functools.cached_property
    def taxonomy(self) -> Taxonomy:
        """The topics and their groups, below the root `"Subject Codes"`."""
        with self._files(_CATEGORIES) as files:
            return _categories(files, files.one(_CATEGORIES))

    def _examples(self, report: ErrorHandler) -> Iterator[tuple[dict[str, Any], dict[str, bool]]]:
        mark, topics, _ = _SPLITS[self.split]
        multilabel = MultilabelReader(self.taxonomy)
        with self._files(_STORIES, _CATEGORIES) as files:
            for name in files.matching(_STORIES):
                for line, marks, content in _elements(files, name, report):
                    try:
                        labels = _topics(_between(content, "<TOPICS>", "</TOPICS>"))
                        date = _date(_between(content, "<DATE>", "</DATE>"))
                        x = {"date": date, **_texts(content)}
                    except ValueError as error:
                        report(name, line, str(error))
                        continue
                    subset = _SUBSETS[marks[mark]] if marks["TOPICS"] in topics else "unused"
                    if subset not in self.subsets:
                        continue
                    if (y := multilabel.read(labels, report, name, line)) is not None:
                        yield x, y

    def _fetch(self, names: Iterable[str]) -> None:
        if self.location.name != _ARCHIVE:  # which holds all the files
            super()._fetch([_ARCHIVE])

    def _sources(self) -> dict[str, Source]:
        return {_ARCHIVE: Source([f"{address}/{_ARCHIVE}" for address in _ADDRESSES], _SHA256)}


def _categories(files: Files, name: str) -> Taxonomy:
    """The taxonomy of `****Subject Codes (135)`, groups `**Energy Codes (9)` and topics `GOLD`."""
    edges: list[tuple[str, str]] = []
    expected: dict[str, int] = {}  # the number of topics below each heading
    root = group = ""
    for line, text in lines(files, name, "latin-1"):
        if heading := _HEADING.fullmatch(text):
            group = heading[2]
            expected[group] = int(heading[3])
            if root:
                edges.append((root, group))
            root = root or group
        elif root and text.startswith("___"):
            break
        elif root and text.strip():
            category = _CATEGORY.fullmatch(text)
            if category is None:
                expectation = "expected a category such as `Crude Oil (CRUDE)`"
                raise error_at(name, line, f"{expectation}, got {reprlib.repr(text)}")
            edges.append((group, (category[1] or category[2]).lower()))
    with named(name):
        taxonomy = Taxonomy(edges)
    for group, n in expected.items():
        n_topics = sum(label not in expected for label in taxonomy.descendants(group))
        if n_topics != n:
            raise ValueError(f"{name}: {group!r} has {n_topics} topics, expected {n}; get it again")
    return taxonomy


def _elements(
    files: Files, name: str, report: ErrorHandler
) -> Iterator[tuple[int, dict[str, str], str]]:
    """First line, attributes and content of each `<REUTERS>` element; the markup is regular."""
    begun = line = 0
    opening, content = None, list[str]()
    for line, text in lines(files, name, "latin-1"):
        if text.startswith("<REUTERS"):
            if begun:
                report(name, begun, "the story has no </REUTERS>")
            begun, opening, content = line, _OPENING.fullmatch(text), []
            if opening is None:
                marks = "TOPICS=... LEWISSPLIT=... CGISPLIT=..."
                report(name, line, f"expected <REUTERS {marks}>, got {reprlib.repr(text)}")
        elif begun and text.startswith("</REUTERS>"):
            if opening is not None:
                yield begun, opening.groupdict(), "\n".join(content)
            begun = 0
        elif begun:
            content.append(text)
        elif text.strip() and not text.startswith("<!DOCTYPE"):
            report(name, line, f"expected <REUTERS ...>, got {reprlib.repr(text)}")
    if begun:
        raise damage(name, line, EOFError())


def _texts(content: str) -> dict[str, str]:
    if (unstructured := '<TEXT TYPE="UNPROC">') in content:  # body only
        return {"title": "", "body": _plain(_between(content, unstructured, "</TEXT>"))}
    brief = '<TEXT TYPE="BRIEF">' in content  # title only
    title = _plain(_between(content, "<TITLE>", "</TITLE>"))
    return {"title": title, "body": "" if brief else _plain(_between(content, "<BODY>", "</BODY>"))}


def _topics(text: str) -> list[str]:
    topics = []
    for tagged in text.split("<D>")[1:]:
        topic, ended, _ = tagged.partition("</D>")
        if not ended:
            raise ValueError("the story has a <D> without </D>")
        topics.append(topic)
    return topics


def _between(content: str, start: str, end: str) -> str:
    _, begun, rest = content.partition(start)
    text, ended, _ = rest.partition(end)
    if not begun or not ended:
        raise ValueError(f"the story has no {start}...{end}")
    return text


def _plain(text: str) -> str:
    """Replace character references, and strip control characters."""
    return _REFERENCE.sub(lambda reference: html.unescape(reference[0]), text).strip()


def _date(text: str) -> datetime.date:
    if match := _DATE.match(text):
        with contextlib.suppress(ValueError):  # there is no such month, or no such day in it
            return datetime.date(int(match[3]), _MONTHS.index(match[2]) + 1, int(match[1]))
    raise ValueError(f"expected a date such as 26-FEB-1987, got {reprlib.repr(text)}")
