"""RCV1-v2, and the files of its LYRL2004 distribution."""

import functools
import math
import os
import re
import reprlib
from collections.abc import Iterator, Sequence
from typing import ClassVar

from river.datasets.base import MO_BINARY_CLF

from .._core import read_pairs
from ..taxonomy import Taxonomy
from ..taxonomy.errors import UnknownLabelError
from .file_dataset import FileDataset, Source, checked_subset
from .files import ErrorHandler, Files, MultilabelReader, error_at, lines, named, pair_error, plain

_ADDRESSES = (  # of the publisher, the oldest last; the SHA-256 is verified in any case
    "https://www.jmlr.org/papers/volume5/lewis04a",
    "https://jmlr.csail.mit.edu/papers/volume5/lewis04a",
    "http://www.ai.mit.edu/projects/jmlr/papers/volume5/lewis04a",
)
_HIERARCHY = "rcv1.topics.hier.orig"
_QRELS = "rcv1-v2.topics.qrels.gz"
_VECTORS = {
    "train": ("lyrl2004_vectors_train.dat.gz",),
    "test": tuple(f"lyrl2004_vectors_test_pt{i}.dat.gz" for i in range(4)),
}
_N_DOCUMENTS = {"train": 23_149, "test": 781_265}
_LEFT_OUT = {103: (), 101: ("GMIL", "M143")}

_SECTIONS = {_HIERARCHY: "a02-orig-topics-hierarchy", _QRELS: "a08-topic-qrels"}
_VECTORS_SECTION = "a13-vector-files"

# scikit-learn's `fetch_rcv1` verifies the same values for the compressed files.
_SHA256 = {
    _HIERARCHY: "bcbf22de51e6bd0bc716e382749143192c7718013aede43cacd13c3fc2247fd0",
    _QRELS: "2a98e5e5d8b770bded93afc8930d88299474317fe14181aee1466cc754d0d1c1",
    _VECTORS["train"][0]: "5468f656d0ba7a83afc7ad44841cf9a53048a5c083eedc005dcdb5cc768924ae",
    _VECTORS["test"][0]: "ed40f7e418d10484091b059703eeb95ae3199fe042891dcec4be6696b9968374",
    _VECTORS["test"][1]: "87700668ae45d45d5ca1ef6ae9bd81ab0f5ec88cc95dcef9ae7838f727a13aa6",
    _VECTORS["test"][2]: "48143ac703cbe33299f7ae9f4995db49a258690f60e5debbff8995c34841c7f5",
    _VECTORS["test"][3]: "dfcb0d658311481523c6e6ca0c3f5a3e1d3d12cde5d7a8ce629a9006ec7dbb39",
}

_EDGE = re.compile(r"parent:\s+(\S+)\s+child:\s+(\S+)\s+child-description:")


