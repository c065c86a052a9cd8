"""The WIPO-alpha collection of patent applications in XML, one a file.

`<ipcs mc=...>` holds the primary symbol and an `<ipc ic=...>` for each secondary one; the texts
`<ti>`, `<ab>`, `<cl>` and `<txt>` follow, each with an `xml:lang`.

"""

from __future__ import annotations

import functools
import html.entities
import os
import re
import reprlib
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import ClassVar
from xml.parsers import expat

from river.datasets.base import MO_BINARY_CLF

from ..taxonomy import Taxonomy
from .file_dataset import FileDataset, checked_subset
from .files import ErrorHandler, Files, Multilabels

_RECORDS = "*.xml"
_SUBSETS = ("train", "test")
_SECTIONS = "ABCDEFGH"

_SYMBOL = re.compile(r"([A-H])(\d\d)([A-Z])(\d{3})\d*")  # A01B00100 is A01B 1/00
_TEXTS = {"ti": "title", "ab": "body", "cl": "claims", "txt": "description"}
_CHUNK = 1 << 14  # bytes; the first chunk usually holds the symbols


class WIPOAlpha(FileDataset):
    r"""WIPO-alpha: patent applications in English under the International Patent Classification.

    Applications under the Patent Cooperation Treaty of about 1998 to 2002; according to the paper
    that introduces the collection [^1], 46,324 for training and 28,926 for testing. `x` holds
    `title`, `body` (the abstract), `claims` and the whole `description` as text, `""` if missing.
    `y` maps every section, class, subclass and main group that occurs in the collection (`"A"`,
    `"A01"`, `"A01B"` and `"A01B 1/00"`) to whether it is among the symbols of the record, primary
    or secondary. Subgroups are replaced by their main groups.

    The taxonomy consists of the symbols of all records, train and test, in the order of the
    classification. To build it, the beginning of each file is read before the first example.

    WIPO provides the collection on request, under its own terms. **This class was written from
    descriptions of the collection and from other programs that read it, and has not been tested on
    the collection itself.** It reads one record at a time, in the order of the names of files, not
    of folders, which would group them by class.

    Parameters
    ----------
    path
        The folder or archive with the records (`*.xml`) in folders, at any depth, whose names begin
        or end with `train` or `test`. By default the folder `WIPOAlpha` of River's data home.
    sections
        The sections to read, such as `"D"` or `"GH"`. Records whose primary symbol belongs to
        another section are left out, and so are secondary symbols of other sections. A single
        section is the root of the taxonomy, as in [^2]; several are children of the root `"IPC"`.
    subsets
        The subsets to read: `"train"`, `"test"` or both. Train comes before test, whatever the
        order given.
    on_error
        What to do with a broken or truncated record: `"raise"` a `ValueError` that names file and
        line, or `"skip"` it and count it in `n_skipped`. A damaged archive is always an error.

    Raises
    ------
    FileNotFoundError
        `path` lacks the files.
    ValueError
        A record is not well-formed, declares entities, or has no valid primary symbol.

    Examples
    --------

    Two records in the publisher's format:

    >>> import pathlib, tempfile
    >>> from river_hier import datasets

    >>> record = '''<?xml version="1.0" encoding="iso-8859-1"?>
    ... <!DOCTYPE record SYSTEM "ipctraining.dtd">
    ... <record cy="WO" kind="A1">
    ... <ipcs ed="7" mc="{mc}"><ipc ic="{ic}"/></ipcs>
    ... <tis><ti xml:lang="EN">{title}</ti></tis>
    ... <abs><ab xml:lang="EN">An apparatus.</ab></abs>
    ... <cls><cl xml:lang="EN">1. An apparatus.</cl></cls>
    ... <txts><txt xml:lang="EN">This invention relates to it.</txt></txts>
    ... </record>
    ... '''
    >>> records = [
    ...     {"mc": "D01B00110", "ic": "D21H01900", "title": "Ginning cotton"},
    ...     {"mc": "D21H01904", "ic": "B32B02900", "title": "Coated paper"},
    ... ]
    >>> folder = tempfile.TemporaryDirectory()
    >>> (train := pathlib.Path(folder.name, "train")).mkdir()
    >>> for i, fields in enumerate(records):
    ...     _ = (train / f"{i}.xml").write_text(record.format(**fields))

    >>> stream = datasets.WIPOAlpha(folder.name, sections="D")
    >>> stream.taxonomy
    Taxonomy(root='D', 7 nodes, 2 leaves, height 3)
    >>> for x, y in stream:
    ...     print(x["title"], "|", x["body"], [group for group in y if y[group]])
    Ginning cotton | An apparatus. ['D01', 'D21', 'D01B', 'D21H', 'D01B 1/00', 'D21H 19/00']
    Coated paper | An apparatus. ['D21', 'D21H', 'D21H 19/00']

    >>> sum(y["D21H 19/00"] for _, y in stream)
    2
    >>> folder.cleanup()

    References
    ----------
    [^1]: [Fall, C.J., Törcsvári, A., Benzineb, K. and Karetka, G., 2003. Automated categorization in the international patent classification. ACM SIGIR Forum, 37(1), pp.10-25.](https://doi.org/10.1145/945546.945547)
    [^2]: [Cai, L. and Hofmann, T., 2007. Exploiting known taxonomies in learning overlapping concepts. Proceedings of IJCAI-07, pp.714-719.](https://www.ijcai.org/Proceedings/07/Papers/115.pdf)

    """  # noqa: E501

    HELP: ClassVar[str] = (
        "ask WIPO for the collection (https://www.wipo.int/classifications/ipc/en/ITsupport/"
        "Categorization/dataset/) and put its folders or archive there, the records in folders "
        "train and test"
    )

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        sections: str = _SECTIONS,
        subsets: Sequence[str] = ("train",),
        on_error: str = "raise",
    ) -> None:
        if not isinstance(sections, str) or not sections or not set(sections) <= set(_SECTIONS):
            raise ValueError(f"`sections` must be letters of {_SECTIONS!r}, got {sections!r}")
        self.subsets: tuple[str, ...] = checked_subset("subsets", subsets, _SUBSETS)
        self.sections = sections
        super().__init__(path, on_error, task=MO_BINARY_CLF, n_features=4)

    @functools.cached_property
    def taxonomy(self) -> Taxonomy:
        """The symbols of all records in the sections, down to their main groups."""
        report = ErrorHandler(self.on_error)
        kept: set[tuple[str, ...]] = set()
        with self._files(_RECORDS) as files:
            for name in files.matching(_RECORDS):
                if self._subset(name) is not None:
                    record = _Record(self.sections, with_texts=False)
                    if _read(files, name, record, report):
                        kept.update(record.kept)
        if not kept:
            raise ValueError(f"{str(self.location)!r} has no record in sections {self.sections!r}")
        # Only the numbers of main groups have no leading zeros, so they are compared as integers.
        paths = sorted(kept, key=lambda path: (path[2], int(path[3][5:-3])))
        above = ("IPC",) if len(set(self.sections)) > 1 else ()
        return Taxonomy.from_paths((*above, *path) for path in paths)

    def _examples(self, report: ErrorHandler) -> Iterator[tuple[dict[str, str], dict[str, bool]]]:
        multilabel = Multilabels(self.taxonomy)
        with self._files(_RECORDS) as files:
            for name in self._records(files):
                record = _Record(self.sections, with_texts=True)
                if _read(files, name, record, report) and (paths := record.kept):
                    yield record.texts(), multilabel(path[-1] for path in paths)

    def _records(self, files: Files) -> list[str]:
        names = []
        for subset in (subset for subset in _SUBSETS if subset in self.subsets):
            found = [name for name in files.matching(_RECORDS) if self._subset(name) == subset]
            if not found:
                raise FileNotFoundError(
                    f"{str(self.location)!r} lacks a folder {subset} of records"
                )
            names += sorted(found, key=lambda name: (PurePosixPath(name).name, name))
        return names

    def _subset(self, name: str) -> str | None:
        """The subset of a file, from the name of its nearest parent folder that names one."""
        for folder in (*PurePosixPath(name).parts[-2::-1], self.location.name):
            stem = folder.partition(".")[0].lower()
            for subset in _SUBSETS:
                if stem.startswith(subset) or stem.endswith(subset):
                    return subset
        return None


