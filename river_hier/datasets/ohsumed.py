"""OHSUMED, medical abstracts under the headings of MeSH, and the files of both.

A record is `.I` and a number, then tags on lines of their own, each with its text on the next ones.
"""

import collections
import functools
import os
import re
import reprlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import ClassVar

from river.datasets.base import MO_BINARY_CLF

from ..taxonomy import Taxonomy
from .file_dataset import FileDataset, Source
from .files import ErrorHandler, Files, MultilabelReader, error_at, lines, named

_ARCHIVE = "t9.filtering.tar.gz"
_TREE = "mtrees2015.bin"
_ADDRESSES = {
    _ARCHIVE: f"https://trec.nist.gov/data/filtering/{_ARCHIVE}",
    _TREE: f"https://nlmpubs.nlm.nih.gov/projects/mesh/2015/meshtrees/{_TREE}",
}
_ANY_RECORDS, _ANY_TREE = "ohsumed.[0-9]*", "mtrees*.bin"
_FIELDS = {"id": ".U", "title": ".T", "body": ".W", "authors": ".A", "source": ".S"}

_BEGINNING = re.compile(r"\.I(\s.*)?")
_NUMBERED = re.compile(r"\.I\s+\d+")
_TAG = re.compile(r"\.[A-Z]")
_TAGS = (".U", ".S", ".M", ".T", ".P", ".W", ".A")
_NUMBER = re.compile(r"[A-Z]\d+(\.\d+)*", re.ASCII)
_ROOT = re.compile(rf"[A-Z]|{_NUMBER.pattern}", re.ASCII)


class OHSUMED(FileDataset):
    """OHSUMED: abstracts of medical articles under Medical Subject Headings (MeSH).

    348,566 MEDLINE references from 270 medical journals, 1987 to 1991, by number. Each has a title
    and headings assigned by librarians, two thirds an abstract. `x` holds five strings, perhaps
    empty: `"title"`, `"body"` (the abstract), `"authors"`, `"source"` (journal and issue) and
    `"id"`, the MEDLINE identifier. `y` maps every heading below `root` to a boolean.

    A node is a heading, named by its text. MeSH lists a heading under one or several numbers; the
    parent of a number is the number without its last component, so headings form a DAG. Qualifiers
    (`/DI`) and stars are ignored, and the ancestors of headings are added, also where only another
    number of an ancestor leads to them. Records without a heading below `root` are left out;
    headings that are not in the tree are counted in `unknown_headings`.

    Records, about 400 MB, are read one at a time; extract the archive to iterate often. Without
    `path` records and tree are downloaded into `OHSUMED` in River's data home, over TLS but without
    a checksum, since no publisher provides one. TREC distributes the records [^2] for experiments
    only: they may not be used in any clinical or other setting, and users must be told that they
    are incomplete and out of date. MeSH [^3] is free (CC0).

    Parameters
    ----------
    path
        The file, folder or archive (such as `t9.filtering.tar.gz`) with the records, under their
        original names (`ohsumed.87`, `ohsumed.88-91`).
    root
        The tree number of the root, or the letter of a whole category, such as `"C"`, diseases.
        `"N05.715"`, Quality of Health Care, is the root in the H-RLS paper [^1].
    tree
        Whether to leave out the headings with several paths from the root, as in the paper, so that
        articles belong to their remaining ancestors. Otherwise the taxonomy is a DAG.
    mesh
        The file, folder or archive with the tree, NLM's `mtrees*.bin` of any year. By default the
        place of the records.
    on_error
        Whether to `"raise"` a `ValueError` that names a broken record, or `"skip"` and count it.

    Attributes
    ----------
    unknown_headings
        The number of records under each heading that is not in the tree, in the latest iteration.

    Notes
    -----
    The paper has 94 headings at five depths and 55,503 articles, of an edition of MeSH that it does
    not state; in that of 2015 its root has 175 headings with a unique path, at seven depths. A
    `FileNotFoundError` says what is missing and where to get it. After the `ConnectionError` of a
    download, iterate again, or call `download`, to start over.

    Examples
    --------

    >>> from river_hier import datasets

    >>> stream = datasets.OHSUMED(root="C08", tree=False)  # respiratory tract diseases
    >>> stream.n_features
    5

    References
    ----------
    [^1]: [Cesa-Bianchi et al., 2006. JMLR 7.](https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)
    [^2]: [Hersh, W., Buckley, C., Leone, T.J. and Hickam, D., 1994. OHSUMED: An interactive retrieval evaluation and new large test collection for research. SIGIR, pp.192-201](https://doi.org/10.1007/978-1-4471-2099-5_20); [as distributed by TREC-9](https://trec.nist.gov/data/filtering/README.t9.filtering).
    [^3]: [Medical Subject Headings, National Library of Medicine.](https://www.nlm.nih.gov/mesh/)

    """  # noqa: E501

    HELP: ClassVar[str] = f"call `download()` or get {' and '.join(_ADDRESSES.values())}"

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        root: str = "N05.715",
        tree: bool = True,
        mesh: str | os.PathLike[str] | None = None,
        on_error: str = "raise",
    ) -> None:
        if not isinstance(root, str) or not _ROOT.fullmatch(root):
            raise ValueError(
                f"`root` must be a tree number, such as 'N05.715', or a category, such as 'C', "
                f"got {root!r}"
            )
        super().__init__(path, on_error, task=MO_BINARY_CLF, n_features=len(_FIELDS))
        self.root = root
        self.tree = tree
        self.mesh = mesh
        self.unknown_headings: collections.Counter[str] = collections.Counter()

    @functools.cached_property
    def taxonomy(self) -> Taxonomy:
        """The headings at and below `root`."""
        dag, _ = self._headings
        return unique_paths(dag) if self.tree else dag

    def _examples(self, report: ErrorHandler) -> Iterator[tuple[dict[str, str], dict[str, bool]]]:
        self.unknown_headings = unknown = collections.Counter[str]()
        dag, known = self._headings
        multilabel = MultilabelReader(dag, kept=self.taxonomy)
        for record in self._records(report):
            subjects = headings(record.get(".M", ""))
            unknown.update(heading for heading in subjects if heading not in known)
            y = multilabel(heading for heading in subjects if heading in dag)
            if any(y.values()):
                yield {name: record.get(tag, "") for name, tag in _FIELDS.items()}, y

    def _records(self, report: ErrorHandler) -> Iterator[dict[str, str]]:
        packed = self.location / _ARCHIVE
        unpacked = any(self.location.rglob(_ANY_RECORDS))
        if self.path is None and not unpacked:
            self._fetch([_ARCHIVE])
        at = packed if packed.exists() and not unpacked else None
        with self._files(_ANY_RECORDS, at=at) as files:
            names = files.matching(_ANY_RECORDS)
            for name in sorted(names, key=lambda name: PurePosixPath(name).name):
                yield from records(files, name, report)

    @functools.cached_property
    def _headings(self) -> tuple[Taxonomy, frozenset[str]]:
        """The DAG below the root, and all headings of the file."""
        if self.path is None and self.mesh is None:
            self._fetch([_TREE])
        with self._files(_ANY_TREE, at=self.mesh) as files:
            name = files.one(_ANY_TREE)
            tree = tree_headings(files, name)
            return fragment(tree, name, self.root), frozenset(tree.values())

    def _sources(self) -> dict[str, Source]:
        return {
            name: Source([address], None, check_tree if name == _TREE else None)
            for name, address in _ADDRESSES.items()
        }


