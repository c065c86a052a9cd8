"""The web pages of the Open Directory Project, from its dumps.

The dumps are large files of almost well-formed XML. They are read line by line: the tags of pages
and topics are at the beginning of a line, and their content is indented. Each page is parsed as XML
separately, so a broken page does not affect others. The parsed text begins with the tag of the
page, after which no entity can be declared; this rules out exponential entity expansion in any
version of the XML parser.

"""

from __future__ import annotations

import functools
import html
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import ClassVar, NamedTuple
from xml.parsers import expat

from river.datasets.base import MULTI_CLF

from ..base.checks import check_integer
from ..taxonomy import Taxonomy
from ..taxonomy.errors import UnknownLabelError
from .file_dataset import FileDataset
from .files import ErrorHandler, Files, damage, lines

_CONTENT = ("content.rdf.u8", "*content.rdf*")
_STRUCTURE = ("structure.rdf.u8", "*structure.rdf*")

_ID = re.compile(r"""<Topic\s+r:id=(["'])(.*?)\1""")
_INVALID = "\ufffd"  # replaces bytes that are not UTF-8, here or already in the dump


class DMOZ(FileDataset):
    r"""The Open Directory Project (DMOZ): web pages under the topics assigned by editors.

    `x` is `{"title": ..., "body": ..., "url": ...}`: title and description by an editor, and the
    URL of the page. `y` is a single label, the topic of the page: `"Science/Physics"` for
    `Top/Science/Physics` in the dump. Topics form a tree, and the name of a topic is its path;
    other links in the structure (`narrow`, `symbolic`, `related`) are ignored. The topic of a page
    may be any node, not only a leaf. Pages are ordered by topic, as in the dump, which is a bad
    order for online learning; `river.stream.shuffle` shuffles them within a buffer. A page listed
    under several topics occurs once for each of them.

    **Files.** `content.rdf.u8` lists pages, `structure.rdf.u8` topics, each compressed with gzip or
    not: a few million pages, several gigabytes. The topics for adults and for children are in
    separate files, `ad-...` and `kt-...`. The directory was closed in March 2017 and continued by
    its editors as Curlie; a last dump is kept at `curlz.org/dmoz_rdf`. This class does not download
    it. The Open Directory License permits use of the data and requires attribution.

    **Passes.** The topics that have pages are known only after all pages have been read, so
    `taxonomy` reads the content once to count them, and each iteration reads it again. With
    `min_size=0` the taxonomy holds all topics of the structure, including empty ones, and the
    content is not read for it. Memory holds a single page, the taxonomy and, while this is built,
    the counts of all topics below `topics` down to `depth`.

    **The paper.** The Hieron paper [^1] used the words of 8,576 homepages, under 316 topics down to
    depth 8 in four branches: `topics=["Top/Arts", "Top/Computers", "Top/Shopping", "Top/Sports"],
    depth=8`. It does not specify the choice of pages, whose texts the dumps do not contain.

    Parameters
    ----------
    path
        The folder or archive with the files, or the content file. By default the folder `DMOZ` of
        River's data home.
    topics
        The branches of the directory to read, named as in the dump: `["Top/Science"]`. Several
        branches are joined under their nearest common ancestor.
    depth
        The maximum depth of the taxonomy, where the root has depth 0; deeper topics are replaced by
        their ancestor at this depth. By default unlimited.
    min_size
        The minimum number of pages of a topic, including those of its descendants. Pages of a
        smaller topic are assigned to its nearest ancestor that is large enough.
    on_error
        What to do with a page that is not XML or not UTF-8, as occurs in dumps before 2003:
        `"raise"` a `ValueError` that names file and line, or `"skip"` and count it.

    Raises
    ------
    FileNotFoundError
        `path` lacks a file.
    ValueError
        A page is broken, its topic is not in the structure, or a file is truncated, which is always
        an error; the message names file and line.

    Examples
    --------

    Six pages in the directory's format:

    >>> import pathlib, tempfile
    >>> from river_hier import datasets

    >>> page = '''<ExternalPage about="http://{0}.example/">
    ...   <d:Title>{0}</d:Title>
    ...   <d:Description>All about {0}</d:Description>
    ...   <topic>Top/Science/{1}</topic>
    ... </ExternalPage>
    ... '''
    >>> pages = [("waves", "Physics/Optics"), ("atoms", "Physics"), ("cells", "Biology")] * 2
    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = pathlib.Path(folder.name, "content.rdf.u8").write_text(
    ...     "<RDF>\n" + "".join(page.format(*p) for p in pages) + "</RDF>\n"
    ... )

    >>> stream = datasets.DMOZ(folder.name, topics=["Top/Science"], depth=1)
    >>> stream.taxonomy.nodes
    ('Science', 'Science/Physics', 'Science/Biology')
    >>> for x, y in stream.take(2):
    ...     print(x, y)
    {'title': 'waves', 'body': 'All about waves', 'url': 'http://waves.example/'} Science/Physics
    {'title': 'atoms', 'body': 'All about atoms', 'url': 'http://atoms.example/'} Science/Physics

    >>> sum(y == "Science/Physics" for _, y in stream)
    4
    >>> folder.cleanup()

    References
    ----------
    [^1]: [Dekel, O., Keshet, J. and Singer, Y., 2004. Large margin hierarchical classification. Proceedings of the 21st International Conference on Machine Learning.](https://icml.cc/Conferences/2004/proceedings/papers/162.pdf)

    """  # noqa: E501

    HELP: ClassVar[str] = (
        "put content.rdf.u8 there, with min_size=0 structure.rdf.u8 too, with or without .gz, from "
        "a copy of the dumps of the Open Directory Project"
    )

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        topics: Sequence[str] = ("Top",),
        depth: int | None = None,
        min_size: int = 1,
        on_error: str = "raise",
    ) -> None:
        if isinstance(topics, str) or not topics or not all(isinstance(t, str) for t in topics):
            raise ValueError(
                f"`topics` must be a list or tuple of topics like 'Top/Science', got {topics!r}"
            )
        if depth is not None:
            check_integer("depth", depth, at_least=1)
        check_integer("min_size", min_size, at_least=0)
        self.topics: tuple[str, ...] = tuple(topics)
        self.depth = depth
        self.min_size = min_size
        super().__init__(path, on_error, task=MULTI_CLF, n_features=3)
        self._branches = _Branches(self.topics, depth)

    @functools.cached_property
    def taxonomy(self) -> Taxonomy:
        """The topics, from one pass over the content or from the structure file."""
        topics: Iterator[str]
        report = ErrorHandler(self.on_error)
        with self._files() as files:
            if self.min_size:
                name = files.one(*_CONTENT)
                topics = (page.topic for page in _pages(files, name, report))
            else:
                name = files.one(*_STRUCTURE)
                topics = _topics(files, name, report)
            sizes = Counter(label for t in topics if (label := self._branches.label(t)) is not None)
        if not sizes:
            raise ValueError(f"{name} has nothing below {', '.join(self.topics)}")
        return self._branches.taxonomy(sizes, self.min_size)

    def _examples(self, report: ErrorHandler) -> Iterator[tuple[dict[str, str], str]]:
        taxonomy = self.taxonomy
        with self._files() as files:
            name = files.one(*_CONTENT)
            for page in _pages(files, name, report):
                label = self._branches.label(page.topic)
                if label is None:
                    continue
                # This ends at the root at the latest. With `min_size=0` unknown topics are errors.
                while self.min_size and label not in taxonomy:
                    label = self._branches.parent(label)
                if label not in taxonomy:
                    report(name, page.line, str(UnknownLabelError(label, taxonomy)))
                elif (x := _content(page, name, report)) is not None:
                    yield x, label