class _Record:
    """The symbols of a record, the primary one first, and its English texts.

    Reading stops when there is `enough`: after the symbols, unless the texts are needed.
    """

    def __init__(self, sections: str, with_texts: bool) -> None:
        self.enough = False
        self.paths: list[tuple[str, str, str, str]] = []
        self.pieces: dict[str, list[str]] = {key: [] for key in _TEXTS.values()}
        self._sections = sections
        self._with_texts = with_texts
        self._symbols_end = False
        self._open: list[str] | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in ("ipcs", "ipc") and not self._symbols_end:
            if tag == "ipcs" or self.paths:
                symbol = attributes.get("mc" if tag == "ipcs" else "ic", "")
                self.paths.append(_path(symbol))
        elif tag in _TEXTS and attributes.get("xml:lang", "EN").upper() == "EN":
            self._open = self.pieces[_TEXTS[tag]]

    def end(self, tag: str) -> None:
        if tag == "ipcs":
            self._symbols_end = True
            self.enough = not self._with_texts or not self.kept
        elif tag in _TEXTS:
            self.text("\n")
            self._open = None

    def text(self, text: str) -> None:
        if self._open is not None:
            self._open.append(text)

    @property
    def kept(self) -> list[tuple[str, ...]]:
        """The symbols in the sections; none if the primary symbol is in another section."""
        if not self.paths or self.paths[0][0] not in self._sections:
            return []
        return [path for path in self.paths if path[0] in self._sections]

    def texts(self) -> dict[str, str]:
        """The `title`, `body` (abstract), `claims` and `description`; "" if missing."""
        return {key: "".join(found).strip() for key, found in self.pieces.items()}