def records(files: Files, name: str, report: ErrorHandler) -> Iterator[dict[str, str]]:
    """The records, as `{tag: text}`."""
    record: dict[str, list[str]] | None = None
    field: list[str] | None = None
    for line, content in lines(files, name):
        text = content.strip()
        if _BEGINNING.fullmatch(text):
            if not _NUMBERED.fullmatch(text):
                report(name, line, f"expected `.I number`, got {reprlib.repr(text)}")
            if record:
                yield _joined(record)
            record, field = {}, None
        elif record is None:
            report(name, line, f"expected `.I number`, got {reprlib.repr(text)}")
        elif _TAG.fullmatch(text):
            field = []
            if text in record:
                report(name, line, f"{text} comes twice in a record")
            elif text not in _TAGS:
                report(name, line, f"expected one of {' '.join(_TAGS)}, got {text!r}")
            else:
                record[text] = field
        elif field is None:
            report(name, line, f"expected one of {' '.join(_TAGS)}, got {reprlib.repr(text)}")
        else:
            field.append(text)
    if record:
        yield _joined(record)


def _joined(record: dict[str, list[str]]) -> dict[str, str]:
    return {tag: " ".join(field).strip() for tag, field in record.items()}


def headings(text: str) -> list[str]:
    """The distinct headings of `Heading/*QUALIFIER/QUALIFIER; Heading.`, without qualifiers."""
    parts = text.removesuffix(".").split(";")
    names = (part.partition("/")[0].strip(" *") for part in parts)
    return [heading for heading in dict.fromkeys(names) if heading]


def tree_headings(files: Files, name: str) -> dict[str, str]:
    """The heading of each tree number. Errors raise: without the line the tree would differ."""
    tree: dict[str, str] = {}
    for line, text in lines(files, name):
        heading, _, number = text.rpartition(";")
        if not heading or not _NUMBER.fullmatch(number):
            raise error_at(name, line, f"expected `heading;tree.number`, got {reprlib.repr(text)}")
        if number in tree:
            raise error_at(name, line, f"tree number {number!r} comes twice")
        tree[number] = heading
    return tree


def check_tree(path: Path) -> None:
    """Raise a ValueError unless this is a list of headings that does not end within a line."""
    with Files(path) as files:
        tree_headings(files, files.names[0])
        with files.open(files.names[0]) as raw:
            if raw.read()[-1:] != b"\n":
                raise ValueError(f"{path.name} ends within a line")


def fragment(tree: dict[str, str], name: str, root: str) -> Taxonomy:
    """The DAG of the headings below a tree number or a category's letter, in their order."""
    category = len(root) == 1
    if not category and root not in tree:
        raise ValueError(f"{name} has no tree number {root!r} to use as the root")
    edges = []
    for number in sorted(n for n in tree if n.startswith(root if category else f"{root}.")):
        above = number.rpartition(".")[0]
        if above and above not in tree:
            raise ValueError(f"{name}: tree number {number!r} comes without {above!r}")
        edges.append((tree[above] if above else root, tree[number]))
    if not edges:
        raise ValueError(f"{name} has nothing below {root!r}")
    with named(name):
        return Taxonomy(edges)


def unique_paths(dag: Taxonomy) -> Taxonomy:
    """The tree of the nodes that have a unique path from the root."""
    kept = {dag.root}
    for node in dag.nodes[1:]:  # parents come before their children
        above, *others = dag.parents(node)
        if above in kept and not others:
            kept.add(node)
    return dag.subset(list(kept))