class _Branches:
    """The part of the directory at and below some topics.

    A label is a topic without `Top/`. The root is the nearest common ancestor of the topics.
    """

    def __init__(self, topics: Sequence[str], depth: int | None) -> None:
        columns = zip(*(topic.split("/") for topic in topics), strict=False)
        common = "/".join(names[0] for names in takewhile(lambda c: len(set(c)) == 1, columns))
        if not common:
            raise ValueError(f"`topics` have no ancestor in common: {', '.join(topics)}")
        self.root = common.removeprefix("Top/")
        self._prefixes = tuple(f"{topic}/" for topic in topics)
        above = 0 if self.root == "Top" else 1 + self.root.count("/")
        self._n_names = None if depth is None else above + depth

    def label(self, topic: str) -> str | None:
        """The label of a topic, truncated to the depth; None for topics in other branches."""
        if not f"{topic}/".startswith(self._prefixes):
            return None
        label = topic.removeprefix("Top/")
        return label if self._n_names is None else "/".join(label.split("/")[: self._n_names])

    def parent(self, label: str) -> str:
        """The parent of a label that is not the root."""
        return label.rpartition("/")[0] or self.root

    def taxonomy(self, sizes: Mapping[str, int], min_size: int) -> Taxonomy:
        """The labels and their ancestors, without those that have fewer than `min_size` pages.

        `sizes` are the numbers of pages of each label, without those of its descendants.
        """
        parents: dict[str, str | None] = {self.root: None}
        totals = Counter[str]()
        for label, size in sizes.items():
            totals[label] += size
            while label != self.root:
                parent = parents[label] = self.parent(label)
                totals[parent] += size
                label = parent
        return Taxonomy.from_parents(
            {
                label: parent
                for label, parent in parents.items()
                if parent is None or totals[label] >= min_size
            }
        )


