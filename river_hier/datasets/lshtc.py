"""The large-scale hierarchical text classification challenges, and their files."""

from __future__ import annotations

import functools
import os
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import dropwhile, pairwise
from typing import ClassVar

from river.datasets.base import MO_BINARY_CLF

from .._core import read_pairs
from ..taxonomy import Taxonomy
from .file_dataset import FileDataset
from .files import ErrorHandler, Files, Multilabels, error_at, lines, named, pair_error

_SHOWN = 6  # nodes at each end of a long cycle


class LSHTC(FileDataset):
    r"""LSHTC: web pages and Wikipedia articles in up to hundreds of thousands of categories.

    The data of four challenges [^1], held from 2009 to 2014, the last one on Kaggle [^2]: word
    counts, or weights, of documents whose text is not published. `x` maps word numbers (strings, as
    in `RCV1`) to their values; `y` maps the number of each category (a string) except the root to
    whether the document belongs to it. Documents are assigned to leaves, and ancestors are added.
    Categories without a parent become children of a root `"root"`.

    There are documents in 12,294 categories of the first challenge and in 27,875 to 325,056 of the
    later ones [^3]. The test documents of the challenges have the category `0`, which is in no
    hierarchy, so they cannot be read.

    **Files.** Nothing is downloaded: get `train.txt` (Kaggle's `train.csv`) and `cat_hier.txt`
    (`hierarchy.txt`, `hierarchy.csv`) from the organisers or from Kaggle, whose rules you must
    accept. No licence is stated. A document is a line `12, 45 3:2 7:1`, after an optional line
    `Data`; a line of the hierarchy is `parent child` or, in the first challenge, a whole path.

    **Cycles.** An edge that closes a cycle is an error; with `on_error="skip"` it is left out and
    counted. The hierarchy is searched depth first, from the categories without a parent in the
    order of the file, and back edges are left out. Memory holds the hierarchy and one document;
    each `y` has one entry per category.

    Parameters
    ----------
    path
        The folder or archive with the two files. By default the folder `LSHTC` of River's data home.
    documents
        The name of the file of documents, without `.txt` or `.csv`. The first challenge has several
        files of the same name in different folders: `"Task1*/train"`.
    on_error
        What to do with a broken record: `"raise"` a `ValueError` that names file and line, or
        `"skip"` and count it.

    Raises
    ------
    FileNotFoundError
        `path` lacks a file.
    ValueError
        A file is damaged or has an unexpected content, a category is not in the hierarchy, or the
        hierarchy has a cycle; the message names file and line.

    Examples
    --------

    Two documents; the category 5 has two parents:

    >>> import pathlib, tempfile
    >>> from river_hier import datasets

    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = pathlib.Path(folder.name, "hierarchy.txt").write_text("1 3\n1 4\n2 5\n4 5\n")
    >>> _ = pathlib.Path(folder.name, "train.csv").write_text("Data\n3, 5 8:1 18:2\n5 7:1\n")

    >>> stream = datasets.LSHTC(folder.name)
    >>> for x, y in stream:
    ...     print(x, y)
    {'8': 1.0, '18': 2.0} {'1': True, '2': True, '3': True, '4': True, '5': True}
    {'7': 1.0} {'1': True, '2': True, '3': False, '4': True, '5': True}
    >>> folder.cleanup()

    References
    ----------
    [^1]: [Partalas, I., Kosmopoulos, A., Baskiotis, N., Artieres, T., Paliouras, G., Gaussier, E., Androutsopoulos, I., Amini, M.-R. and Galinari, P., 2015. LSHTC: A benchmark for large-scale text classification.](https://arxiv.org/abs/1503.08581)
    [^2]: [Large scale hierarchical text classification, Kaggle, 2014.](https://www.kaggle.com/c/lshtc/data)
    [^3]: [The second challenge: tasks, rules and guidelines.](http://lshtc.iit.demokritos.gr/LSHTC2_rules)

    """  # noqa: E501

    HELP: ClassVar[str] = (
        "get train.txt and cat_hier.txt from http://lshtc.iit.demokritos.gr, or train.csv and "
        "hierarchy.csv from https://www.kaggle.com/c/lshtc/data, unpack them, and put both there"
    )

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        documents: str = "train",
        on_error: str = "raise",
    ) -> None:
        if not isinstance(documents, str) or not documents:
            raise ValueError(f"`documents` must be the name of a file, got {documents!r}")
        self.documents = documents
        # The numbers of features and categories are unknown until the files have been read.
        super().__init__(path, on_error, task=MO_BINARY_CLF, n_features=0, sparse=True)

    @property
    def taxonomy(self) -> Taxonomy:
        """The categories, read from the file of the hierarchy."""
        return self._hierarchy[0]

    def _examples(self, report: ErrorHandler) -> Iterator[tuple[dict[str, float], dict[str, bool]]]:
        taxonomy, errors = self._hierarchy
        for error in errors:
            report(*error)
        multilabel = Multilabels(taxonomy)
        with self._files() as files:
            name = files.one(f"{self.documents}.txt", f"{self.documents}.csv")
            for line, labels, x in _documents(files, name, report):
                if (y := multilabel.read(labels, report, name, line)) is not None:
                    yield x, y

    @functools.cached_property
    def _hierarchy(self) -> tuple[Taxonomy, list[tuple[str, int, str]]]:
        """The taxonomy, and the errors about cycles to report in each iteration."""
        with self._files() as files:
            name = files.one("cat_hier.txt", "hierarchy.txt", "hierarchy.csv", "*hier*")
            taxonomy, errors = _hierarchy(files, name)
        report = ErrorHandler(self.on_error)
        for error in errors:
            report(*error)
        return taxonomy, errors


