"""The Open Directory Project's pages."""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from river.datasets.base import MULTI_CLF

from ...base import check_integer
from ...taxonomy import Taxonomy
from ...taxonomy.errors import UnknownLabelError
from ..formats import odp
from ..io.errors import ErrorHandler
from ..io.file_dataset import FileDataset

__all__ = ["DMOZ"]

_CONTENT = ("content.rdf.u8", "*content.rdf*")
_STRUCTURE = ("structure.rdf.u8", "*structure.rdf*")


class DMOZ(FileDataset):
    r"""The Open Directory Project (DMOZ): web pages under the topics that editors gave them.

    `x` is `{"title": ..., "body": ..., "url": ...}`, the title and description that an editor wrote
    and the address of the page; `y` is one label, the page's topic: `"Science/Physics"` for what the
    dump calls `Top/Science/Physics`. Topics make a tree: the name of one is its path, and what else
    the structure links (`narrow`, `symbolic`, `related`) is not read. A page's topic is any node,
    leaf or not. Pages come in the order of the dump, topic by topic, which a learner that
    forgets will not like: `river.stream.shuffle` mixes them as far as its buffer reaches. A page that
    is listed under several topics comes once for each.

    **Files.** `content.rdf.u8` lists pages, `structure.rdf.u8` topics, each packed with gzip or not;
    a few million pages in gigabytes. Adults' and children's topics have files of their own, `ad-...`
    and `kt-...`. The directory was closed in March 2017 and with it `rdf.dmoz.org`; its editors went
    on as Curlie, and a last dump has been kept at `curlz.org/dmoz_rdf`. Nothing is downloaded here.
    The Open Directory License lets you use the data and asks for its attribution wherever they are
    shown.

    **Passes.** Which topics have pages is not known before all pages have been seen: `taxonomy`
    reads the content once and counts, and each iteration reads it once more. With `min_size=0` the
    taxonomy holds every topic in the structure, also empty ones, and the content is not read for it.
    Memory holds the taxonomy and, while it is made, the count of every topic below `topics` down to
    `depth`; of pages, one.

    **Broken pages.** Each page is parsed by itself. One that does not end, is no XML or not UTF-8, as
    occurs in dumps before 2003, is an error, or skipped and counted. While topics are counted, a page
    that is otherwise whole counts even if its title or description is no XML.

    **From text to Hieron.** `feature_extraction.BagOfWords(on="body")` makes features of the
    descriptions, as below; the addresses allow to fetch the pages themselves. The Hieron paper [^1]
    took the words of 8,576 such homepages, under 316 topics down to depth 8 in four parts of the
    directory: `DMOZ(topics=["Top/Arts", "Top/Computers", "Top/Shopping", "Top/Sports"], depth=8,
    min_size=...)` is that setting, but for which pages they drew, which the paper does not say, and
    for the texts, which the dumps do not hold.

    Parameters
    ----------
    path
        The folder or archive that holds the files, or the content file. By default the folder `DMOZ`
        of River's data home.
    topics
        The parts of the directory to read, as the dump names them: `["Top/Science"]`. Several are
        joined under their nearest common ancestor.
    depth
        Deeper topics are cut to their ancestor at this depth; the root's is 0. By default none is.
    min_size
        A topic that has fewer pages, with those of the topics below it, is left out; its pages go to
        the nearest topic above that is not.
    on_error
        `"raise"` raises a `ValueError` with file and line where something is wrong; `"skip"` passes
        over it and counts.

    Raises
    ------
    FileNotFoundError
        `path` lacks a file.
    ValueError
        A page is broken, its topic is not in the structure, or a file is cut off, which is always an
        error; the message gives file and line.

    Examples
    --------

    Three pages in the directory's format:

    >>> import pathlib, tempfile
    >>> from river_hier import datasets

    >>> page = '''<ExternalPage about="http://{0}.example/">
    ...   <d:Title>{0}</d:Title>
    ...   <d:Description>All about {0}</d:Description>
    ...   <topic>Top/Science/{1}</topic>
    ... </ExternalPage>
    ... '''
    >>> pages = [("waves", "Physics/Optics"), ("atoms", "Physics"), ("cells", "Biology")]
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

    >>> from river import evaluate, feature_extraction, preprocessing
    >>> from river_hier import linear_model, metrics

    >>> model = linear_model.Hieron(stream.taxonomy)
    >>> model = feature_extraction.BagOfWords(on="body") | preprocessing.Normalizer() | model
    >>> metric = metrics.TreeInducedError(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream, model, metric)
    TreeInducedError: 1.
    >>> folder.cleanup()

    References
    ----------
    [^1]: [Dekel, O., Keshet, J. and Singer, Y., 2004. Large margin hierarchical classification. Proceedings of the 21st International Conference on Machine Learning.](https://icml.cc/Conferences/2004/proceedings/papers/162.pdf)

    """  # noqa: E501

    HELP = (
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
        self.topics = tuple(topics)
        self.depth = depth
        self.min_size = min_size
        super().__init__(path, on_error, task=MULTI_CLF, n_features=3)
        self._part = _Part(self.topics, depth)

    @functools.cached_property
    def taxonomy(self) -> Taxonomy:
        """The topics: counted in one pass over the content, or listed by the structure."""
        topics: Iterator[str]
        report = ErrorHandler(self.on_error)
        with self._files() as files:
            if self.min_size:
                name = files.one(*_CONTENT)
                topics = (page.topic for page in odp.pages(files, name, report))
            else:
                name = files.one(*_STRUCTURE)
                topics = odp.topics(files, name, report)
            sizes = Counter(label for t in topics if (label := self._part.label(t)) is not None)
        if not sizes:
            raise ValueError(f"{name} has nothing below {', '.join(self.topics)}")
        return self._part.taxonomy(sizes, self.min_size)

    def _examples(self, report: ErrorHandler) -> Iterator[tuple[dict[str, str], str]]:
        taxonomy = self.taxonomy
        with self._files() as files:
            name = files.one(*_CONTENT)
            for page in odp.pages(files, name, report):
                label = self._part.label(page.topic)
                if label is None:
                    continue
                # The root has all pages; without a smallest size what is unknown is an error.
                while self.min_size and label not in taxonomy:
                    label = self._part.parent(label)
                if label not in taxonomy:
                    report(name, page.line, str(UnknownLabelError(label, taxonomy)))
                elif (x := odp.content(page, name, report)) is not None:
                    yield x, label


class _Part:
    """The part of the directory that some topics and what is below them make.

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
        """The label of a topic, cut at the depth; None where the topic is in another part."""
        if not f"{topic}/".startswith(self._prefixes):
            return None
        label = topic.removeprefix("Top/")
        return label if self._n_names is None else "/".join(label.split("/")[: self._n_names])

    def parent(self, label: str) -> str:
        """The parent of a label that is not the root."""
        return label.rpartition("/")[0] or self.root

    def taxonomy(self, sizes: Mapping[str, int], min_size: int) -> Taxonomy:
        """The labels and their ancestors, those that have fewer pages left out.

        `sizes` are the pages of each label itself; what counts is those below it, too.
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