class RCV1(FileDataset):
    r"""Reuters Corpus Volume 1, version 2: newswire stories under topics that form four trees.

    804,414 stories of one year (August 1996 to August 1997) in the order of their ids, as bags of
    stemmed words with log tf-idf weights [^1], scaled to unit length. `x` maps term ids (strings)
    to weights; `y` maps every topic to a boolean, ancestors included.

    The files are those of the LYRL2004 distribution [^2], which may be redistributed; users are
    asked to cite [^1]. Memory holds a single document. Without `path` they are downloaded into
    `RCV1` in River's data home in the first iteration (roughly 0.5 kB a document), and their
    SHA-256 is verified; `taxonomy` needs only the small file of topics. After a `ConnectionError`,
    iterate again, or call `download`, to start over. A `FileNotFoundError` lists missing files, and
    a `ValueError` names file and line where one is damaged.

    Parameters
    ----------
    path
        The folder or archive with the files, under their original names, with or without `.gz`.
    subsets
        The subsets of the official chronological split to read: `"train"` (23,149 documents),
        `"test"` (781,265) or both. Train comes before test, whatever the order given.
    topics
        The number of topics: all 103, or the 101 of the H-RLS paper [^3], without `GMIL` and
        `M143`, which are inferred: the paper has one topic less at the second and at the third
        depth, `GMIL` has five documents, and `M143` none in the training period.

    Examples
    --------
    >>> from river_hier import datasets

    >>> stream = datasets.RCV1(subsets=["train", "test"])
    >>> stream.n_samples, stream.n_outputs
    (804414, 103)

    References
    ----------
    [^1]: [Lewis, D.D., Yang, Y., Rose, T.G. and Li, F., 2004. RCV1: A new benchmark collection for text categorization research. Journal of Machine Learning Research, 5, pp.361-397.](https://www.jmlr.org/papers/volume5/lewis04a/lewis04a.pdf)
    [^2]: [The LYRL2004 distribution of the RCV1-v2 text categorization test collection.](http://www.jmlr.org/papers/volume5/lewis04a/lyrl2004_rcv1v2_README.htm)
    [^3]: [Cesa-Bianchi et al., 2006. JMLR 7.](https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)

    """  # noqa: E501

    HELP: ClassVar[str] = (
        f"call `download()` or get them, with or without .gz, from {_ADDRESSES[0]}"
    )

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        subsets: Sequence[str] = ("train",),
        topics: int = 103,
        on_error: str = "raise",
    ) -> None:
        self.subsets: tuple[str, ...] = checked_subset("subsets", subsets, _VECTORS)
        if topics not in tuple(_LEFT_OUT):  # works for unhashable values
            raise ValueError(f"`topics` must be 103 or 101, got {topics!r}")
        self.topics = topics
        super().__init__(
            path,
            on_error,
            task=MO_BINARY_CLF,
            n_features=47_236,
            # Files of your own may hold any number of documents.
            n_samples=sum(_N_DOCUMENTS[s] for s in set(subsets)) if path is None else None,
            n_outputs=topics,
            sparse=True,
        )

    @functools.cached_property
    def taxonomy(self) -> Taxonomy:
        """The topics below the root `"Root"`."""
        left_out = _LEFT_OUT[self.topics]
        return self._all_topics.subset(t for t in self._all_topics if t not in left_out)

    def _examples(self, report: ErrorHandler) -> Iterator[tuple[dict[str, float], dict[str, bool]]]:
        with self._files(_HIERARCHY, _QRELS, *self._vectors) as files:
            qrels = files.one(plain(_QRELS))
            topics = _topics(files, qrels, self._all_topics, report)
            multilabel = MultilabelReader(self._all_topics, kept=self.taxonomy)
            nothing: list[str] = []
            previous, at, on = -1, -1.0, nothing
            for name in (files.one(plain(v)) for v in self._vectors):
                for line, document, x in _documents(files, name, report):
                    if document <= previous:
                        report(name, line, _disorder(document, previous))
                        continue
                    previous = document
                    while at < document:  # skip documents without a vector
                        at, on = next(topics, (math.inf, nothing))
                    if at != document:
                        report(name, line, f"document {document} has no topic in {qrels}")
                        continue
                    yield x, multilabel(on)

    @property
    def _vectors(self) -> list[str]:
        return [name for subset in _VECTORS if subset in self.subsets for name in _VECTORS[subset]]

    @functools.cached_property
    def _all_topics(self) -> Taxonomy:
        with self._files(_HIERARCHY) as files:
            return _hierarchy(files, files.one(_HIERARCHY))

    def _sources(self) -> dict[str, Source]:
        return {
            name: Source(
                [f"{a}/{_SECTIONS.get(name, _VECTORS_SECTION)}/{name}" for a in _ADDRESSES],
                _SHA256[name],
            )
            for name in (_HIERARCHY, _QRELS, *self._vectors)
        }


def _disorder(document: int, previous: int) -> str:
    """The message for a document that does not come after the previous one."""
    if document == previous:
        return f"document {document} comes twice"
    return f"document {document} comes after {previous}; the lines must be sorted by document"


def _hierarchy(files: Files, name: str) -> Taxonomy:
    """The taxonomy of `parent: P child: C child-description: ...` lines."""
    edges = []
    for line, text in lines(files, name, "ascii"):
        match = _EDGE.match(text)
        if match is None:
            expected = "parent: ... child: ... child-description: ..."
            raise error_at(name, line, f"expected `{expected}`, got {reprlib.repr(text)}")
        if match[1] != "None":  # which is written for the parent of the root
            edges.append((match[1], match[2]))
    with named(name):
        return Taxonomy(edges)


def _documents(
    files: Files, name: str, report: ErrorHandler
) -> Iterator[tuple[int, int, dict[str, float]]]:
    """Line number, document id and features of each `document  term:weight ...` line."""
    for line, text in lines(files, name, "ascii"):
        document, *rest = text.split(maxsplit=1) or [""]
        pairs = rest[0] if rest else ""
        if not document.isdecimal():
            report(name, line, f"expected a document id, got {reprlib.repr(document)}")
        elif (x := read_pairs(pairs)) is not None:
            yield line, int(document), x
        else:
            report(name, line, pair_error(pairs))


def _topics(
    files: Files, name: str, taxonomy: Taxonomy, report: ErrorHandler
) -> Iterator[tuple[int, list[str]]]:
    """Each document of `topic document 1` lines, with its topics."""
    document, on = "", list[str]()
    number = -1
    for line, text in lines(files, name, "ascii"):
        fields = text.split()
        if len(fields) != 3 or fields[2] != "1" or not fields[1].isdecimal():
            report(name, line, f"expected `topic document 1`, got {reprlib.repr(text)}")
            continue
        if fields[1] != document:
            if int(fields[1]) <= number:
                report(name, line, _disorder(int(fields[1]), number))
                continue
            if on:  # the topics of a document are unknown if all of them were broken
                yield number, on
            document, on = fields[1], []
            number = int(document)
        if fields[0] in taxonomy:
            on.append(fields[0])
        else:
            report(name, line, str(UnknownLabelError(fields[0], taxonomy)))
    if on:
        yield number, on
