"""The collections of hierarchical multilabel classification, in the hierarchical ARFF of Clus."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import re
import reprlib
import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count, pairwise
from pathlib import PurePosixPath
from typing import Any, ClassVar, NamedTuple

from river.datasets.base import MO_BINARY_CLF

from ..taxonomy import Taxonomy
from .file_dataset import FileDataset, checked_subset
from .files import ErrorHandler, Files, MultilabelReader, error_at, lines

SUBSETS = ("trainvalid", "train", "valid", "test")
_NAME = re.compile(rf"(.+)[._-]({'|'.join(SUBSETS)})\.arff", re.IGNORECASE)

MISSING = "?"
ROOT = "root"
NUMERIC = ("numeric", "real", "integer")

# Possessive quantifiers: no malicious file can cause catastrophic backtracking. They repeat single
# characters only, as Python 3.11.2 matches possessive groups wrongly.
_QUOTED = r"""'(?:[^'\\]++|\\.)*'|"(?:[^"\\]++|\\.)*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s++({_QUOTED}|\S++)\s++(.++)", re.IGNORECASE)
_PART = re.compile(rf"""((?:[^,'"]++|{_QUOTED})*)(,|\Z)""")

Lines = Iterator[tuple[int, str]]


class HMC(FileDataset):
    r"""Collections of hierarchical multilabel classification: genes, e-mail, X-ray images.

    Reads any collection in the hierarchical ARFF of Clus: yeast genes under FunCat (trees) and the
    Gene Ontology (DAGs)[^1], Enron's e-mail, ImCLEF's X-ray images and others, of a few thousand
    examples. Publishers state no licence. Nothing is downloaded; the files of FunCat and GO are
    available at [^2]. Names are `cellcycle_FUN.train.arff` and so on, with `.`, `-` or `_`.

    `x` maps attribute names to numbers or, for nominal and string attributes, to strings. Missing
    values, `?`, are left out, and so are the zeros of a sparse row, `{3 0.5, 7 1}`. As in Clus, its
    indices are counted from 1 (in Weka from 0), and a nominal attribute that it leaves out has its
    first value. `y` maps every label except the root to a boolean; ancestors are added. If a file
    names an attribute twice, the second `a` is called `a.1`, with a warning.

    If the header lists paths, `1,1/2,1/2/7`, the taxonomy is a tree whose labels are the whole
    paths; if it lists pairs of a parent and a child, `root/GO0003674,GO0003674/GO0003774`, it is a
    DAG whose labels are the ids. The root is `"root"`.

    Some files are sorted by label, such as those of ImCLEF, and a single pass in that order learns
    badly: shuffle them, `datasets.HMC(...).shuffle(seed=0)`, which holds 10,000 examples.

    Parameters
    ----------
    path
        The folder or archive with the files, under their own names, with or without `.gz`, or one
        file. By default `HMC` in River's data home. A `FileNotFoundError` names missing files.
    dataset
        The name of the collection, such as `"cellcycle_FUN"`, if there are several.
    subsets
        The subsets to read: `"train"`, `"valid"`, `"test"` or `"trainvalid"`, the default, which is
        the file of that name or else train and, if it exists, valid. Test comes last. If `path` is
        a single file and neither `dataset` nor `subsets` is given, its name does not matter.
    on_error
        Whether to `"raise"` a `ValueError`, with file and line, for a broken row, or `"skip"` it.

    Examples
    --------
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
    >>> for x, y in datasets.HMC(folder.name, dataset="yeast_FUN"):
    ...     print(x, [label for label in y if y[label]])
    {'alpha 14': 0.15, 'strand': 'left'} ['01', '02', '01/01', '01/01/03']
    {'strand': 'right'} ['02']
    {'strand': 'left', 'alpha 14': -0.5} ['01', '01/01']
    >>> folder.cleanup()

    References
    ----------
    [^1]: [Vens, C., Struyf, J., Schietgat, L., Džeroski, S. and Blockeel, H., 2008. Decision trees for hierarchical multi-label classification. Machine Learning, 73(2), pp.185-214.](https://doi.org/10.1007/s10994-008-5077-3)
    [^2]: [HMC software and datasets.](https://dtai.cs.kuleuven.be/clus/hmcdatasets/)

    """  # noqa: E501

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
        self.subsets: tuple[str, ...] | None = None
        if subsets is not None:
            self.subsets = checked_subset("subsets", subsets, SUBSETS)
        self.dataset = dataset
        super().__init__(path, on_error, task=MO_BINARY_CLF, n_features=0)
        with contextlib.suppress(FileNotFoundError):  # iterating will raise it
            self.n_features: int = len(self._header.attributes) - 1
            self.n_outputs: int = len(self.taxonomy) - 1

    @property
    def taxonomy(self) -> Taxonomy:
        """The labels under the root `"root"`."""
        return self._header.taxonomy

    @functools.cached_property
    def _header(self) -> Header:
        with self._files() as files:
            name = self._chosen(files)[0]
            header = read_header(lines(files, name), name)
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
        multilabel = MultilabelReader(self.taxonomy)
        with self._files() as files:
            for name in self._chosen(files):
                numbered = lines(files, name)
                header = read_header(numbered, name)
                if header != self._header:
                    raise ValueError(f"{name}: its attributes or classes are not those of the rest")
                for line, text in _without_comments(numbered):
                    try:
                        x, labels = _values(text, header)
                    except ValueError as error:
                        report(name, line, str(error))
                        continue
                    if (y := multilabel.read(labels, report, name, line)) is not None:
                        yield x, y

    def _chosen(self, files: Files) -> list[str]:
        """The files of the subsets, test last."""
        names = files.matching("*.arff")
        specified = self.dataset is not None or self.subsets is not None
        if not specified and len(names) == 1 and self.location.is_file():
            return names
        dataset, there = self._collection(names)
        wanted = set(self.subsets or ("trainvalid",))
        if "trainvalid" in wanted and "trainvalid" not in there:
            wanted = wanted - {"trainvalid"} | {"train"} | ({"valid"} & there.keys())
        if missing := [f"{dataset}.{s}.arff" for s in SUBSETS if s in wanted - there.keys()]:
            raise FileNotFoundError(f"{str(self.location)!r} lacks {', '.join(missing)}")
        return [there[subset] for subset in SUBSETS if subset in wanted]

    def _collection(self, names: list[str]) -> tuple[str, dict[str, str]]:
        """The name of the collection, and the file of each of its subsets."""
        there: dict[str, dict[str, str]] = {}
        for name in names:
            if match := _NAME.fullmatch(PurePosixPath(name).name):
                file = there.setdefault(match[1], {}).setdefault(match[2].lower(), name)
                if file != name:
                    raise ValueError(f"{file} and {name} are the same subset of {match[1]!r}")
        if self.dataset is not None:
            return self.dataset, there.get(self.dataset, {})
        if len(there) > 1:
            raise ValueError(f"`dataset` must be one of {', '.join(map(repr, there))}, got None")
        return next(iter(there.items()), ("NAME", {}))


