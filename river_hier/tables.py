"""Texts and labels in files: CSV, JSON, Parquet, and lines, as the programs read them."""

import codecs
import csv
import gzip
import io
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

SAMPLE = 2**20  # bytes by which the encoding and the format are known
DELIMITERS = ",;\t|"
SEPARATORS = ">>", ">", "/", "|", "::", "\\"
MARK = "__label__"  # in front of labels in fastText's files
FOREIGN = 0.25  # non-ASCII letters for one in ASCII, above which a text is not in Latin-1


def rows(
    file: Path, texts: Sequence[str] | None = None, labels: Sequence[str] | None = None,
    several: str | None = None, encoding: str | None = None,
) -> Iterator[tuple[int, str, Any]]:  # fmt: skip
    """The number of each row, from 1, its text, and its label.

    Files are CSV with a header, JSON lines, a JSON list, such as Label Studio's tasks, Parquet,
    fastText's lines, or, if called .txt, a text a line; gzip may pack them. Several columns
    of texts are joined; several of labels are the levels of a path; `several` stands between labels
    of a row. A label is a string, a path as a tuple, a list of several, or `None` if not known.
    """
    columns = (*(texts or ["text"]), *(labels or ["label"]))
    missing = {*(labels or ())}
    record: dict[str, Any] = {}
    for number, record in enumerate(_records(file, columns, encoding), 1):
        if not isinstance(record, dict):
            raise ValueError(f"row {number} has no text: {record!r:.200}")
        texts = texts or (["text"] if "text" in record or len(record) != 1 else [*record])
        if number == 1 and (unknown := [name for name in texts if name not in record]):
            raise ValueError(_no_column(unknown[0], record, "--text"))
        for name in texts:
            if name not in record or not isinstance(record[name], str | None):
                raise ValueError(f"row {number} has no text {name!r}: {record!r:.200}; use --text")
        missing -= record.keys()
        try:
            label = _label([_whole(record.get(name)) for name in labels or ["label"]], several)
        except TypeError as error:
            raise ValueError(f"row {number}: {error}") from None
        yield number, _whole("\n".join(record[name] or "" for name in texts)), label
    for name in missing:
        if not record:
            raise ValueError("there are no rows, only a header")
        raise ValueError(_no_column(name, record, "--label"))


def separator(labels: Iterable[Any]) -> str | None:
    """What stands between the names of paths, if these labels are such."""
    known = {label for label in labels if isinstance(label, str)}
    for mark in SEPARATORS:
        paths = [label for label in known if mark in label]
        if 2 * len(paths) > len(known) > len({label.split(mark)[0].strip() for label in known}):
            spaced = f" {mark} "
            return spaced if all(spaced in label for label in paths) else mark
    return None


def _no_column(name: str, record: Any, option: str) -> str:
    near = get_close_matches(name.lower(), [*map(str.lower, record)], 1)
    hint = [f"; did you mean {n!r}?" for n in record if n.lower() in near][:1]
    return f"there is no column {name!r}, only {', '.join(record)}; use {option}{''.join(hint)}"


def _whole(value: Any) -> Any:
    """Without halves of surrogate pairs, which JSON can hold and no other file."""
    if isinstance(value, list):
        return [*map(_whole, value)]
    return value.encode(errors="replace").decode() if isinstance(value, str) else value


def _label(values: list[Any], several: str | None) -> Any:
    """A label, or the levels of a path."""
    for value in values:
        if not isinstance(value, str | int | list | None):
            raise TypeError(f"{value!r:.100} is no label: a text, or a list of texts, is one")
    if len(values) > 1:
        while values and values[-1] in (None, ""):
            values.pop()
        return tuple("" if value is None else str(value) for value in values) or None
    (value,) = values
    if value is None or isinstance(value, str | int):
        text = "" if value is None else str(value).strip()
        parts = text.split(several) if several else []
        return [part.strip() for part in parts if part.strip()] or text or None
    if not any(isinstance(part, list) for part in value):
        return ([*map(str, value)] if several else tuple(map(str, value))) or None
    paths = [tuple(map(str, path)) for path in value]
    return paths if several or len(paths) > 1 else paths[0]


