"""The large-scale hierarchical text classification challenges."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from typing import ClassVar

from river.datasets.base import MO_BINARY_CLF

from ...taxonomy import Taxonomy
from ...taxonomy.errors import UnknownLabelError
from ..formats import lshtc
from ..io.errors import ErrorHandler
from ..io.file_dataset import FileDataset


class LSHTC(FileDataset):
    r"""LSHTC: web pages and Wikipedia articles in up to hundreds of thousands of categories.

    The data of four challenges [^1], held from 2009 to 2014, the last one on Kaggle [^2]: word
    counts, or weights, of documents whose text is not published. `x` maps word numbers (strings, as
    in `RCV1`) to their values; `y` maps the number of each category (a string) except the root to
    whether the document belongs to it. Documents are assigned to leaves, and ancestors are added.
    Categories without a parent become children of a root `"root"`.

    | challenge | hierarchy | categories with documents | documents to learn from |
    |---|---|---|---|
    | 1, DMOZ | tree, one category a document | 12,294 | |
    | 2, DMOZ | tree | 27,875 | 394,756 |
    | 2, Wikipedia small | DAG, cycles removed | 36,504 | 456,886 |
    | 2 and 4, Wikipedia large | graph | 325,056 | 2,365,436 |

    The numbers of categories are those of the organisers [^3], the numbers of documents were counted
    by users; they have not been verified. Any files in this format can be read. The test documents
    of the challenges have the category `0`, which is in no hierarchy, so they cannot be read.

    **Files.** Get `train.txt` (or Kaggle's `train.csv`) and `cat_hier.txt` (or `hierarchy.txt`,
    `hierarchy.csv`) from the organisers or from Kaggle, where you must accept the rules of the
    competition; nothing is downloaded here. No licence is stated. Put both into one folder or
    archive, compressed with gzip or not. A document is a line `12, 45 3:2 7:1`, and a first line
    `Data` is optional. A line of the hierarchy is `parent child` or, in the first challenge, the
    whole path of a category.

    **Cycles.** A taxonomy must not have cycles. An edge that closes one is an error; with
    `on_error="skip"` it is left out and counted. The hierarchy is searched depth first, from the
    categories without a parent in the order of the file, and back edges are left out. The organisers
    do not state how they removed the cycles of Wikipedia small.

    Documents are read lazily, one at a time; the hierarchy is held in memory. Each `y` has one entry
    per category, so in the largest hierarchies creating it takes longer than reading the document.

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

    Four documents; the category 5 has two parents:

    >>> import pathlib, tempfile
    >>> from river_hier import datasets

    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = pathlib.Path(folder.name, "hierarchy.txt").write_text("1 3\n1 4\n2 5\n4 5\n")
    >>> _ = pathlib.Path(folder.name, "train.csv").write_text(
    ...     "Data\n3, 5 8:1 18:2\n5 7:1\n3 8:2 9:1\n3 8:1 9:1\n"
    ... )

    >>> stream = datasets.LSHTC(folder.name)
    >>> stream.taxonomy
    Taxonomy(root='root', DAG, 6 nodes, 2 leaves, height 3)
    >>> for x, y in stream.take(2):
    ...     print(x, y)
    {'8': 1.0, '18': 2.0} {'1': True, '2': True, '3': True, '4': True, '5': True}
    {'7': 1.0} {'1': True, '2': True, '3': False, '4': True, '5': True}

    >>> from river import evaluate
    >>> from river_hier import linear_model, metrics

    >>> model = linear_model.HPerceptron(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream, model, metrics.HLoss(stream.taxonomy))
    HLoss: 0.75
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
        all_off = dict.fromkeys(map(str, taxonomy.nodes[1:]), False)
        with self._files() as files:
            name = files.one(f"{self.documents}.txt", f"{self.documents}.csv")
            for line, labels, x in lshtc.documents(files, name, report):
                try:
                    on = taxonomy.closure(labels)
                except UnknownLabelError as unknown:
                    report(name, line, str(unknown))
                    continue
                y = all_off.copy()
                y.update((str(label), True) for label in on if label != taxonomy.root)
                yield x, y

    @functools.cached_property
    def _hierarchy(self) -> tuple[Taxonomy, list[tuple[str, int, str]]]:
        """The taxonomy, and the errors about cycles to report in each iteration."""
        with self._files() as files:
            name = files.one("cat_hier.txt", "hierarchy.txt", "hierarchy.csv", "*hier*")
            taxonomy, errors = lshtc.hierarchy(files, name)
        report = ErrorHandler(self.on_error)
        for error in errors:
            report(*error)
        return taxonomy, errors