class Attribute(NamedTuple):
    """A column: its name, its type, and the values of a nominal one."""

    name: str
    type: str
    values: tuple[str, ...] = ()

    def read(self, text: str) -> float | str:
        """Parse a value that is not missing."""
        if self.type == "numeric":
            try:
                value = float(text)
            except ValueError:
                raise ValueError(f"feature {self.name!r} is {reprlib.repr(text)}") from None
            if not math.isfinite(value):
                raise ValueError(f"feature {self.name!r} is {value}")
            return value
        if self.type == "nominal" and text not in self.values:
            raise ValueError(
                f"feature {self.name!r} is {reprlib.repr(text)}, expected one of "
                f"{reprlib.repr(self.values)}"
            )
        return text


class Header(NamedTuple):
    """What stands before the rows."""

    attributes: tuple[Attribute, ...]
    labels_at: int  # the column of the labels
    taxonomy: Taxonomy
    renamed: dict[int, str]  # columns that repeat a name, and this name


def read_header(numbered: Lines, name: str) -> Header:
    """Read the header, up to and including the `@data` line."""
    attributes: list[Attribute] = []
    taxonomies: dict[int, Taxonomy] = {}
    for line, text in _without_comments(numbered):
        keyword = text.split(maxsplit=1)[0].lower()
        if keyword == "@data":
            break
        try:
            if keyword == "@attribute":
                attribute = _attribute(text)
                if attribute.type == "hierarchical":
                    taxonomies[len(attributes)] = _taxonomy(attribute.values)
                    attribute = Attribute(attribute.name, attribute.type)
                attributes.append(attribute)
            elif keyword != "@relation":
                expected = "@relation, @attribute or @data"
                raise ValueError(f"expected {expected}, got {reprlib.repr(text)}")
        except ValueError as error:
            raise error_at(name, line, str(error)) from error
    else:
        raise ValueError(f"{name} ends before @data")
    if len(taxonomies) != 1:
        raise ValueError(f"{name} has {len(taxonomies)} hierarchical attributes, expected one")
    ((at, taxonomy),) = taxonomies.items()
    renamed = _rename(attributes)
    return Header(tuple(attributes), at, taxonomy, renamed)


