"""The collections of hierarchical multilabel classification in the format of Clus."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import warnings
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any, ClassVar

from river.datasets.base import MO_BINARY_CLF

from ...taxonomy import Taxonomy
from ...taxonomy.errors import UnknownLabelError
from ..formats import arff
from ..io.errors import ErrorHandler
from ..io.file_dataset import FileDataset, check_subset
from ..io.files import Files, lines

SUBSETS = ("trainvalid", "train", "valid", "test")
_NAME = re.compile(rf"(.+)[._-]({'|'.join(SUBSETS)})\.arff", re.IGNORECASE)


class HMC(FileDataset):
    r"""Collections of hierarchical multilabel classification: genes, e-mail, X-ray images.

    Reads any collection in the hierarchical ARFF of Clus: yeast genes under FunCat (trees) and the
    Gene Ontology (DAGs)[^1], Enron's e-mail, ImCLEF's X-ray images, diatoms and others. Each has a
    few thousand examples in a few megabytes, with tens to thousands of labels. Their publishers
    state no licence. Nothing is downloaded; the files of FunCat and GO are available at [^2].

    A collection consists of files such as `cellcycle_FUN.train.arff`, `cellcycle_FUN.valid.arff`
    and `cellcycle_FUN.test.arff`: its name, one of `.`, `-` and `_`, and the subset. In the
    literature the final model is trained on train and valid together.

    `x` maps attribute names to numbers or, for nominal and string attributes, to strings, which
    River's `preprocessing.OneHotEncoder` can encode. Missing values, `?`, are left out, and so are
    the zeros of a sparse row, `{3 0.5, 7 1}`. As in Clus, its indices are counted from 1 (in Weka
    from 0), and a nominal attribute that it leaves out has its first value. `y` maps every label
    except the root to a boolean; ancestors are added if the file names only the most specific
    labels. Some of the published files name an attribute twice: the second `a` is called `a.1`, with
    a warning.

    The taxonomy is read from the header. If it lists paths, `1,1/2,1/2/7`, the taxonomy is a tree
    whose labels are the whole paths. If it lists pairs of a parent and a child,
    `root/GO0003674,GO0003674/GO0003774`, the taxonomy is a DAG whose labels are the ids. In both
    cases the root is `"root"`.

    Parameters
    ----------
    path
        The folder or archive with the files, under their original names, with or without `.gz`, or
        a single file. By default the folder `HMC` of River's data home.
    dataset
        The name of the collection, such as `"cellcycle_FUN"`, if there are several.
    subsets
        The subsets to read: `"train"`, `"valid"`, `"test"` or `"trainvalid"`, which is the file of
        that name or else train and, if it exists, valid. Test comes last, whatever the order given.
        By default `("trainvalid",)`; if `path` is a single file, compressed or not, and neither
        `dataset` nor `subsets` is given, its name does not matter.
    on_error
        What to do with a broken row: `"raise"` a `ValueError` that names file and line, or `"skip"`
        and count it.

    Raises
    ------
    FileNotFoundError
        Files are missing; the message names them.
    ValueError
        A file is damaged or has an unexpected content, or a label is not in the taxonomy; the
        message names file and line. There are several collections but no `dataset`, or the headers
        of the subsets differ.

    Examples
    --------

    Three genes in the publisher's format:

    >>> import pathlib, tempfile
    >>> from river_hier import datasets

    >>> arff = '''
    ... @RELATION 'yeast'
    ... @ATTRIBUTE 'alpha 14' numeric
    ... @ATTRIBUTE strand {left,right}
    ... @ATTRIBUTE class hierarchical 01,01/01,01/01/03,02
    ... @DATA
    ... 0.15,left,01/01/03@02
    ... ?,right,02
    ... {1 -0.5, 3 01/01}
    ... '''
    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = pathlib.Path(folder.name, "yeast_FUN.train.arff").write_text(arff)

    >>> stream = datasets.HMC(folder.name, dataset="yeast_FUN")
    >>> stream.taxonomy
    Taxonomy(root='root', 5 nodes, 2 leaves, height 3)
    >>> for x, y in stream:
    ...     print(x, [label for label in y if y[label]])
    {'alpha 14': 0.15, 'strand': 'left'} ['01', '02', '01/01', '01/01/03']
    {'strand': 'right'} ['02']
    {'strand': 'left', 'alpha 14': -0.5} ['01', '01/01']

    >>> sum(y["01/01"] for _, y in stream)
    2
    >>> folder.cleanup()

    References
    ----------
    [^1]: [Vens, C., Struyf, J., Schietgat, L., Džeroski, S. and Blockeel, H., 2008. Decision trees for hierarchical multi-label classification. Machine Learning, 73(2), pp.185-214.](https://doi.org/10.1007/s10994-008-5077-3)
    [^2]: [HMC software and datasets.](https://dtai.cs.kuleuven.be/clus/hmcdatasets/)

    """  # noqa: E501

    # The URLs of the individual files are unknown.
    HELP: ClassVar[str] = (
        "get them, with or without .gz, from https://dtai.cs.kuleuven.be/clus/hmcdatasets/ or "
        "another publisher of the collection, and keep their names"
    )

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        dataset: str | None = None,
        subsets: Sequence[str] | None = None,
        on_error: str = "raise",
    ) -> None:
        if subsets is not None:
            check_subset("subsets", subsets, SUBSETS)
        self.dataset = dataset
        self.subsets: tuple[str, ...] | None = None if subsets is None else tuple(subsets)
        super().__init__(path, on_error, task=MO_BINARY_CLF, n_features=0)
        with contextlib.suppress(FileNotFoundError):  # iterating will raise it
            self.n_features: int = len(self._header.attributes) - 1
            self.n_outputs: int = len(self.taxonomy) - 1

    @property
    def taxonomy(self) -> Taxonomy:
        """The labels under the root `"root"`."""
        return self._header.taxonomy

    @functools.cached_property
    def _header(self) -> arff.Header:
        with self._files() as files:
            name = self._chosen(files)[0]
            header = arff.header(lines(files, name), name)
        if header.renamed:
            at, given = next(iter(header.renamed.items()))
            more = f", and {len(header.renamed) - 1:,} more" * (len(header.renamed) > 1)
            warnings.warn(
                f"{name} names attribute {at + 1}, {given!r}, as an earlier one; it is called "
                f"{header.attributes[at].name!r} here{more}",
                stacklevel=4,  # the caller of the constructor
            )
        return header

    def _examples(self, report: ErrorHandler) -> Iterator[tuple[dict[Any, Any], dict[str, bool]]]:
        taxonomy = self.taxonomy
        all_off = dict.fromkeys(map(str, taxonomy.nodes[1:]), False)

        @functools.cache
        def closure(label: str) -> dict[str, bool]:
            return {str(v): True for v in taxonomy.closure([label]) if v != taxonomy.root}

        with self._files() as files:
            for name in self._chosen(files):
                numbered = lines(files, name)
                header = arff.header(numbered, name)
                if header != self._header:
                    raise ValueError(f"{name}: its attributes or classes are not those of the rest")
                for line, x, labels in arff.rows(numbered, name, header, report):
                    y = all_off.copy()
                    try:
                        for label in labels:
                            y |= closure(label)
                    except UnknownLabelError as error:
                        report(name, line, str(error))
                    else:
                        yield x, y

    def _chosen(self, files: Files) -> list[str]:
        """The files of the subsets, test last."""
        found = files.matching("*.arff")
        specified = self.dataset is not None or self.subsets is not None
        if not specified and len(found) == 1 and self.location.is_file():
            return found
        dataset, there = self._collection(found)
        wanted = set(self.subsets or ("trainvalid",))
        if "trainvalid" in wanted and "trainvalid" not in there:
            wanted = wanted - {"trainvalid"} | {"train"} | ({"valid"} & there.keys())
        if missing := [f"{dataset}.{s}.arff" for s in SUBSETS if s in wanted - there.keys()]:
            raise FileNotFoundError(f"{str(self.location)!r} lacks {', '.join(missing)}")
        return [there[subset] for subset in SUBSETS if subset in wanted]

    def _collection(self, found: list[str]) -> tuple[str, dict[str, str]]:
        """The name of the collection, and the file of each of its subsets."""
        there: dict[str, dict[str, str]] = {}
        for name in found:
            if match := _NAME.fullmatch(PurePosixPath(name).name):
                file = there.setdefault(match[1], {}).setdefault(match[2].lower(), name)
                if file != name:
                    raise ValueError(f"{file} and {name} are the same subset of {match[1]!r}")
        if self.dataset is not None:
            return self.dataset, there.get(self.dataset, {})
        if len(there) > 1:
            raise ValueError(f"`dataset` must be one of {', '.join(map(repr, there))}, got None")
        return next(iter(there.items()), ("NAME", {}))