def _documents(
    files: Files, name: str, report: ErrorHandler
) -> Iterator[tuple[int, list[str], dict[str, float]]]:
    """Line number, labels and features of each `label, label feature:value ...` line."""
    for line, text in lines(files, name, "ascii"):
        head, colon, _ = text.partition(":")
        # The word before the first colon is the first feature; a document may have none.
        before = head.rpartition(" ")[0] if colon else head
        labels = [label.strip() for label in before.split(",")]
        pairs = text[len(before) :]
        x = read_pairs(pairs)  # search for the error only if there is one
        if x is not None and all(map(str.isdecimal, labels)) and all(map(str.isdecimal, x)):
            yield line, labels, x
        elif line > 1 or text != "Data":
            wrong = next((label for label in labels if not label.isdecimal()), None)
            if wrong is None:
                error = pair_error(pairs, "feature:value", "values", "the number of a feature")
            else:
                error = f"expected numbers of categories between commas, got {reprlib.repr(wrong)}"
            report(name, line, error)


def _hierarchy(files: Files, name: str) -> tuple[Taxonomy, list[tuple[str, int, str]]]:
    """The taxonomy of `parent child` lines, or of lines that are whole paths from the top.

    Edges that close a cycle are left out, and their errors are returned; any other error raises.
    """
    children: dict[str, dict[str, int]] = {}  # with the line number of each edge
    for line, text in lines(files, name, "ascii"):
        path = text.split()
        if not all(map(str.isdecimal, path)):
            expected = "expected numbers of categories from the top downwards"
            raise error_at(name, line, f"{expected}, got {reprlib.repr(text)}")
        for node in path:
            children.setdefault(node, {})
        for parent, child in pairwise(path):
            children[parent].setdefault(child, line)
    left_out = []
    for cycle in list(_cycles(children, [*_tops(children), *children])):
        parent, child = cycle[-2:]
        if len(cycle) > 2 * _SHOWN:
            cycle = [*cycle[:_SHOWN], "...", *cycle[-_SHOWN:]]
        message = f"{parent} -> {child} closes the cycle {' -> '.join(cycle)}"
        left_out.append((name, children[parent].pop(child), message))
    edges = [(parent, child) for parent, family in children.items() for child in family]
    if len(tops := _tops(children)) > 1:
        edges = [*(("root", top) for top in tops), *edges]
    with named(name):
        taxonomy = Taxonomy.flat([], root=tops[0]) if tops and not edges else Taxonomy(edges)
    return taxonomy, left_out


def _tops(children: Mapping[str, Iterable[str]]) -> list[str]:
    """The nodes without parents."""
    below = {child for family in children.values() for child in family}
    return [node for node in children if node not in below]


def _cycles(children: Mapping[str, Iterable[str]], starts: Iterable[str]) -> Iterator[list[str]]:
    """The cycle of each back edge of a depth-first search, the back edge last."""
    done = set()
    for start in starts:
        if start in done:
            continue
        path = {start: iter(children[start])}  # a stack with fast membership tests
        while path:
            node, untried = next(reversed(path.items()))
            for child in untried:
                if child in path:
                    yield [*dropwhile(child.__ne__, path), child]
                elif child not in done:
                    path[child] = iter(children[child])
                    break
            else:
                del path[node]
                done.add(node)