class _Page(NamedTuple):
    """A page of the directory: its first line, its topic, and its unparsed XML."""

    line: int
    topic: str
    xml: str


def _topics(files: Files, name: str, report: ErrorHandler) -> Iterator[str]:
    """The topics of a structure file, in the order of the file."""
    for line, text in _lines(files, name):
        if text.startswith("<Topic"):
            if _INVALID in text:
                report(name, line, "the topic is not UTF-8")
            else:
                yield _topic(text)


def _pages(files: Files, name: str, report: ErrorHandler) -> Iterator[_Page]:
    """The pages of a content file.

    The topic of a page is the one it names or, as in dumps made before June 2003, the preceding
    one. Pages without an end tag or a topic, and pages that are not UTF-8, are reported.
    """
    begun, page, topic = 0, list[str](), ""
    for line, text in _lines(files, name):
        if page:
            page.append(text)
        if text.startswith("  "):  # most lines are inside a page or a topic
            continue
        if page and text.startswith("</ExternalPage>"):
            xml, page = "\n".join(page), []
            named = html.unescape(xml.partition("<topic>")[2].partition("</topic>")[0])
            if _INVALID in xml:
                report(name, begun, "the page is not UTF-8")
            elif of := named.strip() or topic:
                yield _Page(begun, of, xml)
            else:
                report(name, begun, "the page has no topic")
        elif text.startswith(("<ExternalPage", "<Topic", "</RDF")):
            if page:
                report(name, begun, "the page does not end, expected a line </ExternalPage>")
            begun, page = line, [text] if text.startswith("<ExternalPage") else []
            if text.startswith("<Topic"):
                topic = "" if _INVALID in text else _topic(text)


def _content(page: _Page, name: str, report: ErrorHandler) -> dict[str, str] | None:
    """Title, description and URL of a page. None if it is not XML, which is reported."""
    found: dict[str, str] = {}
    text: list[str] = []

    def begin(tag: str, attributes: dict[str, str]) -> None:
        text.clear()
        if tag == "ExternalPage":
            found["url"] = attributes.get("about", "")

    def end(tag: str) -> None:
        found.setdefault(tag, "".join(text))

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = begin
    parser.CharacterDataHandler = text.append
    parser.EndElementHandler = end
    try:
        parser.Parse(page.xml, True)
    except expat.ExpatError as error:
        report(name, page.line + error.lineno - 1, expat.ErrorString(error.code))
        return None
    if not found.get("url"):
        report(name, page.line, "the page has no address")
        return None
    return {
        "title": found.get("d:Title", ""),
        "body": found.get("d:Description", ""),
        "url": found["url"],
    }


def _topic(text: str) -> str:
    """The topic of a line `<Topic r:id=...>`; the root of the directory has an empty name."""
    found = _ID.match(text)
    return html.unescape(found[2]) if found else ""


def _lines(files: Files, name: str) -> Iterator[tuple[int, str]]:
    """The lines of the file, which must end with `</RDF>`: otherwise it is truncated."""
    line, last = 0, ""
    for line, text in lines(files, name, errors="replace"):
        yield line, text
        last = text or last
    if last.strip() != "</RDF>":
        raise damage(name, line, EOFError())
