"""Reuters-21578, Distribution 1.0."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from river.datasets.base import MO_BINARY_CLF

from ...taxonomy import Taxonomy
from ...taxonomy.errors import UnknownLabelError
from ..formats import lewis_sgml
from ..io.errors import ErrorHandler
from ..io.file_dataset import FileDataset, Source, check_subset

_ADDRESSES = (  # both of the UCI archive; the author's copy may differ
    "https://kdd.ics.uci.edu/databases/reuters21578",
    "https://archive.ics.uci.edu/ml/machine-learning-databases/reuters21578-mld",
)
_ARCHIVE = "reuters21578.tar.gz"
# scikit-learn's example of out-of-core classification verifies the same value.
_SHA256 = "3bae43c9b14e387f76a61b6d82bf98a4fb5d3ef99ef7e7075ff2ccbcf59f9d30"
_STORIES = "reut2-*.sgm"
_CATEGORIES = "cat-descriptions_120396.txt"


class _Split(NamedTuple):
    """An official split: the attribute that decides, and the stories that take part."""

    mark: str
    topics: frozenset[str]  # values of the attribute `TOPICS`; other stories are unused
    sizes: dict[str, int]

    def subset(self, marks: dict[str, str]) -> str:
        """The subset of a story with these attributes."""
        return _SUBSETS[marks[self.mark]] if marks["TOPICS"] in self.topics else "unused"


_SPLITS = {
    "ModApte": _Split(
        "LEWISSPLIT", frozenset({"YES"}), {"train": 9_603, "test": 3_299, "unused": 8_676}
    ),
    "ModLewis": _Split(
        "LEWISSPLIT", frozenset({"YES", "NO"}), {"train": 13_625, "test": 6_188, "unused": 1_765}
    ),
    "ModHayes": _Split(
        "CGISPLIT", frozenset({"YES", "NO", "BYPASS"}), {"train": 20_856, "test": 722, "unused": 0}
    ),
}
_SUBSETS = {
    "TRAIN": "train",
    "TEST": "test",
    "NOT-USED": "unused",
    "TRAINING-SET": "train",
    "PUBLISHED-TESTSET": "test",
}


class Reuters21578(FileDataset):
    r"""Reuters-21578, Distribution 1.0: newswire stories of 1987 under economic topics.

    21,578 stories from February to October in the order of their ids, which is chronological except
    for two stories. `x` holds the `date` (a `datetime.date`), the `title` and the `body` as text,
    without markup and control characters. Briefs have no body, and unprocessed stories have no
    title. Dateline and author are left out, and so are places, people, organizations and exchanges,
    which were assigned by the indexers like the topics. `y` maps every topic and every group to a
    boolean.

    The 135 topics are those of the list of categories that comes with the stories, in lower case as
    in the stories. The list sorts them into five groups (economic indicators, currencies, corporate,
    commodities, energy), which are the inner nodes of the taxonomy; `money-fx`, `ship` and
    `interest` belong to no group and are children of the root `"Subject Codes"`. Fifteen topics have
    no stories.

    Many stories have no topic: their `y` is False everywhere. If a story was indexed, as in the
    train and test sets of ModApte, this is a true negative; otherwise topics may be missing.

    The collection may be used for research only; publications are asked to name it and its source
    [^1]. It is read in one pass, with one story in memory. Without `path` its archive is downloaded
    into River's data home (8 MB, 28 MB uncompressed) in the first iteration, and its SHA-256 is
    verified.

    Parameters
    ----------
    path
        The archive `reuters21578.tar.gz`, a folder that holds it, or a folder or archive of your
        own with `cat-descriptions_120396.txt` and any of the files `reut2-000.sgm` to
        `reut2-021.sgm`. By default the folder `Reuters21578` of River's data home, to which the
        archive is downloaded.
    split
        One of the official splits:

        | | train | test | unused |
        |---|---|---|---|
        | `"ModApte"` [^2] | 9,603 | 3,299 | 8,676: not indexed, or not used in Lewis's split |
        | `"ModLewis"` | 13,625 | 6,188 | 1,765: as above, but stories not indexed may be used |
        | `"ModHayes"` | 20,856 | 722 | none |

        The first two are chronological: the test set begins on April 8. Hayes' test stories are
        from April to June, with training stories before, between and after them.
    subsets
        The subsets to read: some of `"train"`, `"test"` and `"unused"`, which together are the whole
        collection. Stories are in chronological order, whatever the order given.
    on_error
        What to do with a broken story: `"raise"` a `ValueError` that names the file and the first
        line of the story, or `"skip"` it and count it in `n_skipped`.

    Raises
    ------
    FileNotFoundError
        `path` lacks files; the message lists them.
    ValueError
        A file is damaged or has an unexpected content, or a story has a topic that is not in the
        list of categories.
    ConnectionError
        A download failed. Iterate again, or call `download`, to resume it.

    Examples
    --------

    Two stories in the publisher's format:

    >>> import pathlib, tempfile
    >>> from river_hier import datasets

    >>> categories = '''
    ... ****Subject Codes (3)
    ... Shipping (SHIP)
    ...
    ... **Commodity Codes (2)
    ... COCOA
    ... GOLD
    ... '''
    >>> story = '''
    ... <REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" OLDID="5544" NEWID="1">
    ... <DATE>{date} 15:01:01.79</DATE>
    ... <TOPICS>{topics}</TOPICS>
    ... <TEXT>&#2;
    ... <TITLE>{title}</TITLE>
    ... <BODY>{body}
    ... &#3;</BODY></TEXT>
    ... </REUTERS>
    ... '''
    >>> stories = [
    ...     {
    ...         "date": "26-FEB-1987",
    ...         "topics": "<D>cocoa</D><D>ship</D>",
    ...         "title": "BAHIA COCOA REVIEW",
    ...         "body": "Showers continued throughout the week.",
    ...     },
    ...     {"date": " 1-MAR-1987", "topics": "", "title": "A BANK", "body": "Assets: &lt;5 mln dlrs>."},
    ... ]
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name)
    >>> _ = (path / "cat-descriptions_120396.txt").write_text(categories)
    >>> _ = (path / "reut2-000.sgm").write_text("".join(story.format(**s) for s in stories))

    >>> stream = datasets.Reuters21578(path)
    >>> stream.taxonomy.children("Subject Codes")
    ('ship', 'Commodity Codes')
    >>> for x, y in stream:
    ...     print(x["date"], x["title"], "|", x["body"])
    ...     print(y)
    1987-02-26 BAHIA COCOA REVIEW | Showers continued throughout the week.
    {'ship': True, 'Commodity Codes': True, 'cocoa': True, 'gold': False}
    1987-03-01 A BANK | Assets: <5 mln dlrs>.
    {'ship': False, 'Commodity Codes': False, 'cocoa': False, 'gold': False}

    >>> sum(y["cocoa"] for _, y in stream)
    1
    >>> folder.cleanup()

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
        sizes = _SPLITS[split].sizes
        check_subset("subsets", subsets, sizes)
        self.split = split
        self.subsets: tuple[str, ...] = tuple(subsets)
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
            return lewis_sgml.categories(files, files.one(_CATEGORIES))

    def _examples(self, report: ErrorHandler) -> Iterator[tuple[dict[str, Any], dict[str, bool]]]:
        split = _SPLITS[self.split]
        taxonomy = self.taxonomy
        all_off = dict.fromkeys(map(str, taxonomy.nodes[1:]), False)
        on = {
            topic: {str(t): True for t in taxonomy.closure([topic]) if t != taxonomy.root}
            for topic in taxonomy
        }
        with self._files(_STORIES, _CATEGORIES) as files:
            for name in files.matching(_STORIES):
                for story in lewis_sgml.stories(files, name, report):
                    if split.subset(story.marks) not in self.subsets:
                        continue
                    y = all_off.copy()
                    try:
                        for topic in story.topics:
                            y |= on[topic]
                    except KeyError:
                        report(name, story.line, str(UnknownLabelError(topic, taxonomy)))
                    else:
                        yield story.x, y

    def _fetch(self, names: Iterable[str]) -> None:
        if self.location.name != _ARCHIVE:  # which holds all the files
            super()._fetch([_ARCHIVE])

    def _sources(self) -> dict[str, Source]:
        return {_ARCHIVE: Source([f"{address}/{_ARCHIVE}" for address in _ADDRESSES], _SHA256)}