def _records(file: Path, columns: Sequence[str], encoding: str | None) -> Iterator[Any]:
    """The rows as dictionaries."""
    with file.open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
    name = file.name.removesuffix(".gz") if packed else file.name
    with gzip.open(file) if packed else file.open("rb") as raw:
        sample = raw.read(SAMPLE)
        if not sample.strip():
            raise ValueError(f"{file} is empty")
        if sample.startswith(b"PAR1"):
            yield from _parquet(file, columns)
            return
        encoding = encoding or _encoding(file, sample)
        first, kind = sample.decode(encoding, "replace").lstrip(), Path(name.lower()).suffix
        raw.seek(0)
        lines = io.TextIOWrapper(raw, encoding, newline="")
        if kind == ".json" and first.startswith("["):
            yield from map(_task, json.load(lines))
        elif first.startswith("{") or kind in (".jsonl", ".ndjson"):
            for number, line in enumerate(filter(str.strip, lines), 1):
                try:
                    yield _task(json.loads(line))
                except json.JSONDecodeError as error:
                    raise ValueError(f"row {number} is not JSON: {error}") from error
        elif any(word.startswith(MARK) for word in first.partition("\n")[0].split()):
            yield from map(_marked, filter(str.strip, lines))
        elif kind == ".txt":
            yield from ({"text": line.rstrip("\r\n")} for line in lines)
        else:
            yield from _table(lines, columns)


def _encoding(file: Path, sample: bytes) -> str:
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if b"\0" in sample:
        raise ValueError(
            f"{file} is a binary file; save a spreadsheet as CSV, name the --encoding of a text"
        )
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
        return "utf-8-sig"
    except UnicodeDecodeError:
        ascii = sum(byte < 128 and chr(byte).isalpha() for byte in sample)
        if sum(byte >= 192 for byte in sample) > FOREIGN * ascii:
            raise ValueError(
                f"{file} is in none of UTF-8, UTF-16 and Latin-1; name its --encoding, e.g. cp1251"
            ) from None
    print(f"{file} is not in UTF-8: it is read as Latin-1, or by --encoding", file=sys.stderr)
    return "cp1252"


def _table(lines: Any, columns: Sequence[str]) -> Iterator[dict[Any, Any]]:
    """The rows of a CSV file, with the delimiter by which its header has most of the columns."""
    csv.field_size_limit(2**31 - 1)
    first = next(filter(str.strip, lines))
    headers = [(d, next(csv.reader([first], delimiter=d))) for d in DELIMITERS]
    delimiter, names = max(headers, key=lambda one: (len({*columns} & {*one[1]}), len(one[1])))
    header = [name.strip() for name in names]
    for name in {*columns}:
        if header.count(name) > 1:
            raise ValueError(f"there are several columns {name!r}: rename those that are not meant")
    for number, row in enumerate(csv.DictReader(lines, header, delimiter=delimiter), 1):
        if any(row.pop(None, ())):
            raise ValueError(f"row {number} has more than {len(header)} fields: quote its texts")
        if None in row.values() and any("\n" in value for value in row.values() if value):
            raise ValueError(
                f"row {number} has no {header[-1]!r}, but several lines: close its quote"
            )
        yield row


def _parquet(file: Path, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    try:
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise ValueError(f"{file} is read by pyarrow: pip install pyarrow") from error
    table: Any = parquet.ParquetFile(file)
    named = {*columns} <= {*table.schema_arrow.names}
    for batch in table.iter_batches(columns=[*columns] if named else None):
        yield from batch.to_pylist()


def _task(record: Any) -> Any:
    """A row, or the text of a task of Label Studio with the labels of its first annotation."""
    if not isinstance(record, dict) or not isinstance(record.get("data"), dict):
        return record
    answers = [one for one in record.get("annotations") or [] if not one.get("was_cancelled")]
    results = [result for one in answers[:1] for result in one.get("result") or []]
    values = [result.get("value") or {} for result in results]
    paths = [path for value in values for path in value.get("taxonomy") or []]
    paths += [[name] for value in values for name in value.get("choices") or []]
    return {**record["data"], "label": paths}


def _marked(line: str) -> dict[str, Any]:
    """The text and the labels of a line of fastText's."""
    words = line.split()
    labels = [word.removeprefix(MARK) for word in words if word.startswith(MARK)]
    text = " ".join(word for word in words if not word.startswith(MARK))
    return {"text": text, "label": labels[0] if len(labels) == 1 else [[one] for one in labels]}
