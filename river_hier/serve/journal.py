"""A journal of the labels that the service has learned, in an SQLite database."""

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

KEYS = 100_000  # of dropped labels, whose messages are gone


class Entry(NamedTuple):
    """What has become of a label."""

    position: int  # from 1, in the order in which labels are learned
    new: bool = True  # or else the key was there before
    same: bool = True  # whether it equals the label of that key
    error: Exception | None = None  # why it is not in the journal
    grew: Any = None  # the paths of categories that were new


class Journal:
    """The database at a path; it is created if there is none.

    A label is on the disk when `add` returns: each transaction ends with an fsync. Keys are unique,
    so a label that is sent twice has one row. Labels that a checkpoint covers are dropped: of the
    last `KEYS` the keys and checksums are kept, and of earlier ones nothing.
    """

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level="IMMEDIATE")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS labels "
            "(position INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, checksum BLOB, message TEXT)"
        )
        self._db.execute(
            "CREATE INDEX IF NOT EXISTS kept ON labels (position) WHERE message IS NOT NULL"
        )

    def add(
        self, labels: Iterable[tuple[str, Any]], learn: Callable[[int, Any], Any]
    ) -> list[Entry]:
        """Append labels, each with its key, in one transaction; all of them or none.

        New ones are learned in it; those that are refused are left out.
        """
        with self._db:
            return [self._add(key, label, learn) for key, label in labels]

    def after(self, position: int) -> Iterator[tuple[int, Any]]:
        """The labels after a position, with their positions."""
        return ((row, message) for row, _, message in self.entries(position))

    def entries(self, position: int) -> Iterator[tuple[int, str, Any]]:
        """The labels after a position, with their positions and keys."""
        rows = self._db.execute(
            "SELECT position, key, message FROM labels WHERE position > ? ORDER BY position",
            (position,),
        )
        return ((row, key, json.loads(message)) for row, key, message in rows)

    def drop(self, position: int, n: int) -> bool:
        """Drop the first n labels up to a position, all or none; return whether there were any."""
        if self.start() > position:
            return False
        with self._db:
            self._db.execute(
                "UPDATE labels SET message = NULL WHERE position IN (SELECT position FROM labels "
                "WHERE message IS NOT NULL AND position <= ? ORDER BY position LIMIT ?)",
                (position, n),
            )
            self._db.execute("DELETE FROM labels WHERE position < ?", (self.start() - KEYS,))
        return True

    def position(self, key: str) -> int | None:
        """The position of the label with a key, if one is kept."""
        row = self._db.execute("SELECT position FROM labels WHERE key = ?", (key,)).fetchone()
        return row and int(row[0])

    def start(self) -> int:
        """The position of the first label that is not dropped, or that comes next."""
        (position,) = self._db.execute(
            "SELECT min(position) FROM labels WHERE message IS NOT NULL"
        ).fetchone()
        return position or self.end() + 1

    def end(self) -> int:
        """The position of the last label, or 0."""
        (position,) = self._db.execute("SELECT max(position) FROM labels").fetchone()
        return position or 0

    def _add(self, key: str, label: Any, learn: Callable[[int, Any], Any]) -> Entry:
        checksum = hashlib.sha256(json.dumps(label, sort_keys=True).encode()).digest()
        row = self._db.execute(
            "INSERT INTO labels (key, checksum, message) VALUES (?, ?, ?) "
            "ON CONFLICT (key) DO NOTHING",
            (key, checksum, json.dumps(label)),
        )
        if not row.rowcount:
            position, first = self._db.execute(
                "SELECT position, checksum FROM labels WHERE key = ?", (key,)
            ).fetchone()
            return Entry(position, new=False, same=first == checksum)
        assert row.lastrowid is not None
        try:
            grew = learn(row.lastrowid, label)
        except Exception as error:
            self._db.execute("DELETE FROM labels WHERE position = ?", (row.lastrowid,))
            return Entry(0, error=error)
        return Entry(row.lastrowid, grew=grew)


class Log:
    """A file of JSON lines, one for each label in a journal: all of them, once and in their order.

    A line has the position, the key and the message. What a process that was killed has not written
    is appended by the next one, as the journal keeps it until then.
    """

    def __init__(self, path: Path, journal: Journal) -> None:
        self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
        self._journal = journal
        self._end = 0
        self.position: int = journal.start() - 1  # of the last label in the file
        for line in self._file:
            if line.endswith(b"\n"):  # or else it was cut off
                self._end += len(line)
                self.position = json.loads(line)["position"]
        if not journal.start() - 1 <= self.position <= journal.end():
            raise ValueError(
                f"{path} ends at label {self.position} and is no log of this journal, which has "
                f"those from {journal.start()} to {journal.end()}; name another file"
            )
        self._file.truncate(self._end)
        self.extend()

    def extend(self) -> None:
        """Append the labels that are new in the journal, and wait until they are on the disk."""
        rows = [*self._journal.entries(self.position)]
        lines = [json.dumps({"position": row, "key": key, **label}) for row, key, label in rows]
        data = "".join(f"{line}\n" for line in lines).encode()
        self._file.seek(self._end)  # after what a full disk may have cut off
        self._file.write(data)
        self._file.flush()
        os.fsync(self._file.fileno())
        self._end += len(data)
        self.position = rows[-1][0] if rows else self.position