def _rename(attributes: list[Attribute]) -> dict[int, str]:
    """Rename `a`, `a`, `a` to `a`, `a.1`, `a.2`, or the next that is free; return the old names."""
    taken, seen = {attribute.name for attribute in attributes}, set[str]()
    numbers: dict[str, Iterator[int]] = defaultdict(lambda: count(1))
    renamed = {}
    for at, attribute in enumerate(attributes):
        name = attribute.name
        if name in seen:
            free = next(n for i in numbers[name] if (n := f"{name}.{i}") not in taken)
            attributes[at], renamed[at] = attribute._replace(name=free), name
        seen.add(name)
    return renamed


def _values(text: str, head: Header) -> tuple[dict[str, float | str], list[str]]:
    """The features and labels of a row."""
    values = _sparse(text, head) if text.startswith("{") else _dense(text, head)
    labels = values.pop(head.labels_at, MISSING)
    if labels == MISSING:
        raise ValueError("expected labels joined by @, got none")
    attributes = ((head.attributes[at], value) for at, value in values.items())
    x = {attribute.name: attribute.read(value) for attribute, value in attributes}
    return x, [label.strip() for label in labels.split("@")]


def _without_comments(numbered: Lines) -> Lines:
    """The lines that are neither blank nor comments."""
    for line, text in numbered:
        text = text.strip()
        if text and not text.startswith("%"):
            yield line, text


def _attribute(text: str) -> Attribute:
    match = _ATTRIBUTE.fullmatch(text)
    if match is None:
        raise ValueError(f"expected `@attribute name type`, got {reprlib.repr(text)}")
    name, type_ = _unquoted(match[1]), match[2].strip()
    keyword, *rest = type_.split(maxsplit=1)
    if keyword.lower() in (*NUMERIC, "string") and not rest:
        return Attribute(name, "numeric" if keyword.lower() in NUMERIC else "string")
    if keyword.lower() == "hierarchical" and rest:
        return Attribute(name, "hierarchical", tuple(_split(rest[0])))
    if type_.startswith("{") and type_.endswith("}"):
        return Attribute(name, "nominal", tuple(_split(type_[1:-1])))
    raise ValueError(
        f"attribute {name!r} has type {reprlib.repr(type_)}, expected numeric, string, "
        "{value, ...} or hierarchical with its classes"
    )


def _taxonomy(classes: tuple[str, ...]) -> Taxonomy:
    """A tree if the classes are paths; a DAG if they are pairs of a parent and a child."""
    pairs = any(c.startswith(f"{ROOT}/") for c in classes)
    edges = []
    for c in classes:
        steps = c.split("/")
        if not all(steps) or (pairs and len(steps) != 2):
            expected = "`parent/child`" if pairs else "a path such as `a/b`"
            raise ValueError(f"class {reprlib.repr(c)}: expected {expected}")
        if pairs:
            edges.append((steps[0], steps[1]))
        else:  # a label is its path; ancestors that the file leaves out are added
            paths = [ROOT, *("/".join(steps[:depth]) for depth in range(1, len(steps) + 1))]
            edges += pairwise(paths)
    return Taxonomy(edges)


def _dense(text: str, head: Header) -> dict[int, str]:
    """The values that are not missing, by column."""
    values = _split(text)
    if len(values) != len(head.attributes):
        raise ValueError(f"expected {len(head.attributes):,} values, got {len(values):,}")
    return {at: value for at, value in enumerate(values) if value != MISSING}


def _sparse(text: str, head: Header) -> dict[int, str]:
    """The values that are not missing and not 0; a nominal 0 is the first value of its type."""
    if not text.endswith("}"):
        raise ValueError("expected } at the end")
    values = {at: a.values[0] for at, a in enumerate(head.attributes) if a.type == "nominal"}
    seen = set()
    for entry in _split(text[1:-1]) if text[1:-1].strip() else ():
        number, *value = entry.split(maxsplit=1) or [""]
        if not value or not number.isdecimal():
            raise ValueError(f"expected `number value`, got {reprlib.repr(entry)}")
        at = int(number) - 1
        n = len(head.attributes)
        if not 0 <= at < n:
            raise ValueError(f"there is no attribute {number}, expected 1 to {n:,}")
        if at in seen:
            raise ValueError(f"attribute {number} comes twice")
        seen.add(at)
        values[at] = _unquoted(value[0])
    return {at: value for at, value in values.items() if value != MISSING}


def _split(text: str) -> list[str]:
    """Split at the commas outside quotes."""
    if "'" not in text and '"' not in text:
        return [part.strip() for part in text.split(",")]
    parts, at, comma = [], 0, ","
    while comma:
        match = _PART.match(text, at)
        if match is None:
            raise ValueError(f"a quote is not closed in {reprlib.repr(text[at:])}")
        parts.append(_unquoted(match[1].strip()))
        at, comma = match.end(), match[2]
    return parts


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text