def _read(files: Files, name: str, record: _Record, report: ErrorHandler) -> bool:
    """Whether the record is sound, as far as it is read; if not, this is reported."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = record.start
    parser.EndElementHandler = record.end
    parser.CharacterDataHandler = record.text
    # The DTD of the records is not read; it is assumed to define the usual characters.
    parser.SkippedEntityHandler = lambda entity, _: record.text(_character(entity))
    # Expat limits entity expansion since version 2.4; here no entity is allowed at all.
    parser.EntityDeclHandler = _refuse
    with files.open(name) as raw:
        try:
            while not record.enough and (chunk := raw.read(_CHUNK)):
                parser.Parse(chunk, False)
            if not record.enough:
                parser.Parse(b"", True)
        except expat.ExpatError as error:
            report(name, error.lineno, f"broken XML, {expat.ErrorString(error.code)}")
            return False
        except (ValueError, LookupError) as error:  # raised here, or an unknown encoding
            report(name, parser.CurrentLineNumber, str(error))
            return False
    if not record.paths:
        report(name, 1, "the record has no <ipcs mc=...>")
    return bool(record.paths)


def _path(symbol: str) -> tuple[str, str, str, str]:
    match = _SYMBOL.fullmatch(symbol.strip())
    if match is None:
        raise ValueError(f"expected a symbol such as A01B00100, got {reprlib.repr(symbol)}")
    section, number, letter, group = match.groups()
    subclass = f"{section}{number}{letter}"
    return section, section + number, subclass, f"{subclass} {int(group)}/00"


def _character(entity: str) -> str:
    if character := html.entities.html5.get(f"{entity};"):
        return character
    raise ValueError(f"no character is named &{entity};")


def _refuse(entity: str, *_: object) -> None:
    raise ValueError(f"the record declares the entity &{entity};, expected none")
