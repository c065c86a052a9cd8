"""A journal of the labels that http_service.py has accepted, in an SQLite database.

A label is acknowledged once its row is on the disk: each transaction ends with an fsync. Rows are
numbered from 1 in the order of their transactions. Keys are unique, so a label that is sent twice
has one row. Labels that a checkpoint covers are dropped: of the last `KEYS` the keys and checksums
are kept, which tell whether a label is sent again, and of earlier ones nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

KEYS = 100_000  # of dropped labels


class Entry(NamedTuple):
    """The result of adding a label."""

    position: int
    new: bool  # or else the key was there before
    same: bool  # whether it equals the label of that key in the journal


class Journal:
    """The database at a path; it is created if there is none. Any process may add labels.

    SQLite forbids the use of a connection in a child process: open a journal after a fork.
    """

    def __init__(self, path: Path) -> None:
        # The thread that adds labels is not the one that opens the journal.
        self._db = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS labels "
            "(position INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, checksum BLOB, message TEXT)"
        )
        self._db.execute(
            "CREATE INDEX IF NOT EXISTS kept ON labels (position) WHERE message IS NOT NULL"
        )

    def add(self, labels: Iterable[tuple[str, dict[str, Any]]]) -> list[Entry]:
        """Append labels, each with its key, in one transaction; all of them or none."""
        with self._transaction():
            return [self._add(key, label) for key, label in labels]

    def after(self, position: int, n: int) -> list[tuple[int, dict[str, Any]]]:
        """The next n labels after a position, with their positions."""
        rows = self._db.execute(
            "SELECT position, message FROM labels WHERE position > ? ORDER BY position LIMIT ?",
            (position, n),
        )
        return [(row, json.loads(message)) for row, message in rows]

    def drop(self, position: int, n: int) -> None:
        """Drop the first n labels up to a position, all or none."""
        if self.start() > position:
            return
        with self._transaction():
            self._db.execute(
                "UPDATE labels SET message = NULL WHERE position IN (SELECT position FROM labels "
                "WHERE message IS NOT NULL AND position <= ? ORDER BY position LIMIT ?)",
                (position, n),
            )
            self._db.execute("DELETE FROM labels WHERE position < ?", (self.start() - KEYS,))

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

    def close(self) -> None:
        self._db.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def _add(self, key: str, label: dict[str, Any]) -> Entry:
        message = json.dumps(label)
        checksum = hashlib.sha256(json.dumps(label, sort_keys=True).encode()).digest()
        row = self._db.execute(
            "INSERT INTO labels (key, checksum, message) VALUES (?, ?, ?) "
            "ON CONFLICT (key) DO NOTHING",
            (key, checksum, message),
        )
        if row.rowcount:
            assert row.lastrowid is not None
            return Entry(row.lastrowid, new=True, same=True)
        position, first = self._db.execute(
            "SELECT position, checksum FROM labels WHERE key = ?", (key,)
        ).fetchone()
        return Entry(position, new=False, same=first == checksum)
